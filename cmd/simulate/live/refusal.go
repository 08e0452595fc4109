package live

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// refusal is one fault for which a server refuses commands.
type refusal struct{ why, fault string }

// refusals are, by the reason, the commands that bring a server into the state in
// which Redis refuses commands for it, and out of that state again.
var refusals = map[string]struct{ begin, end []string }{
	sim.MemoryFull: {[]string{"CONFIG", "SET", "maxmemory", "1"}, []string{"CONFIG", "SET", "maxmemory", "0"}},
	// It replicates a master that is not there: nobody listens at port 1.
	sim.ReadOnly: {[]string{"REPLICAOF", "127.0.0.1", "1"}, []string{"REPLICAOF", "NO", "ONE"}},
	// Its last snapshot failed (see failSnapshot), which matters once it is to take some.
	sim.DiskError: {[]string{"CONFIG", "SET", "save", "100000000 1"}, []string{"CONFIG", "SET", "save", ""}},
	sim.Forbidden: {[]string{"ACL", "SETUSER", "default", "-@write"}, []string{"ACL", "SETUSER", "default", "+@write"}},
	// The cluster's own connection is older, and stays.
	sim.Password: {[]string{"CONFIG", "SET", "requirepass", "secret"}, []string{"CONFIG", "SET", "requirepass", ""}},
}

// Refuse implements faults.NodeHandle.
func (s *server) Refuse(why, fault string) {
	s.refusals = append(s.refusals, refusal{why, fault})
	s.command(refusals[why].begin...)
	s.cluster.Emit(sim.Event{Kind: sim.Impair, Node: s.name, Detail: why, Fault: fault})
}

// Grant implements faults.NodeHandle.
func (s *server) Grant(why, fault string) {
	i := slices.Index(s.refusals, refusal{why, fault})
	if i < 0 {
		return
	}
	s.refusals = slices.Delete(s.refusals, i, i+1)
	if !s.refuses(why) {
		s.command(refusals[why].end...)
	}
	s.cluster.Emit(sim.Event{Kind: sim.Recover, Node: s.name, Detail: why, Fault: fault})
}

func (s *server) refuses(why string) bool {
	return slices.ContainsFunc(s.refusals, func(r refusal) bool { return r.why == why })
}

// failSnapshot makes a snapshot of the server fail. A server refuses writes for that
// only while it is configured to take snapshots.
func (s *server) failSnapshot() error {
	snapshot := filepath.Join(s.folder, "dump.rdb")
	if err := os.Mkdir(snapshot, 0o700); err != nil { // Redis cannot rename a file to a folder
		return err
	}
	ctx := context.Background()
	if err := s.admin.BgSave(ctx).Err(); err != nil {
		return err
	}
	for limit := time.Now().Add(answerLimit); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		answer, err := s.admin.Info(ctx, "persistence").Result()
		if err != nil {
			return err
		}
		if strings.Contains(answer, "rdb_last_bgsave_status:err") {
			return os.Remove(snapshot)
		}
	}
	return errors.New("a snapshot that must fail does not")
}

// snapshotsFail reports whether a fault of the plan needs a node's snapshots to have failed.
func snapshotsFail(p *plan.Plan, node string) bool {
	return slices.ContainsFunc(p.Faults, func(f faults.Fault) bool {
		r, ok := f.Effect.(*faults.Refuse)
		return ok && r.As == sim.DiskError && slices.Contains(r.Nodes, node)
	})
}

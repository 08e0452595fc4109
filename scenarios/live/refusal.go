package live

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// refusal is one fault for which a server refuses commands, as Redis does in the
// state that the fault stands for.
type refusal struct{ why, fault string }

// states are the commands that bring a server into a state and out of it again.
var states = map[string]struct{ begin, end []string }{
	sim.MemoryFull: {[]string{"CONFIG", "SET", "maxmemory", "1"}, []string{"CONFIG", "SET", "maxmemory", "0"}},
	// It copies a master that is not there: nobody listens at port 1.
	sim.ReadOnly: {[]string{"REPLICAOF", "127.0.0.1", "1"}, []string{"REPLICAOF", "NO", "ONE"}},
	// Its last snapshot failed (see failToSave), which matters once it is to take some.
	sim.DiskError: {[]string{"CONFIG", "SET", "save", "100000000 1"}, []string{"CONFIG", "SET", "save", ""}},
}

// Refuse implements faults.NodeHandle.
func (s *server) Refuse(why, fault string) {
	s.refusals = append(s.refusals, refusal{why, fault})
	s.enter(why)
	s.ground.Emit(sim.Event{Kind: sim.Impair, Node: s.name, Detail: why, Fault: fault})
}

// Grant implements faults.NodeHandle.
func (s *server) Grant(why, fault string) {
	i := slices.Index(s.refusals, refusal{why, fault})
	if i < 0 {
		return
	}
	s.refusals = slices.Delete(s.refusals, i, i+1)
	if !s.refuses(why) {
		s.tell(states[why].end...)
	}
	s.ground.Emit(sim.Event{Kind: sim.Recover, Node: s.name, Detail: why, Fault: fault})
}

func (s *server) refuses(why string) bool {
	return slices.ContainsFunc(s.refusals, func(r refusal) bool { return r.why == why })
}

func (s *server) enter(why string) { s.tell(states[why].begin...) }

// tell gives the server an order of the laboratory, which must succeed. One that
// is down does not hear it, and is brought into its states when it is up again.
func (s *server) tell(order ...string) {
	if !s.up {
		return
	}
	var answer string
	var err error
	s.awake(func() { answer, err = s.console.ask(order...) })
	if err == nil && !strings.HasPrefix(answer, "+OK") {
		err = errors.New(strings.TrimSpace(answer))
	}
	if err != nil {
		s.ground.fail("%s on %s: %w", strings.Join(order, " "), s.name, err)
	}
}

// failToSave lets the server fail at a snapshot. It takes some only when it is
// told so, and until then the failure hinders nothing.
func (s *server) failToSave(c *console) error {
	snapshot := filepath.Join(s.folder, "dump.rdb")
	if err := os.Mkdir(snapshot, 0o700); err != nil { // a snapshot cannot be renamed to a folder
		return err
	}
	if _, err := c.ask("BGSAVE"); err != nil {
		return err
	}
	for limit := time.Now().Add(answerLimit); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		answer, err := c.ask("INFO", "persistence")
		if err != nil {
			return err
		}
		if strings.Contains(answer, "rdb_last_bgsave_status:err") {
			return os.Remove(snapshot)
		}
	}
	return errors.New("a snapshot that must fail does not")
}

// failsToSave reports whether a fault of the plan needs a node's snapshots to have failed.
func failsToSave(p *plan.Plan, node string) bool {
	return slices.ContainsFunc(p.Faults, func(f faults.Fault) bool {
		r, ok := f.Effect.(*faults.Refuse)
		return ok && r.As == faults.DiskError && slices.Contains(r.Nodes, node)
	})
}

// Evict implements faults.NodeHandle. A server that is to make room that it cannot
// make evicts whatever it has.
func (s *server) Evict(keys int, fault string) {
	g := s.ground
	if !s.up {
		return
	}
	if len(s.stops) > 0 {
		g.fail("the fault %q lets %s evict, which is stopped", fault, s.name)
		return
	}
	before, err := s.console.image(g.Now)
	if err != nil {
		g.fail("looking at the memory of %s: %w", s.name, err)
		return
	}
	if len(before) > keys {
		g.fail("the fault %q evicts %d keys of %s, which has %d: a real server would evict them all", fault, keys, s.name, len(before))
		return
	}
	g.Emit(sim.Event{Kind: sim.NodeCall, Node: s.name, Command: sim.Eviction, Detail: "of " + strconv.Itoa(keys), Fault: fault})
	s.tell("CONFIG", "SET", "maxmemory-policy", "allkeys-random")
	s.tell("CONFIG", "SET", "maxmemory", "1")
	for limit := time.Now().Add(answerLimit); g.failure == nil; {
		answer, err := s.console.ask("DBSIZE")
		switch {
		case err != nil || time.Now().After(limit):
			g.fail("%s does not evict: %q, %w", s.name, answer, err)
		case answer == ":0\r\n":
			s.tell("CONFIG", "SET", "maxmemory", "0")
			s.tell("CONFIG", "SET", "maxmemory-policy", "noeviction")
			if s.refuses(sim.MemoryFull) {
				s.enter(sim.MemoryFull)
			}
			s.removed(before, fault)
			return
		}
	}
}

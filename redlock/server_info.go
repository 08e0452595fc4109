package redlock

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type serverInfo struct {
	runID  string        // 40 hexadecimal digits, new at every start
	uptime time.Duration // in whole seconds, rounded, by the server's wall clock

	deletion form // the command that deletes a key with a token, by the version; 0: a script

	// What INFO replication shows, asked for with the restart guard only. A server draws a new
	// replication id at its start and when it is promoted; and also when its first replica
	// connects, and when it had none for repl-backlog-ttl. DEBUG RELOAD and FLUSHALL keep it.
	replicationID string
	promoted      bool // it has a second id: it was a replica in its life, or an older one
}

// infoField is the value of a field in a reply to INFO; its name ends with a colon.
func infoField(info, name string) string {
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimRight(value, "\r\n")
		}
	}
	return ""
}

// parseServerInfo reads the reply to INFO server. It fails if the run id or the uptime is
// missing or malformed.
func parseServerInfo(info string) (serverInfo, error) {
	runID := infoField(info, "run_id:")
	uptime, err := strconv.ParseUint(infoField(info, "uptime_in_seconds:"), 10, 32) // up to 136 years
	if runID == "" || err != nil {
		return serverInfo{}, fmt.Errorf("INFO server has no run_id or no valid uptime_in_seconds")
	}
	return serverInfo{
		runID: runID, uptime: time.Duration(uptime) * time.Second,
		deletion: deletionOf(infoField(info, "valkey_version:"), infoField(info, "redis_version:")),
	}, nil
}

// noReplicationID is the second id of a server that was never a replica.
const noReplicationID = "0000000000000000000000000000000000000000"

// parseReplication reads the reply to INFO replication. It fails if the server is a replica, or
// does not report its ids.
func (s *serverInfo) parseReplication(info string) error {
	role, second := infoField(info, "role:"), infoField(info, "master_replid2:")
	s.replicationID = infoField(info, "master_replid:")
	if role != "master" || s.replicationID == "" || second == "" {
		return fmt.Errorf("INFO replication has role %q, and master_replid %q; want a master and its ids", role, s.replicationID)
	}
	s.promoted = second != noReplicationID
	return nil
}

// sameVotes reports whether a server that was seen twice has forgotten no votes in between.
func (s *serverInfo) sameVotes(later *serverInfo) bool {
	return s.runID == later.runID && s.replicationID == later.replicationID
}

// serverRegistry records the last run id of each node's server, to find two nodes that are
// one server (claim BA-9).
type serverRegistry struct {
	mu     sync.Mutex
	runIDs []string // by node; empty while unknown
	clash  atomic.Pointer[error]
}

// record stores a node's run id, and looks for two nodes with the same one.
func (r *serverRegistry) record(node int, runID string, queues []*nodeQueue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runIDs[node] == runID {
		return
	}
	r.runIDs[node] = runID
	r.clash.Store(nil)
	for i, one := range r.runIDs {
		for j := range i {
			if one != "" && one == r.runIDs[j] {
				clash := fmt.Errorf("%w: %q and %q", ErrSameServer, queues[j].node.Name, queues[i].node.Name)
				r.clash.Store(&clash)
			}
		}
	}
}

func (r *serverRegistry) clashError() error {
	if clash := r.clash.Load(); clash != nil {
		return *clash
	}
	return nil
}

package redlock

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// identity is what a server says about itself in INFO server.
type identity struct {
	runID   string        // 40 hexadecimal digits, new at every start
	uptime  time.Duration // whole seconds, rounded, from the server's wall clock
	version [2]int        // major and minor
}

// parseIdentity reads the answer to INFO server. It fails when the run id or the
// uptime is missing or malformed; an unreadable version counts as 0.0.
func parseIdentity(info string) (identity, error) {
	var found identity
	uptime := int64(-1)
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		switch name {
		case "run_id":
			found.runID = value
		case "uptime_in_seconds":
			seconds, err := strconv.ParseInt(value, 10, 64)
			if err == nil && seconds >= 0 && seconds <= int64(maximumUptime/time.Second) {
				uptime = seconds
			}
		case "redis_version":
			major, rest, _ := strings.Cut(value, ".")
			minor, _, _ := strings.Cut(rest, ".")
			found.version[0], _ = strconv.Atoi(major)
			found.version[1], _ = strconv.Atoi(minor)
		}
	}
	if found.runID == "" || uptime < 0 {
		return identity{}, fmt.Errorf("INFO server names no run_id or no uptime_in_seconds")
	}
	found.uptime = time.Duration(uptime) * time.Second
	return found, nil
}

// maximumUptime keeps the uptime within a time.Duration.
const maximumUptime = 200 * 366 * 24 * time.Hour

// hasDelex reports whether the server has DELEX.
func (i identity) hasDelex() bool {
	return i.version[0] > 8 || (i.version[0] == 8 && i.version[1] >= 4)
}

// registry remembers which server is behind which node, to find two nodes that
// are one server (claim BA-9).
type registry struct {
	mu     sync.Mutex
	runIDs []string
	clash  error
}

// record notes a node's run id and returns ErrSameServer if another node has it.
// The first clash stays: the configuration is wrong until somebody mends it.
func (r *registry) record(node int, runID string, lanes []*lane) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runIDs[node] = runID
	for other, known := range r.runIDs {
		if other != node && known == runID && r.clash == nil {
			r.clash = fmt.Errorf("%w: %q and %q", ErrSameServer, lanes[other].node.Name, lanes[node].node.Name)
		}
	}
	return r.clash
}

// verdict returns the clash that was found, if any.
func (r *registry) verdict() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clash
}

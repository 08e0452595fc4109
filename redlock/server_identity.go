package redlock

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// serverIdentity identifies the server behind a node by its run id, with the restart guard also
// by its replication id. It knows the end of the quarantine of its votes.
type serverIdentity struct {
	settled       atomic.Bool   // INFO was answered, or the server does not tell; else the identity is open
	deletion      atomic.Uint32 // the form in which it deletes a key with a token; 0: a script
	mu            sync.Mutex
	server        serverInfo // as it was seen last
	quarantineEnd time.Duration
	refusal       error
}

// The errors with which admit refuses a vote.
var (
	errQuarantine = errors.New("redlock: node restarted too recently for its votes to count")
	errUnverified = errors.New("redlock: the connection reached another server than the node's newest connection")
	errOpen       = errors.New("redlock: server has not told yet whether it is another node's, too")
	errNoRunID    = errors.New("redlock: server does not report its run id, or that it is a master")
)

// uptimeSlack covers that servers round their uptime: 0.5 s may read as 1 s.
const uptimeSlack = time.Second

// update records what INFO shows now; newest means that the connection is new. It times a change
// of an id on the client's clock, because the server's uptime follows a wall clock that can be
// stepped, and nothing shows when a server was promoted. It returns the end of the quarantine,
// and whether this reply set it.
func (s *serverIdentity) update(
	seen serverInfo, newest bool, now, guardTTL, quarantine time.Duration,
) (until time.Duration, restarted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.quarantineEnd
	if newest && s.server.runID != seen.runID {
		s.deletion.Store(uint32(seen.deletion))
	}
	switch {
	case !newest && s.server.runID != seen.runID:
		return before, false // an older connection still leads to the server before
	case s.server.runID == "" && !seen.promoted:
		if missing := guardTTL + uptimeSlack - seen.uptime; missing > 0 {
			s.quarantineEnd = now + missing + (quarantine - guardTTL)
		}
	case !s.server.sameVotes(&seen):
		s.quarantineEnd = now + quarantine
	}
	s.server, s.refusal = seen, nil
	s.settled.Store(true)
	return s.quarantineEnd, s.quarantineEnd != before
}

// recordRefusal records an error in place of an answer to INFO. The identity stays open while the
// server could answer another time, as after BUSY or LOADING.
func (s *serverIdentity) recordRefusal(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled.Store(!isReply(err) || neverTells(err))
	s.refusal = fmt.Errorf("%w: %w", errNoRunID, err)
}

// neverTells reports whether a server refuses INFO for good: it lacks the command or the section,
// or the user lacks the permission. An error without a code, such as ERR, is of a fake. A server
// that is full of clients tells another time.
func neverTells(err error) bool {
	text := err.Error()
	code, _, _ := strings.Cut(text, " ")
	return code == "NOPERM" || code != strings.ToUpper(code) ||
		code == "ERR" && !strings.HasPrefix(text, "ERR max number of clients")
}

// admit returns why a vote does not count at now, or nil if it does. seen is what the server
// reported over the connection of the vote.
func (s *serverIdentity) admit(now time.Duration, seen *serverInfo) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case seen.runID == "" && s.refusal != nil:
		return s.refusal
	case seen.runID == "" || !s.server.sameVotes(seen):
		return errUnverified
	case now < s.quarantineEnd:
		return errQuarantine
	default:
		return nil
	}
}

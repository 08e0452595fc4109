package redlock

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// serverIdentity identifies the server behind a node: its run id, and the end of the
// quarantine of its votes.
type serverIdentity struct {
	asked         atomic.Bool // INFO was answered or refused
	mu            sync.Mutex
	runID         string
	quarantineEnd time.Duration
	refusal       error
}

// The errors with which admit refuses a vote.
var (
	errQuarantine = errors.New("redlock: node restarted too recently for its votes to count")
	errUnverified = errors.New("redlock: the connection reached another server than the node's newest connection")
	errNoRunID    = errors.New("redlock: server does not report its run id")
)

// uptimeSlack covers that servers round their uptime: 0.5 s may read as 1 s.
const uptimeSlack = time.Second

// update records a reply to INFO. It times a change of the run id on the client's clock,
// because the server's uptime follows a wall clock that can be stepped. It returns the end
// of the quarantine, and whether this reply set it.
func (s *serverIdentity) update(
	info serverInfo, now, guardTTL, quarantine time.Duration,
) (until time.Duration, restarted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.quarantineEnd
	switch {
	case s.runID == "":
		if missing := guardTTL + uptimeSlack - info.uptime; missing > 0 {
			s.quarantineEnd = now + missing + (quarantine - guardTTL)
		}
	case s.runID != info.runID:
		s.quarantineEnd = now + quarantine
	}
	s.runID, s.refusal = info.runID, nil
	s.asked.Store(true)
	return s.quarantineEnd, s.quarantineEnd != before
}

func (s *serverIdentity) recordRefusal(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked.Store(true)
	s.refusal = fmt.Errorf("%w: %w", errNoRunID, err)
}

// admit returns why a vote does not count at now, or nil if it does. runID is the
// run id that the server reported over the connection of the vote, or "".
func (s *serverIdentity) admit(now time.Duration, runID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case runID == "" && s.refusal != nil:
		return s.refusal
	case runID == "" || runID != s.runID:
		return errUnverified
	case now < s.quarantineEnd:
		return errQuarantine
	default:
		return nil
	}
}

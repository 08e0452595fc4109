package redlock

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// serverIdentity is what a nodeQueue knows about the server behind its node: the run id,
// up to which dial the run id was verified, and how long its votes are in quarantine.
type serverIdentity struct {
	dials atomic.Uint64 // connections that the driver has dialled

	mu            sync.Mutex
	asked         bool // INFO was answered or refused
	runID         string
	verifiedDials uint64 // value of dials before the last INFO was sent
	quarantineEnd time.Duration
	refusal       error
}

// The errors with which admit refuses a vote.
var (
	errQuarantine = errors.New("redlock: node restarted too recently for its votes to count")
	errUnverified = errors.New("redlock: node's run id could not be verified over its newest connection")
	errNoRunID    = errors.New("redlock: server does not report its run id")
)

// uptimeSlack covers that servers round their uptime: 0.5 s may read as 1 s.
const uptimeSlack = time.Second

// needsInfo reports whether the next batch should ask INFO: always until the server has
// answered once, and with the guard whenever a connection is not verified.
func (s *serverIdentity) needsInfo(guarded bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.asked || (guarded && (s.verifiedDials != s.dials.Load() || s.refusal != nil))
}

// update records a reply to INFO, which was sent when the count of dials was dials. It
// times a change of the run id on the client's clock, because the server's uptime
// follows a wall clock that can be stepped. It returns the end of the quarantine, and
// whether this reply set it.
func (s *serverIdentity) update(info serverInfo, dials uint64, now, guardTTL, quarantine time.Duration) (until time.Duration, restarted bool) {
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
	s.asked, s.runID, s.refusal = true, info.runID, nil
	s.verifiedDials = max(s.verifiedDials, dials)
	return s.quarantineEnd, s.quarantineEnd != before
}

// recordRefusal records that the server refused INFO or reported no run id.
func (s *serverIdentity) recordRefusal(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = true
	s.refusal = fmt.Errorf("%w: %w", errNoRunID, err)
}

// admit returns why a vote does not count at now, or nil if it does. sameConnection
// means that the run id came over the same connection as the vote.
func (s *serverIdentity) admit(now time.Duration, sameConnection bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.refusal != nil:
		return s.refusal
	case s.runID == "" || (!sameConnection && s.verifiedDials != s.dials.Load()):
		return errUnverified
	case now < s.quarantineEnd:
		return errQuarantine
	default:
		return nil
	}
}

// dialCounter is a go-redis hook that counts dials.
type dialCounter struct{ server *serverIdentity }

// DialHook counts a dial before anything is sent over the new connection.
func (d dialCounter) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := next(ctx, network, address)
		if err == nil {
			d.server.dials.Add(1)
		}
		return connection, err
	}
}

// ProcessHook changes nothing.
func (dialCounter) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

// ProcessPipelineHook changes nothing.
func (dialCounter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

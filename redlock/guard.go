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

// WithRestartGuard makes votes of a node count only when the node is known to
// have been up for at least the largest time to live in use, so that votes that
// it forgot in a restart have lapsed (claim RP-4, assumption A-VOTE). It replaces
// the operator's delayed restart.
//
// All clients of a resource must use the guard with the same largestTTL, and no
// client may lock for longer; here a longer time to live is refused. The guard
// asks INFO server once per new connection, never while none was dialled, and
// needs the permission to. It adds a dial hook to each client, which go-redis
// cannot remove again: make one Locker per set of clients. At the first contact a server's age is read from its
// uptime, which a stepped server clock can falsify (assumption A-STEP); from then
// on a changed run id starts a quarantine of largestTTL on this client's own
// clock. A promoted replica counts as a restart.
//
// It cannot see through proxies that multiplex connections, and go-redis shows
// it no dials of cluster clients: New refuses those. It does not bring lost
// fencing counters back (A-COUNTER). Default: no guard.
func WithRestartGuard(largestTTL time.Duration) Option {
	return lockerOption(func(s *settings) error {
		if largestTTL < MinimumTTL || largestTTL > MaximumTTL {
			return invalid("WithRestartGuard: %v is outside %v to %v", largestTTL, MinimumTTL, MaximumTTL)
		}
		s.guardTTL = largestTTL
		return nil
	})
}

var (
	errQuarantine  = errors.New("redlock: node restarted too recently for its votes to count")
	errUnverified  = errors.New("redlock: node's run id could not be verified over its newest connection")
	errNotTellable = errors.New("redlock: server does not tell its run id")
)

// uptimeSlack covers that a server rounds its uptime: it read 1 s at 0.5 s.
const uptimeSlack = time.Second

// witness knows which server is behind a lane: its run id as last seen, up to
// which dial that was verified, and until when its votes are in quarantine.
type witness struct {
	dials atomic.Uint64 // connections that the driver dialled

	mu         sync.Mutex
	asked      bool // an answer to INFO was had, be it a refusal
	runID      string
	verified   uint64 // dials that happened before the last INFO was sent
	quarantine time.Duration
	refusal    error
}

// stale reports whether INFO should be asked with the next batch: at the first
// contact always, and with a guard whenever a connection is not verified.
func (w *witness) stale(guarded bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.asked || (guarded && (w.verified != w.dials.Load() || w.refusal != nil))
}

// learn takes an answer to INFO that was sent when the counter of dials was at
// dials. Changes of the run id are timed on the client's clock, because the
// server's uptime follows a wall clock that can be stepped. It returns the end
// of the quarantine, and whether this answer set it.
func (w *witness) learn(seen identity, dials uint64, now, guardTTL, quarantine time.Duration) (until time.Duration, restarted bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.quarantine
	switch {
	case w.runID == "":
		if missing := guardTTL + uptimeSlack - seen.uptime; missing > 0 {
			w.quarantine = now + missing + (quarantine - guardTTL)
		}
	case w.runID != seen.runID:
		w.quarantine = now + quarantine
	}
	w.asked, w.runID, w.refusal = true, seen.runID, nil
	w.verified = max(w.verified, dials)
	return w.quarantine, w.quarantine != before
}

// refused takes a server's refusal to tell.
func (w *witness) refused(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = true
	w.refusal = fmt.Errorf("%w: %w", errNotTellable, err)
}

// admit says why a vote does not count now, or nil. sameConnection: the run id
// was seen on the very connection over which the vote came.
func (w *witness) admit(now time.Duration, sameConnection bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.refusal != nil:
		return w.refusal
	case w.runID == "" || (!sameConnection && w.verified != w.dials.Load()):
		return errUnverified
	case now < w.quarantine:
		return errQuarantine
	default:
		return nil
	}
}

// dialCounter is the go-redis hook that counts dials.
type dialCounter struct{ witness *witness }

// DialHook counts a dial before its connection can carry anything.
func (d dialCounter) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := next(ctx, network, address)
		if err == nil {
			d.witness.dials.Add(1)
		}
		return connection, err
	}
}

// ProcessHook passes through.
func (dialCounter) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

// ProcessPipelineHook passes through.
func (dialCounter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

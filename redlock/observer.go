package redlock

import (
	"context"
	"time"
)

// Observer receives events of a [Locker], for metrics, traces and logs. Packages
// redlockotel and redlockslog provide observers.
//
// The package calls Observe in the goroutine that did the work and holds no mutex. Observe
// must be safe for concurrent use and return quickly. ctx is the caller's context if there
// is a caller; it may have ended.
type Observer interface {
	Observe(ctx context.Context, event Event)
}

// EventKind is the kind of an [Event].
type EventKind uint8

const (
	// EventRound reports that a round for which a caller waited was decided or given
	// up: not a check, a clean-up or a repeated release. All fields but Node are set.
	EventRound EventKind = iota
	// EventLeaseEnded reports that a lease has ended: at the end of its validity at the
	// latest, unless its Locker was closed before. Err says why; ErrReleased is the
	// ordinary end. Elapsed is how long it was held.
	EventLeaseEnded
	// EventQuarantine reports that Node restarted or was promoted, or was too young or had
	// been promoted when it was first reached. Its votes do not count for Validity.
	EventQuarantine
	// EventAcquired reports that a call of Lock, TryLock or Do got its lease, or gave
	// up with Err. Elapsed is how long it waited, all attempts included.
	EventAcquired
)

// String returns the kind's name in lower case words.
func (k EventKind) String() string {
	return nameOf(k, "round", "lease ended", "quarantine", "acquired")
}

// Event is an event for an [Observer]. It never contains a complete token.
type Event struct {
	// Kind is the kind of the event.
	Kind EventKind
	// Operation is the purpose of the round.
	Operation Operation
	// Resources are the locked names, sorted. Do not change them.
	Resources []string
	// TokenPrefix is the first characters of the token, followed by "…".
	TokenPrefix string
	// Node is the name of the node, if the event is about one.
	Node string
	// Elapsed is how long a round took, from just before the first send; how long a
	// call waited for its lease; or how long a lease was held.
	Elapsed time.Duration
	// Validity is how much longer the lease is valid after an extension or a
	// successful acquisition, or how long a quarantine lasts. It is never
	// negative.
	Validity time.Duration
	// Nodes has one report per node. Do not change it.
	Nodes []NodeReport
	// Err is the error that the caller gets, or nil for a success.
	Err error
}

// WithObserver sets the [Observer] of the Locker's events. The default is none.
func WithObserver(observer Observer) Option {
	return lockerOption(func(s *settings) error {
		s.observer = observer
		return given("WithObserver", observer != nil)
	})
}

func (l *Locker) emit(ctx context.Context, event Event) {
	if l.settings.observer != nil {
		l.settings.observer.Observe(ctx, event)
	}
}

func (f *fanout) reportRound(ctx context.Context, result roundResult, validity time.Duration, err error) {
	if f.locker.settings.observer == nil {
		return
	}
	f.locker.emit(ctx, Event{
		Kind:        EventRound,
		Operation:   f.command.operation,
		Resources:   f.tokenState.resources,
		TokenPrefix: tokenPrefix(f.command.token),
		Elapsed:     result.endedAt - f.start,
		Validity:    max(0, validity),
		Nodes:       result.reports,
		Err:         err,
	})
}

func (l *Lease) reportLeaseEnd(reason error, now time.Duration) {
	if l.locker.settings.observer == nil {
		return
	}
	l.locker.emit(context.Background(), Event{
		Kind:        EventLeaseEnded,
		Resources:   l.tokenState.resources,
		Elapsed:     min(now, l.Until()) - l.start,
		TokenPrefix: tokenPrefix(l.tokenState.token),
		Err:         reason,
	})
}

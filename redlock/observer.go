package redlock

import (
	"context"
	"time"
)

// Observer is told what a Locker does: for metrics, traces and logs. Packages
// redlockotel and redlockslog have ready ones.
//
// Observe is called in the goroutine that did the work, with no lock held, and
// must return soon. It must be safe for concurrent use. ctx is the caller's where
// there is one; it may be done.
type Observer interface {
	Observe(ctx context.Context, event Event)
}

// EventKind says what an Event reports.
type EventKind uint8

const (
	// EventRound: a round was decided, or given up. All fields but Node are set.
	EventRound EventKind = iota
	// EventLeaseEnded: a lease ended without a release; Err says why.
	EventLeaseEnded
	// EventCircuitOpened: Node failed repeatedly and is skipped for a while.
	EventCircuitOpened
	// EventCircuitClosed: Node answers again, or the Locker was closed.
	EventCircuitClosed
	// EventQuarantine: Node restarted, or was too young at the first contact; its
	// votes do not count for Validity.
	EventQuarantine
)

// String is the kind's name in lower case words.
func (k EventKind) String() string {
	names := [...]string{"round", "lease ended", "circuit opened", "circuit closed", "quarantine"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown event"
}

// Event is one report to an Observer. It never contains a whole token.
type Event struct {
	Kind EventKind
	// Operation is what the round asked.
	Operation Operation
	// Resources are the names, sorted; do not change them.
	Resources []string
	// TokenDigest is the start of the token.
	TokenDigest string
	// Node is the node's name where the event is about one.
	Node string
	// Elapsed is the time from before the first send to the end of the waiting.
	Elapsed time.Duration
	// Validity is how much longer the lease is valid after a won acquisition,
	// adoption or extension, and the length of a quarantine.
	Validity time.Duration
	// Nodes is what every node answered; do not change it.
	Nodes []NodeOutcome
	// Err is the error that the caller gets; nil for success.
	Err error
}

// WithObserver sets who is told what the Locker does. Default: nobody.
func WithObserver(observer Observer) Option {
	return lockerOption(func(s *settings) error {
		if observer == nil {
			return invalid("WithObserver: no observer")
		}
		s.observer = observer
		return nil
	})
}

// emit tells the observer.
func (l *Locker) emit(ctx context.Context, event Event) {
	if l.settings.observer != nil {
		l.settings.observer.Observe(ctx, event)
	}
}

// report tells the observer about the end of a round.
func (f *flight) report(ctx context.Context, end result, validity time.Duration, err error) {
	if f.locker.settings.observer == nil {
		return
	}
	f.locker.emit(ctx, Event{
		Kind:        EventRound,
		Operation:   f.command.operation,
		Resources:   f.command.keys,
		TokenDigest: digestOfToken(f.command.token),
		Elapsed:     end.end - f.start,
		Validity:    max(0, validity),
		Nodes:       end.outcomes,
		Err:         err,
	})
}

// reportEnd tells the observer that a lease ended without a release.
func (l *Lease) reportEnd(reason error) {
	l.locker.emit(context.Background(), Event{
		Kind:        EventLeaseEnded,
		Resources:   l.tenure.keys,
		TokenDigest: digestOfToken(l.tenure.token),
		Err:         reason,
	})
}

package play

import (
	"slices"
	"sync"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/lock"
)

// Notes are what a client has noted of its run so far; its part of the history is made of
// them. A real process sends them to the laboratory.
type Notes struct {
	Operations []OperationNote `json:"operations,omitempty"` // all of them, or none when they have not changed
	Leases     []LeaseNote     `json:"leases,omitempty"`     // a lease replaces the earlier one with its id
}

// OperationNote is one call, as the client saw it.
type OperationNote struct {
	checker.Operation
	Tries int `json:"tries,omitempty"` // of an acquisition, at most; 0: without end
}

// LeaseNote is one lease.
type LeaseNote struct {
	ID         string         `json:"id"`
	Resource   string         `json:"resource"`
	Token      string         `json:"token,omitempty"` // as the trace names it
	Fence      uint64         `json:"fence,omitempty"`
	Operation  int            `json:"operation"` // index of the acquisition
	Reported   bool           `json:"reported,omitempty"`
	Contexted  bool           `json:"contexted,omitempty"` // it ends with a context
	Validity   []ValidityNote `json:"validity"`
	ReleasedAt time.Duration  `json:"released_ns"` // call of release; -1: none
}

// ValidityNote says that from At on the client knew this end of the validity.
type ValidityNote struct {
	At      time.Duration `json:"at_ns"`
	Reading time.Duration `json:"reading_ns"`        // of the client's clock
	Renewed bool          `json:"renewed,omitempty"` // by the lock itself
	// Lost is when the client was told that the lease has ended; 0: it was not.
	Lost time.Duration `json:"lost_ns,omitempty"`
}

// lease is one successful acquisition.
type lease struct {
	LeaseNote
	handle lock.Lease
	mu     sync.Mutex // guards Validity and ReleasedAt: a watchdog renews beside the client
}

// prolong notes a new end of the validity from some time on, unless the lease was released
// meanwhile. It reads the time under the lock, so that notes are in the order of their
// times. Of two notes at one instant the later counts.
func (l *lease) prolong(from func() time.Duration, reading time.Duration, renewed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ReleasedAt >= 0 {
		return
	}
	at := from()
	if last := len(l.Validity) - 1; last >= 0 && l.Validity[last].At >= at {
		at = l.Validity[last].At
		renewed = renewed || l.Validity[last].Renewed
		l.Validity = l.Validity[:last]
	}
	l.Validity = append(l.Validity, ValidityNote{At: at, Reading: reading, Renewed: renewed})
}

// lost notes that the holder is told now that its lease has ended.
func (l *lease) lost(now func() time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Validity[len(l.Validity)-1].Lost = now()
}

// end is the end of the validity that the client knows, on its clock.
func (l *lease) end() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Validity[len(l.Validity)-1].Reading
}

// released notes the call of release.
func (l *lease) released(at time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ReleasedAt = at
}

func (l *lease) note() LeaseNote {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.LeaseNote
	n.Validity = slices.Clone(n.Validity)
	return n
}

// notes are all notes of the client. Only its own goroutine calls it.
func (c *client) notes() Notes {
	n := Notes{Operations: slices.Clone(c.operations)}
	for _, l := range c.leases {
		n.Leases = append(n.Leases, l.note())
	}
	return n
}

// take adds what a client in another process has noted since.
func (c *client) take(n Notes) {
	if len(n.Operations) > 0 {
		c.operations = n.Operations
	}
	for _, note := range n.Leases {
		known := slices.IndexFunc(c.leases, func(l *lease) bool { return l.ID == note.ID })
		if known < 0 {
			known = len(c.leases)
			c.leases = append(c.leases, nil)
		}
		c.leases[known] = &lease{LeaseNote: note}
	}
}

package play

import (
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/lock"
	"redlocklab/sim"
)

// Process is what the code of one client and its lock runs in: a process of the simulated
// world, or a real one (package live). They reach the outside only through it.
type Process interface {
	lock.Process
	// TrueTime is the time since the start of the run, which no lock may read.
	TrueTime() time.Duration
	// Read is what a clock of the process shows at this instant; unlike Now it
	// does not wait for the end of a pause.
	Read(kind sim.ClockKind) time.Duration
	// Record writes an event into the trace. It returns when everything that the event
	// triggers has happened.
	Record(e sim.Event) Receipt
	// Access sends a request to the protected resource. The request takes the time
	// there, its answer the time back.
	Access(there, back time.Duration, r Request) (map[checker.Register]int64, error)
	// Noted is called when the client's notes have changed; notes returns them.
	Noted(notes func() Notes)
	// Crashed reports whether the process has crashed, or the run is over. What the
	// process does from then on is not in the trace.
	Crashed() bool
}

// simulated is a process of the simulator.
type simulated struct {
	*sim.Process
	run *Referee
}

func (s simulated) TrueTime() time.Duration { return s.run.world.Now() }

func (s simulated) Read(kind sim.ClockKind) time.Duration {
	return s.Clock(kind).Read(s.run.world.Now())
}

func (s simulated) NewTimer(d time.Duration) lock.Timer { return s.Process.NewTimer(d) }

func (s simulated) Crashed() bool { return s.Process.Crashed() || s.Context().Err() != nil }

func (s simulated) Record(e sim.Event) Receipt {
	s.Process.Record(e)
	return s.run.Receipt(s.Name, e.Lease, s.TrueTime())
}

func (s simulated) Access(there, back time.Duration, r Request) (results map[checker.Register]int64, err error) {
	err = s.Remote(there, back, func() { results = s.run.Arrive(s.Name, r) })
	return results, err
}

func (simulated) Noted(func() Notes) {}

// Receipt is what the laboratory answers when an event is in the trace.
type Receipt struct {
	At time.Duration `json:"at,omitempty"` // the time of the event; 0 if the client had crashed before
	// What it gives to an acquisition that has ended:
	Token string `json:"token,omitempty"` // the name of its token in the trace
	Fence uint64 `json:"fence,omitempty"` // for FencingIdeal
}

package sim

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"
)

// Outcome says how a run ended. Only Finished is a result; the others name the
// bound that was hit, and make a verdict inconclusive.
type Outcome string

// The outcomes of a run.
const (
	Finished       Outcome = "finished"
	EventBound     Outcome = "event bound"
	VirtualBound   Outcome = "virtual time bound"
	RealBound      Outcome = "real time bound"
	ProcessorBound Outcome = "processor time bound"
	Stuck          Outcome = "stuck" // goroutines stayed blocked for ever after the end of the run
)

// unwind is how much virtual time goroutines have to notice that all is closed:
// go-redis tries a second after each failed dial whether its pool still is open.
const unwind = 2 * time.Second

// Result is what a run leaves behind.
type Result struct {
	Outcome  Outcome
	End      time.Duration // true time at which the run ended
	Count    int           // events
	Hash     string        // SHA-256 of the trace as NDJSON; empty when nothing was recorded
	Events   []Event       // when Options.Keep
	Messages int           // requests that were sent
}

// World is one run: nodes, processes, the network between them, and the
// controller that lets one thing happen at a time.
type World struct {
	config  Config
	options Options
	start   time.Time
	expired atomic.Pointer[Outcome] // the bound in real or in processor time that has passed

	// now is the instant of the action that the controller is executing.
	now       time.Duration
	scheduled int // of actions by At, to order them
	recorder  *recorder
	observers []func(Event)
	network   *Network
	scripts   scripts
	nodes     []*Node
	processes []*Process
	messages  int
	dials     int

	mu      sync.Mutex // guards what processes touch: queue, pending
	queue   queue
	pending []pending
	batch   int       // number of the batch that is gathering, from 1
	ingest  []pending // the batch that is being taken in
	closing bool
	built   chan struct{} // closed when the code of the processes may begin

	timer *time.Timer  // what the controller waits for
	wakes atomic.Int64 // the true time until which it does, 0 when it does not
}

// Run plays one run in virtual time. build, called in the bubble, sets the world
// up: scripts, rules, observers, and with Process.Go the code of the clients. The
// run ends when all of that code has returned and the drain time is over, or at a bound.
//
// Errors are bad configurations and bugs of the caller; everything that can
// happen to a run is in its Outcome.
func Run(config Config, options Options, build func(*World) error) (*Result, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	silence()
	w := &World{config: config, options: options, batch: 1}
	if options.Real > 0 {
		timer := time.AfterFunc(options.Real, w.expire(RealBound))
		defer timer.Stop()
	}
	if options.Processor > 0 {
		defer AfterProcessorTime(options.Processor, w.expire(ProcessorBound))()
	}
	var result *Result
	var failed error
	stuck := bubble(func() {
		result, failed = w.play(build)
		w.end()
		time.Sleep(unwind)
	})
	switch {
	case failed != nil:
		return nil, failed
	case result == nil:
		return nil, stuck
	case stuck != nil && result.Outcome == Finished:
		result.Outcome = Stuck
	}
	return result, nil
}

// expire makes a function that ends the run at a bound that is none of virtual time.
func (w *World) expire(bound Outcome) func() {
	return func() { w.expired.Store(&bound) }
}

func (w *World) play(build func(*World) error) (*Result, error) {
	w.start = time.Now()
	w.timer = time.NewTimer(Forever)
	w.timer.Stop()
	w.built = make(chan struct{})
	w.recorder = newRecorder(w.options.Bare, w.options.Keep)
	w.network = NewNetwork(w.config.Seed, w.config.Network, w.emit)
	w.scripts = scripts{}
	for i, c := range w.config.Nodes {
		w.nodes = append(w.nodes, newNode(w, i, c))
	}
	for i, c := range w.config.Processes {
		w.processes = append(w.processes, newProcess(w, i, c))
	}
	if err := build(w); err != nil {
		return nil, err
	}
	close(w.built)
	outcome := w.loop()
	result := &Result{Outcome: outcome, End: w.now, Count: w.recorder.count, Messages: w.messages}
	if !w.options.Bare {
		result.Hash = w.recorder.sum()
		result.Events = w.recorder.kept()
	}
	return result, nil
}

// Now returns the true time since the start of the run.
func (w *World) Now() time.Duration { return time.Since(w.start) }

// Config returns the configuration of the world.
func (w *World) Config() Config { return w.config }

// Node returns the server behind the node of that name, nil when there is none.
func (w *World) Node(name string) *Node {
	for _, n := range w.nodes {
		if n.Name == name {
			return n.server
		}
	}
	return nil
}

// Nodes returns all nodes, in the order of the configuration.
func (w *World) Nodes() []*Node { return w.nodes }

// Process returns the process of that name, nil when there is none.
func (w *World) Process(name string) *Process {
	for _, p := range w.processes {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Processes returns all processes, in the order of the configuration.
func (w *World) Processes() []*Process { return w.processes }

// Random is [Random] with the seed of this run.
func (w *World) Random(stream string, index uint64) uint64 {
	return Random(w.config.Seed, stream, index)
}

// Name returns what the trace calls a value: itself, or token#k when it is opaque.
// Controller context only.
func (w *World) Name(value string) string { return w.recorder.name(value) }

// Emit records an event at the present instant on behalf of something that is
// neither node nor process, such as a protected resource. Controller context only.
func (w *World) Emit(e Event) { w.emit(e) }

// Observe calls f with every event, in order, before the event's effect goes
// on: an observer that pauses a process at a Reply keeps the reply from it.
func (w *World) Observe(f func(Event)) { w.observers = append(w.observers, f) }

// At schedules f for a true time, or for the next free instant when that is
// past. Controller context only, or while the world is being built.
func (w *World) At(at time.Duration, f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scheduled++
	w.schedule(&action{at: at, rank: rankOf(rankScheduled, 0, w.scheduled), do: f})
}

// schedule puts an action into the queue. World lock held.
func (w *World) schedule(a *action) { w.queue.push(a) }

// emit records an event at the present instant. Controller context only.
func (w *World) emit(e Event) {
	e.At = w.now
	w.recorder.add(&e)
	for _, f := range w.observers {
		f(e)
	}
}

// loop is the controller: let everything come to rest, take in what the
// processes did, then do the one next thing. Every action has an instant of its own.
func (w *World) loop() Outcome {
	idleSince := time.Duration(-1)
	for {
		synctest.Wait()
		if w.takeIn() {
			continue
		}
		if bound := w.expired.Load(); bound != nil {
			return *bound
		}
		if w.recorder.count >= w.config.Bounds.Events {
			return EventBound
		}
		if w.finished() {
			if idleSince < 0 {
				idleSince = w.now
			}
		} else {
			idleSince = -1
		}
		limit, ending := w.config.Bounds.Virtual, VirtualBound
		if idleSince >= 0 && idleSince+w.config.Drain < limit {
			limit, ending = idleSince+w.config.Drain, Finished
		}
		w.mu.Lock()
		next := w.queue.peek()
		at := limit
		if next != nil {
			at = min(limit, max(next.at, w.now+1))
		}
		now := w.Now()
		if now >= at {
			if next == nil || max(next.at, w.now+1) > limit || at == limit {
				w.mu.Unlock()
				w.now = max(w.now, limit)
				return ending
			}
			w.queue.remove(0)
			w.mu.Unlock()
			w.now = now
			if next.msg != nil {
				next.msg.arrive()
			} else {
				next.do()
			}
			continue
		}
		w.mu.Unlock()
		w.wakes.Store(int64(at))
		w.timer.Reset(at - now)
		<-w.timer.C
		w.wakes.Store(0)
	}
}

func (w *World) finished() bool {
	for _, p := range w.processes {
		if !p.finished() {
			return false
		}
	}
	return true
}

// nudge tells the controller that there is something to take in. One whose own
// instant has come wakes by itself (and a timer that is due at once must not be
// armed; see Process.Sleep).
func (w *World) nudge() {
	if at := w.wakes.Load(); at != 0 && int64(w.Now()) < at && w.wakes.CompareAndSwap(at, 0) {
		w.timer.Reset(0)
	}
}

// end lets every process unwind: connections are cut, gates open and fail,
// contexts are cancelled, and what was registered with OnEnd is called.
func (w *World) end() {
	w.mu.Lock()
	w.closing = true
	batch := w.pending
	w.pending = nil
	w.mu.Unlock()
	for _, p := range batch {
		if p.done != nil {
			close(p.done)
		}
	}
	for _, p := range w.processes {
		for _, c := range p.conns {
			c.fail(ErrCrashed)
		}
		p.end()
	}
	var closers sync.WaitGroup
	for _, p := range w.processes {
		p.mu.Lock()
		for _, f := range p.onEnd {
			closers.Go(f)
		}
		p.mu.Unlock()
	}
	closers.Wait()
	for _, n := range w.nodes {
		if n.server == n {
			n.engine.Close()
		}
	}
}

// class orders what one process did between two rests.
type class int

const (
	classRecord class = iota
	classRemote
	classDial
	classSend
	classClose
)

// pending is something that a process did and that the controller has not taken in yet.
type pending struct {
	class   class
	process *Process
	node    int
	order   string // what orders records of one process: never the race of its goroutines
	at      time.Duration
	event   *Event
	conn    *conn
	args    []string
	dial    *dialing
	remote  *remote
	done    chan struct{}
}

// comparePending orders a batch by what it holds, never by which goroutine ran
// first. What it cannot tell apart keeps its order of arrival, which matters for
// the requests of one connection and shows in nothing else.
func comparePending(a, b pending) int {
	switch {
	case a.at != b.at:
		return cmp.Compare(a.at, b.at)
	case a.process != b.process:
		return a.process.index - b.process.index
	case a.class != b.class:
		return int(a.class - b.class)
	case a.node != b.node:
		return a.node - b.node
	case a.order != b.order:
		return cmp.Compare(a.order, b.order)
	case a.class == classSend:
		return cmp.Or(compareRequests(a.conn.head, b.conn.head), a.conn.number-b.conn.number)
	case a.class == classRemote:
		return cmp.Or(cmp.Compare(a.remote.there, b.remote.there), cmp.Compare(a.remote.back, b.remote.back))
	case a.conn != nil:
		return a.conn.number - b.conn.number
	}
	return 0
}

func (w *World) enqueue(p pending) {
	w.mu.Lock()
	if w.closing {
		w.mu.Unlock()
		if p.done != nil {
			close(p.done)
		}
		return
	}
	if p.class == classSend {
		// What one connection sends keeps its order: all of it sorts by its first.
		if p.conn.batch != w.batch {
			p.conn.batch, p.conn.head = w.batch, p.args
		}
	}
	w.pending = append(w.pending, p)
	w.mu.Unlock()
	w.nudge()
}

// takeIn gives numbers to what the processes did since the last rest, in an
// order that does not depend on which goroutine ran first. It reports whether
// it let a process go on.
func (w *World) takeIn() bool {
	w.mu.Lock()
	w.ingest, w.pending = w.pending, w.ingest[:0]
	w.batch++
	w.mu.Unlock()
	batch := w.ingest
	if len(batch) == 0 {
		return false
	}
	if len(batch) > 1 {
		slices.SortStableFunc(batch, comparePending)
	}
	released := false
	for i := range batch {
		p := &batch[i]
		// An instant may hold several things that processes did; the trace gives them one time, its order is theirs.
		w.now = max(w.now, p.at)
		if p.process.Crashed() { // at this instant, by an observer: the rest of what it did never happened
			if p.done != nil {
				close(p.done)
			}
			continue
		}
		switch p.class {
		case classRecord:
			p.event.Value = w.recorder.name(p.event.Value)
			w.emit(*p.event)
			close(p.done)
			released = true
		case classRemote:
			p.remote.begin(p.process)
		case classDial:
			p.dial.begin()
		case classSend:
			w.send(p.conn, p.args)
		case classClose:
			p.conn.closedByProcess()
		}
	}
	clear(batch)
	return released
}

func newProcess(w *World, index int, c ProcessConfig) *Process {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Process{
		Name: c.Name, world: w, index: index, ctx: ctx, cancel: cancel,
		clocks: map[ClockKind]*Clock{
			Wall:      newClock(c.WallOffset, c.RatePPM),
			Monotonic: newClock(0, c.RatePPM),
			Boottime:  newClock(c.BoottimeOffset, c.RatePPM),
			True:      newClock(0, 0),
		},
	}
	return p
}

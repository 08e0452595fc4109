package sim

import (
	"sync"
	"sync/atomic"
	"time"

	"redlocklab/sim/processor"
	"redlocklab/sim/random"
)

// Outcome says how a run ended. Only a run that is [Finished] can be judged; the
// other outcomes name the bound that was reached.
type Outcome string

// The outcomes of a run.
const (
	Finished       Outcome = "finished"
	EventBound     Outcome = "event bound"
	ByteBound      Outcome = "trace size bound"
	VirtualBound   Outcome = "virtual time bound"
	RealBound      Outcome = "real time bound"
	ProcessorBound Outcome = "processor time bound"
	Stuck          Outcome = "stuck" // goroutines stayed blocked after the end of the run
)

// unwind is the virtual time that goroutines have to end after everything was
// closed. go-redis checks whether its pool is open a second after each failed dial.
const unwind = 2 * time.Second

// Result is the result of a run.
type Result struct {
	Outcome  Outcome
	End      time.Duration // true time at which the run ended
	Count    int           // number of events
	Hash     string        // SHA-256 of the trace as NDJSON
	Events   []Event       // only with Options.Keep
	Messages int           // number of requests that were sent
}

// World is one run: nodes, processes, the network between them, and the controller,
// which does one action at a time.
type World struct {
	config  Config
	options Options
	start   time.Time
	expired atomic.Pointer[Outcome] // the limit of real or processor time that has passed; nil: none

	// now is the instant of the action that the controller is executing.
	now       time.Duration
	scheduled int // number of actions scheduled by At, which orders them
	recorder  *Notation
	observers []func(Event)
	network   *Network
	nodes     []*Node
	processes []*Process
	messages  int
	dials     int

	mu      sync.Mutex // guards what goroutines of processes use: queue, pending, batch, closing
	queue   queue
	pending []pending
	batch   int           // number of the batch that pending is, from 1
	open    map[route]int // connections that were dialled and not closed
	crowded bool          // a driver may have waited for a connection
	ingest  []pending     // the batch that is being processed
	closing bool
	built   chan struct{} // closed when the code of the processes may start

	timer *time.Timer  // wakes the controller
	wakes atomic.Int64 // the true time at which timer is due; 0 when the controller does not wait
}

// Run plays one run in virtual time. It calls build in the bubble to set the world
// up: scripts, rules, observers, and, with [Process.Go], the code of the clients.
// The run ends when all of that code has returned and the drain time has passed, or
// at a bound.
//
// The error says that the configuration is not valid, or is that of build. How the
// run went is in [Result.Outcome].
//
// A process that never rests, as in a busy loop, keeps the run from ending: even
// the limits of real and processor time are checked only when everything rests.
// A program that plays unknown code must do so in processes that it can kill.
func Run(config Config, options Options, build func(*World) error) (*Result, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	silence()
	resolves()
	w := &World{config: config, options: options, batch: 1, open: map[route]int{}}
	if options.Real > 0 {
		timer := time.AfterFunc(options.Real, w.expire(RealBound))
		defer timer.Stop()
	}
	if options.Processor > 0 {
		defer processor.After(options.Processor, w.expire(ProcessorBound))()
	}
	var result *Result
	var failed error
	stuck := bubble(func() {
		result, failed = w.play(build)
		w.end()
		time.Sleep(unwind)
	})
	if w.crowded {
		forgetTimers()
	}
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

// expire returns a function that ends the run at a bound of real or processor time.
func (w *World) expire(bound Outcome) func() {
	return func() { w.expired.Store(&bound) }
}

func (w *World) play(build func(*World) error) (*Result, error) {
	w.start = time.Now()
	w.timer = time.NewTimer(Forever)
	w.timer.Stop()
	w.built = make(chan struct{})
	w.recorder = newNotation(w.options.Keep)
	w.network = NewNetwork(w.config.Seed, w.config.Network, w.Emit)
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
	return &Result{
		Outcome: outcome, End: w.now, Count: w.recorder.count, Messages: w.messages,
		Hash: w.recorder.sum(), Events: w.recorder.kept(),
	}, nil
}

// Now returns the true time since the start of the run.
func (w *World) Now() time.Duration { return time.Since(w.start) }

// Config returns the configuration of the run.
func (w *World) Config() Config { return w.config }

// Node returns the server of the node of that name, or nil.
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

// Process returns the process of that name, or nil.
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

// Random returns [Random] with the seed of this run.
func (w *World) Random(stream string, index uint64) uint64 {
	return random.Value(w.config.Seed, stream, index)
}

// Name returns a value as the trace shows it: itself, or token#k when it is opaque.
// Controller context only.
func (w *World) Name(value string) string { return w.recorder.Name(value) }

// Observe calls f with every event, in order, before the effect of the event
// continues: if an observer pauses a process at a [Reply], the process does not get
// that reply before it continues.
func (w *World) Observe(f func(Event)) { w.observers = append(w.observers, f) }

// At schedules f for a true time, or for the next free instant when that time has
// passed. Controller context only.
func (w *World) At(at time.Duration, f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scheduled++
	w.queue.push(&action{at: at, rank: rankOf(rankScheduled, 0, w.scheduled), do: f})
}

// Emit records an event at this instant and calls the observers. From outside it is called on
// behalf of what is neither a node nor a process, such as a protected resource. Controller
// context only.
func (w *World) Emit(e Event) {
	e.At = w.now
	e = w.recorder.Add(e)
	for _, f := range w.observers {
		f(e)
	}
}

// end makes every process return: it cuts connections, cancels contexts, makes every
// gate fail, and calls the functions that were registered with OnEnd.
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

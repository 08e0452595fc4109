package live

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// Serve is a client's process: it plays one client of one plan for the ground
// that started it, until that ends it or is gone.
func Serve(in io.Reader, out io.Writer) error {
	orders := json.NewDecoder(in)
	var first, second order
	if err := orders.Decode(&first); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &process{out: out, seed: first.Plan.Seed, ctx: ctx, waiting: map[int]chan order{}}
	for _, c := range first.Plan.World.Processes {
		if c.Name == first.Client {
			p.wallOffset = c.WallOffset
		}
	}
	if err := p.say(line{Ready: true}); err != nil {
		return err
	}
	if err := orders.Decode(&second); err != nil {
		return err
	}
	p.origin = second.Origin
	var playing sync.WaitGroup
	playing.Go(func() {
		if err := play.PlayClient(ctx, first.Plan, first.Client, p, first.Addresses); err != nil {
			_ = p.say(line{Error: err.Error()})
		}
	})
	for {
		var o order
		if orders.Decode(&o) != nil { // the ground is gone
			cancel()
			playing.Wait()
			for _, f := range p.ending {
				f()
			}
			return nil
		}
		p.mu.Lock()
		waiting := p.waiting[o.Answers]
		delete(p.waiting, o.Answers)
		p.mu.Unlock()
		if waiting != nil {
			waiting <- o
		}
	}
}

// process is the [scenarios.Process] of a real one.
type process struct {
	out    io.Writer
	seed   uint64
	origin time.Duration

	wallOffset time.Duration // of the time of day, against true time
	ctx        context.Context
	ending     []func()

	mu      sync.Mutex
	asked   int
	waiting map[int]chan order // by the number of the question
}

// say writes one line. Lines of several goroutines do not mix.
func (p *process) say(l line) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return writeLine(p.out, l)
}

// ask says something and waits for the answer; false when the run is over.
func (p *process) ask(l line) (order, bool) {
	answer := make(chan order, 1)
	p.mu.Lock()
	p.asked++
	l.Asks = p.asked
	p.waiting[l.Asks] = answer
	p.mu.Unlock()
	if p.say(l) != nil {
		return order{}, false
	}
	select {
	case o := <-answer:
		return o, true
	case <-p.ctx.Done():
		return order{}, false
	}
}

func (p *process) Seed() uint64                          { return p.seed }
func (p *process) TrueTime() time.Duration               { return clock.Now() - p.origin }
func (p *process) Read(kind sim.ClockKind) time.Duration { return p.Now(kind) }
func (*process) NewTimer(d time.Duration) lock.Timer     { return clock.NewTimer(d) }
func (*process) Crashed() bool                           { return false }
func (p *process) OnEnd(f func())                        { p.ending = append(p.ending, f) }

// Now is the machine's clock. The time of day is what the plan sets it to: no
// process has one of its own, but locks read it here only.
func (p *process) Now(kind sim.ClockKind) time.Duration {
	if kind == sim.Wall {
		return p.TrueTime() + p.wallOffset
	}
	return p.TrueTime()
}

func (p *process) Noted(notes func() play.Notes) {
	n := notes()
	_ = p.say(line{Notes: &n}) // without a ground nobody wants them
}

func (p *process) Record(e sim.Event) play.Numbers {
	o, _ := p.ask(line{Event: &e})
	return o.Numbers
}

func (p *process) Access(there, back time.Duration, r play.Request) (map[checker.Register]int64, error) {
	o, ok := p.ask(line{Access: &access{there, back, r}})
	if !ok {
		return nil, sim.ErrCrashed
	}
	return o.Results, nil
}

func (p *process) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ctx.Done():
		return sim.ErrCrashed
	}
}

// Dial connects to the ground's door to a node, and waits to be let in: how long
// that takes, and whether, is up to the plan's network.
func (p *process) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	ended := context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(time.Unix(1, 0)) })
	var b [1]byte
	_, err = io.ReadFull(c, b[:])
	if !ended() && err == nil {
		err = ctx.Err()
	}
	if err == nil {
		return c, nil
	}
	_ = c.Close()
	if ctx.Err() != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: ctx.Err()}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		err = syscall.ECONNREFUSED
	}
	return nil, &net.OpError{Op: "dial", Net: network, Err: err}
}

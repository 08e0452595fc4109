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
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// Serve is the main function of a client's process: it plays one client of one plan
// for the cluster that started the process, until in ends. Errors are broken pipes
// and what is no line of the protocol.
func Serve(in io.Reader, out io.Writer) error {
	instructions := json.NewDecoder(in)
	var what, begin instruction
	if err := instructions.Decode(&what); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &player{out: out, seed: what.Plan.Seed, ctx: ctx, waiting: map[int]chan instruction{}}
	for _, c := range what.Plan.World.Processes {
		if c.Name == what.Client {
			p.wallOffset = c.WallOffset
		}
	}
	if err := p.report(report{Ready: true}); err != nil {
		return err
	}
	if err := instructions.Decode(&begin); err != nil {
		return err
	}
	p.origin = begin.Origin
	var playing sync.WaitGroup
	playing.Go(func() {
		if err := play.PlayClient(ctx, what.Plan, what.Client, p, what.Addresses); err != nil {
			_ = p.report(report{Error: err.Error()}) // without a cluster nobody wants it
		}
	})
	for {
		var answer instruction
		if instructions.Decode(&answer) != nil { // the cluster is gone
			cancel()
			playing.Wait()
			for _, f := range p.ending {
				f()
			}
			return nil
		}
		p.mu.Lock()
		waiting := p.waiting[answer.Answers]
		delete(p.waiting, answer.Answers)
		p.mu.Unlock()
		if waiting != nil {
			waiting <- answer
		}
	}
}

// player is the [play.Process] of a client: the process that it runs in.
type player struct {
	out        io.Writer
	seed       uint64
	origin     time.Duration
	wallOffset time.Duration // of the time of day, against true time
	ctx        context.Context
	ending     []func()

	mu      sync.Mutex
	asked   int
	waiting map[int]chan instruction // by the number of the question
}

// report writes one line. Lines of several goroutines do not mix.
func (p *player) report(r report) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return writeLine(p.out, r)
}

// ask reports something and waits for the answer; false when the run is over.
func (p *player) ask(r report) (instruction, bool) {
	answer := make(chan instruction, 1)
	p.mu.Lock()
	p.asked++
	r.Question = p.asked
	p.waiting[r.Question] = answer
	p.mu.Unlock()
	if p.report(r) != nil {
		return instruction{}, false
	}
	select {
	case i := <-answer:
		return i, true
	case <-p.ctx.Done():
		return instruction{}, false
	}
}

func (p *player) Seed() uint64                          { return p.seed }
func (p *player) TrueTime() time.Duration               { return clock.Now() - p.origin }
func (p *player) Read(kind sim.ClockKind) time.Duration { return p.Now(kind) }
func (*player) NewTimer(d time.Duration) lock.Timer     { return clock.NewTimer(d) }
func (*player) Crashed() bool                           { return false }
func (p *player) OnEnd(f func())                        { p.ending = append(p.ending, f) }

// Now is the machine's clock. The plan sets the time of day: no real process has one
// of its own, but a lock reads it here only.
func (p *player) Now(kind sim.ClockKind) time.Duration {
	if kind == sim.Wall {
		return p.TrueTime() + p.wallOffset
	}
	return p.TrueTime()
}

func (p *player) Noted(notes func() play.Notes) {
	n := notes()
	_ = p.report(report{Notes: &n}) // without a cluster nobody wants them
}

func (p *player) Record(e sim.Event) play.Receipt {
	i, _ := p.ask(report{Event: &e})
	return i.Receipt
}

func (p *player) Access(there, back time.Duration, r play.Request) (map[checker.Register]int64, error) {
	i, ok := p.ask(report{Access: &access{there, back, r}})
	if !ok {
		return nil, sim.ErrCrashed
	}
	return i.Results, nil
}

func (p *player) Sleep(ctx context.Context, d time.Duration) error {
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

// Dial connects to the proxy of a node and waits for its welcome: the plan's network
// decides whether and when that comes.
func (p *player) Dial(ctx context.Context, network, address string) (net.Conn, error) {
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

// The cluster and a client's process exchange JSON lines over the process' standard
// input and output. After the first two instructions, what to play and when to
// begin, the process asks and the cluster answers.

// instruction is a line to a client's process.
type instruction struct {
	// The first line: which client of which plan, and where the plan's nodes are.
	Plan      *plan.Plan `json:"plan,omitempty"`
	Client    string     `json:"client,omitempty"`
	Addresses []string   `json:"addresses,omitempty"`
	// The second: begin. True time counts from this reading of the machine's clock.
	Origin time.Duration `json:"origin_ns,omitempty"`
	// The others: the answer to the question of that number, from 1.
	Answers int                        `json:"answers,omitempty"`
	Receipt play.Receipt               `json:"receipt,omitzero"`
	Results map[checker.Register]int64 `json:"results,omitempty"`
}

// report is a line from a client's process. One of its fields is set, and Question
// beside Event and Access, which wait for an answer.
type report struct {
	Ready    bool        `json:"ready,omitempty"`
	Notes    *play.Notes `json:"notes,omitempty"`
	Question int         `json:"question,omitempty"`
	Event    *sim.Event  `json:"event,omitempty"`
	Access   *access     `json:"access,omitempty"`
	Error    string      `json:"error,omitempty"` // why it cannot play
}

// access is a request to the protected resource.
type access struct {
	There   time.Duration `json:"there_ns"`
	Back    time.Duration `json:"back_ns"`
	Request play.Request  `json:"request"`
}

// writeLine writes one line in one piece.
func writeLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

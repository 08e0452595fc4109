package lock

import (
	"bytes"
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"redlocklab/scenarios/plan"
	"redlocklab/sim"
	"redlocklab/sim/random"
)

// fakeProcess is a process whose timers fire at once and move its clock. It notes what the
// lock asks for.
type fakeProcess struct {
	now    time.Duration
	waits  []time.Duration
	dialed string
	onWait func() // before a timer fires; nil: nothing
	closed int
}

func (p *fakeProcess) Seed() uint64                    { return 7 }
func (p *fakeProcess) Now(sim.ClockKind) time.Duration { return p.now }
func (p *fakeProcess) OnEnd(f func())                  { p.closed++; f() }
func (p *fakeProcess) NewTimer(d time.Duration) Timer  { return &fakeTimer{p, d} }
func (p *fakeProcess) read() time.Duration             { return p.now }
func (p *fakeProcess) environment(l plan.Lock) Environment {
	return NewEnvironment(Environment{Lock: l, Random: random.NewReader(7, "test")}, p, NewAttempts(p.read))
}

func (p *fakeProcess) Sleep(_ context.Context, d time.Duration) error {
	p.waits = append(p.waits, d)
	p.now += d
	return nil
}

func (p *fakeProcess) Dial(_ context.Context, _, address string) (net.Conn, error) {
	p.dialed = address
	return nil, errors.New("no network")
}

type fakeTimer struct {
	p *fakeProcess
	d time.Duration
}

func (t *fakeTimer) Stop() bool               { return false }
func (t *fakeTimer) Reset(time.Duration) bool { return false }

func (t *fakeTimer) C() <-chan time.Time {
	t.p.waits = append(t.p.waits, t.d)
	if t.p.onWait != nil {
		t.p.onWait()
		return nil // never fires
	}
	t.p.now += t.d
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c
}

type fakeLease struct{ Lease }

var retry = plan.Retry{Delay: plan.Span{Low: 50 * time.Millisecond, High: 150 * time.Millisecond}}

func TestRetryUntilItSucceeds(t *testing.T) {
	p := &fakeProcess{}
	e := p.environment(plan.Lock{Retry: retry})
	tries := 0
	lease, err := e.Retry(context.Background(), func() (Lease, error) {
		tries++
		p.now += time.Second // of the attempt
		if tries < 4 {
			return nil, ErrContended
		}
		return fakeLease{}, nil
	})
	if err != nil || lease != (fakeLease{}) || tries != 4 || len(p.waits) != 3 {
		t.Fatalf("%v, %v after %d tries and the waits %v", lease, err, tries, p.waits)
	}
	for _, d := range p.waits {
		if d < retry.Delay.Low || d > retry.Delay.High {
			t.Errorf("a wait of %v; allowed: %v", d, retry.Delay)
		}
	}
	if p.waits[0] == p.waits[1] && p.waits[1] == p.waits[2] {
		t.Errorf("the waits %v are not random", p.waits)
	}
	if got, want := e.attempts.Start(), p.now-time.Second; got != want {
		t.Errorf("the lease counts from %v, want the start of the attempt that succeeded, %v", got, want)
	}
	if got := e.attempts.LastError(); got != "contended" {
		t.Errorf("the last error is %q", got)
	}
}

// TestRetryGivesUp: after the scenario's tries, or when the caller does, in an attempt or
// between two.
func TestRetryGivesUp(t *testing.T) {
	for _, test := range []struct {
		name       string
		tries      int // of the scenario
		cancelIn   int // attempt; 0: none
		cancelWait bool
		made       int
		err        error
		waits      int
	}{
		{name: "tries", tries: 3, made: 3, err: ErrContended, waits: 2},
		{name: "one try", tries: 1, made: 1, err: ErrContended, waits: 0},
		{name: "cancelled in an attempt", cancelIn: 2, made: 2, err: ErrContended, waits: 1},
		{name: "cancelled in a wait", cancelWait: true, made: 1, err: context.Canceled, waits: 1},
	} {
		p := &fakeProcess{}
		ctx, cancel := context.WithCancel(context.Background())
		if test.cancelWait {
			p.onWait = cancel
		}
		l := plan.Lock{Retry: retry}
		l.Retry.Tries = test.tries
		made := 0
		lease, err := p.environment(l).RetryAfter(ctx, func() time.Duration {
			return time.Hour
		}, func() (Lease, error) {
			if made++; made == test.cancelIn {
				cancel()
			}
			return nil, ErrContended
		})
		cancel()
		if lease != nil || !errors.Is(err, test.err) || made != test.made || len(p.waits) != test.waits {
			t.Errorf("%s: %v, %v after %d attempts and the waits %v", test.name, lease, err, made, p.waits)
		}
		for _, d := range p.waits {
			if d != time.Hour {
				t.Errorf("%s: a wait of %v, want the caller's delay", test.name, d)
			}
		}
	}
}

func TestRetryDelayIsInTheRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Int64Range(0, int64(time.Hour)).Draw(t, "low")
		high := rapid.Int64Range(low, int64(time.Hour)).Draw(t, "high")
		random := rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "random")
		e := Environment{Random: bytes.NewReader(random)}
		e.Lock.Retry.Delay = plan.Span{Low: time.Duration(low), High: time.Duration(high)}
		if d := e.RetryDelay(); int64(d) < low || int64(d) > high {
			t.Fatalf("%v; allowed: %d to %d ns", d, low, high)
		}
	})
}

// TestAttemptErrors: a crash and a cancellation say nothing about the lock.
func TestAttemptErrors(t *testing.T) {
	a := NewAttempts(nil)
	for _, err := range []error{nil, sim.ErrCrashed, context.Canceled, errors.Join(errors.New("release"), context.Canceled)} {
		if a.End(err); a.LastError() != "" {
			t.Errorf("%v is noted as %q", err, a.LastError())
		}
	}
	a.End(ErrLate)
	a.End(context.DeadlineExceeded)
	if a.End(nil); a.LastError() != "context deadline exceeded" {
		t.Errorf("the last error is %q", a.LastError())
	}
}

// TestDialByName: a node is dialled by its name with any port, by its address, and by
// nothing else.
func TestDialByName(t *testing.T) {
	p := &fakeProcess{}
	e := p.environment(plan.Lock{})
	e.Nodes = []string{"n1", "n3"}
	for _, address := range []string{"10.0.0.1:6379", "10.0.0.3:6379"} {
		client := redis.NewClient(&redis.Options{Addr: address})
		defer client.Close()
		e.Redis = append(e.Redis, client)
	}
	for address, want := range map[string]string{
		"n1": "10.0.0.1:6379", "n3:1": "10.0.0.3:6379", "10.0.0.3:6379": "10.0.0.3:6379", "n2": "n2", "localhost:1": "localhost:1",
	} {
		if _, err := e.Dial(context.Background(), "tcp", address); err == nil || p.dialed != want {
			t.Errorf("%s: dialled %s, %v; want %s", address, p.dialed, err, want)
		}
	}
}

// TestNodeContext: it has the node's timeout, and does not end with the caller's context.
func TestNodeContext(t *testing.T) {
	type key struct{}
	parent, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, "kept"))
	e := (&fakeProcess{}).environment(plan.Lock{NodeTimeout: time.Hour})
	ctx, end := e.NodeContext(parent)
	cancel()
	deadline, ok := ctx.Deadline()
	if ctx.Err() != nil || ctx.Value(key{}) != "kept" || !ok || time.Until(deadline) > time.Hour ||
		time.Until(deadline) < time.Hour-time.Minute {
		t.Errorf("ended with %v, value %v, deadline in %v", ctx.Err(), ctx.Value(key{}), time.Until(deadline))
	}
	if end(); ctx.Err() == nil {
		t.Error("it goes on after its end")
	}
}

// TestProcess: what an environment takes from its process.
func TestProcess(t *testing.T) {
	p := &fakeProcess{now: time.Minute}
	e := p.environment(plan.Lock{})
	if got := e.Reading(time.Now().Add(time.Hour)); got < 61*time.Minute-time.Second || got > 61*time.Minute {
		t.Errorf("in an hour the clock reads %v", got)
	}
	e.Compute(time.Second)
	if e.Now(sim.True) != time.Minute+time.Second {
		t.Errorf("computing took until %v", e.Now(sim.True))
	}
	if e.Draw("a", 1) != random.Value(7, "a", 1) || e.Draw("a", 1) == e.Draw("a", 2) || e.Draw("a", 1) == e.Draw("b", 1) {
		t.Error("a draw is not that of the seed, the stream and the index")
	}
	if e.OnEnd(func() { p.closed++ }); p.closed != 2 {
		t.Errorf("closed %d times, want twice", p.closed)
	}
	e.Random = bytes.NewReader([]byte{1, 2, 3, 4, 5, 6, 7, 8})
	if got := e.Uint64(); got != 0x0102030405060708 {
		t.Errorf("read %x", got)
	}
}

package sim

import "time"

// remote is a message to something that is no node, and the answer to it.
type remote struct {
	there, back time.Duration
	arrive      func()
	done        chan struct{}
}

// Remote sends a message to something that is no node, such as a protected
// resource, and waits for the answer. arrive runs in controller context after
// `there`; the answer arrives `back` later. A message that is under way arrives
// even if the process is paused or crashes. The error is [ErrCrashed] when the
// run is over.
func (p *Process) Remote(there, back time.Duration, arrive func()) error {
	if err := p.pass("remote"); err != nil {
		return err
	}
	r := &remote{there: there, back: back, arrive: arrive, done: make(chan struct{})}
	p.world.enqueue(pending{class: classRemote, process: p, at: p.world.Now(), remote: r})
	select {
	case <-r.done:
	case <-p.ctx.Done():
	}
	return p.pass("remote")
}

func (r *remote) begin(p *Process) {
	w := p.world
	w.At(w.now+r.there, func() {
		r.arrive()
		w.At(w.now+r.back, func() { p.arrive(func() { close(r.done) }) })
	})
}

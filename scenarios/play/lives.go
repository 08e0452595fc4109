package play

import "redlocklab/sim"

// crashCall is what a client says when it crashes by its own steps.
const crashCall sim.Kind = sim.Crash

// numbers are what a lease was given.
func (r *run) numbers(client, lease string) Numbers {
	r.given.Lock()
	defer r.given.Unlock()
	return Numbers{Token: r.named[client], Fence: r.fences[lease]}
}

// observe keeps what clients and the history need of the trace.
func (r *run) observe(e sim.Event) {
	r.lastEvent = e.Seq
	switch e.Kind {
	case sim.Acquired:
		r.given.Lock()
		r.named[e.Process] = e.Value
		r.fence++
		r.fences[e.Lease] = r.fence
		r.given.Unlock()
	case sim.Failed:
		r.given.Lock()
		r.named[e.Process] = e.Value
		r.given.Unlock()
	case crashCall:
		switch {
		case e.Node != "":
		case e.Detail == "": // a client's own step
			r.crash(e.Process)
		default:
			r.follow(e.Process, true)
		}
	case sim.Done:
		r.follow(e.Process, false)
	}
}

// follow lets the client begin that follows another one, or never.
func (r *run) follow(name string, crashed bool) {
	for _, c := range r.clients {
		if c.plan.Follows == name {
			r.turn(c, crashed)
			if !crashed {
				r.follow(c.plan.Name, false)
			}
		}
	}
}

package play

import "redlocklab/sim"

// Numbers returns what the laboratory has given to a client's last acquisition, once its
// end is in the trace.
func (r *Referee) Numbers(client, lease string) Numbers {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Numbers{Token: r.tokens[client], Fence: r.fences[lease]}
}

// observe keeps what clients need of the trace, and crashes clients that ask for it.
func (r *Referee) observe(e sim.Event) {
	r.lastEvent = e.Seq
	if e.Kind == sim.Crash && e.Node == "" {
		if _, known := r.crashed[e.Process]; !known {
			r.crashed[e.Process] = e.At
		}
	}
	switch {
	case e.Kind == sim.Acquired, e.Kind == sim.Failed:
		r.ended(&e)
	case e.Kind == sim.Crash && e.Node == "" && e.Detail == "": // requested by a client's own step
		r.crash(e.Process)
	case e.Kind == sim.Crash && e.Node == "":
		r.notifyFollower(e.Process, true)
	case e.Kind == sim.ResourceRestart:
		r.restarted(&e)
	case e.Kind == sim.Done:
		r.notifyFollower(e.Process, false)
	}
}

// ended keeps the token of an acquisition that ended, and numbers its lease.
func (r *Referee) ended(e *sim.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens[e.Process] = e.Value
	if e.Kind == sim.Acquired {
		r.lastFence++
		r.fences[e.Lease] = r.lastFence
	}
}

// notifyFollower lets the client that follows another one begin, if that one has crashed.
// If not, neither it nor those that follow it ever begin.
func (r *Referee) notifyFollower(name string, crashed bool) {
	for _, c := range r.clients {
		if c.own.Follows == name {
			r.notify(c, crashed)
			if !crashed {
				r.notifyFollower(c.own.Name, false)
			}
		}
	}
}

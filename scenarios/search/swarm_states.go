package search

import (
	"time"

	"redlocklab/faults"
	"redlocklab/sim"
)

// again lets a fault begin again in some runs: by time, or at each further match
// of its trigger. What never ends, or ends a client, does not.
func (w *swarm) again(knob string, f faults.Fault) faults.Fault {
	repeatable := f.End.Ends
	switch f.Effect.(type) {
	case *faults.NodeClockStep, *faults.ClientClockStep, *faults.OperatorDelete, *faults.OperatorFlush, *faults.Evict,
		*faults.ScriptFlush, *faults.Reset:
		repeatable = true
	}
	if !repeatable || !w.chance(knob+" again", 25) {
		return f
	}
	f.Again.Times = 2 + w.below(knob+" times", 3)
	if f.Begin.When.IsZero() || w.chance(knob+" by time", 50) {
		f.Again.Every = f.End.For + w.between(knob+" every", w.ttl/4, 3*w.ttl)
	}
	return f
}

func (w *swarm) refuse(knob string) faults.Fault {
	as := pick(w.draw, knob+" as", sim.Reasons()...)
	return w.lasting(knob, &faults.Refuse{Nodes: w.someNodes(knob), As: as}, 3*w.ttl)
}

func (w *swarm) stop(knob string) faults.Fault {
	return w.lasting(knob, &faults.StopNode{Nodes: w.someNodes(knob)}, pick(w.draw, knob+" longest", w.ttl/20, 2*w.ttl))
}

// upTo draws a span of a fault that slows something down.
func (w *swarm) upTo(knob string, most time.Duration) faults.Span {
	low := w.between(knob+" by", time.Microsecond, most)
	return faults.Span{Low: low, High: 2 * low}
}

func (w *swarm) slowNode(knob string) faults.Fault {
	return w.lasting(knob, &faults.SlowNode{Nodes: w.someNodes(knob), By: w.upTo(knob, w.ttl/50)}, 3*w.ttl)
}

func (w *swarm) slowClient(knob string) faults.Fault {
	return w.lasting(knob, &faults.SlowClient{Clients: w.oneClient(knob), By: w.upTo(knob, w.ttl/50)}, 3*w.ttl)
}

// lateTimers is between what every machine has and what a loaded one has.
func (w *swarm) lateTimers(knob string) faults.Fault {
	return w.lasting(knob, &faults.LateTimers{
		Clients: w.oneClient(knob), By: w.upTo(knob, pick(w.draw, knob+" late by", 100*time.Microsecond, w.ttl/50)),
	}, 3*w.ttl)
}

// slowDisk makes a kill forget what is younger than the sync that runs.
func (w *swarm) slowDisk(knob string) faults.Fault {
	by := w.between(knob+" by", 10*time.Millisecond, 3*time.Second)
	return w.lasting(knob, &faults.SlowDisk{Nodes: w.someNodes(knob), By: by}, 3*w.ttl)
}

// move makes an address lead to the server of another node.
func (w *swarm) move(knob string) faults.Fault {
	from := w.below(knob+" from", len(w.nodes))
	to := (from + 1 + w.below(knob+" to", max(len(w.nodes)-1, 1))) % len(w.nodes)
	return w.lasting(knob, &faults.Move{Nodes: w.nodes[from : from+1], To: w.nodes[to : to+1]}, 3*w.ttl)
}

func (w *swarm) blackHole(knob string) faults.Fault {
	return w.lasting(knob, &faults.BlackHole{Nodes: w.someNodes(knob)}, 3*w.ttl)
}

// drip is slow enough that some answers come after their time.
func (w *swarm) drip(knob string) faults.Fault {
	return w.lasting(knob, &faults.Drip{
		Pace: w.upTo(knob, w.ttl/1000), Clients: w.oneClient(knob), Nodes: w.someNodes(knob),
	}, 3*w.ttl)
}

func (w *swarm) reset(knob string) faults.Fault {
	return faults.Fault{
		Effect: &faults.Reset{Clients: w.oneClient(knob), Nodes: w.someNodes(knob)}, Begin: w.begin(knob),
	}
}

func (w *swarm) scriptFlush(knob string) faults.Fault {
	return faults.Fault{Effect: &faults.ScriptFlush{Nodes: w.someNodes(knob)}, Begin: w.begin(knob)}
}

func (w *swarm) evict(knob string) faults.Fault {
	return faults.Fault{Effect: &faults.Evict{Nodes: w.someNodes(knob), Keys: 1}, Begin: w.begin(knob)}
}

// failover promotes replicas that may have missed votes, in other processes or in the old ones.
func (w *swarm) failover(knob string) faults.Fault {
	lag := w.between(knob+" lag", w.ttl/100, pick(w.draw, knob+" lag at most", w.ttl/10, 2*w.ttl))
	longest := pick(w.draw, knob+" longest", w.ttl/50, w.ttl)
	if w.draw.chance(knob+" comes back", 50) {
		return w.lasting(knob, &faults.Demote{Nodes: w.someNodes(knob), Lag: lag}, longest)
	}
	return w.lasting(knob, &faults.Failover{Nodes: w.someNodes(knob), Lag: lag}, longest)
}

// The drifts stand from the start, as the small rates do, and never err by more.
func smallNodeDrift(w *swarm, knob string) faults.Fault {
	e := &faults.NodeClockDrift{Nodes: w.someNodes(knob)}
	e.Shape, e.PPM, e.Period = w.drift(knob)
	return faults.Fault{Effect: e}
}

func smallClientDrift(w *swarm, knob string) faults.Fault {
	e := &faults.ClientClockDrift{Clients: w.oneClient(knob), Clock: w.clock}
	e.Shape, e.PPM, e.Period = w.drift(knob)
	return faults.Fault{Effect: e}
}

func (w *swarm) drift(knob string) (faults.Shape, int64, time.Duration) {
	return pick(w.draw, knob+" shape", faults.Periodic, faults.NonIdeal),
		pick[int64](w.draw, knob+" ppm", rateErrorPPM, -rateErrorPPM), w.between(knob+" period", w.ttl, 20*w.ttl)
}

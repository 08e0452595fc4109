package faults

import (
	"slices"
	"time"

	"redlocklab/sim"
)

func (s *NodeClockStep) begin(w *scene, fault string) {
	for _, n := range s.Nodes {
		w.Handle(n).StepClock(s.By, fault)
	}
}

func (*NodeClockStep) end(*scene, string) {}

func (r *NodeClockRate) begin(w *scene, fault string) {
	for _, n := range r.Nodes {
		w.Handle(n).SetClockRate(r.PPM, fault)
	}
}

func (r *NodeClockRate) end(w *scene, fault string) {
	for _, n := range r.Nodes {
		w.Handle(n).EndClockRate(fault)
	}
}

func (s *ClientClockStep) begin(w *scene, fault string) {
	for _, c := range s.Clients {
		w.Actor(c).StepClock(sim.ClockKind(s.Clock), s.By, fault)
	}
}

func (*ClientClockStep) end(*scene, string) {}

func (r *ClientClockRate) begin(w *scene, fault string) {
	for _, c := range r.Clients {
		w.Actor(c).SetClockRate(sim.ClockKind(r.Clock), r.PPM, fault)
	}
}

func (r *ClientClockRate) end(w *scene, fault string) {
	for _, c := range r.Clients {
		w.Actor(c).EndClockRate(sim.ClockKind(r.Clock), fault)
	}
}

func (c *Crash) begin(w *scene, fault string) {
	for _, n := range c.Nodes {
		w.crash(n, sim.End(c.How), fault)
	}
}

// endAfter implements ownTime.
func (c *Crash) endAfter(w Stage, d time.Duration, f func()) bool {
	if c.TimedBy != NodeClock {
		return false
	}
	w.Handle(c.Nodes[0]).WhenClockAdvanced(d, f)
	return true
}

func (c *Crash) end(w *scene, fault string) {
	for _, n := range c.Nodes {
		if w.over(n, fault) && w.restart(n, fault) && c.Loading > 0 {
			w.Handle(n).LoadFor(c.Loading, fault)
		}
	}
}

func (r *Restart) begin(w *scene, fault string) {
	for _, n := range r.Nodes {
		w.restart(n, fault)
	}
}

func (*Restart) end(*scene, string) {}

// prepare implements preparing: the replicas have been there all the time.
func (f *Failover) prepare(w Stage) {
	for _, n := range f.Nodes {
		w.Handle(n).Replicate(f.Lag)
	}
}

func (f *Failover) begin(w *scene, fault string) {
	for _, n := range f.Nodes {
		w.crash(n, sim.ProcessCrash, fault)
	}
}

func (f *Failover) end(w *scene, fault string) {
	for _, n := range f.Nodes {
		w.promote(n, fault)
	}
}

func (r *Refuse) begin(w *scene, fault string) {
	for _, n := range r.Nodes {
		w.Handle(n).Refuse(string(r.As), fault)
	}
}

func (r *Refuse) end(w *scene, fault string) {
	for _, n := range r.Nodes {
		w.Handle(n).Grant(string(r.As), fault)
	}
}

func (e *Evict) begin(w *scene, fault string) {
	for _, n := range e.Nodes {
		w.Handle(n).Evict(int(e.Keys), fault)
	}
}

func (*Evict) end(*scene, string) {}

func (s *ScriptFlush) begin(w *scene, fault string) {
	for _, n := range s.Nodes {
		w.Handle(n).Operator(fault, "SCRIPT", "FLUSH")
	}
}

func (*ScriptFlush) end(*scene, string) {}

func (d *NodeClockDrift) begin(w *scene, fault string) {
	for _, n := range d.Nodes {
		w.Handle(n).SetClockDrift(d.error(w, "fault/"+fault+"/drift/"+n), d.Period/driftSteps, fault)
	}
}

func (d *NodeClockDrift) end(w *scene, fault string) {
	for _, n := range d.Nodes {
		w.Handle(n).SetClockDrift(nil, 0, fault)
	}
}

func (d *ClientClockDrift) begin(w *scene, fault string) {
	for _, c := range d.Clients {
		w.Actor(c).SetClockDrift(sim.ClockKind(d.Clock), d.error(w, "fault/"+fault+"/drift/"+c), d.Period/driftSteps, fault)
	}
}

func (d *ClientClockDrift) end(w *scene, fault string) {
	for _, c := range d.Clients {
		w.Actor(c).SetClockDrift(sim.ClockKind(d.Clock), nil, 0, fault)
	}
}

func (p *Pause) begin(w *scene, fault string) {
	for _, c := range p.Clients {
		w.Actor(c).Pause(fault)
	}
}

func (p *Pause) end(w *scene, fault string) {
	for _, c := range p.Clients {
		w.Actor(c).Resume(fault)
	}
}

func (s *Suspend) begin(w *scene, fault string) {
	for _, c := range s.Clients {
		w.Actor(c).Suspend(fault)
	}
}

func (s *Suspend) end(w *scene, fault string) {
	for _, c := range s.Clients {
		w.Actor(c).Wake(fault)
	}
}

func (o *OperatorDelete) begin(w *scene, fault string) {
	for _, n := range o.Nodes {
		w.Handle(n).Operator(fault, append([]string{"DEL"}, o.Resources...)...)
	}
}

func (*OperatorDelete) end(*scene, string) {}

func (o *OperatorFlush) begin(w *scene, fault string) {
	for _, n := range o.Nodes {
		w.Handle(n).Operator(fault, "FLUSHALL")
	}
}

func (*OperatorFlush) end(*scene, string) {}

func (r *Reset) begin(w *scene, fault string) {
	w.ResetConnections(func(client, node string) bool { return among(r.Clients, client) && among(r.Nodes, node) }, fault)
}

func (*Reset) end(*scene, string) {}

func (h *BlackHole) begin(w *scene, fault string) {
	w.AddRule(sim.Rule{Name: ruleName(h, fault), Fault: fault, Arriving: true, Judge: func(m *sim.Message) sim.Verdict {
		if !m.Dial && among(h.Nodes, m.Node) {
			return sim.Verdict{Action: sim.Lose}
		}
		return sim.Verdict{Action: sim.Pass}
	}})
}

func (h *BlackHole) end(w *scene, fault string) { w.RemoveRule(ruleName(h, fault), fault) }

func (d *Drip) begin(w *scene, fault string) {
	replies := links{d.Clients, d.Nodes, Replies}
	w.AddRule(sim.Rule{Name: ruleName(d, fault), Fault: fault, Judge: func(m *sim.Message) sim.Verdict {
		if !m.Dial && replies.include(m) {
			return sim.Verdict{Action: sim.Trickle, Delay: sim.Between(draw(w, fault, "pace", m), d.Pace.Low, d.Pace.High)}
		}
		return sim.Verdict{Action: sim.Pass}
	}})
}

func (d *Drip) end(w *scene, fault string) { w.RemoveRule(ruleName(d, fault), fault) }

func (s *SlowNode) begin(w *scene, fault string) {
	for _, n := range s.Nodes {
		w.Handle(n).SetService(func(m *sim.Message) time.Duration {
			return sim.Between(draw(w, fault, "how long", m), s.By.Low, s.By.High)
		}, fault)
	}
}

func (s *SlowNode) end(w *scene, fault string) {
	for _, n := range s.Nodes {
		w.Handle(n).SetService(nil, fault)
	}
}

func (s *StopNode) begin(w *scene, fault string) {
	for _, n := range s.Nodes {
		w.Handle(n).Stop(fault)
	}
}

func (s *StopNode) end(w *scene, fault string) {
	for _, n := range s.Nodes {
		w.Handle(n).Continue(fault)
	}
}

func (s *SlowClient) begin(w *scene, fault string) {
	for _, c := range s.Clients {
		w.Actor(c).SetNotice(func(arrival int) time.Duration {
			return sim.Between(w.Random("fault/"+fault+"/notice/"+c, uint64(arrival)), s.By.Low, s.By.High)
		}, fault)
	}
}

func (s *SlowClient) end(w *scene, fault string) {
	for _, c := range s.Clients {
		w.Actor(c).SetNotice(nil, fault)
	}
}

func (k *ClientCrash) begin(w *scene, fault string) {
	for _, c := range k.Clients {
		w.Actor(c).Crash(fault)
	}
}

func (*ClientCrash) end(*scene, string) {}

// links selects messages by who talks to whom and in which direction.
type links struct {
	clients, nodes []string
	direction      Direction
}

func (l links) include(m *sim.Message) bool {
	return among(l.clients, m.Process) && among(l.nodes, m.Node) &&
		(l.direction == Both || (l.direction == Requests) == (m.Direction == sim.ToNode))
}

func among(list []string, name string) bool {
	return slices.Contains(list, name) || len(list) == 1 && list[0] == All
}

func (p *Partition) begin(w *scene, fault string) {
	cut := links{p.Clients, p.Nodes, p.Direction}
	w.AddRule(sim.Rule{Name: ruleName(p, fault), Fault: fault, Arriving: true, Judge: func(m *sim.Message) sim.Verdict {
		if cut.include(m) {
			return sim.Verdict{Action: sim.Lose}
		}
		return sim.Verdict{Action: sim.Pass}
	}})
}

func (p *Partition) end(w *scene, fault string) { w.RemoveRule(ruleName(p, fault), fault) }

func (l *Lose) begin(w *scene, fault string) {
	lossy := links{l.Clients, l.Nodes, l.Direction}
	w.AddRule(sim.Rule{Name: ruleName(l, fault), Fault: fault, Arriving: true, Judge: func(m *sim.Message) sim.Verdict {
		if lossy.include(m) && sim.Chance(draw(w, fault, "whether", m), l.ProbabilityPPM) {
			return sim.Verdict{Action: sim.Lose}
		}
		return sim.Verdict{Action: sim.Pass}
	}})
}

func (l *Lose) end(w *scene, fault string) { w.RemoveRule(ruleName(l, fault), fault) }

func (d *Delay) begin(w *scene, fault string) {
	slow := links{d.Clients, d.Nodes, d.Direction}
	w.AddRule(sim.Rule{Name: ruleName(d, fault), Fault: fault, Judge: func(m *sim.Message) sim.Verdict {
		if slow.include(m) && sim.Chance(draw(w, fault, "whether", m), d.ProbabilityPPM) {
			more := sim.Between(draw(w, fault, "how long", m), d.By.Low, d.By.High)
			return sim.Verdict{Action: sim.Hold, Delay: more}
		}
		return sim.Verdict{Action: sim.Pass}
	}})
}

func (d *Delay) end(w *scene, fault string) { w.RemoveRule(ruleName(d, fault), fault) }

// ruleName tells a rule from those of other faults, by which it is removed.
func ruleName(e Effect, fault string) string { return e.Kind() + ": " + fault }

// draw is the random value of one question about one message. The world judges
// a message twice, when it is sent and when it arrives: both get one answer.
// Requests have numbers; what asks for a connection is known by its time.
func draw(w Stage, fault, question string, m *sim.Message) uint64 {
	stream := "fault/" + fault + "/" + question + "/" + m.Process + "/" + m.Node
	if m.Direction == sim.ToNode {
		stream += "/request"
	} else {
		stream += "/reply"
	}
	if m.Dial {
		return w.Random(stream+"/dial", uint64(m.Sent))
	}
	return w.Random(stream, uint64(m.Number))
}

package faults

import (
	"slices"
	"time"

	"redlocklab/sim"
)

func (s *NodeClockStep) begin(w world, fault string) {
	for _, n := range s.Nodes {
		w.node(n).StepClock(s.By, fault)
	}
}

func (*NodeClockStep) end(world, string) {}

func (r *NodeClockRate) begin(w world, fault string) { r.set(w, r.PPM, fault) }

func (r *NodeClockRate) end(w world, fault string) { r.set(w, 0, fault) }

func (r *NodeClockRate) set(w world, ppm int64, fault string) {
	for _, n := range r.Nodes {
		w.node(n).SetClockRate(ppm, fault)
	}
}

func (s *ClientClockStep) begin(w world, fault string) {
	for _, c := range s.Clients {
		w.process(c).StepClock(sim.ClockKind(s.Clock), s.By, fault)
	}
}

func (*ClientClockStep) end(world, string) {}

func (r *ClientClockRate) begin(w world, fault string) { r.set(w, r.PPM, fault) }

func (r *ClientClockRate) end(w world, fault string) { r.set(w, 0, fault) }

func (r *ClientClockRate) set(w world, ppm int64, fault string) {
	for _, c := range r.Clients {
		w.process(c).SetClockRate(sim.ClockKind(r.Clock), ppm, fault)
	}
}

func (c *Crash) begin(w world, fault string) {
	for _, n := range c.Nodes {
		if node := w.node(n); node.Up() {
			node.Crash(sim.End(c.How), fault)
		}
	}
}

// endAfter implements ownTime.
func (c *Crash) endAfter(w world, d time.Duration, f func()) bool {
	if c.TimedBy != NodeClock {
		return false
	}
	w.node(c.Nodes[0]).WhenClockAdvanced(d, f)
	return true
}

func (c *Crash) end(w world, fault string) { restart(w, c.Nodes, c.Loading, fault) }

func (r *Restart) begin(w world, fault string) { restart(w, r.Nodes, 0, fault) }

func (*Restart) end(world, string) {}

func restart(w world, nodes []string, loading time.Duration, fault string) {
	for _, n := range nodes {
		if node := w.node(n); !node.Up() {
			node.Restart(fault)
			if loading > 0 {
				node.LoadFor(loading, fault)
			}
		}
	}
}

// prepare implements preparing: the replicas have been there all the time.
func (f *Failover) prepare(w world) {
	for _, n := range f.Nodes {
		w.node(n).Replicate(f.Lag)
	}
}

func (f *Failover) begin(w world, fault string) {
	for _, n := range f.Nodes {
		if node := w.node(n); node.Up() {
			node.Crash(sim.ProcessCrash, fault)
		}
	}
}

func (f *Failover) end(w world, fault string) {
	for _, n := range f.Nodes {
		w.node(n).Promote(fault)
	}
}

func (r *Refuse) begin(w world, fault string) {
	for _, n := range r.Nodes {
		w.node(n).Refuse(string(r.As), fault)
	}
}

func (r *Refuse) end(w world, fault string) {
	for _, n := range r.Nodes {
		w.node(n).Grant(string(r.As), fault)
	}
}

func (e *Evict) begin(w world, fault string) {
	for _, n := range e.Nodes {
		w.node(n).Evict(int(e.Keys), fault)
	}
}

func (*Evict) end(world, string) {}

func (s *ScriptFlush) begin(w world, fault string) {
	for _, n := range s.Nodes {
		w.node(n).Operator(fault, "SCRIPT", "FLUSH")
	}
}

func (*ScriptFlush) end(world, string) {}

func (d *NodeClockDrift) begin(w world, fault string) {
	for _, n := range d.Nodes {
		w.node(n).SetClockDrift(d.error(w, "fault/"+fault+"/drift/"+n), d.Period/driftSteps, fault)
	}
}

func (d *NodeClockDrift) end(w world, fault string) {
	for _, n := range d.Nodes {
		w.node(n).SetClockDrift(nil, 0, fault)
	}
}

func (d *ClientClockDrift) begin(w world, fault string) {
	for _, c := range d.Clients {
		w.process(c).SetClockDrift(sim.ClockKind(d.Clock), d.error(w, "fault/"+fault+"/drift/"+c), d.Period/driftSteps, fault)
	}
}

func (d *ClientClockDrift) end(w world, fault string) {
	for _, c := range d.Clients {
		w.process(c).SetClockDrift(sim.ClockKind(d.Clock), nil, 0, fault)
	}
}

func (p *Pause) begin(w world, fault string) {
	for _, c := range p.Clients {
		w.process(c).Pause(fault)
	}
}

func (p *Pause) end(w world, fault string) {
	for _, c := range p.Clients {
		w.process(c).Resume(fault)
	}
}

func (s *Suspend) begin(w world, fault string) {
	for _, c := range s.Clients {
		w.process(c).Suspend(fault)
	}
}

func (s *Suspend) end(w world, fault string) {
	for _, c := range s.Clients {
		w.process(c).Wake(fault)
	}
}

func (o *OperatorDelete) begin(w world, fault string) {
	for _, n := range o.Nodes {
		w.node(n).Operator(fault, append([]string{"DEL"}, o.Resources...)...)
	}
}

func (*OperatorDelete) end(world, string) {}

func (o *OperatorFlush) begin(w world, fault string) {
	for _, n := range o.Nodes {
		w.node(n).Operator(fault, "FLUSHALL")
	}
}

func (*OperatorFlush) end(world, string) {}

func (r *Reset) begin(w world, fault string) {
	w.(cutter).resetConnections(r.Clients, r.Nodes, fault)
}

func (*Reset) end(world, string) {}

func (h *BlackHole) begin(w world, fault string) {
	w.AddRule(sim.Rule{Name: ruleName(h, fault), Fault: fault, Arriving: true, Judge: func(m *sim.Message) sim.Verdict {
		if !m.Dial && among(h.Nodes, m.Node) {
			return sim.Verdict{Action: sim.Lose}
		}
		return sim.Verdict{Action: sim.Pass}
	}})
}

func (h *BlackHole) end(w world, fault string) { w.RemoveRule(ruleName(h, fault), fault) }

func (d *Drip) begin(w world, fault string) {
	replies := links{d.Clients, d.Nodes, Replies}
	w.AddRule(sim.Rule{Name: ruleName(d, fault), Fault: fault, Judge: func(m *sim.Message) sim.Verdict {
		if !m.Dial && replies.include(m) {
			return sim.Verdict{Action: sim.Trickle, Delay: sim.Between(draw(w, fault, "pace", m), d.Pace.Low, d.Pace.High)}
		}
		return sim.Verdict{Action: sim.Pass}
	}})
}

func (d *Drip) end(w world, fault string) { w.RemoveRule(ruleName(d, fault), fault) }

func (s *SlowNode) begin(w world, fault string) {
	for _, n := range s.Nodes {
		w.node(n).SetService(func(m *sim.Message) time.Duration {
			return sim.Between(draw(w, fault, "how long", m), s.By.Low, s.By.High)
		}, fault)
	}
}

func (s *SlowNode) end(w world, fault string) {
	for _, n := range s.Nodes {
		w.node(n).SetService(nil, fault)
	}
}

func (s *StopNode) begin(w world, fault string) {
	for _, n := range s.Nodes {
		w.node(n).Stop(fault)
	}
}

func (s *StopNode) end(w world, fault string) {
	for _, n := range s.Nodes {
		w.node(n).Continue(fault)
	}
}

func (s *SlowClient) begin(w world, fault string) {
	for _, c := range s.Clients {
		w.process(c).SetNotice(func(arrival int) time.Duration {
			return sim.Between(w.Random("fault/"+fault+"/notice/"+c, uint64(arrival)), s.By.Low, s.By.High)
		}, fault)
	}
}

func (s *SlowClient) end(w world, fault string) {
	for _, c := range s.Clients {
		w.process(c).SetNotice(nil, fault)
	}
}

func (k *ClientCrash) begin(w world, fault string) {
	for _, c := range k.Clients {
		w.process(c).Crash(fault)
	}
}

func (*ClientCrash) end(world, string) {}

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

func (p *Partition) begin(w world, fault string) {
	cut := links{p.Clients, p.Nodes, p.Direction}
	w.AddRule(sim.Rule{Name: ruleName(p, fault), Fault: fault, Arriving: true, Judge: func(m *sim.Message) sim.Verdict {
		if cut.include(m) {
			return sim.Verdict{Action: sim.Lose}
		}
		return sim.Verdict{Action: sim.Pass}
	}})
}

func (p *Partition) end(w world, fault string) { w.RemoveRule(ruleName(p, fault), fault) }

func (l *Lose) begin(w world, fault string) {
	lossy := links{l.Clients, l.Nodes, l.Direction}
	w.AddRule(sim.Rule{Name: ruleName(l, fault), Fault: fault, Arriving: true, Judge: func(m *sim.Message) sim.Verdict {
		if lossy.include(m) && sim.Chance(draw(w, fault, "whether", m), l.ProbabilityPPM) {
			return sim.Verdict{Action: sim.Lose}
		}
		return sim.Verdict{Action: sim.Pass}
	}})
}

func (l *Lose) end(w world, fault string) { w.RemoveRule(ruleName(l, fault), fault) }

func (d *Delay) begin(w world, fault string) {
	slow := links{d.Clients, d.Nodes, d.Direction}
	w.AddRule(sim.Rule{Name: ruleName(d, fault), Fault: fault, Judge: func(m *sim.Message) sim.Verdict {
		if slow.include(m) && sim.Chance(draw(w, fault, "whether", m), d.ProbabilityPPM) {
			more := sim.Between(draw(w, fault, "how long", m), d.By.Low, d.By.High)
			return sim.Verdict{Action: sim.Hold, Delay: more}
		}
		return sim.Verdict{Action: sim.Pass}
	}})
}

func (d *Delay) end(w world, fault string) { w.RemoveRule(ruleName(d, fault), fault) }

// ruleName tells a rule from those of other faults, by which it is removed.
func ruleName(e Effect, fault string) string { return e.Kind() + ": " + fault }

// draw is the random value of one question about one message. The world judges
// a message twice, when it is sent and when it arrives: both get one answer.
// Requests have numbers; what asks for a connection is known by its time.
func draw(w world, fault, question string, m *sim.Message) uint64 {
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

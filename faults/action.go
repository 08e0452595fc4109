package faults

import "redlocklab/sim"

// action is the beginning or the end of one fault: what it acts on, and in whose
// name.
type action struct {
	Target
	outages *outages
	fault   string
}

// each does something for each of some names.
func each(names []string, do func(a action, name string)) func(action) {
	return func(a action) {
		for _, name := range names {
			do(a, name)
		}
	}
}

// eachNode does something to each of some nodes.
func eachNode(names []string, do func(n NodeHandle, fault string)) func(action) {
	return each(names, func(a action, name string) { do(a.Node(name), a.fault) })
}

// eachClient does something to each of some clients.
func eachClient(names []string, do func(c ProcessHandle, fault string)) func(action) {
	return each(names, func(a action, name string) { do(a.Process(name), a.fault) })
}

// start makes the effect happen.
func (d definition) start(a action) {
	if d.decide == nil {
		d.begin(a)
		return
	}
	a.AddRule(sim.Rule{
		Name: d.ruleName(a), Fault: a.fault, Arriving: d.onArrival,
		Decide: func(m *sim.Message) sim.Ruling { return d.decide(a, m) },
	})
}

// stop undoes the effect of a kind that lasts.
func (d definition) stop(a action) {
	if d.decide == nil {
		d.end(a)
		return
	}
	a.RemoveRule(d.ruleName(a), a.fault)
}

// ruleName is the name of a fault's rule, which no other fault's rule has.
func (d definition) ruleName(a action) string { return d.parameters[0].Name + ": " + a.fault }

// draw is the random value that answers one question about one message. A rule is
// asked when a message is sent and again when it arrives, and must answer alike. A
// message is known by its place on its link, so that what happens elsewhere does not
// change the value.
func (a action) draw(question string, m *sim.Message) uint64 {
	return a.Random("fault/"+a.fault+"/"+question+"/"+m.Process+"/"+m.Node+"/"+string(m.Direction), m.Index)
}

package play

import (
	"fmt"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// losses follows the messages that the network lost by chance, link by link. A loss costs a contender
// the attempt, and the delay until the next one.
type losses struct {
	plan  *plan.Plan
	found []*checker.Fact // the times in which clients suffered from losses
	last  map[linkName]*checker.Fact
}

// read takes the next event.
func (l *losses) read(e *sim.Event) {
	if e.Kind != sim.Drop || e.Process == "" || e.Fault != "" || !strings.HasSuffix(e.Detail, ": "+sim.Lost) {
		return
	}
	link := linkName{e.Process, e.Node}
	if f := l.last[link]; f == nil || int64(e.At) > *f.UntilNS {
		fact := at(e, checker.Fact{
			Fact: checker.FactLost, Client: e.Process, Nodes: []string{e.Node},
			Name: fmt.Sprintf("a message between %s and %s", e.Process, e.Node),
		})
		l.last[link] = &fact
		l.found = append(l.found, &fact)
	}
	l.last[link].UntilNS = checker.At(int64(e.At + l.plan.Lock.Retry.Delay.High + 2*l.plan.Lock.NodeTimeout))
}

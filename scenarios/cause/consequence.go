package cause

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/play"
	"redlocklab/sim/words"
)

// consequence says what happened instead of a finding in a replay: "B gets 2 of 5 votes
// and waits". It is empty without a replay.
func consequence(run, replay *play.Result, f *checker.Finding) string {
	switch {
	case replay == nil:
		return ""
	case f.Goal != "":
		return ofGoal(replay, f.Goal)
	}
	c := comparison{run.History, replay}
	switch f.Sort {
	case checker.SortOverlap, checker.SortLock:
		var leases []*checker.Lease
		for _, id := range f.Leases {
			if l := run.History.Lease(id); l != nil {
				leases = append(leases, l)
			}
		}
		slices.SortStableFunc(leases, func(a, b *checker.Lease) int { return int(a.AcquiredNS() - b.AcquiredNS()) })
		if n := len(leases); n >= 2 {
			return c.leases(leases[n-2], leases[n-1])
		}
	case checker.SortStale, checker.SortLostUpdate:
		if text := c.accesses(f); text != "" {
			return text
		}
	}
	return "nothing of this kind happens"
}

// ofGoal says how a replay meets a goal.
func ofGoal(replay *play.Result, id string) string {
	for _, goal := range replay.Verdict.Liveness.Goals {
		switch {
		case goal.ID != id || goal.Status != checker.Holds:
		case strings.HasPrefix(goal.Text, "met by"):
			return id + " is " + goal.Text
		default:
			return id + " is met: " + goal.Text
		}
	}
	return "what " + id + " waits for never happens"
}

// comparison compares a replay with the history of the run.
type comparison struct {
	before *checker.History
	*play.Result
}

// acquisition finds the same step of the same client as the one that acquired a lease of the
// run; nil when the client does not come to it. It also returns the lease of that step, or nil.
func (c *comparison) acquisition(l *checker.Lease) (*checker.Operation, *checker.Lease) {
	for i := range c.History.Operations {
		op := &c.History.Operations[i]
		if op.ID != l.Operation || op.Action != checker.ActionAcquire || op.Resource != l.Resource {
			continue
		}
		if op.Outcome != checker.OutcomeOK {
			return op, nil
		}
		return op, c.History.Lease(op.Lease)
	}
	return nil, nil
}

// leases says what becomes of two leases that overlapped in the run.
func (c *comparison) leases(first, second *checker.Lease) string {
	asks, later := c.acquisition(second)
	switch {
	case asks == nil:
		return second.Client + " does not ask for " + second.Resource
	case later == nil:
		return fmt.Sprintf("%s gets %s and does not get %s", second.Client, c.votes(second, int64(c.End)), second.Resource)
	}
	_, earlier := c.acquisition(first)
	got := later.AcquiredNS()
	if got > second.AcquiredNS() {
		text := fmt.Sprintf("%s gets %s and waits; it has %s from %s on",
			second.Client, c.votes(second, got), second.Resource, instant(got))
		switch {
		case earlier != nil && earlier.ReleasedNS != nil && *earlier.ReleasedNS <= got:
			text += fmt.Sprintf(", after %s has released it", first.Client)
		case earlier != nil && earlier.EndNS() <= got:
			text += fmt.Sprintf(", after %s's lease has ended", first.Client)
		}
		return text
	}
	switch {
	case earlier == nil:
		return fmt.Sprintf("%s does not get %s", first.Client, first.Resource)
	case earlier.EndNS() <= got:
		return fmt.Sprintf("%s's lease ends at %s, before %s's begins at %s",
			first.Client, instant(earlier.EndNS()), second.Client, instant(got))
	case later.EndNS() <= earlier.AcquiredNS():
		return fmt.Sprintf("%s has %s until %s, before %s has it",
			second.Client, second.Resource, instant(later.EndNS()), first.Client)
	}
	return "the two leases do not overlap"
}

// votes says how many votes an attempt of a lease's client gets at most before an instant.
func (c *comparison) votes(l *checker.Lease, until int64) string {
	nodes := map[string][]string{} // that granted, by token
	most := 0
	for _, e := range c.History.NodeEvents {
		byClient := e.What == checker.NodeSet && e.Client == l.Client && e.Resource == l.Resource
		if !byClient || e.AtNS >= until || e.Lease != "" || slices.Contains(nodes[e.Token], e.Node) {
			continue
		}
		nodes[e.Token] = append(nodes[e.Token], e.Node)
		most = max(most, len(nodes[e.Token]))
	}
	asked := len(c.History.Header.Nodes)
	for _, client := range c.Plan.Clients {
		if client.Name == l.Client && len(client.Nodes) > 0 {
			asked = min(asked, len(client.Nodes))
		}
	}
	return fmt.Sprintf("%d of %s", most, words.Counted(asked, "vote"))
}

// accesses says what becomes of the last access that a finding is about.
func (c *comparison) accesses(f *checker.Finding) string {
	for _, a := range c.before.Accesses {
		if a.AtNS != f.AtNS || a.Resource != f.Resource || len(f.Events) == 0 || a.Event != f.Events[len(f.Events)-1] {
			continue
		}
		l := c.History.Lease(a.Lease)
		if l == nil {
			return a.Client + " does not get " + f.Resource
		}
		sent, late := false, false
		for _, b := range c.History.Accesses {
			if b.Lease == a.Lease && b.Register == a.Register && b.Action == a.Action {
				sent, late = true, late || b.AtNS >= l.EndNS()
			}
		}
		switch {
		case !sent:
			return fmt.Sprintf("%s leaves its %s out", a.Client, a.Action)
		case !late:
			return fmt.Sprintf("%s's %s arrives while it holds %s", a.Client, a.Action, f.Resource)
		}
	}
	return ""
}

// instant writes a time since the start of the run as findings do, rounded to microseconds.
func instant(ns int64) string { return time.Duration(ns).Round(time.Microsecond).String() }

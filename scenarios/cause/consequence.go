package cause

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/play"
)

// consequence says what happened instead of a finding in a replay: "B gets 2 of 5 votes
// and waits". It is empty when the replay tells nothing.
func consequence(before, after *play.Result, f *checker.Finding) string {
	switch {
	case after == nil:
		return ""
	case f.Goal != "":
		return ofGoal(after, f.Goal)
	}
	was, is := story{before}, story{after}
	if f.Sort == checker.SortOverlap || f.Sort == checker.SortLock {
		var leases []*checker.Lease
		for _, id := range f.Leases {
			if l := was.lease(id); l != nil {
				leases = append(leases, l)
			}
		}
		slices.SortStableFunc(leases, func(a, b *checker.Lease) int { return int(was.from(a) - was.from(b)) })
		if n := len(leases); n >= 2 {
			return is.instead(&was, leases[n-2], leases[n-1])
		}
	}
	if f.Sort == checker.SortStale || f.Sort == checker.SortLostUpdate {
		if text := is.accesses(&was, f); text != "" {
			return text
		}
	}
	return "nothing of this kind happens"
}

// ofGoal says how a goal is met.
func ofGoal(run *play.Result, id string) string {
	for _, goal := range run.Verdict.Liveness.Goals {
		if goal.ID == id && goal.Status == checker.Holds {
			if strings.HasPrefix(goal.Text, "met by") {
				return id + " is " + goal.Text
			}
			return id + " is met: " + goal.Text
		}
	}
	return "what " + id + " waits for never happens"
}

// story answers questions about a run.
type story struct{ *play.Result }

func (s story) lease(id string) *checker.Lease {
	for i := range s.History.Leases {
		if l := &s.History.Leases[i]; l.ID == id {
			return l
		}
	}
	return nil
}

// from is when a lease began.
func (story) from(l *checker.Lease) int64 { return l.Validity[0].AtNS }

// until is when the belief in a lease ended.
func (story) until(l *checker.Lease) int64 {
	until := l.Validity[len(l.Validity)-1].UntilNS
	if l.ReleasedNS != nil {
		until = min(until, *l.ReleasedNS)
	}
	return until
}

// acquisition finds the operation with the id that a lease of another run came from: the
// same step of the same client, as long as the client has come to it.
func (s story) acquisition(l *checker.Lease) *checker.Operation {
	for i := range s.History.Operations {
		if op := &s.History.Operations[i]; op.ID == l.Operation && op.Action == checker.ActionAcquire && op.Resource == l.Resource {
			return op
		}
	}
	return nil
}

// instead says what becomes of two leases that overlapped in another run.
func (s story) instead(was *story, first, second *checker.Lease) string {
	other := s.acquisition(second)
	if other == nil {
		return second.Client + " does not ask for " + second.Resource
	}
	later := s.lease(other.Lease)
	if later == nil || other.Outcome != checker.OutcomeOK {
		return fmt.Sprintf("%s gets %s and does not get %s", second.Client, s.votes(second, int64(s.End)), second.Resource)
	}
	if s.from(later) > was.from(second) {
		text := fmt.Sprintf("%s gets %s and waits", second.Client, s.votes(second, s.from(later)))
		earlier := s.earlier(first)
		switch {
		case earlier != nil && earlier.ReleasedNS != nil && *earlier.ReleasedNS <= s.from(later):
			return fmt.Sprintf("%s; it has %s from %s on, after %s has released it", text, second.Resource, instant(s.from(later)), first.Client)
		case earlier != nil && s.until(earlier) <= s.from(later):
			return fmt.Sprintf("%s; it has %s from %s on, after %s's lease has ended", text, second.Resource, instant(s.from(later)), first.Client)
		}
		return fmt.Sprintf("%s; it has %s from %s on", text, second.Resource, instant(s.from(later)))
	}
	switch earlier := s.earlier(first); {
	case earlier == nil:
		return fmt.Sprintf("%s does not get %s", first.Client, first.Resource)
	case s.until(earlier) <= s.from(later):
		return fmt.Sprintf("%s's lease ends at %s, before %s's begins at %s", first.Client, instant(s.until(earlier)), second.Client, instant(s.from(later)))
	case s.until(later) <= s.from(earlier):
		return fmt.Sprintf("%s has %s until %s, before %s has it", second.Client, second.Resource, instant(s.until(later)), first.Client)
	}
	return "the two leases do not overlap"
}

// earlier is what the first lease of another run is in this one; nil when there is none.
func (s story) earlier(l *checker.Lease) *checker.Lease {
	op := s.acquisition(l)
	if op == nil || op.Outcome != checker.OutcomeOK {
		return nil
	}
	return s.lease(op.Lease)
}

// votes says how many votes an attempt of a lease's client gets at most before an instant.
func (s story) votes(l *checker.Lease, until int64) string {
	nodes := map[string][]string{} // that granted, by token
	most := 0
	for i := range s.History.NodeEvents {
		e := &s.History.NodeEvents[i]
		if e.What != checker.NodeSet || e.Client != l.Client || e.Resource != l.Resource || e.AtNS >= until || e.Lease != "" {
			continue
		}
		if !slices.Contains(nodes[e.Token], e.Node) {
			nodes[e.Token] = append(nodes[e.Token], e.Node)
		}
		most = max(most, len(nodes[e.Token]))
	}
	asked := len(s.History.Header.Nodes)
	for _, c := range s.Plan.Clients {
		if c.Name == l.Client && len(c.Nodes) > 0 {
			asked = min(asked, len(c.Nodes))
		}
	}
	return fmt.Sprintf("%d of %s", most, counted(asked, "vote"))
}

// accesses says what becomes of the last access that a finding is about.
func (s story) accesses(was *story, f *checker.Finding) string {
	for i := range was.History.Accesses {
		a := &was.History.Accesses[i]
		if a.AtNS != f.AtNS || a.Resource != f.Resource || len(f.Events) == 0 || a.Event != f.Events[len(f.Events)-1] {
			continue
		}
		l := s.lease(a.Lease)
		if l == nil {
			return a.Client + " does not get " + f.Resource
		}
		sent, late := false, false
		for j := range s.History.Accesses {
			if b := &s.History.Accesses[j]; b.Lease == a.Lease && b.Register == a.Register && b.Action == a.Action {
				sent, late = true, late || b.AtNS >= s.until(l)
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

// instant writes a time since the start of the run: "1.25s".
func instant(ns int64) string { return time.Duration(ns).Round(time.Microsecond).String() }

// counted writes "1 vote", "2 votes".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

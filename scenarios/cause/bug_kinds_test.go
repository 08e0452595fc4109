package cause_test

import (
	"slices"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

const second = time.Second

// script is a trace by hand: of clients A and B on nodes n1 to n3, with a TTL of 10 s.
type script struct{ events []sim.Event }

func (s *script) add(e sim.Event) *script {
	e.Seq = len(s.events) + 1
	s.events = append(s.events, e)
	return s
}

func (s *script) call(at time.Duration, client, operation string) *script {
	return s.add(sim.Event{At: at, Kind: sim.Call, Process: client, Detail: operation, Resource: "r"})
}

// set sends nodes a command that leaves the key r with a value; an empty value deletes it.
func (s *script) set(at time.Duration, client, value string, ttl time.Duration, nodes ...string) *script {
	for _, node := range nodes {
		sent := sim.Event{
			At: at, Kind: sim.Send, Process: client, Node: node, Message: len(s.events) + 1, Command: "SET", Key: "r",
		}
		done := sent
		done.Kind, done.Value, done.TTL = sim.Execute, value, ttl
		s.add(sent).add(done)
	}
	return s
}

func (s *script) acquired(at time.Duration, client, lease, token string) *script {
	return s.add(sim.Event{At: at, Kind: sim.Acquired, Process: client, Lease: lease, Resource: "r", Value: token})
}

// acquire is an acquisition from at to at + 1 s that sets the key on nodes.
func (s *script) acquire(at time.Duration, client, lease, token string, nodes ...string) *script {
	return s.call(at, client, "acquire").set(at, client, token, 10*second, nodes...).acquired(at+second, client, lease, token)
}

// expire ends the key on nodes.
func (s *script) expire(at time.Duration, nodes ...string) *script {
	for _, node := range nodes {
		s.add(sim.Event{At: at, Kind: sim.Expire, Node: node, Key: "r"})
	}
	return s
}

var three = []string{"n1", "n2", "n3"}

// leaseOf is a lease that was acquired at an instant, believed until the ends given.
func leaseOf(id, client, token string, at time.Duration, ends ...time.Duration) checker.Lease {
	l := checker.Lease{ID: id, Client: client, Resource: "r", Token: token}
	for i, end := range ends {
		l.Validity = append(l.Validity, checker.Validity{AtNS: int64(at) + int64(i), UntilNS: int64(end)})
	}
	return l
}

// releasedAt is a lease whose release was called at an instant.
func releasedAt(l checker.Lease, at time.Duration) checker.Lease {
	l.ReleasedNS = checker.At(int64(at))
	return l
}

// TestKindsOfBugs: each kind of bug by the smallest trace that shows it.
func TestKindsOfBugs(t *testing.T) {
	const overlap, liveness = checker.OracleOverlap, checker.OracleLiveness
	a := leaseOf("A#1", "A", "a", second, 9*second)
	b := leaseOf("B#1", "B", "b", 3*second, 12*second)
	tests := map[string]struct {
		trace  *script
		leases []checker.Lease
		oracle checker.Oracle
		at     time.Duration
	}{
		"a client deletes another client's key": {
			new(script).acquire(0, "A", "A#1", "a", three...).call(2*second, "B", "release").set(2*second, "B", "", 0, "n1"),
			[]checker.Lease{a}, overlap, 3 * second,
		},
		"a client replaces another client's key by its own": {
			new(script).acquire(0, "A", "A#1", "a", three...).acquire(2*second, "B", "B#1", "b", three...),
			[]checker.Lease{a, b}, overlap, 3 * second,
		},
		"a token that is a prefix of another counts as the same": {
			new(script).acquire(0, "A", "A#1", "a", three...).acquire(2*second, "B", "B#1", "ab", three...),
			[]checker.Lease{a, leaseOf("B#1", "B", "ab", 3*second, 12*second)}, overlap, 3 * second,
		},
		"a client changes the TTL of another client's key": {
			new(script).acquire(0, "A", "A#1", "a", three...).set(2*second, "B", "a", 30*second, "n1"),
			[]checker.Lease{a}, overlap, 3 * second,
		},
		"an extension deletes the keys that it should prolong": {
			new(script).acquire(0, "A", "A#1", "a", three...).call(2*second, "A", "extend").set(2*second, "A", "", 0, "n1"),
			[]checker.Lease{a}, overlap, 3 * second,
		},
		"an acquisition succeeds with keys on fewer nodes than a quorum": {
			new(script).acquire(0, "A", "A#1", "a", "n1"), []checker.Lease{a}, overlap, 3 * second,
		},
		"an acquisition succeeds without a key": {
			new(script).acquire(0, "A", "A#1", "a"), []checker.Lease{a}, overlap, 3 * second,
		},
		"an extension sets keys again that had lapsed": {
			new(script).acquire(0, "A", "A#1", "a", three...).expire(10*second, three...).
				call(11*second, "A", "extend").set(11*second, "A", "a", 10*second, three...),
			[]checker.Lease{a}, overlap, 12 * second,
		},
		"an extension sets keys again after the release": {
			new(script).acquire(0, "A", "A#1", "a", three...).set(5*second, "A", "", 0, three...).
				set(6*second, "A", "a", 10*second, three...),
			[]checker.Lease{releasedAt(a, 5*second)}, overlap, 12 * second,
		},
		"the context of a lease ends after its keys": {
			new(script).acquire(0, "A", "A#1", "a", three...).expire(10*second, three...),
			[]checker.Lease{leaseOf("A#1", "A", "a", second, second+play.UnknownEnd)}, overlap, 12 * second,
		},
		"an extension prolongs the lease for longer than its keys": {
			new(script).acquire(0, "A", "A#1", "a", three...).expire(10*second, three...),
			[]checker.Lease{leaseOf("A#1", "A", "a", second, 9*second, 19*second)}, overlap, 12 * second,
		},
		"keys get a shorter TTL than the lease": {
			new(script).call(0, "A", "acquire").set(0, "A", "a", 5*second, three...).acquired(second, "A", "A#1", "a").
				expire(5*second, three...),
			[]checker.Lease{a}, overlap, 6 * second,
		},
		"the validity counts from the reply, not from before the request": {
			new(script).acquire(0, "A", "A#1", "a", three...).expire(10*second, three...),
			[]checker.Lease{leaseOf("A#1", "A", "a", second, 11*second)}, overlap, 10500 * time.Millisecond,
		},
		"the validity leaves too little for clock errors": {
			new(script).acquire(0, "A", "A#1", "a", three...).expire(9999*time.Millisecond, three...),
			[]checker.Lease{leaseOf("A#1", "A", "a", second, 10*second)}, overlap, 9999 * time.Millisecond,
		},
		"leases report no end, and the whole TTL is longer than their keys may live": {
			new(script).acquire(0, "L", "L#1", "a", three...).expire(9*second, three...),
			[]checker.Lease{leaseOf("L#1", "L", "a", second, 10*second)}, overlap, 9500 * time.Millisecond,
		},
		"keys get a longer TTL than was asked for": {
			new(script).call(0, "A", "acquire").set(0, "A", "a", 60*second, three...).acquired(second, "A", "A#1", "a"),
			[]checker.Lease{a}, liveness, 20 * second,
		},
		"a release leaves keys behind": {
			new(script).acquire(0, "A", "A#1", "a", three...).set(8*second, "A", "a", 15*second, "n1"),
			[]checker.Lease{releasedAt(a, 5*second)}, liveness, 20 * second,
		},
		"the keys of a lease that is over stay": {
			new(script).acquire(0, "A", "A#1", "a", three...).set(8*second, "A", "a", 15*second, "n1"),
			[]checker.Lease{a}, liveness, 20 * second,
		},
		"an attempt that failed leaves its keys behind": {
			new(script).call(11*second, "A", "acquire").set(11*second, "A", "a", 10*second, "n1"),
			nil, liveness, 20 * second,
		},
		"an acquisition goes on for too long while its keys keep others out": {
			new(script).call(11*second, "A", "acquire").set(11*second, "A", "a", 10*second, "n1", "n2").
				acquired(25*second, "A", "A#1", "a"),
			[]checker.Lease{leaseOf("A#1", "A", "a", 25*second, 30*second)}, liveness, 20 * second,
		},
	}
	for want, test := range tests {
		t.Run(want, func(t *testing.T) {
			r := resultOf(test.oracle, checker.Finding{Resource: "r", AtNS: int64(test.at)})
			r.Events, r.History.Leases = test.trace.events, test.leases
			if test.oracle == liveness {
				r.History.Goals = []checker.Goal{{
					ID: "g", Form: checker.GoalSome, Action: checker.ActionAcquire, Resource: "r",
					FromNS: int64(10 * second), WithinNS: int64(10 * second),
				}}
				r.Verdict.Liveness.Findings[0].Goal = "g"
			}
			if bug := cause.BugOf(r); bug.Kind != want || bug.Text == "" {
				t.Errorf("got %q: %s", bug.Kind, bug.Text)
			}
		})
	}
}

// TestKindsOfMissedGoals: where the trace shows no more, the kind is that of the goal.
func TestKindsOfMissedGoals(t *testing.T) {
	for want, goal := range map[string]checker.Goal{
		"an acquisition takes longer than it may":                     {Form: checker.GoalEachReturns, Action: checker.ActionAcquire},
		"an extension fails that should succeed":                      {Form: checker.GoalEachSucceeds, Action: checker.ActionExtend},
		"a release succeeds that should fail":                         {Form: checker.GoalEachFails, Action: checker.ActionRelease},
		"a command for an extension is sent when it should not be":    {Form: checker.GoalNeverSent, Action: checker.ActionExtend},
		"a command for an extension is sent when its lease has ended": {Form: checker.GoalSentInTime, Action: checker.ActionExtend},
		"a release leaves a key behind":                               {Form: checker.GoalEachClears, Action: checker.ActionRelease},
		"a free lock is not acquired in time":                         {Form: checker.GoalSome, Action: checker.ActionAcquire},
		"a write does not succeed in time":                            {Form: checker.GoalSome, Action: checker.ActionWrite},
	} {
		r := resultOf(checker.OracleLiveness, checker.Finding{Goal: "g", Text: "t"})
		goal.ID = "g"
		r.History.Goals = []checker.Goal{goal}
		if bug := cause.BugOf(r); bug.Kind != want || bug.Text != "t" {
			t.Errorf("got %+v; want %q", bug, want)
		}
	}
}

// TestKindsOfOracles: where the trace shows no more, each safety oracle has a kind of its own.
func TestKindsOfOracles(t *testing.T) {
	var kinds []string
	for _, oracle := range checker.Oracles() {
		if oracle == checker.OracleLiveness {
			continue
		}
		bug := cause.BugOf(resultOf(oracle, checker.Finding{Text: "t"}))
		if bug.Kind == "" || bug.Text != "t" || slices.Contains(kinds, bug.Kind) {
			t.Errorf("%s: got %+v", oracle, bug)
		}
		kinds = append(kinds, bug.Kind)
	}
	r := resultOf(checker.OracleOverlap, checker.Finding{})
	r.Verdict.Problems = []checker.Problem{{Line: 3, Record: "op 1", Text: "it returns before its call"}}
	if bug := cause.BugOf(r); bug.Kind != "what the lock reports contradicts itself" || bug.Text == "" {
		t.Errorf("got %+v", bug)
	}
}

// TestFirstMissedGoal: of two missed goals, the first is the bug.
func TestFirstMissedGoal(t *testing.T) {
	r := resultOf(checker.OracleLiveness, checker.Finding{Goal: "g", Text: "the first"})
	r.History.Goals = []checker.Goal{{ID: "g", Form: checker.GoalSome, Action: checker.ActionAcquire}}
	found := &r.Verdict.Liveness.Findings
	*found = append(*found, checker.Finding{Goal: "g", Text: "the second"})
	if bug := cause.BugOf(r); bug.Text != "the first" {
		t.Errorf("got %+v", bug)
	}
}

// resultOf is a run with one finding that has no footprint.
func resultOf(oracle checker.Oracle, finding checker.Finding) *play.Result {
	r := &play.Result{Plan: &plan.Plan{}, History: &checker.History{}}
	r.Plan.Lock.TTL = 10 * second
	r.History.Header = checker.Header{Nodes: three, Quorum: 2, EndNS: int64(60 * second), Clients: []checker.Client{
		{Name: "A", Validity: checker.ValidityReported}, {Name: "B", Validity: checker.ValidityReported},
		{Name: "L", Validity: checker.ValidityLaboratory},
	}}
	for i, result := range r.Verdict.Results() {
		result.Oracle, result.Status = checker.Oracles()[i], checker.Holds
		if result.Oracle == oracle {
			result.Status, result.Bug, result.Findings = checker.Violated, true, []checker.Finding{finding}
		}
	}
	return r
}

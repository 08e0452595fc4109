package checker

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawLeases draws leases of two resources with crowded times, so that gaps,
// touching ends, overlaps, late extensions and early releases all occur.
func drawLeases(t *rapid.T, timely bool) []Lease {
	count := rapid.IntRange(0, 8).Draw(t, "leases")
	leases := make([]Lease, count)
	for i := range leases {
		client := rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "client")
		lease := Lease{
			ID: fmt.Sprintf("%s#%d", client, i), Client: client,
			Resource: rapid.SampledFrom([]string{"r", "s"}).Draw(t, "resource"),
		}
		at := rapid.Int64Range(0, 60).Draw(t, "at")
		until := at + rapid.Int64Range(1, 20).Draw(t, "valid")
		lease.Validity = []Validity{{AtNS: at, UntilNS: until}}
		for range rapid.IntRange(0, 2).Draw(t, "extensions") {
			latest := until
			if !timely {
				latest += 10
			}
			if latest <= at+1 {
				break
			}
			at = rapid.Int64Range(at+1, latest-1).Draw(t, "extended at")
			until = at + rapid.Int64Range(1, 20).Draw(t, "extended by")
			lease.Validity = append(lease.Validity, Validity{AtNS: at, UntilNS: until})
		}
		if rapid.Bool().Draw(t, "released") {
			lease.ReleasedNS = At(at + rapid.Int64Range(1, 20).Draw(t, "held"))
		}
		leases[i] = lease
	}
	return leases
}

// naiveMargin compares every pair of beliefs of different leases, straight from
// the definition of the margin.
func naiveMargin(leases []Lease, resource string) *int64 {
	var worst *int64
	for i := range leases {
		for j := range leases {
			if i == j || leases[i].Resource != resource || leases[j].Resource != resource {
				continue
			}
			for _, first := range beliefsOf(&leases[i]) {
				for _, second := range beliefsOf(&leases[j]) {
					if first.from > second.from {
						continue
					}
					margin := second.from - min(first.until, second.until)
					if worst == nil || margin < *worst {
						worst = &margin
					}
				}
			}
		}
	}
	return worst
}

func TestOverlapAgreesWithEveryPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history := &History{Header: headerFor(200), Leases: drawLeases(t, false)}
		result := Judge(history, Options{}).Overlap
		violated := false
		for _, margin := range result.Margins {
			want := naiveMargin(history.Leases, margin.Resource)
			if (want == nil) != (margin.MarginNS == nil) || want != nil && *want != *margin.MarginNS {
				t.Fatalf("resource %s: margin %v, every pair says %v", margin.Resource, text(margin.MarginNS), text(want))
			}
			violated = violated || want != nil && *want < 0
		}
		if violated != (result.Status == Violated) {
			t.Fatalf("status %s, every pair says violated=%v", result.Status, violated)
		}
	})
}

func text(number *int64) string {
	if number == nil {
		return "none"
	}
	return fmt.Sprint(*number)
}

// Beliefs instant by instant: a lease is believed at t if the validity known
// at t has not ended and release was not called.
func TestBeliefsAgreeWithEveryInstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, lease := range drawLeases(t, false) {
			for at := int64(0); at < 200; at++ {
				want := false
				for _, validity := range lease.Validity {
					if validity.AtNS <= at {
						want = at < validity.UntilNS && (lease.ReleasedNS == nil || at < *lease.ReleasedNS)
					}
				}
				got := slices.ContainsFunc(beliefsOf(&lease), func(i interval) bool {
					return i.from <= at && at < i.until
				})
				if got != want {
					t.Fatalf("%+v at %d: believed %v, want %v", lease, at, got, want)
				}
			}
		}
	})
}

// As long as extensions return in time, a lock is linearizable exactly when no
// two beliefs overlap: two oracles that share no code must agree.
func TestLockModelAgreesWithOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history := &History{Header: headerFor(200), Leases: drawLeases(t, true)}
		verdict := Judge(history, Options{})
		if verdict.Overlap.Status != verdict.Linearizability.Status {
			t.Fatalf("overlap %s, linearizability %s\n%s", verdict.Overlap.Status, verdict.Linearizability.Status, verdict.Summary())
		}
	})
}

// To put an acquisition at its return, as lockCalls does, loses nothing.
func TestAcquisitionAtItsReturnLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history := &History{Header: headerFor(200), Leases: drawLeases(t, false)}
		idx := newIndex(history)
		s := &search{options: Options{}.withDefaults(), deadline: time.Now().Add(time.Hour)}
		for _, resource := range idx.resources {
			narrow := lockCalls(idx, resource)
			wide := slices.Clone(narrow)
			for i, c := range wide {
				if c.action == ActionAcquire {
					waited := *c
					waited.call = max(0, c.end-rapid.Int64Range(0, 30).Draw(t, "waited"))
					wide[i] = &waited
				}
			}
			first, err := s.run(lockState{}, narrow, nil, forever, nil)
			if err != nil {
				t.Fatal(err)
			}
			second, err := s.run(lockState{}, wide, nil, forever, nil)
			if err != nil {
				t.Fatal(err)
			}
			if first != second {
				t.Fatalf("at its return %v, with its wait %v", first, second)
			}
		}
	})
}

// drawCalls draws overlapping calls on one register; some are of unknown
// effect. Mostly they follow a real order, so that both answers are common.
func drawCalls(t *rapid.T) []*call {
	count := rapid.IntRange(1, 12).Draw(t, "calls")
	calls := make([]*call, count)
	value, at := int64(0), int64(0)
	for i := range calls {
		at += rapid.Int64Range(0, 6).Draw(t, "step")
		c := &call{
			call: max(0, at-rapid.Int64Range(0, 8).Draw(t, "before")),
			end:  at + rapid.Int64Range(0, 8).Draw(t, "after"), line: i,
		}
		switch rapid.IntRange(0, 3).Draw(t, "action") {
		case 0:
			c.action, c.value = ActionWrite, At(rapid.Int64Range(1, 3).Draw(t, "value"))
			value = *c.value
		case 1:
			c.action, c.result = ActionDecrement, At(value)
			value--
		default:
			c.action, c.result = ActionRead, At(value)
		}
		if rapid.IntRange(0, 9).Draw(t, "lie") == 9 && c.result != nil {
			*c.result++
		}
		if c.action != ActionRead && rapid.IntRange(0, 5).Draw(t, "unknown") == 5 {
			c.end, c.result = forever, nil
		}
		calls[i] = c
	}
	return calls
}

// Cutting a history changes no answer: neither at quiet instants nor with calls
// under way, compared with porcupine on the whole.
func TestCutsChangeNothing(t *testing.T) {
	answers := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		calls := drawCalls(t)
		s := &search{
			options: Options{}.withDefaults(), deadline: time.Now().Add(time.Hour),
		}
		start := registerState{register: RegisterUnfenced}
		var done, unknown []*call
		for _, c := range calls {
			if c.end == forever {
				unknown = append(unknown, c)
			} else {
				done = append(done, c)
			}
		}
		want, err := s.run(start, done, unknown, forever, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, preferred := range []int{1, 3, segmentCalls} {
			failed, err := s.firstFailure(start, cut(calls, preferred))
			if err != nil {
				t.Fatal(err)
			}
			if (failed == nil) != want {
				t.Fatalf("cut for %d: linearizable %v, on the whole %v", preferred, failed == nil, want)
			}
		}
		answers[want]++
	})
	if answers[true] == 0 || answers[false] == 0 {
		t.Errorf("the property saw only one answer: %v", answers)
	}
}

// Each fact breaks at most one assumption, and only those of the ledger.
func TestFactBreaksAtMostOneAssumption(t *testing.T) {
	names := []FactName{
		FactClockStep, FactClockRate, FactSuspended, FactForgot, FactRevived, FactOwner, FactFailover, FactSameServer,
		FactMembership, FactCounterLost, FactMarkLost, FactFault, FactRetryFixed, FactUnboundedExtension, FactPaused,
	}
	causes := []Cause{CauseCrash, CausePowerLoss, CauseRollback, CauseFailover, CauseClockStep, CauseOwner}
	rapid.Check(t, func(t *rapid.T) {
		fact := Fact{
			Fact: rapid.SampledFrom(names).Draw(t, "fact"), AtNS: rapid.Int64Range(0, 80).Draw(t, "at"),
			Who:     rapid.SampledFrom([]string{"n1", "A", "B", "C"}).Draw(t, "who"),
			Clock:   rapid.SampledFrom([]Clock{ClockWall, ClockMonotonic, ClockBoottime}).Draw(t, "clock"),
			DeltaNS: 5, ErrorPPM: rapid.Int64Range(-9000, 9000).Draw(t, "error"),
			Client: rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "client"),
			Node:   "n1", Nodes: []string{"n1", "n1"}, Key: "r",
			RemainingNS: rapid.Int64Range(-5, 5).Draw(t, "remaining"),
			Cause:       rapid.SampledFrom(causes).Draw(t, "cause"), Name: "x",
		}
		history := &History{Header: headerFor(200), Leases: drawLeases(t, true), Facts: []Fact{fact}}
		verdict := Judge(history, Options{})
		if len(verdict.Problems) > 0 {
			t.Fatal(verdict.Problems)
		}
		if broken := verdict.Broken(); len(broken) > 1 {
			t.Fatalf("%s broke %v", fact.Fact, broken)
		}
	})
}

// naiveResource counts stale writes and lost updates of one unfenced register
// straight from the definitions, looking at every pair of accesses.
func naiveResource(idx *index, accesses []*Access) (stale, lost int) {
	order := func(a *Access) int64 { return idx.leases[a.Lease].Validity[0].AtNS }
	for i, access := range accesses {
		if access.Action != ActionWrite {
			continue
		}
		if slices.ContainsFunc(accesses[:i], func(earlier *Access) bool { return order(earlier) > order(access) }) {
			stale++
		}
		own := -1
		for j, earlier := range accesses[:i] {
			if earlier.Lease == access.Lease {
				own = j
			}
		}
		if own >= 0 && slices.ContainsFunc(accesses[own+1:i], func(between *Access) bool {
			return between.Action == ActionWrite
		}) {
			lost++
		}
	}
	return stale, lost
}

func TestResourceAgreesWithEveryPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history := &History{Header: headerFor(200)}
		for i := range 3 {
			history.Leases = append(history.Leases, Lease{
				ID: string(rune('A'+i)) + "#1", Client: string(rune('A' + i)), Resource: "r",
				Validity: []Validity{{AtNS: int64(i * 10), UntilNS: int64(i*10 + 10)}},
			})
		}
		for i := range rapid.IntRange(0, 10).Draw(t, "accesses") {
			lease := history.Leases[rapid.IntRange(0, 2).Draw(t, "lease")]
			access := Access{
				AtNS: int64(50 + i), SentNS: 50, Client: lease.Client, Lease: lease.ID, Resource: "r",
				Register: RegisterUnfenced, Accepted: true,
			}
			if rapid.Bool().Draw(t, "writes") {
				access.Action, access.Value = ActionWrite, At(int64(i))
			} else {
				access.Action, access.Result = ActionRead, At(0)
			}
			history.Accesses = append(history.Accesses, access)
		}
		verdict := Judge(history, Options{})
		var got RegisterResult
		if len(verdict.Resource.Registers) > 0 {
			got = verdict.Resource.Registers[0]
		}
		idx := newIndex(history)
		stale, lost := naiveResource(idx, idx.accesses)
		if got.StaleWrites != stale || got.LostUpdates != lost {
			t.Fatalf("%d stale and %d lost, every pair says %d and %d", got.StaleWrites, got.LostUpdates, stale, lost)
		}
	})
}

package search_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/search"
	"redlocklab/sim"
)

func TestSwarmIsFunctionOfSeed(t *testing.T) {
	different := map[string]bool{}
	for seed := range uint64(100) {
		first, second := drawn(t, seed, search.Trial{Subject: "SY-10"}), drawn(t, seed, search.Trial{Subject: "SY-10"})
		a, b := encoded(t, first), encoded(t, second)
		if !bytes.Equal(a, b) {
			t.Fatalf("seed %d draws two plans:\n%s\n%s", seed, a, b)
		}
		different[first.Hash()] = true
	}
	if len(different) != 100 {
		t.Errorf("100 seeds drew %d plans", len(different))
	}
}

// TestSwarmPlansApply reads every plan back, which validates it. Every kind of fault is
// drawn.
func TestSwarmPlansApply(t *testing.T) {
	kinds := map[string]bool{}
	for _, broken := range append([]string{""}, checker.Assumptions()...) {
		o := search.Trial{Subject: "SY-0"}
		if broken != "" {
			o.Break = []string{broken}
		}
		for seed := range uint64(60) {
			p := drawn(t, seed, o)
			if _, err := plan.DecodePlan(encoded(t, p)); err != nil {
				t.Fatalf("seed %d, breaking %q: %v\n%s", seed, broken, err, search.Knobs(p))
			}
			for _, f := range p.Faults {
				kinds[faults.KindOf(f.Effect)] = true
				if !strings.Contains(search.Knobs(p), f.String()) {
					t.Fatalf("the knobs leave %s out", f)
				}
			}
		}
	}
	for _, k := range faults.Kinds() {
		if k.Name != "restart" && !kinds[k.Name] { // crashes bring their nodes back by themselves
			t.Errorf("no %s was drawn", k.Name)
		}
	}
}

// TestSwarmDrawsEveryRefusal: BUSY, NOPERM, MASTERDOWN, NOAUTH and the others are answers
// of one kind of fault.
func TestSwarmDrawsEveryRefusal(t *testing.T) {
	missing := sim.Reasons()
	for seed := uint64(0); len(missing) > 0 && seed < 1000; seed++ {
		for _, f := range drawn(t, seed, search.Trial{Subject: "SY-10"}).Faults {
			if refuse, ok := f.Effect.(*faults.Refuse); ok {
				missing = slices.DeleteFunc(missing, func(reason string) bool { return reason == refuse.As })
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("no run of 1,000 has a node that refuses because it is: %s", strings.Join(missing, "; "))
	}
}

// TestSwarmDrawsWhatApplies: clients that know few nodes were once drawn with a fault on a
// link to another node, which validation refuses.
func TestSwarmDrawsWhatApplies(t *testing.T) {
	for seed := range uint64(2000) {
		drawn(t, seed, search.Trial{Subject: "SY-0", Break: []string{checker.AssumptionDistinct}})
	}
}

// TestSwarmSetsDriversUp: RESP 3, retries, small pools and several Lockers are drawn, and what
// the options say of retries stays.
func TestSwarmSetsDriversUp(t *testing.T) {
	for _, option := range []string{"", "plain", "retrying"} {
		o := search.Trial{Subject: "SY-10"}
		if option != "" {
			o.Settings = []plan.Option{{Name: "driver", Value: option}}
		}
		seen := map[string]int{}
		for seed := range uint64(300) {
			p := drawn(t, seed, o)
			seen["RESP "+strconv.Itoa(p.Lock.RESP)]++
			seen[p.Subject.Option("driver", "plain")]++
			if p.Lock.Pool > 0 {
				seen["pool"]++
			}
			for _, c := range p.Clients {
				if c.Lockers > 1 && p.Lock.Pool == 0 {
					t.Errorf("seed %d: %d Lockers share a pool without a limit", seed, c.Lockers)
				}
				if c.Lockers > p.Lock.Pool {
					seen["more Lockers than connections"]++
				}
			}
		}
		others := seen["plain"]
		if option == "plain" {
			others = seen["retrying"]
		}
		if seen["RESP 0"] == 0 || seen["RESP 3"] == 0 || seen["pool"] == 0 || seen["more Lockers than connections"] == 0 ||
			(option == "") != (others > 0 && seen["retrying"] > 0) {
			t.Errorf("driver %q: %v", option, seen)
		}
	}
}

// TestSwarmBlamesNoWait: the client of a node that lost its power waits for its driver's timeout,
// also where a fault of its own restarts the node (seed 23896). A node that works on each request
// for most of the node timeout answers no release in time (seed 28053). An extension puts the key
// of its lease back while its client acquires again in vain (seed 29498). All were once blamed on
// the lock.
func TestSwarmBlamesNoWait(t *testing.T) {
	for _, seed := range []uint64{23896, 28053, 29498} {
		p := drawn(t, seed, search.Trial{Subject: "SY-10"})
		if run := played(t, p); len(run.Answers.Violated()) > 0 || !run.Decided() {
			t.Errorf("seed %d: %v", seed, run.Answers)
		}
	}
}

// TestSwarmKeepsWhatItMustKeep plays runs that may break nothing: the ledger,
// which sees only what happened, agrees.
func TestSwarmKeepsWhatItMustKeep(t *testing.T) {
	for seed := range uint64(short(25, 10)) {
		p := drawn(t, seed, search.Trial{Subject: "SY-0"})
		run := played(t, p)
		if len(run.Broken) > 0 || len(run.Answers.Violated()) > 0 || !run.Decided() {
			t.Errorf("seed %d: %+v\n%s", seed, run, search.Knobs(p))
		}
	}
}

// TestCrashedClientsUseNoTokenTwice: an acquisition that its client's crash ended has
// no token of an earlier one.
func TestCrashedClientsUseNoTokenTwice(t *testing.T) {
	crashed := 0
	for seed := uint64(50); crashed < short(10, 3); seed++ {
		p := drawn(t, seed, search.Trial{Subject: "SY-0"})
		if !slices.ContainsFunc(p.Faults, func(f faults.Fault) bool { return faults.KindOf(f.Effect) == "client_crash" }) {
			continue
		}
		crashed++
		if run := played(t, p); len(run.Broken) > 0 {
			t.Errorf("seed %d breaks %v", seed, run.Broken)
		}
	}
}

// TestSwarmBreaksWhatItMayBreak finds a violation that is due to each assumption
// which can be broken, and to no other.
func TestSwarmBreaksWhatItMayBreak(t *testing.T) {
	for _, id := range checker.Assumptions() {
		found, subject := false, "SY-0"
		if id == checker.AssumptionWall { // it is about locks that write times of day
			subject = "SY-5"
		}
		for seed := uint64(0); seed < 200 && !found; seed++ {
			run := played(t, drawn(t, seed, search.Trial{Subject: subject, Break: []string{id}}))
			if len(run.Broken) > 0 && !slices.Equal(run.Broken, []string{id}) {
				t.Errorf("%s: seed %d broke %v", id, seed, run.Broken)
			}
			found = len(run.Answers.Violated()) > 0
		}
		if !found {
			t.Errorf("%s: no violation in 200 runs", id)
		}
	}
}

func TestSwarmRefuses(t *testing.T) {
	for _, o := range []search.Trial{
		{Subject: "SY-99"},
		{Subject: "SY-1", Break: []string{"A-COUNTER"}},
		{Subject: "SY-10", Break: []string{"A-RANDOM"}},
		{Subject: "SY-10", Break: []string{"A-TOKEN"}},
		{Subject: "SY-0", Settings: []plan.Option{{Name: "bug", Value: "no such bug"}}},
	} {
		if _, err := search.Swarm(1, o); err == nil || !strings.Contains(err.Error(), "found") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func drawn(t *testing.T, seed uint64, o search.Trial) *plan.Plan {
	t.Helper()
	p, err := search.Swarm(seed, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func encoded(t *testing.T, p *plan.Plan) []byte {
	t.Helper()
	b, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func played(t *testing.T, p *plan.Plan) *campaign.Summary {
	t.Helper()
	run, err := playOnce(p)
	if err != nil {
		t.Fatal(err)
	}
	return &run
}

func playOnce(p *plan.Plan) (campaign.Summary, error) {
	result, err := play.Run(p, play.RunOptions{Real: time.Minute})
	if err != nil {
		return campaign.Summary{}, err
	}
	return campaign.Summarize(result), nil
}

// short is the number of runs, or the smaller one under -short.
func short(long, few int) int {
	if testing.Short() {
		return few
	}
	return long
}

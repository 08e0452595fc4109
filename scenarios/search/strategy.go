package search

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim/random"
)

// Draw makes the plan of a run. The plan depends on the seed alone.
type Draw func(seed uint64) (*plan.Plan, error)

// Strategy draws the runs of a search.
type Strategy struct {
	Name, Doc string
	// Covers says that its runs reach every point of package coverage, when there are enough
	// of them.
	Covers bool
	draw   func(seed uint64, t Trial) (*plan.Plan, error)
}

// ErrBreaksNothing is returned by strategies whose runs keep every assumption, when
// they are allowed to break some.
var ErrBreaksNothing = errors.New("found assumptions to break; allowed with this strategy: none")

// Strategies lists all strategies; the first is the default. Each finds some planted bug
// sooner than the others do: ORACLES.md has the numbers.
func Strategies() []Strategy {
	return []Strategy{
		{"swarm", "each run draws its configuration, a few kinds of faults, and its faults from these", true, Swarm},
		{"random", "each run draws its configuration and faults of all kinds", true, Random},
		{"ordering", "no faults; links have fixed priorities; up to three times a link drops to the lowest", false, Ordering},
	}
}

// Covers reports whether a strategy's runs reach every point of package coverage.
func Covers(name string) bool {
	return slices.ContainsFunc(Strategies(), func(s Strategy) bool { return s.Name == name && s.Covers })
}

// StrategyNames lists the names of the strategies.
func StrategyNames() []string {
	return plan.Texts(Strategies(), func(s Strategy) string { return s.Name })
}

// Start returns the draws of a strategy for a trial.
func Start(name string, t Trial) (Draw, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	for _, s := range Strategies() {
		if s.Name == name {
			return func(seed uint64) (*plan.Plan, error) { return s.draw(seed, t) }, nil
		}
	}
	return nil, fmt.Errorf("found the strategy %q; allowed: %s", name, strings.Join(StrategyNames(), ", "))
}

// seedsOf draws the seeds of one scenario of the suite, with the settings of a trial.
func seedsOf(scenario *plan.Scenario, t Trial) (Draw, error) {
	row := slices.IndexFunc(scenario.Subjects, func(x plan.Subject) bool { return x.Name == t.Subject })
	if row < 0 {
		return nil, fmt.Errorf("scenario %s has no row of %s", scenario.Name, t.Subject)
	}
	title := scenario.Subjects[row].Title()
	return func(seed uint64) (*plan.Plan, error) {
		p, err := scenario.Plan(title, seed)
		if err == nil {
			p.Subject.Options = slices.Concat(p.Subject.Options, t.Settings)
		}
		return p, err
	}, nil
}

// draw is where a run's knobs come from. Each knob has a stream of its own, so
// that a new knob changes none of the others.
type draw struct {
	seed uint64
	of   string // begins the names of the knobs: "fault 1 "
}

func (d draw) word(knob string) uint64 { return random.Value(d.seed, "swarm/"+d.of+knob, 0) }

// below draws from 0 … n-1.
func (d draw) below(knob string, n int) int { return int(d.word(knob) % uint64(n)) }

// chance is true in so many of 100 draws.
func (d draw) chance(knob string, percent int) bool { return d.below(knob, 100) < percent }

// between draws a duration in whole microseconds, so that it reads well.
func (d draw) between(knob string, low, high time.Duration) time.Duration {
	return max(low, random.Between(d.word(knob), low, high).Truncate(time.Microsecond))
}

func pick[T any](d draw, knob string, from ...T) T { return from[d.below(knob, len(from))] }

// some draws at least one and at most `most` of the given, in their order.
func some[T any](d draw, knob string, from []T, most int) []T {
	n := 1 + d.below(knob+"/how many", min(most, len(from)))
	chosen := []T{}
	for i, x := range from {
		// Each is taken with the chance that fills what is still missing.
		if left := len(from) - i; d.below(knob+"/"+string(rune('a'+i)), left) < n-len(chosen) {
			chosen = append(chosen, x)
		}
	}
	return chosen
}

// Ordering draws a run in which every link has a priority, and with it a speed
// of its own; at up to three moments a link falls behind all others. It is what
// probabilistic concurrency testing does with threads (Burckhardt et al. 2010). Every assumption is kept.
func Ordering(seed uint64, o Trial) (*plan.Plan, error) {
	if len(o.Break) > 0 {
		return nil, fmt.Errorf("%w; the order of messages breaks none", ErrBreaksNothing)
	}
	return drawScenario(seed, o, func(w *swarm) {
		w.Network.LossPPM = 0
		w.drawClients()
		near := w.Network.Latency.Low
		slowest := 10 * near
		w.Network.Latency = still(near)
		for _, client := range w.clients() {
			for _, node := range w.Nodes.Names() {
				for _, link := range []plan.Link{{From: client, To: node}, {From: node, To: client}} {
					link.Latency = still(near + time.Duration(w.below("priority "+link.From+" "+link.To, 10))*near)
					w.Network.Links = append(w.Network.Links, link)
				}
			}
		}
		w.Lock.NodeTimeout = max(w.Lock.NodeTimeout, 10*slowest)
		for i := range w.below("changes", 4) {
			name := fmt.Sprintf("change %d", i+1)
			one := w.named(name)
			client, node := pick(one.draw, "client", w.clients()...), pick(one.draw, "node", w.Nodes.Names()...)
			direction := pick(one.draw, "direction", faults.Requests, faults.Replies)
			sent := faults.Pattern{Subject: client, Word: "sent", Peer: node}
			if direction == faults.Replies {
				sent = faults.Pattern{Subject: node, Word: "executed", Peer: client}
			}
			w.Faults = append(w.Faults, faults.Fault{
				Name: name,
				Effect: &faults.Delay{
					By: faults.Span{Low: slowest, High: 2 * slowest}, ProbabilityPPM: 1_000_000,
					Clients: []string{client}, Nodes: []string{node}, Direction: direction,
				},
				Begin: faults.Trigger{When: sent, Nth: 1 + one.below("nth", 12)},
				End:   faults.Ending{Ends: true, For: w.pace()},
			})
		}
		w.addLateClient()
	})
}

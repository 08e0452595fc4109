package search

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"redlocklab/scenarios/plan"
)

// Strategy chooses the runs of a search, one batch after the other: it learns
// what became of a batch before it makes the next. With the same options, number
// and outcomes it makes the same plans.
type Strategy interface {
	// Next returns the next plans, at most so many; none when there are no more.
	Next(most int) ([]*plan.Plan, error)
	// Learn takes in what became of the last batch, in its order.
	Learn(outcomes []Outcome)
}

// ErrBreaksNothing is returned by strategies whose runs keep every assumption, when
// they are allowed to break some.
var ErrBreaksNothing = errors.New("found assumptions to break; allowed with this strategy: none")

// Finite is a strategy that comes to an end.
type Finite interface {
	// Total is how many runs there are.
	Total() int
}

// StrategyDeclaration says what a strategy does.
type StrategyDeclaration struct {
	Name, Doc string
	// Covers says that its runs come to every point of package coverage, when
	// there are enough of them.
	Covers bool
	// Independent says that a run depends on its number alone, not on those before it.
	Independent bool
	start       func(first uint64, o Options) (Strategy, error)
}

// Strategies lists all strategies; the first is the default.
func Strategies() []StrategyDeclaration {
	return []StrategyDeclaration{
		{"swarm", "each run draws its configuration and which few kinds of faults it knows at all", true, true, drawing(Swarm)},
		{"random", "each run draws its configuration, and its faults from all kinds", true, true, drawing(Random)},
		{"climb", "half as swarm; half changes one or two times of runs that came close to two holders", true, false, startClimb},
		{"delays", "no faults but one or two late messages per run", false, true, drawing(Delays)},
		{"ordering", "no faults; links have fixed priorities, and up to three times one falls behind", false, true, drawing(Ordering)},
		{"exhaust", "every schedule of two clients and three nodes, with at most two messages late or lost", false, false, startExhaust},
	}
}

// Covers reports whether a strategy's runs come to every point of package coverage.
func Covers(name string) bool {
	return slices.ContainsFunc(Strategies(), func(s StrategyDeclaration) bool { return s.Name == name && s.Covers })
}

// Independent reports whether a strategy's runs depend on their numbers alone.
func Independent(name string) bool {
	return slices.ContainsFunc(Strategies(), func(s StrategyDeclaration) bool { return s.Name == name && s.Independent })
}

// IndependentNames lists the names of the strategies that are Independent.
func IndependentNames() []string {
	return slices.DeleteFunc(StrategyNames(), func(name string) bool { return !Independent(name) })
}

// StrategyNames lists the names of the strategies.
func StrategyNames() []string {
	var names []string
	for _, s := range Strategies() {
		names = append(names, s.Name)
	}
	return names
}

// Start begins a search. The number tells searches of one strategy apart.
func Start(name string, first uint64, o Options) (Strategy, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	for _, s := range Strategies() {
		if s.Name == name {
			return s.start(first, o)
		}
	}
	return nil, fmt.Errorf("found the strategy %q; allowed: %s", name, strings.Join(StrategyNames(), ", "))
}

// drawing is a strategy whose runs are drawn from numbers that follow one another.
func drawing(draw func(seed uint64, o Options) (*plan.Plan, error)) func(uint64, Options) (Strategy, error) {
	return func(first uint64, o Options) (Strategy, error) {
		return &drawn{seed: first, options: o, draw: draw}, nil
	}
}

type drawn struct {
	seed    uint64
	options Options
	draw    func(seed uint64, o Options) (*plan.Plan, error)
}

// Next implements Strategy.
func (d *drawn) Next(most int) ([]*plan.Plan, error) {
	var plans []*plan.Plan
	for range most {
		plan, err := d.draw(d.seed, d.options)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
		d.seed++
	}
	return plans, nil
}

// Learn implements Strategy: what is drawn does not depend on what was found.
func (*drawn) Learn([]Outcome) {}

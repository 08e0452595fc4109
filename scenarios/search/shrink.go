package search

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Play plays a plan. An error means that no run came about.
type Play func(*plan.Plan) (campaign.Summary, error)

// ErrNotShown is returned when the plan to shrink does not show the target.
var ErrNotShown = errors.New("the plan does not show the violation that must be kept")

// Certificate shows that a plan is 1-minimal in its faults: none of them can be
// taken away alone.
type Certificate struct {
	Oracle   checker.Oracle   `json:"oracle"`
	Broken   []string         `json:"broken"`
	Violated []checker.Oracle `json:"violated"` // all that the small plan shows
	Runs     int              `json:"runs"`     // that the shrinking played
	Without  []Removal        `json:"without"`
}

// Removal is what became of the run when one fault was taken away. Its target is
// never met, or not by the lock's fault.
type Removal struct {
	Fault    string           `json:"fault"`
	Invalid  string           `json:"invalid,omitempty"` // the other faults cannot apply without this one
	Violated []checker.Oracle `json:"violated"`
	Broken   []string         `json:"broken"`
	Finished bool             `json:"finished"`
	// Unmeetable: the demand is still not met, and package redlock does not meet it then either.
	Unmeetable bool `json:"unmeetable,omitempty"`
}

// Shrink removes faults from a plan, then their repetitions, clients, demands,
// steps, rounds, loss and settings of drivers, while the target is still met: the same oracle is violated with
// the same assumptions broken, in a run that still ends by itself if it did. The minimal
// plan needs each of its faults, and the certificate shows it.
//
// An unmet demand stays meetable: steps that are owed stay, and where nothing is
// broken, package redlock still meets the demand in the same plan, if it did in the
// given one. The minimal plan expects what its run shows. The given plan is not changed.
func Shrink(p *plan.Plan, target Target, play Play) (*Minimal, error) {
	s := &shrinker{target: target, play: play}
	if met := s.meets(p); s.err == nil && !met {
		s.err = fmt.Errorf("%s with %v broken: %w", target.Oracle, target.Broken, ErrNotShown)
	}
	if target.Oracle == checker.OracleLiveness && len(target.Broken) == 0 {
		s.control = s.met(p)
	}
	for before := -1; s.kept > before && s.err == nil; {
		before = s.kept
		p = s.pass(p)
	}
	small, err := copyOf(p)
	if err = cmp.Or(s.err, err); err != nil {
		return nil, err
	}
	expect(small, &s.shown)
	certificate := s.certify(small)
	return &Minimal{certificate, small}, s.err
}

// ShrinkInWorker is [Shrink] with the runs in a worker process: a run that is stuck
// shows nothing, and a plan may need a patch. Its errors are also those of
// [campaign.Play].
func ShrinkInWorker(ctx context.Context, settings campaign.Settings, p *plan.Plan, target Target) (*Minimal, error) {
	player := campaign.NewPlayer(settings)
	defer player.Close()
	return Shrink(p, target, func(smaller *plan.Plan) (campaign.Summary, error) {
		return player.Play(ctx, campaign.PlanJob(smaller))
	})
}

// shrinker is the state of a shrinking. After the first error it plays nothing.
type shrinker struct {
	target     Target
	play       Play
	runs, kept int
	shown      campaign.Summary // of the smallest plan so far
	control    bool             // whether package redlock meets the demands of the given plan
	err        error
}

// run plays a plan.
func (s *shrinker) run(p *plan.Plan) (run campaign.Summary) {
	if s.err == nil {
		s.runs++
		run, s.err = s.play(p)
	}
	return run
}

// meets reports whether a plan meets the target, and then keeps what it shows.
func (s *shrinker) meets(p *plan.Plan) bool {
	run, unmeetable := s.played(p)
	if s.err != nil || unmeetable || !s.target.Met(&run) || s.shown.Decided() && !run.Decided() {
		return false
	}
	s.shown = run
	return true
}

// played plays a plan. It is unmeetable when it shows the target only because its
// demands cannot be met: package redlock does not meet them either.
func (s *shrinker) played(p *plan.Plan) (run campaign.Summary, unmeetable bool) {
	run = s.run(p)
	return run, s.control && s.target.Met(&run) && !s.met(p)
}

// met reports whether package redlock meets the demands of a plan.
func (s *shrinker) met(p *plan.Plan) bool {
	other := *p
	other.Subject = plan.Subject{Name: "SY-10"}
	run := s.run(&other)
	return run.Decided() && !slices.Contains(run.Answers.Violated(), checker.OracleLiveness)
}

// expect makes a plan expect exactly what its run shows.
func expect(p *plan.Plan, shown *campaign.Summary) {
	row, violated := &p.Subject, shown.Answers.Violated()
	row.Expect, row.Broken = map[checker.Oracle]checker.Status{}, shown.Broken
	row.Runs, row.Unstated = plan.RunsAll, false
	for _, oracle := range checker.Oracles() {
		row.Expect[oracle] = checker.Holds
		if slices.Contains(violated, oracle) {
			row.Expect[oracle] = checker.Violated
		}
	}
}

// reduction makes a smaller plan of its own copy; false when there is no such one.
type reduction func(p *plan.Plan) bool

// pass tries every reduction once, and goes on from each that keeps the target.
func (s *shrinker) pass(p *plan.Plan) *plan.Plan {
	for i := len(p.Faults) - 1; i >= 0; i-- {
		p = s.try(p, func(p *plan.Plan) bool {
			p.Faults = slices.Delete(p.Faults, i, i+1)
			return true
		})
	}
	for i := range p.Faults {
		p = s.try(p, func(p *plan.Plan) bool { return cleared(&p.Faults[i].Again) })
	}
	for i := len(p.Clients) - 1; i >= 0; i-- {
		p = s.try(p, func(p *plan.Plan) bool { return withoutClient(p, i) })
	}
	for i := len(p.Liveness) - 1; i >= 0; i-- {
		p = s.try(p, func(p *plan.Plan) bool {
			p.Liveness = slices.Delete(p.Liveness, i, i+1)
			return true
		})
	}
	for client := range p.Clients {
		p = s.shorten(p, position{client: client})
	}
	for _, reduce := range []reduction{
		func(p *plan.Plan) bool { // the network loses nothing but what faults lose
			lossy := cleared(&p.World.Network.LossPPM)
			for i := range p.World.Network.Links {
				lossy = cleared(&p.World.Network.Links[i].LossPPM) || lossy
			}
			return lossy
		},
		func(p *plan.Plan) (several bool) {
			for i := range p.Clients {
				several = cleared(&p.Clients[i].Lockers) || several
			}
			return several
		},
		func(p *plan.Plan) bool { return cleared(&p.Lock.Pool) },
		func(p *plan.Plan) bool { return cleared(&p.Lock.RESP) },
	} {
		p = s.try(p, reduce)
	}
	return p
}

// try returns the reduced plan if it can be played and keeps the target, and the
// plan as it was otherwise.
func (s *shrinker) try(p *plan.Plan, reduce reduction) *plan.Plan {
	smaller, err := copyOf(p)
	s.err = cmp.Or(s.err, err)
	if s.err != nil || !reduce(smaller) || validate(smaller) != nil || !s.meets(smaller) {
		return p
	}
	s.kept++
	return smaller
}

// certify removes each fault in turn.
func (s *shrinker) certify(p *plan.Plan) *Certificate {
	c := &Certificate{
		Oracle: s.target.Oracle, Broken: append([]string{}, s.target.Broken...),
		Violated: s.shown.Answers.Violated(), Without: []Removal{},
	}
	for i, f := range p.Faults {
		removal := Removal{Fault: f.Name}
		smaller := *p
		smaller.Faults = slices.Delete(slices.Clone(p.Faults), i, i+1)
		if err := validate(&smaller); err != nil {
			removal.Invalid = err.Error()
		} else {
			run, unmeetable := s.played(&smaller)
			if s.err == nil && s.target.Met(&run) && !unmeetable {
				s.err = fmt.Errorf("a bug of this program: the plan does not need %q", f.Name)
			}
			removal.Violated, removal.Broken = run.Answers.Violated(), run.Broken
			removal.Finished, removal.Unmeetable = run.Decided(), unmeetable
		}
		c.Without = append(c.Without, removal)
	}
	c.Runs = s.runs
	return c
}

// copyOf copies a plan through its JSON, which carries all of it.
func copyOf(p *plan.Plan) (*plan.Plan, error) {
	other := &plan.Plan{}
	b, err := json.Marshal(p)
	return other, cmp.Or(err, json.Unmarshal(b, other))
}

// validate says why a plan cannot be played.
func validate(p *plan.Plan) error {
	b, err := p.Encode()
	if err != nil {
		return err
	}
	_, err = plan.DecodePlan(b)
	return err
}

// withoutClient takes one of several clients away with its later lives, their
// processes and links, and what is demanded of them, or of anybody when nobody else tries.
func withoutClient(p *plan.Plan, i int) bool {
	gone := map[string]bool{p.Clients[i].Name: true}
	for _, c := range p.Clients { // a later life comes behind the earlier one
		gone[c.Name] = gone[c.Name] || gone[c.Follows]
	}
	p.Liveness = slices.DeleteFunc(p.Liveness, func(g plan.Goal) bool {
		tried, left := false, false
		for _, c := range p.Clients {
			tries := slices.ContainsFunc(c.Steps, func(step plan.Step) bool { return asks(&g, c.Name, &step) })
			tried, left = tried || tries, left || tries && !gone[c.Name]
		}
		return gone[g.Client] || gone[g.From.When.Subject] || tried && !left
	})
	p.Clients = slices.DeleteFunc(p.Clients, func(c plan.Client) bool { return gone[c.Name] })
	p.World.Processes = slices.DeleteFunc(p.World.Processes, func(c sim.ProcessConfig) bool { return gone[c.Name] })
	p.World.Network.Links = slices.DeleteFunc(p.World.Network.Links, func(l sim.LinkConfig) bool {
		return gone[l.Process]
	})
	return len(p.Clients) > 0
}

// cleared sets a value to zero, and reports whether it was another.
func cleared[T comparable](value *T) bool {
	var zero T
	was := *value
	*value = zero
	return was != zero
}

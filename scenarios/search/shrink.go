package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Play plays a plan. An error means that no run came about.
type Play func(*plan.Plan) (Outcome, error)

// ErrNotShown is returned when the plan to shrink does not show the target.
var ErrNotShown = errors.New("the plan does not show what is to be kept")

// Certificate shows that a plan is 1-minimal in its faults: none of them can be
// taken away alone.
type Certificate struct {
	Oracle   plan.Oracle   `json:"oracle"`
	Broken   []string      `json:"broken"`
	Violated []plan.Oracle `json:"violated"` // all that the small plan shows
	Runs     int           `json:"runs"`     // that the shrinking played
	Without  []Removal     `json:"without"`
}

// Removal is what became of the run when one fault was taken away. Its target is
// never met, or not by the lock's fault.
type Removal struct {
	Fault    string        `json:"fault"`
	Invalid  string        `json:"invalid,omitempty"` // the other faults cannot apply without this one
	Violated []plan.Oracle `json:"violated"`
	Broken   []string      `json:"broken"`
	Finished bool          `json:"finished"`
	// Unmeetable: the demand is still not met, and package redlock does not meet it then either.
	Unmeetable bool `json:"unmeetable,omitempty"`
}

// Shrink takes faults away from a plan, then their repetitions, clients, demands, steps, rounds and loss, as
// long as the target is still met: the same oracle is violated with the same set
// of assumptions broken, in a run that still ends by itself if it did. What is left needs every fault, and the certificate
// shows it. A demand that was not met stays one that can be: steps that are owed
// stay, and where nothing is broken, package redlock goes on meeting it in the same
// plan, if it did in the given one.
// The small plan expects what its run shows; the given one is not changed.
func Shrink(p *plan.Plan, target Target, play Play) (*plan.Plan, *Certificate, error) {
	s := &shrinker{target: target, play: play}
	met, err := s.meets(p)
	if err != nil {
		return nil, nil, err
	}
	if !met {
		return nil, nil, fmt.Errorf("%s with %v broken: %w", target.Oracle, target.Broken, ErrNotShown)
	}
	if target.Oracle == plan.OracleLiveness && len(target.Broken) == 0 {
		if s.control, err = s.met(p); err != nil {
			return nil, nil, err
		}
	}
	for {
		before := s.kept
		if p, err = s.pass(p); err != nil {
			return nil, nil, err
		}
		if s.kept == before {
			break
		}
	}
	if p, err = copyOf(p); err != nil {
		return nil, nil, err
	}
	expect(p, s.shown)
	certificate, err := s.certify(p)
	return p, certificate, err
}

type shrinker struct {
	target     Target
	play       Play
	runs, kept int
	shown      Outcome // of the smallest plan so far
	control    bool    // whether package redlock meets the demands of the plan that was given
}

func (s *shrinker) meets(plan *plan.Plan) (bool, error) {
	outcome, unmeetable, err := s.played(plan)
	if err != nil || unmeetable || !s.target.Met(outcome) || s.shown.Finished && !outcome.Finished {
		return false, err
	}
	s.shown = outcome
	return true, nil
}

// played plays a plan, and says whether it shows the target only because its
// demands cannot be met: the control does not meet them either.
func (s *shrinker) played(plan *plan.Plan) (outcome Outcome, unmeetable bool, err error) {
	s.runs++
	if outcome, err = s.play(plan); err != nil || !s.control || !s.target.Met(outcome) {
		return outcome, false, err
	}
	met, err := s.met(plan)
	return outcome, !met, err
}

// met reports whether package redlock meets the demands of a plan.
func (s *shrinker) met(p *plan.Plan) (bool, error) {
	s.runs++
	other := *p
	other.Subject = plan.Subject{Name: "SY-10"}
	outcome, err := s.play(&other)
	return outcome.Finished && !slices.Contains(outcome.Violated, plan.OracleLiveness), err
}

// expect makes a plan expect exactly what its run shows.
func expect(p *plan.Plan, shown Outcome) {
	row := &p.Subject
	row.Expect, row.Broken, row.Runs, row.Unstated = map[plan.Oracle]plan.Verdict{}, shown.Broken, plan.RunsAll, false
	for _, oracle := range plan.Oracles() {
		row.Expect[oracle] = plan.Holds
		if slices.Contains(shown.Violated, oracle) {
			row.Expect[oracle] = plan.Violated
		}
	}
}

// reduction makes a smaller plan of its own copy; false when there is no such one.
type reduction func(p *plan.Plan) bool

// pass tries every reduction once, and goes on from each that keeps the target.
func (s *shrinker) pass(p *plan.Plan) (*plan.Plan, error) {
	for i := len(p.Faults) - 1; i >= 0; i-- {
		smaller, err := s.try(p, func(p *plan.Plan) bool {
			p.Faults = slices.Delete(p.Faults, i, i+1)
			return true
		})
		if err != nil {
			return nil, err
		}
		p = smaller
	}
	for i := range p.Faults {
		smaller, err := s.try(p, func(p *plan.Plan) bool {
			repeated := p.Faults[i].Again != (faults.Repetition{})
			p.Faults[i].Again = faults.Repetition{}
			return repeated
		})
		if err != nil {
			return nil, err
		}
		p = smaller
	}
	for i := len(p.Clients) - 1; i >= 0; i-- {
		smaller, err := s.try(p, func(p *plan.Plan) bool { return withoutClient(p, i) })
		if err != nil {
			return nil, err
		}
		p = smaller
	}
	for i := len(p.Liveness) - 1; i >= 0; i-- {
		smaller, err := s.try(p, func(p *plan.Plan) bool {
			p.Liveness = slices.Delete(p.Liveness, i, i+1)
			return true
		})
		if err != nil {
			return nil, err
		}
		p = smaller
	}
	for client := range p.Clients {
		smaller, err := s.shorten(p, place{client: client})
		if err != nil {
			return nil, err
		}
		p = smaller
	}
	return s.try(p, withoutLoss)
}

// try returns the reduced plan if it can be played and keeps the target, and the
// plan as it was otherwise.
func (s *shrinker) try(plan *plan.Plan, reduce reduction) (*plan.Plan, error) {
	smaller, err := copyOf(plan)
	if err != nil {
		return nil, err
	}
	if !reduce(smaller) || validate(smaller) != nil {
		return plan, nil
	}
	met, err := s.meets(smaller)
	if err != nil || !met {
		return plan, err
	}
	s.kept++
	return smaller, nil
}

// certify takes each fault away in turn.
func (s *shrinker) certify(plan *plan.Plan) (*Certificate, error) {
	c := &Certificate{Oracle: s.target.Oracle, Broken: append([]string{}, s.target.Broken...), Violated: s.shown.Violated, Without: []Removal{}}
	for i, f := range plan.Faults {
		removal := Removal{Fault: f.Name}
		smaller, err := copyOf(plan)
		if err != nil {
			return nil, err
		}
		smaller.Faults = slices.Delete(smaller.Faults, i, i+1)
		if err := validate(smaller); err != nil {
			removal.Invalid = err.Error()
		} else {
			outcome, unmeetable, err := s.played(smaller)
			if err != nil {
				return nil, err
			}
			if s.target.Met(outcome) && !unmeetable {
				return nil, fmt.Errorf("a bug of this program: the plan can do without %q", f.Name)
			}
			removal.Violated, removal.Broken, removal.Finished, removal.Unmeetable = outcome.Violated, outcome.Broken, outcome.Finished, unmeetable
		}
		c.Without = append(c.Without, removal)
	}
	c.Runs = s.runs
	return c, nil
}

// copyOf copies a plan through its JSON, which carries all of it.
func copyOf(p *plan.Plan) (*plan.Plan, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	other := &plan.Plan{}
	return other, json.Unmarshal(b, other)
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
	p.World.Network.Links = slices.DeleteFunc(p.World.Network.Links, func(l sim.LinkConfig) bool { return gone[l.Process] })
	return len(p.Clients) > 0
}

// withoutLoss makes the network lose nothing but what faults lose.
func withoutLoss(p *plan.Plan) bool {
	lossy := p.World.Network.LossPPM > 0
	p.World.Network.LossPPM = 0
	for i := range p.World.Network.Links {
		lossy = lossy || p.World.Network.Links[i].LossPPM > 0
		p.World.Network.Links[i].LossPPM = 0
	}
	return lossy
}

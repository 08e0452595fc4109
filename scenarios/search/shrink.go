package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"redlocklab/faults"
	"redlocklab/scenarios"
)

// Play plays a plan. An error means that no run came about.
type Play func(*scenarios.Plan) (Outcome, error)

// ErrNotShown is returned when the plan to shrink does not show the target.
var ErrNotShown = errors.New("the plan does not show what is to be kept")

// Certificate shows that a plan is 1-minimal in its faults: none of them can be
// taken away alone.
type Certificate struct {
	Oracle  scenarios.Oracle `json:"oracle"`
	Broken  []string         `json:"broken"`
	Runs    int              `json:"runs"` // that the shrinking played
	Without []Removal        `json:"without"`
}

// Removal is what became of the run when one fault was taken away. Its target is
// never met.
type Removal struct {
	Fault    string             `json:"fault"`
	Invalid  string             `json:"invalid,omitempty"` // the other faults cannot apply without this one
	Violated []scenarios.Oracle `json:"violated"`
	Broken   []string           `json:"broken"`
	Finished bool               `json:"finished"`
}

// Shrink takes faults away from a plan, then their repetitions, clients, demands, rounds, steps and loss, as
// long as the target is still met: the same oracle is violated with the same set
// of assumptions broken. What is left needs every fault, and the certificate
// shows it. The given plan is not changed.
func Shrink(plan *scenarios.Plan, target Target, play Play) (*scenarios.Plan, *Certificate, error) {
	s := &shrinker{target: target, play: play}
	met, err := s.meets(plan)
	if err != nil {
		return nil, nil, err
	}
	if !met {
		return nil, nil, fmt.Errorf("%s with %v broken: %w", target.Oracle, target.Broken, ErrNotShown)
	}
	for {
		before := s.kept
		if plan, err = s.pass(plan); err != nil {
			return nil, nil, err
		}
		if s.kept == before {
			break
		}
	}
	certificate, err := s.certify(plan)
	return plan, certificate, err
}

type shrinker struct {
	target     Target
	play       Play
	runs, kept int
}

func (s *shrinker) meets(plan *scenarios.Plan) (bool, error) {
	s.runs++
	outcome, err := s.play(plan)
	return s.target.Met(outcome), err
}

// reduction makes a smaller plan of its own copy; false when there is no such one.
type reduction func(p *scenarios.Plan) bool

// pass tries every reduction once, and goes on from each that keeps the target.
func (s *shrinker) pass(plan *scenarios.Plan) (*scenarios.Plan, error) {
	for i := len(plan.Faults) - 1; i >= 0; i-- {
		smaller, err := s.try(plan, func(p *scenarios.Plan) bool {
			p.Faults = slices.Delete(p.Faults, i, i+1)
			return true
		})
		if err != nil {
			return nil, err
		}
		plan = smaller
	}
	for i := range plan.Faults {
		smaller, err := s.try(plan, func(p *scenarios.Plan) bool {
			repeated := p.Faults[i].Again != (faults.Repetition{})
			p.Faults[i].Again = faults.Repetition{}
			return repeated
		})
		if err != nil {
			return nil, err
		}
		plan = smaller
	}
	for i := len(plan.Clients) - 1; i >= 0; i-- {
		smaller, err := s.try(plan, func(p *scenarios.Plan) bool { return withoutClient(p, i) })
		if err != nil {
			return nil, err
		}
		plan = smaller
	}
	for i := len(plan.Liveness) - 1; i >= 0; i-- {
		smaller, err := s.try(plan, func(p *scenarios.Plan) bool {
			p.Liveness = slices.Delete(p.Liveness, i, i+1)
			return true
		})
		if err != nil {
			return nil, err
		}
		plan = smaller
	}
	for _, reduce := range stepReductions(plan) {
		smaller, err := s.try(plan, reduce)
		if err != nil {
			return nil, err
		}
		plan = smaller
	}
	return s.try(plan, withoutLoss)
}

// try returns the reduced plan if it can be played and keeps the target, and the
// plan as it was otherwise.
func (s *shrinker) try(plan *scenarios.Plan, reduce reduction) (*scenarios.Plan, error) {
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
func (s *shrinker) certify(plan *scenarios.Plan) (*Certificate, error) {
	c := &Certificate{Oracle: s.target.Oracle, Broken: slices.Clone(s.target.Broken), Without: []Removal{}}
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
			s.runs++
			outcome, err := s.play(smaller)
			if err != nil {
				return nil, err
			}
			if s.target.Met(outcome) {
				return nil, fmt.Errorf("a bug of this program: the plan can do without %q", f.Name)
			}
			removal.Violated, removal.Broken, removal.Finished = outcome.Violated, outcome.Broken, outcome.Finished
		}
		c.Without = append(c.Without, removal)
	}
	c.Runs = s.runs
	return c, nil
}

// copyOf copies a plan through its JSON, which carries all of it.
func copyOf(plan *scenarios.Plan) (*scenarios.Plan, error) {
	b, err := json.Marshal(plan)
	if err != nil {
		return nil, err
	}
	p := &scenarios.Plan{}
	return p, json.Unmarshal(b, p)
}

// validate says why a plan cannot be played.
func validate(plan *scenarios.Plan) error {
	b, err := plan.Encode()
	if err != nil {
		return err
	}
	_, err = scenarios.DecodePlan(b)
	return err
}

// withoutClient takes one of several clients away, its process, and what is demanded of it.
func withoutClient(p *scenarios.Plan, i int) bool {
	if len(p.Clients) < 2 {
		return false
	}
	name := p.Clients[i].Name
	p.Clients = slices.Delete(p.Clients, i, i+1)
	for j := range p.World.Processes {
		if p.World.Processes[j].Name == name {
			p.World.Processes = slices.Delete(p.World.Processes, j, j+1)
			break
		}
	}
	p.Liveness = slices.DeleteFunc(p.Liveness, func(g scenarios.Goal) bool { return g.Client == name || g.From.When.Subject == name })
	return true
}

// withoutLoss makes the network lose nothing but what faults lose.
func withoutLoss(p *scenarios.Plan) bool {
	lossy := p.World.Network.LossPPM > 0
	p.World.Network.LossPPM = 0
	for i := range p.World.Network.Links {
		lossy = lossy || p.World.Network.Links[i].LossPPM > 0
		p.World.Network.Links[i].LossPPM = 0
	}
	return lossy
}

// stepReductions shorten what the clients do: fewer rounds, then fewer steps. The
// indices count from the end, so that earlier ones stay right.
func stepReductions(plan *scenarios.Plan) []reduction {
	var list []reduction
	for c := range plan.Clients {
		for i := range plan.Clients[c].Steps {
			repeat := plan.Clients[c].Steps[i]
			if repeat.Kind != scenarios.StepRepeat {
				continue
			}
			list = append(list, rounds(c, i, 1), rounds(c, i, repeat.Times-1))
			for j := len(repeat.Steps) - 1; j >= 0; j-- {
				list = append(list, func(p *scenarios.Plan) bool {
					steps := &p.Clients[c].Steps[i].Steps
					if len(*steps) < 2 {
						return false
					}
					*steps = slices.Delete(*steps, j, j+1)
					return true
				})
			}
		}
	}
	return list
}

// rounds makes a client repeat its steps fewer times.
func rounds(client, step, times int) reduction {
	return func(p *scenarios.Plan) bool {
		s := &p.Clients[client].Steps[step]
		if times < 1 || times >= s.Times {
			return false
		}
		s.Times = times
		return true
	}
}

// Size counts what a plan's reader has to take in: faults, clients, and steps
// with those inside of repetitions once per round.
func Size(p *scenarios.Plan) (faultCount, clients, steps int) {
	for _, c := range p.Clients {
		for _, s := range c.Steps {
			steps += max(1, s.Times*len(s.Steps))
		}
	}
	return len(p.Faults), len(p.Clients), steps
}

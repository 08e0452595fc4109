package search

import (
	"slices"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// position is where a step, or a list of steps, stands in a plan: the client, then
// the index of every repetition that it is in, then its own.
type position struct {
	client int
	path   []int
}

// list is the list at the position: the client's steps, or those of a repetition.
func (a position) list(p *plan.Plan) *[]plan.Step {
	list := &p.Clients[a.client].Steps
	for _, i := range a.path {
		list = &(*list)[i].Steps
	}
	return list
}

// shorten makes a list of steps shorter, from its end to its beginning, so that
// the positions of untried steps stay right. Of a repetition it tries what its
// steps do once, then fewer rounds, then each of its steps.
func (s *shrinker) shorten(p *plan.Plan, at position) *plan.Plan {
	for i := len(*at.list(p)) - 1; i >= 0; i-- {
		step := (*at.list(p))[i]
		reductions := []reduction{s.withoutStep(at, i)}
		if step.Kind == plan.StepRepeat {
			reductions = append(
				reductions, s.once(at, i), s.rounds(at, i, 2), s.rounds(at, i, 4),
				s.rounds(at, i, step.Times/2), s.rounds(at, i, step.Times-1),
			)
		}
		kept := s.kept
		for _, reduce := range reductions {
			if p = s.try(p, reduce); s.kept > kept {
				break
			}
		}
		if i < len(*at.list(p)) && (*at.list(p))[i].Kind == plan.StepRepeat {
			p = s.shorten(p, position{at.client, append(slices.Clone(at.path), i)})
		}
	}
	return p
}

// withoutStep takes one of several steps away.
func (s *shrinker) withoutStep(at position, i int) reduction {
	return func(p *plan.Plan) bool {
		list := at.list(p)
		idle := (*list)[i].Kind == plan.StepRelease && len(at.path) == 0 && !slices.ContainsFunc((*list)[:i], locks)
		if len(*list) < 2 || !idle && s.owed(p, &p.Clients[at.client], &(*list)[i]) {
			return false
		}
		*list = slices.Delete(*list, i, i+1)
		return true
	}
}

// once replaces a repetition by its steps.
func (s *shrinker) once(at position, i int) reduction {
	return func(p *plan.Plan) bool {
		list := at.list(p)
		repeat := (*list)[i]
		if s.asked(p, &p.Clients[at.client], &repeat) {
			return false
		}
		*list = slices.Concat((*list)[:i], repeat.Steps, (*list)[i+1:])
		return true
	}
}

// rounds makes a client repeat its steps fewer times: so often in place of more
// often, or of as often as a time allows.
func (s *shrinker) rounds(at position, i, times int) reduction {
	return func(p *plan.Plan) bool {
		repeat := &(*at.list(p))[i]
		if times < 2 || repeat.For == 0 && times >= repeat.Times || s.asked(p, &p.Clients[at.client], repeat) {
			return false
		}
		repeat.Times, repeat.For = times, 0
		return true
	}
}

// owed reports whether a step must stay because without it no lock could
// reach the goal: somebody no longer tries, tries while another may well
// hold, or does not give back what it has. A violation of safety needs no such care, unless
// the lock renews itself: what is not given back is then held for ever, which is another story.
func (s *shrinker) owed(p *plan.Plan, c *plan.Client, step *plan.Step) bool {
	liveness := s.target.Oracle == checker.OracleLiveness
	switch step.Kind {
	case plan.StepRelease, plan.StepCrash:
		return (liveness || p.Subject.Watchdog()) && slices.ContainsFunc(c.Steps, locks)
	case plan.StepWait:
		return liveness && slices.ContainsFunc(c.Steps, locks)
	}
	return s.asked(p, c, step) || slices.ContainsFunc(step.Steps, func(inner plan.Step) bool {
		return s.owed(p, c, &inner)
	})
}

// asked reports whether a step contains an operation that a goal requires once.
func (s *shrinker) asked(p *plan.Plan, c *plan.Client, step *plan.Step) bool {
	return s.target.Oracle == checker.OracleLiveness && slices.ContainsFunc(p.Liveness, func(g plan.Goal) bool {
		return g.Each == plan.EachNone && asks(&g, c.Name, step)
	})
}

// asks reports whether a client's step contains an operation that a goal is about.
func asks(g *plan.Goal, client string, step *plan.Step) bool {
	if g.Client != "any" && g.Client != client || g.Except == client {
		return false
	}
	does := string(step.Kind)
	if locks(*step) && step.Kind != plan.StepRepeat {
		does = "acquire"
	}
	return does == g.Does && (g.Resource == "" || g.Resource == step.Resource) ||
		slices.ContainsFunc(step.Steps, func(inner plan.Step) bool { return asks(g, client, &inner) })
}

// locks reports whether a step contains an acquisition.
func locks(step plan.Step) bool {
	return step.Kind == plan.StepLock || step.Kind == plan.StepTryLock || slices.ContainsFunc(step.Steps, locks)
}

// Size counts what a plan's reader has to take in: faults, clients, and steps
// with those inside of repetitions once per round; once where they are repeated for a time.
func Size(p *plan.Plan) (faultCount, clients, steps int) {
	for _, c := range p.Clients {
		steps += size(c.Steps)
	}
	return len(p.Faults), len(p.Clients), steps
}

func size(steps []plan.Step) (n int) {
	for _, step := range steps {
		if step.Kind == plan.StepRepeat {
			n += max(1, step.Times) * size(step.Steps)
		} else {
			n++
		}
	}
	return n
}

package search

import (
	"fmt"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Exhaust enumerates: two clients, three nodes, and every way in which at most
// two of the first messages are late or lost. What happens at different nodes
// commutes, so a schedule is what each node sees: whose command comes first, and
// what happens to the messages of its links. Nodes are alike, so the order of
// the three does not matter.

// deviation is what happens to one message of a node's links.
type deviation struct {
	client    string
	direction faults.Direction
	nth       int // message of its link
	fate      int // index of fates
}

// fates are what can happen to a message: it comes within the TTL, after it, or never.
var fates = []struct {
	name string
	late time.Duration // 0: never
}{{"late", exhaustTTL * 3 / 5}, {"very late", exhaustTTL * 3 / 2}, {"lost", 0}}

// view is what one node sees.
type view struct {
	second     string // the client whose messages take longer
	deviations []deviation
}

const (
	exhaustTTL  = 200 * time.Millisecond
	exhaustNear = time.Millisecond
	// firstMessage is the greeting of a connection; it is not enumerated.
	firstMessage, lastMessage = 2, 4
	mostDeviations            = 2
)

type exhaust struct {
	options   Options
	first     uint64
	schedules [][3]view
	next      int
}

func startExhaust(first uint64, o Options) (Strategy, error) {
	if len(o.Break) > 0 {
		return nil, fmt.Errorf("%w; late and lost messages break none", ErrBreaksNothing)
	}
	return &exhaust{options: o, first: first, schedules: allSchedules()}, nil
}

// Total is how many schedules there are.
func (e *exhaust) Total() int { return len(e.schedules) }

// Next implements Strategy.
func (e *exhaust) Next(most int) ([]*plan.Plan, error) {
	var plans []*plan.Plan
	for ; len(plans) < most && e.next < len(e.schedules); e.next++ {
		plan, err := exhaustPlan(e.schedules[e.next], e.first, e.options)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// Learn implements Strategy: all is played anyway.
func (*exhaust) Learn([]Outcome) {}

// views lists what one node can see, by the number of deviations.
func views() [mostDeviations + 1][]view {
	var points []deviation
	for _, client := range []string{"A", "B"} {
		for _, direction := range []faults.Direction{faults.Requests, faults.Replies} {
			for nth := firstMessage; nth <= lastMessage; nth++ {
				points = append(points, deviation{client: client, direction: direction, nth: nth})
			}
		}
	}
	var all [mostDeviations + 1][]view
	for _, second := range []string{"A", "B"} {
		all[0] = append(all[0], view{second: second})
		for i, p := range points {
			for p.fate = range fates {
				all[1] = append(all[1], view{second, []deviation{p}})
				for _, q := range points[i+1:] {
					for q.fate = range fates {
						all[2] = append(all[2], view{second, []deviation{p, q}})
					}
				}
			}
		}
	}
	return all
}

// allSchedules lists every choice of three views, in no order, with at most so
// many deviations in all. The fewer there are, the earlier it comes.
func allSchedules() [][3]view {
	v := views()
	var all [][3]view
	plain := func(some ...view) {
		rest := 3 - len(some)
		for i := 0; i <= rest; i++ { // so many of the plain views are the second of the two
			schedule := [3]view{}
			copy(schedule[:], some)
			for j := range rest {
				schedule[len(some)+j] = v[0][0]
				if j < i {
					schedule[len(some)+j] = v[0][1]
				}
			}
			all = append(all, schedule)
		}
	}
	plain()
	for _, one := range v[1] {
		plain(one)
	}
	for _, two := range v[2] {
		plain(two)
	}
	for i, one := range v[1] {
		for _, other := range v[1][i:] {
			plain(one, other)
		}
	}
	return all
}

// exhaustPlan makes a schedule's run: both clients want the lock at once, and
// work for longer than a lease lasts.
func exhaustPlan(schedule [3]view, seed uint64, o Options) (*plan.Plan, error) {
	still := func(of time.Duration) faults.Span { return faults.Span{Low: of, High: of} }
	s := &plan.Scenario{
		Name: Name, Claim: Name, Title: "One of all schedules of two clients and three nodes", Subjects: []plan.Subject{o.subject()},
		Nodes:   plan.Nodes{Count: len(schedule), Persistence: sim.AOFAlways},
		Network: plan.Network{Latency: still(exhaustNear)},
		Lock: plan.Lock{
			TTL: exhaustTTL, RateErrorPPM: rateErrorPPM, WallError: plan.DefaultWallError, NodeTimeout: 20 * exhaustNear, Fencing: plan.FencingNone,
			Retry: plan.Retry{Delay: faults.Span{Low: exhaustTTL / 20, High: exhaustTTL / 10}, Tries: lateRounds},
		},
		Bounds: plan.Bounds{Virtual: time.Minute, Events: 50_000},
	}
	for _, name := range []string{"A", "B"} {
		s.Clients = append(s.Clients, plan.Client{Name: name, Steps: []plan.Step{
			{Kind: plan.StepLock, Resource: resource}, {Kind: plan.StepHold, Duration: still(exhaustTTL * 6 / 5)}, {Kind: plan.StepRelease, Resource: resource},
		}})
	}
	for i, name := range s.Nodes.Names() {
		s.Network.Links = append(s.Network.Links, plan.Link{From: schedule[i].second, To: name, Latency: still(2 * exhaustNear)})
		for j, d := range schedule[i].deviations {
			f := faults.Fault{
				Name:  fmt.Sprintf("%s %d on %s", fates[d.fate].name, j+1, name),
				Begin: message(d.client, name, d.direction, d.nth), End: faults.Ending{Ends: true, For: time.Nanosecond},
				Effect: &faults.Lose{ProbabilityPPM: 1_000_000, Clients: []string{d.client}, Nodes: []string{name}, Direction: d.direction},
			}
			if late := fates[d.fate].late; late > 0 {
				f.Effect = &faults.Delay{By: still(late), ProbabilityPPM: 1_000_000, Clients: []string{d.client}, Nodes: []string{name}, Direction: d.direction}
			}
			s.Faults = append(s.Faults, f)
		}
	}
	plan, err := s.Plan(o.Subject, seed)
	if err != nil {
		return nil, err
	}
	if err := s.Faults.Validate(s.Topology()); err != nil {
		return nil, err
	}
	plan.World.Drain = 2 * fates[1].late
	return plan, plan.World.Validate()
}

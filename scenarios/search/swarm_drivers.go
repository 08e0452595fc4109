package search

import "redlocklab/scenarios/plan"

// retrying is a driver that sends a command again when no answer comes.
var retrying = plan.Option{Name: "driver", Value: "retrying"}

// drawDrivers sets go-redis up in other ways than by default, in some runs: with RESP 3, with
// retries of its own, and with small pools that several Lockers of one process share. A
// subject that can be told of retries uses a driver that the laboratory sets up. It stands
// beside what else is drawn.
func drawDrivers(d draw, s *plan.Scenario, o Options) {
	if !declares(o.declaration(), retrying) {
		return
	}
	if d.chance("resp 3", 20) {
		s.Lock.RESP = 3
	}
	if o.option(retrying.Name, "") == "" && d.chance("driver retries", 10) {
		s.Subjects[0].Options = append(s.Subjects[0].Options, retrying)
	}
	if !d.chance("small pool", 20) {
		return
	}
	s.Lock.Pool = pick(d, "pool", 1, 2, 5, 10)
	for i := range s.Clients {
		if d.chance(s.Clients[i].Name+" has Lockers", 75) {
			s.Clients[i].Lockers = 2 + d.below(s.Clients[i].Name+" Lockers", s.Lock.Pool+3)
		}
	}
}

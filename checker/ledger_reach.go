package checker

import "slices"

// hinderedGoals records a break of A-HEAL for each unmet goal whose contenders could not
// reach a quorum for long enough inside the goal's window. Slow links excuse every goal that
// demands a success, faults only those that need A-HEAL.
func (l *ledgerBuilder) hinderedGoals() {
	for i := range l.Goals {
		goal := &l.Goals[i]
		if judgeGoal(l.index, goal).Status == Holds {
			continue
		}
		window := windowOf(goal)
		needed := goal.HealNS
		if needed == 0 {
			needed = goal.WithinNS
		}
		if first := l.hinderedBy(goal, window, needed); first != nil {
			what := "faults (first " + first.Name + ")"
			if first.Fact == FactSlowLink {
				what = "slow links (" + first.Name + ")"
			}
			l.broken(AssumptionHeal, max(first.AtNS, window.from), first,
				"%s left no contender %s in which it could reach %d nodes between %s and %s",
				what, span(needed), l.Header.Quorum, instant(window.from), instant(window.until))
			l.breaks[AssumptionHeal][len(l.breaks[AssumptionHeal])-1].goal = goal.ID
		}
	}
}

// hinderedBy returns the first slow link or fault in the window that kept the contenders from
// a quorum. It returns nil if some contender could reach one for the needed time without a
// break.
func (l *ledgerBuilder) hinderedBy(goal *Goal, window interval, needed int64) *Fact {
	contenders := l.contenders(goal, window)
	var hindrances []*Fact
	for _, kind := range []FactName{FactSlowLink, FactFault} {
		if kind == FactSlowLink && goal.Form != GoalSome && goal.Form != GoalEachSucceeds ||
			kind == FactFault && !slices.Contains(goal.Needs, AssumptionHeal) {
			continue
		}
		var first *Fact
		for i := range l.Facts {
			fact := &l.Facts[i]
			concerns := fact.Client == "" || slices.Contains(contenders, fact.Client)
			if fact.Fact == kind && concerns && lasting(fact).overlaps(window) {
				hindrances = append(hindrances, fact)
				if first == nil || fact.AtNS < first.AtNS {
					first = fact
				}
			}
		}
		if first != nil && !slices.ContainsFunc(contenders, func(client string) bool {
			return l.longestReach(client, hindrances, window) >= needed
		}) {
			return first
		}
	}
	return nil
}

// contenders lists the clients that had a call under way inside a window that the
// goal is about. A client that crashed before or never called does not count,
// whatever it could reach. If there was no such call, it lists all clients that
// the goal is about.
func (l *ledgerBuilder) contenders(goal *Goal, window interval) []string {
	var calling, all []string
	for _, client := range l.Header.Clients {
		if goal.Client != "" && client.Name != goal.Client || client.Name == goal.Except {
			continue
		}
		all = append(all, client.Name)
		if slices.ContainsFunc(l.Operations, func(operation Operation) bool {
			return operation.Client == client.Name && goal.Selects(&operation) && operation.CallNS < window.until &&
				(operation.ReturnNS == nil || *operation.ReturnNS > window.from)
		}) {
			calling = append(calling, client.Name)
		}
	}
	if len(calling) == 0 {
		return all
	}
	return calling
}

// longestReach is the longest time inside a window for which a client could reach
// a quorum without a break.
func (l *ledgerBuilder) longestReach(client string, faults []*Fact, window interval) int64 {
	instants := []int64{window.from, window.until}
	for _, fault := range faults {
		for _, at := range []int64{fault.AtNS, lasting(fault).until} {
			if at > window.from && at < window.until {
				instants = append(instants, at)
			}
		}
	}
	slices.Sort(instants)
	var longest, current int64
	for i := 1; i < len(instants); i++ {
		if l.reachesQuorum(client, faults, instants[i-1]) {
			current += instants[i] - instants[i-1]
			longest = max(longest, current)
		} else {
			current = 0
		}
	}
	return longest
}

func (l *ledgerBuilder) reachesQuorum(client string, faults []*Fact, at int64) bool {
	away := map[string]bool{}
	for _, fault := range faults {
		if fault.Client != "" && fault.Client != client || !lasting(fault).contains(at) {
			continue
		}
		if len(fault.Nodes) == 0 {
			return false
		}
		for _, node := range fault.Nodes {
			away[node] = true
		}
	}
	return len(l.Header.Nodes)-len(away) >= l.Header.Quorum
}

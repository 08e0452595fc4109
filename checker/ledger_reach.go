package checker

import "slices"

// hinderedGoals records a break of A-HEAL for each unmet goal that needs it, if
// faults left no contender able to reach a quorum for long enough inside the
// goal's window.
func (l *ledgerBuilder) hinderedGoals() {
	for i := range l.Goals {
		goal := &l.Goals[i]
		if !slices.Contains(goal.Needs, AssumptionHeal) || judgeGoal(l.index, goal).Status == Holds {
			continue
		}
		window := windowOf(goal)
		needed := goal.HealNS
		if needed == 0 {
			needed = goal.WithinNS
		}
		if fault := l.hinderedBy(goal, window, needed); fault != nil {
			l.broken(AssumptionHeal, max(fault.AtNS, window.from), fault,
				"faults (first %s) left no contender %s in which it could reach %d nodes between %s and %s",
				fault.Name, span(needed), l.Header.Quorum, instant(window.from), instant(window.until))
			l.breaks[AssumptionHeal][len(l.breaks[AssumptionHeal])-1].goal = goal.ID
		}
	}
}

// hinderedBy returns the first fault in the window, or nil if some contender
// could reach a quorum for the needed time without a break.
func (l *ledgerBuilder) hinderedBy(goal *Goal, window interval, needed int64) *Fact {
	var first *Fact
	var faults []*Fact
	for i := range l.Facts {
		fact := &l.Facts[i]
		if fact.Fact != FactFault || !lasting(fact).overlaps(window) {
			continue
		}
		faults = append(faults, fact)
		if first == nil || fact.AtNS < first.AtNS {
			first = fact
		}
	}
	if first == nil {
		return nil
	}
	for _, client := range l.contenders(goal, window) {
		if l.longestReach(client, faults, window) >= needed {
			return nil
		}
	}
	return first
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

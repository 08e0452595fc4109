package checker

import (
	"cmp"
	"slices"
)

// unmetGoals records a break of A-HEAL for each unmet goal whose contenders could not
// reach a quorum for long enough inside the goal's window. Slow links and lost messages excuse
// every goal that demands a success, faults only those that need A-HEAL. It records a break of
// A-TRIES for each other unmet goal that demands a success, if all its contenders gave up in
// its window.
func (l *ledgerBuilder) unmetGoals() {
	for goal := range each(l.Goals) {
		if judgeGoal(l.index, goal).Status == Holds {
			continue
		}
		window := windowOf(goal)
		if first := l.hinderedBy(goal, window); first != nil {
			what := map[FactName]string{
				FactFault: "faults (first ", FactSlowLink: "slow links (", FactLost: "the loss of messages (first ",
			}[first.Fact] + first.Name + ")"
			l.missed(AssumptionHeal, goal, first, max(first.AtNS, window.from),
				"%s left no contender %s in which it could reach %d nodes between %s and %s", what,
				span(l.healTime(goal, first.Fact, window)), l.Header.Quorum,
				instant(window.from), instant(window.until))
		} else if first := l.allGaveUp(goal); goal.wantsSuccess() && first != nil {
			l.missed(AssumptionTries, goal, first, first.AtNS, "%s", first.Name)
		}
	}
}

// missed records that an assumption was broken through an unmet goal.
func (l *ledgerBuilder) missed(id string, goal *Goal, fact *Fact, at int64, format string, words ...any) {
	l.broken(id, at, fact, format, words...)
	l.breaks[id][len(l.breaks[id])-1].goal = goal.ID
}

// allGaveUp returns the first fact that a contender ran out of its tries; nil if any did not.
func (l *ledgerBuilder) allGaveUp(goal *Goal) (first *Fact) {
	for _, client := range l.contenders(goal, windowOf(goal)) {
		fact := l.gaveUp(goal, client)
		if fact == nil {
			return nil
		}
		if first == nil || fact.AtNS < first.AtNS {
			first = fact
		}
	}
	return first
}

// gaveUp returns the fact that a contender ran out of its tries in a goal's window, if it did
// not call again. Otherwise it returns nil.
func (l *ledgerBuilder) gaveUp(goal *Goal, client string) *Fact {
	var last *Fact
	for fact := range each(l.Facts) {
		if fact.Fact == FactFewTries && fact.Client == client && goal.About(ActionAcquire, client, fact.Key) &&
			windowOf(goal).contains(fact.AtNS) && (last == nil || fact.AtNS > last.AtNS) {
			last = fact
		}
	}
	if last == nil || slices.ContainsFunc(l.Operations, func(operation Operation) bool {
		return operation.Client == client && goal.Selects(&operation) && operation.CallNS >= last.AtNS
	}) {
		return nil
	}
	return last
}

// hinderedBy returns the first slow link, loss or fault in the window that kept the contenders
// from a quorum. It returns nil if some contender could reach one for the needed time without a
// break; after losses, before it gave up.
func (l *ledgerBuilder) hinderedBy(goal *Goal, window interval) *Fact {
	contenders := l.contenders(goal, window)
	var hindrances []*Fact
	for _, kind := range []FactName{FactSlowLink, FactLost, FactFault} {
		excuses := goal.wantsSuccess()
		if kind == FactFault {
			excuses = slices.Contains(goal.Needs, AssumptionHeal)
		}
		if !excuses {
			continue
		}
		var first *Fact
		for _, fact := range l.facts {
			concerns := fact.Client == "" || slices.Contains(contenders, fact.Client)
			if fact.Fact == kind && concerns && lasting(fact).overlaps(window) {
				hindrances, first = append(hindrances, fact), cmp.Or(first, fact)
			}
		}
		if first != nil && !slices.ContainsFunc(contenders, func(client string) bool {
			window := window
			if end := l.gaveUp(goal, client); kind == FactLost && end != nil {
				window.until = end.AtNS
			}
			return l.longestReach(client, hindrances, window) >= l.healTime(goal, kind, window)
		}) {
			return first
		}
	}
	return nil
}

// healTime is how long a contender must be able to reach a quorum in a window. After a loss, a
// key can be left behind for up to the TTL: so much time without losses is enough, where the
// goal demands no other.
func (l *ledgerBuilder) healTime(goal *Goal, kind FactName, window interval) int64 {
	whole := window.until - window.from
	if kind == FactLost {
		return min(cmp.Or(goal.HealNS, l.Header.TTLNS), whole)
	}
	return cmp.Or(goal.HealNS, whole)
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
				orForever(operation.ReturnNS) > window.from
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

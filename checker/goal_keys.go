package checker

import "slices"

// judgeClears judges that nothing stays behind of what was given up: of leases that were
// released, or of acquisitions that failed. A key may stay on a node for the goal's bound,
// while nothing stands between its client and that node, and no release of it is on its way.
func (idx *index) judgeClears(answer *GoalResult) {
	goal := answer.goal
	answer.is(Inconclusive, "no %s was called from %s on", goal.Action, instant(goal.FromNS))
	for operation := range each(idx.Operations) {
		if !goal.Selects(operation) || operation.CallNS < goal.FromNS {
			continue
		}
		if answer.Status == Inconclusive {
			answer.is(Holds, "no key stayed for longer than %s", span(goal.WithinNS))
		}
		tokens, from := idx.givenUp(operation)
		for _, node := range idx.Header.Nodes {
			set, at := idx.leftOn(node, operation, tokens, from, goal.WithinNS)
			if set == nil || answer.Status == Violated && at >= answer.finding.AtNS {
				continue
			}
			answer.DeadlineNS, answer.Operation = at, operation.ID
			answer.violated(operation, "the key of %s, which op %s (%s) gave up at %s, was still on %s at %s, and %s could have released it",
				operation.Client, operation.ID, operation.Action, instant(from), node, instant(at), operation.Client)
			answer.shownBy(set, at)
		}
	}
}

// givenUp lists the tokens that an operation gave up, and says when: there are none when it gave
// up none, or when nobody knows whether its client lived on. Where the lock reports no token,
// they are what the acquisition's commands wrote: the last of it became the lease's.
func (idx *index) givenUp(operation *Operation) (tokens []string, from int64) {
	lease := idx.leases[operation.Lease]
	switch {
	case operation.ReturnNS == nil:
		return nil, 0
	case operation.Action == ActionRelease && lease != nil:
		if lease.Token != "" {
			return []string{lease.Token}, operation.CallNS
		}
		written := idx.writtenBy(idx.operations[lease.Operation])
		return written[max(len(written)-1, 0):], operation.CallNS
	case operation.Action == ActionAcquire && operation.Outcome == OutcomeFail:
		if operation.Token != "" {
			return []string{operation.Token}, *operation.ReturnNS
		}
		return idx.writtenBy(operation), *operation.ReturnNS
	}
	return nil, 0
}

// writtenBy lists the tokens that the commands of an acquisition gave to keys, in the order of the
// nodes' executions. The keys of another lease, which its extension can put back meanwhile, are
// not among them.
func (idx *index) writtenBy(operation *Operation) (tokens []string) {
	if operation == nil || operation.ReturnNS == nil {
		return nil
	}
	next := idx.nextAttempt(operation) // often at the instant of the return
	for _, event := range idx.nodeEvents {
		lease := idx.leases[event.Lease]
		another := event.Asked == ActionExtend || lease != nil && lease.Operation != operation.ID
		its := event.What == NodeSet && event.Client == operation.Client && event.Resource == operation.Resource &&
			!another && event.SentNS != nil && *event.SentNS >= operation.CallNS &&
			*event.SentNS <= *operation.ReturnNS && *event.SentNS < next
		if its && event.Token != "" && !slices.Contains(tokens, event.Token) {
			tokens = append(tokens, event.Token)
		}
	}
	return tokens
}

// leftOn looks for the first key of some tokens that stayed on a node for longer than allowed
// after it was given up. over is when that time was over.
func (idx *index) leftOn(
	node string, operation *Operation, tokens []string, from, allowed int64,
) (set *NodeEvent, over int64) {
	for _, life := range idx.lives[node] {
		if life.set.Resource != operation.Resource || !slices.Contains(tokens, life.set.Token) {
			continue
		}
		window := life.certainly()
		window.from, window.until = max(window.from, from), min(window.until, idx.Header.EndNS)
		for _, stretch := range idx.undisturbed(operation.Client, node, window) {
			at := stretch.from + allowed
			first := at < stretch.until && (set == nil || at < over)
			if first && !idx.releaseUnderWay(operation, life.set, at) {
				set, over = life.set, at
			}
		}
	}
	return set, over
}

// undisturbed lists the parts of a window in which a client ran, and no fault stood between it
// and a node.
func (idx *index) undisturbed(client, node string, window interval) []interval {
	parts := []interval{window}
	for fact := range each(idx.Facts) {
		cutOff := fact.Fact == FactFault && (fact.Client == "" || fact.Client == client) &&
			(len(fact.Nodes) == 0 || slices.Contains(fact.Nodes, node))
		if !fact.stops(client) && !cutOff {
			continue
		}
		away := lasting(fact)
		var rest []interval
		for _, part := range parts {
			before, after := part, part
			before.until, after.from = min(part.until, away.from), max(part.from, away.until)
			rest = append(rest, before, after)
		}
		parts = slices.DeleteFunc(rest, interval.empty)
	}
	return parts
}

// releaseUnderWay reports whether a client sent a node a release of a token, by an instant, that
// the node executed after the key was set. Which token a refused release names is not known:
// one that was sent after the client's next attempt counts as that attempt's.
func (idx *index) releaseUnderWay(operation *Operation, set *NodeEvent, by int64) bool {
	next := idx.nextAttempt(operation)
	return slices.ContainsFunc(idx.nodeEvents, func(event *NodeEvent) bool {
		release := event.Node == set.Node && event.Client == operation.Client && event.Resource == operation.Resource &&
			event.Asked == ActionRelease && event.AtNS >= set.AtNS && event.SentNS != nil
		return release && *event.SentNS <= by && *event.SentNS >= operation.CallNS &&
			(event.Token == set.Token || event.Token == "" && *event.SentNS < next)
	})
}

// nextAttempt is when the client of an operation called its next acquisition of the resource.
func (idx *index) nextAttempt(operation *Operation) int64 {
	next := int64(forever)
	for o := range each(idx.Operations) {
		same := o.Client == operation.Client && o.Resource == operation.Resource
		if same && o.Action == ActionAcquire && o.CallNS > operation.CallNS {
			next = min(next, o.CallNS)
		}
	}
	return next
}

// judgeSentInTime looks for a command for a lease that was sent when the lease had ended. The
// goal's bound is how late it may be.
func (idx *index) judgeSentInTime(answer *GoalResult) {
	goal := answer.goal
	answer.is(Inconclusive, "there is no lease that the goal is about")
	about := func(lease Lease) bool { return goal.About(goal.Action, lease.Client, lease.Resource) }
	if slices.ContainsFunc(idx.Leases, about) {
		answer.is(Holds, "every command to %s was sent before its lease had ended", goal.Action)
	}
	for _, event := range idx.nodeEvents {
		if event.SentNS == nil || !goal.About(event.Asked, event.Client, event.Resource) {
			continue
		}
		sent := *event.SentNS
		lease := idx.lastLease(event.Client, event.Resource, sent)
		if lease == nil || sent < goal.FromNS || answer.Status == Violated && sent >= answer.finding.AtNS {
			continue
		}
		if end := idx.endBefore(lease, sent); end+goal.WithinNS < sent {
			answer.DeadlineNS = end + goal.WithinNS
			answer.violated(nil, "%s sent %s a command to %s at %s, and %s had ended at %s",
				event.Client, event.Node, goal.Action, instant(sent), lease.ID, instant(end))
			answer.finding.Leases = []string{lease.ID}
			answer.shownBy(event, sent)
		}
	}
}

// lastLease is the lease of a client that it acquired last by an instant; nil: none.
func (idx *index) lastLease(client, resource string, at int64) *Lease {
	var last *Lease
	for _, lease := range idx.leasesOf[resource] {
		if lease.Client == client && lease.AcquiredNS() <= at {
			last = lease
		}
	}
	return last
}

// endBefore is when the belief in a lease had ended by an instant; the instant itself when it
// had not.
func (idx *index) endBefore(lease *Lease, at int64) int64 {
	end := lease.AcquiredNS()
	for _, belief := range idx.beliefs[lease.ID] {
		if belief.from <= at {
			end = min(belief.until, at)
		}
	}
	return end
}

package checker

import (
	"cmp"
	"slices"
)

// keyLife is one life of a resource's key on a node, as the node's log has it. It begins with a
// set and ends with the next set or a delete.
type keyLife struct {
	set *NodeEvent
	// ended is when the next set or the delete came; forever: neither did. deleted is the delete.
	ended   int64
	deleted *NodeEvent
	// given lists the lifetimes that the set and its extensions gave the key.
	given []interval
	// certain is until when the key lived at least, as far as its last lifetime says. Since
	// disturbed the log does not say whose key the node holds; forever: it says so.
	certain, disturbed int64
}

// vote is the time for which the life was a vote of its client.
func (life *keyLife) vote() interval {
	return interval{life.set.AtNS, min(life.given[len(life.given)-1].until, life.ended)}
}

// certainly is the time for which the node certainly held the key.
func (life *keyLife) certainly() interval {
	return interval{life.set.AtNS, min(life.certain, life.ended, life.disturbed)}
}

// readLives reads from the nodes' logs how long the keys lived. A node's lives are not in the
// order of time.
func (idx *index) readLives() {
	type key struct{ node, resource string }
	var order []key
	current := map[key]*keyLife{}
	end := func(at key, when int64) {
		if life := current[at]; life != nil {
			life.ended = when
			idx.lives[at.node] = append(idx.lives[at.node], life)
			delete(current, at)
		}
	}
	// After these facts a node's log no longer says whose key the node holds.
	disturbances := slices.DeleteFunc(slices.Clone(idx.facts), func(fact *Fact) bool {
		return fact.Fact != FactForgot && fact.Fact != FactRevived && fact.Fact != FactOwner
	})
	disturb := func(until int64) {
		for ; len(disturbances) > 0 && disturbances[0].AtNS <= until; disturbances = disturbances[1:] {
			if life := current[key{disturbances[0].Node, disturbances[0].Key}]; life != nil {
				life.disturbed = min(life.disturbed, disturbances[0].AtNS)
			}
		}
	}
	for _, event := range idx.nodeEvents {
		disturb(event.AtNS)
		at := key{event.Node, event.Resource}
		life := current[at]
		idx.before = append(idx.before, life)
		given := interval{event.AtNS, event.AtNS + cmp.Or(event.TTLNS, idx.Header.TTLNS)}
		switch event.What {
		case NodeSet:
			end(at, event.AtNS)
			current[at] = &keyLife{
				set: event, given: []interval{given}, certain: idx.certainlyUntil(event), disturbed: forever,
			}
			order = append(order, at)
			idx.logged[event.Resource] = true
		case NodeExtend:
			if life == nil {
				continue
			}
			if life.given = append(life.given, given); life.disturbed == forever {
				life.certain = idx.certainlyUntil(event)
			}
		case NodeDelete:
			if life != nil {
				life.deleted = event
			}
			end(at, event.AtNS)
		}
	}
	disturb(forever)
	for _, at := range order {
		end(at, forever)
	}
}

// certainlyUntil is until when a key lives at least, on a node whose clock errs by
// no more than A-RATE allows. An unlogged lifetime counts as zero.
func (idx *index) certainlyUntil(event *NodeEvent) int64 {
	return event.AtNS + event.TTLNS - drift(idx.Header.RateErrorPPM, event.TTLNS)
}

// leaseVotes are the votes for one lease, by node, as the nodes' logs have them.
// A history without a set for the lease's resource does not say who voted:
// every node may have.
type leaseVotes struct {
	unknown bool
	held    map[string][]*keyLife
}

// votesFor are the votes for a lease.
func (idx *index) votesFor(lease *Lease) *leaseVotes {
	if idx.votes == nil {
		idx.votes = map[string]*leaseVotes{}
		for _, node := range idx.Header.Nodes {
			for _, life := range idx.lives[node] {
				owner := idx.votedFor(life.set)
				if owner == nil {
					continue
				}
				votes := idx.votes[owner.ID]
				if votes == nil {
					votes = &leaseVotes{held: map[string][]*keyLife{}}
					idx.votes[owner.ID] = votes
				}
				votes.held[node] = append(votes.held[node], life)
			}
		}
	}
	if votes := idx.votes[lease.ID]; votes != nil {
		return votes
	}
	return &leaseVotes{unknown: !idx.logged[lease.Resource]}
}

func (votes *leaseVotes) on(node string) bool { return votes.unknown || len(votes.held[node]) > 0 }

func (votes *leaseVotes) heldAt(node string, at int64) bool {
	return slices.ContainsFunc(votes.held[node], func(life *keyLife) bool {
		return life.set.AtNS <= at && at <= life.ended
	})
}

// since is when the lifetime began that a node's vote had at an instant.
func (votes *leaseVotes) since(node string, at, call int64) (int64, bool) {
	since, voted := call, votes.unknown
	for _, life := range votes.held[node] {
		for _, given := range life.given {
			if given.from <= at {
				since, voted = max(since, given.from), true
			}
		}
	}
	return since, voted
}

// by counts the nodes that had voted for a lease by an instant. A vote that the client itself
// took back before that instant, by a delete sent after the vote, does not count.
func (votes *leaseVotes) by(client string, at int64) int {
	count := 0
	for _, lives := range votes.held {
		if slices.ContainsFunc(lives, func(life *keyLife) bool {
			undone := life.deleted != nil && life.deleted.Client == client &&
				life.deleted.SentNS != nil && *life.deleted.SentNS > life.set.AtNS
			return life.set.AtNS <= at && !(undone && life.ended < at)
		}) {
			count++
		}
	}
	return count
}

// leaseOf finds the lease that a set voted for: the one that it names, or else
// the client's lease with the same token. It is nil when there is none.
func (idx *index) leaseOf(set *NodeEvent) *Lease {
	if set.Lease != "" {
		return idx.leases[set.Lease]
	}
	if set.Token == "" {
		return nil
	}
	for _, lease := range idx.byToken[tokenKey{set.Client, set.Resource, set.Token}] {
		if set.AtNS <= idx.endOf(lease) {
			return lease
		}
	}
	return nil
}

// votedFor is the lease that a set voted for: see leaseOf. Where tokens say
// nothing it is the client's lease that exists then.
func (idx *index) votedFor(set *NodeEvent) *Lease {
	if lease := idx.leaseOf(set); lease != nil || set.Lease != "" {
		return lease
	}
	for _, lease := range idx.leasesOf[set.Resource] {
		blind := set.Token == "" || lease.Token == ""
		if blind && lease.Client == set.Client && idx.callOf(lease) <= set.AtNS && set.AtNS <= idx.endOf(lease) {
			return lease
		}
	}
	return nil
}

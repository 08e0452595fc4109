package checker

// vote is an interval in which a node held a client's vote.
type vote struct {
	interval
	client string
}

// ttlOf is the lifetime that a set or an extension gave a key.
func (idx *index) ttlOf(event *NodeEvent) int64 {
	if event.TTLNS == 0 {
		return idx.Header.TTLNS
	}
	return event.TTLNS
}

// votesOf reads from the nodes' logs which votes each node held, and when. A vote
// lasts from a set until the key is deleted, or until its TTL, as last extended,
// has run out. The votes of a node are not in the order of time.
func votesOf(idx *index) map[string][]vote {
	type key struct{ node, resource string }
	result := map[string][]vote{}
	held := map[key]vote{}
	end := func(at key, until int64) {
		if current, ok := held[at]; ok {
			current.until = min(current.until, until)
			result[at.node] = append(result[at.node], current)
			delete(held, at)
		}
	}
	var order []key
	for _, event := range idx.nodeEvents {
		at := key{event.Node, event.Resource}
		ttl := idx.ttlOf(event)
		switch event.What {
		case NodeSet:
			end(at, event.AtNS)
			held[at] = vote{interval{event.AtNS, event.AtNS + ttl}, event.Client}
			order = append(order, at)
		case NodeExtend:
			if current, ok := held[at]; ok {
				current.until = event.AtNS + ttl
				held[at] = current
			}
		case NodeDelete:
			end(at, event.AtNS)
		}
	}
	for _, at := range order {
		end(at, forever)
	}
	return result
}

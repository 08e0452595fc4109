package faults

// Evict makes nodes that are short of memory remove keys, drawn from the seed
// (maxmemory-policy allkeys-random).
type Evict struct {
	Nodes []string
	Keys  int64 // how many keys each of them removes
}

func (e *Evict) definition() definition {
	return definition{
		summary: "makes nodes that are short of memory evict keys",
		breaks:  []string{"A-OWNER", "A-COUNTER"}, condition: "when a vote, or a counter behind fencing tokens, is evicted",
		example: "{name: n3 needs room, evict: n3, when: A acquired, after: 100ms}",
		parameters: []parameter{
			nodeList("evict", &e.Nodes, "the nodes that are short of memory"),
			count("count", &e.Keys, "how many keys each of them evicts").or("1"),
		},
		causes: []string{"evicted", "removed", "operated"},
		begin:  eachNode(e.Nodes, func(n NodeHandle, fault string) { n.Evict(int(e.Keys), fault) }),
	}
}

// ScriptFlush empties the nodes' script caches, as an operator can: the next
// EVALSHA is answered NOSCRIPT.
type ScriptFlush struct{ Nodes []string }

func (s *ScriptFlush) definition() definition {
	return definition{
		summary: "empties the script caches of nodes, as an operator can", condition: "a lock must load its scripts again",
		example:    "{name: scripts are gone, script_flush: n1 n2 n3, when: A acquired}",
		parameters: []parameter{nodeList("script_flush", &s.Nodes, "the nodes that get SCRIPT FLUSH")},
		causes:     []string{"operated"},
		begin:      eachNode(s.Nodes, func(n NodeHandle, fault string) { n.Operator(fault, "SCRIPT", "FLUSH") }),
	}
}

// OperatorDelete deletes keys, as an operator can who knows nothing of the locks.
type OperatorDelete struct {
	Nodes     []string
	Resources []string // each is its own key on the nodes
}

func (o *OperatorDelete) definition() definition {
	return definition{
		summary: "deletes keys on nodes, as an operator can",
		breaks:  []string{"A-OWNER"}, condition: "when a key's TTL had not run out",
		example: "{name: a tidy operator, operator_delete: n3, keys: r, when: A acquired, after: 100ms}",
		parameters: []parameter{
			nodeList("operator_delete", &o.Nodes, "the nodes that get DEL"),
			nameList("keys", UnitResources, &o.Resources, "the resources whose keys are deleted"),
		},
		causes: []string{"removed", "operated"},
		begin:  eachNode(o.Nodes, func(n NodeHandle, fault string) { n.Operator(fault, append([]string{"DEL"}, o.Resources...)...) }),
	}
}

// OperatorFlush removes every key of nodes, as an operator can.
type OperatorFlush struct{ Nodes []string }

func (o *OperatorFlush) definition() definition {
	return definition{
		summary: "removes every key of nodes, as an operator can",
		breaks:  []string{"A-OWNER", "A-COUNTER"}, condition: "when a vote, or a counter behind fencing tokens, was there",
		example:    "{name: a wrong terminal, operator_flush: n3, when: A acquired, after: 100ms}",
		parameters: []parameter{nodeList("operator_flush", &o.Nodes, "the nodes that get FLUSHALL")},
		causes:     []string{"removed", "operated"},
		begin:      eachNode(o.Nodes, func(n NodeHandle, fault string) { n.Operator(fault, "FLUSHALL") }),
	}
}

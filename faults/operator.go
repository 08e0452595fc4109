package faults

// Evict lets nodes that are short of memory remove keys, drawn from the seed
// (maxmemory-policy allkeys-random).
type Evict struct {
	Nodes []string
	Keys  int64
}

// Kind implements [Effect].
func (*Evict) Kind() string { return "evict" }

func (e *Evict) parameters() []parameter {
	return []parameter{
		nodeList("evict", &e.Nodes, false, "the nodes that are short of memory"),
		count("count", &e.Keys, "how many keys each of them evicts").or("1"),
	}
}

// ScriptFlush is somebody who is no client and empties the nodes' caches of
// scripts: the next EVALSHA is answered NOSCRIPT.
type ScriptFlush struct {
	Nodes []string
}

// Kind implements [Effect].
func (*ScriptFlush) Kind() string { return "script_flush" }

func (s *ScriptFlush) parameters() []parameter {
	return []parameter{nodeList("script_flush", &s.Nodes, false, "the nodes on which somebody runs SCRIPT FLUSH")}
}

// OperatorDelete is somebody who is no client and deletes keys: a third party
// that the locks know nothing of.
type OperatorDelete struct {
	Nodes     []string
	Resources []string
}

// Kind implements [Effect].
func (*OperatorDelete) Kind() string { return "operator_delete" }

func (o *OperatorDelete) parameters() []parameter {
	return []parameter{
		nodeList("operator_delete", &o.Nodes, false, "the nodes on which somebody runs DEL"),
		resourceList("keys", &o.Resources, "the resources whose keys are deleted"),
	}
}

// OperatorFlush is somebody who is no client and empties nodes.
type OperatorFlush struct {
	Nodes []string
}

// Kind implements [Effect].
func (*OperatorFlush) Kind() string { return "operator_flush" }

func (o *OperatorFlush) parameters() []parameter {
	return []parameter{nodeList("operator_flush", &o.Nodes, false, "the nodes on which somebody runs FLUSHALL")}
}

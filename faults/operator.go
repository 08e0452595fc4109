package faults

// OperatorDelete is somebody who is no client and deletes keys, or an eviction
// that does: a third party that the locks know nothing of.
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

package checker

// NodeAction is what a node did with a command about a lock's key.
type NodeAction string

// The actions of nodes. NodeRefuse is a set, delete or extend that changed
// nothing.
const (
	NodeSet    NodeAction = "set"
	NodeDelete NodeAction = "delete"
	NodeExtend NodeAction = "extend"
	NodeRefuse NodeAction = "refuse"
)

// NodeEvent is one line of a node's own log: a command that it executed.
type NodeEvent struct {
	Head
	Node     string `json:"node"`
	AtNS     int64  `json:"at_ns"`
	Client   string `json:"client"`
	Resource string `json:"resource"`
	Lease    string `json:"lease,omitempty"`
	// Operation is the id of the call that sent the command, if known.
	Operation string     `json:"for_op,omitempty"`
	Token     string     `json:"token,omitempty"`
	What      NodeAction `json:"what"`
	// Asked is what the command asked for, whether it was refused or not:
	// acquire, extend or release. It is empty when that is not known.
	Asked Action `json:"asked,omitempty"`
	// SentNS is when the client sent the command.
	SentNS *int64 `json:"sent_ns,omitempty"`
	// TTLNS is the lifetime that a set or an extend gave the key; 0 when unknown.
	TTLNS int64 `json:"ttl_ns,omitempty"`
	// Result is the node's answer, for readers only.
	Result string `json:"result,omitempty"`
	Event  int64  `json:"event,omitempty"`
}

// Register names a kind of protected register. A resource can have one of each.
type Register string

// The kinds of registers. RegisterUnfenced ignores fencing tokens.
// RegisterFencedWrites refuses stale writes; only writes raise its high-water
// token. RegisterFenced refuses stale accesses; reads raise its high-water token, too.
const (
	RegisterUnfenced     Register = "unfenced"
	RegisterFencedWrites Register = "fenced_writes"
	RegisterFenced       Register = "fenced"
)

// Access is one request as the protected resource saw it.
type Access struct {
	Head
	// AtNS is when the request arrived and took effect, or was refused.
	AtNS   int64 `json:"at_ns"`
	SentNS int64 `json:"sent_ns"`
	// Operation is the id of the client's operation, if that is recorded too. The
	// access then says whether an operation of unknown outcome took effect.
	Operation string   `json:"for_op,omitempty"`
	Client    string   `json:"client"`
	Lease     string   `json:"lease,omitempty"`
	Resource  string   `json:"resource"`
	Register  Register `json:"register"`
	Action    Action   `json:"action"` // read, write or decrement
	Fence     *int64   `json:"fence,omitempty"`
	// Value is what a write wrote. Result is what a read returned, or the value
	// before a decrement.
	Value    *int64 `json:"value,omitempty"`
	Result   *int64 `json:"result,omitempty"`
	Accepted bool   `json:"accepted"`
	Event    int64  `json:"event,omitempty"`
}

// Holder names whose access it is: its lease, or its client when it has no lease.
func (access *Access) Holder() string {
	if access.Lease != "" {
		return access.Lease
	}
	return access.Client
}

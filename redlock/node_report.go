package redlock

import (
	"fmt"
	"time"
)

// Operation is the purpose of a round.
type Operation uint8

// The operations. Each of them is one round.
const (
	OperationAcquire Operation = iota
	OperationExtend
	OperationRelease
	OperationFence // raises the counters of WithFencing
	OperationCheck
	OperationHolder
)

// votes reports whether the answer of a node can be a vote for a lease.
func (o Operation) votes() bool {
	return o == OperationAcquire || o == OperationExtend || o == OperationFence
}

// String returns the operation's name in lower case.
func (o Operation) String() string {
	return nameOf(o, "acquire", "extend", "release", "fence", "check", "holder")
}

// nameOf returns the name of a constant that counts from 0.
func nameOf[T ~uint8](constant T, names ...string) string {
	if int(constant) < len(names) {
		return names[constant]
	}
	return fmt.Sprintf("unknown (%d)", uint8(constant))
}

// NodeOutcome is what one node proved in a round, or why it proved nothing.
type NodeOutcome uint8

const (
	// OutcomePending means that there was no answer when the report was made.
	OutcomePending NodeOutcome = iota
	// OutcomeGranted means that the node proved what was asked. For a release: the
	// node deleted the key.
	OutcomeGranted
	// OutcomeHeldByOther means that the key carries another token.
	OutcomeHeldByOther
	// OutcomeMissing means that the key was not there, which is not a vote for an
	// extension. In a round for a fencing token it can also mean that the
	// counter was not lower.
	OutcomeMissing
	// OutcomeTimeout means that there was no answer within the per-node timeout, or
	// that the command was not sent because its time was over.
	OutcomeTimeout
	// OutcomeTransport means that the connection failed. Whether the server executed
	// the command is unknown.
	OutcomeTransport
	// OutcomeServer means that the server returned an error.
	OutcomeServer
	// OutcomeCircuitOpen means that the node was skipped, because it failed repeatedly.
	OutcomeCircuitOpen
	// OutcomeGuarded means that the node's vote does not count: it may have forgotten
	// votes in a recent restart or promotion (claim RP-4), it is a replica, or its server
	// has not told which one it is.
	OutcomeGuarded
	// OutcomeNotAsked means that nothing had to be sent to the node.
	OutcomeNotAsked
)

// String returns the outcome's name in lower case words.
func (o NodeOutcome) String() string {
	return nameOf(o, "pending", "granted", "held by other", "missing", "timeout", "transport",
		"server", "circuit open", "guarded", "not asked")
}

// NodeReport reports one node's part in a round.
type NodeReport struct {
	// Node is the name of the node.
	Node string
	// Outcome is what the node proved.
	Outcome NodeOutcome
	// Latency is the time from just before the round's first send to the node's
	// answer. For OutcomeTimeout it is the time to the end of the waiting; for
	// OutcomePending it is 0.
	Latency time.Duration
	// Cause is the error of the driver or the server, or the reason why the answer
	// does not count. It is nil if there is none.
	Cause error
}

// String returns the report as one line without any token.
func (n NodeReport) String() string {
	if n.Outcome == OutcomePending {
		return fmt.Sprintf("%s: %s", n.Node, n.Outcome)
	}
	if n.Cause == nil {
		return fmt.Sprintf("%s: %s after %v", n.Node, n.Outcome, n.Latency)
	}
	return fmt.Sprintf("%s: %s after %v (%v)", n.Node, n.Outcome, n.Latency, n.Cause)
}

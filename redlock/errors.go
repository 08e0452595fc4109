package redlock

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The errors of this package. Test for them with errors.Is. An error that a
// round produced also carries a *RoundError with what every node answered, and
// the context's error when the context ended the call.
var (
	// ErrContended: another holder has the resource, or contenders split the
	// votes. A quorum of nodes answered. Trying again later is sensible.
	ErrContended = errors.New("redlock: resource is held by another")
	// ErrNoQuorum: fewer nodes than a quorum gave an answer that proves
	// anything (down, cut off, too slow, refusing, or guarded).
	ErrNoQuorum = errors.New("redlock: no quorum of nodes could be reached")
	// ErrLate: the votes came, but after the validity was used up (claim MX-3).
	ErrLate = errors.New("redlock: acquisition took longer than its validity")
	// ErrLapsed: the lease's validity ended before the call could succeed.
	ErrLapsed = errors.New("redlock: lease has lapsed")
	// ErrNotHeld: a quorum proved that the key no longer carries this lease's
	// token although the validity had not ended: somebody removed or replaced
	// it, or nodes forgot it (assumptions A-OWNER and A-VOTE).
	ErrNotHeld = errors.New("redlock: lease is no longer held")
	// ErrReleased: the lease was released or handed over by this process.
	ErrReleased = errors.New("redlock: lease was released")
	// ErrExtensionLimit: the lease was extended as often as it may be.
	ErrExtensionLimit = errors.New("redlock: lease reached its maximum number of extensions")
	// ErrWaitLimit: Lock waited for as long as it was allowed to.
	ErrWaitLimit = errors.New("redlock: gave up waiting for the resource")
	// ErrInvalidArgument: an argument or option is out of its bounds.
	ErrInvalidArgument = errors.New("redlock: invalid argument")
	// ErrSameServer: two of the nodes are one server (claim BA-9). Nothing is
	// locked through such a configuration.
	ErrSameServer = errors.New("redlock: two nodes are the same server")
	// ErrReleasesDropped: a Locker was closed before a node took its releases;
	// the keys there lapse by their time to live.
	ErrReleasesDropped = errors.New("redlock: locker was closed before all releases were sent")
	// ErrClosed: the Locker was closed.
	ErrClosed = errors.New("redlock: locker is closed")
)

// Operation is what a round asks of the nodes.
type Operation uint8

// The operations, each of them one round.
const (
	OperationAcquire Operation = iota
	OperationExtend
	OperationRelease
	OperationAdopt
	OperationFence
	OperationCheck
)

// String is the operation's name in lower case.
func (o Operation) String() string {
	names := [...]string{"acquire", "extend", "release", "adopt", "fence", "check"}
	if int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprintf("operation(%d)", uint8(o))
}

// Outcome is what is known of one node's part in a round.
type Outcome uint8

const (
	// OutcomePending: no answer yet when the report was made. The command may
	// still arrive, and its answer is still looked after.
	OutcomePending Outcome = iota
	// OutcomeGranted: the node proved what was asked. For a release: the key was
	// there and is deleted.
	OutcomeGranted
	// OutcomeHeldByOther: the key carries another token.
	OutcomeHeldByOther
	// OutcomeMissing: the key was not there. An extension has put it back
	// without counting that as a vote. In a round for a fencing token also: the
	// counter was not lower.
	OutcomeMissing
	// OutcomeTimeout: no answer within the per-node timeout.
	OutcomeTimeout
	// OutcomeTransport: the connection failed; whether the command was executed
	// is unknown.
	OutcomeTransport
	// OutcomeServer: the server answered with an error.
	OutcomeServer
	// OutcomeCircuitOpen: the node failed repeatedly and was not asked.
	OutcomeCircuitOpen
	// OutcomeGuarded: the node answered, but its answer does not count: the node
	// may have forgotten votes in a recent restart (claim RP-4), or the command was
	// sent twice and the answer may tell of what the first sending did. Cause says
	// which.
	OutcomeGuarded
	// OutcomeNotAsked: nothing had to be sent to this node.
	OutcomeNotAsked
)

// String is the outcome's name in lower case words.
func (o Outcome) String() string {
	names := [...]string{"pending", "granted", "held by other", "missing", "timeout", "transport",
		"server", "circuit open", "guarded", "not asked"}
	if int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// NodeOutcome is one node's line in the report of a round.
type NodeOutcome struct {
	// Node is the name given in Node.Name.
	Node string
	// Operation is what was asked.
	Operation Operation
	// Outcome is what is known.
	Outcome Outcome
	// Latency is the time from just before the round's first send to this
	// node's answer; for OutcomeTimeout, to the end of the waiting.
	Latency time.Duration
	// Cause is the driver's or the server's error, or why the answer does not
	// count, if there is one.
	Cause error
}

// String is one readable line without any token.
func (n NodeOutcome) String() string {
	if n.Cause == nil {
		return fmt.Sprintf("%s: %s after %v", n.Node, n.Outcome, n.Latency)
	}
	return fmt.Sprintf("%s: %s after %v (%v)", n.Node, n.Outcome, n.Latency, n.Cause)
}

// RoundError says why a round failed and what every node answered. errors.Is
// finds its Reason and, where one ended the call, the context's error.
type RoundError struct {
	// Operation is what was asked.
	Operation Operation
	// Resources are the names, sorted.
	Resources []string
	// Reason is one of this package's sentinel errors, or wraps or joins one (as
	// ErrSameServer with the names of the nodes), or is the context's cause. Ask
	// errors.Is.
	Reason error
	// Context is the context's cause, or nil.
	Context error
	// Nodes has one entry per node, in the order given to New.
	Nodes []NodeOutcome
}

// Error is one line: operation, resources, reason and every node's outcome.
func (e *RoundError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%v (%s %q", e.Reason, e.Operation, e.Resources)
	for _, node := range e.Nodes {
		text.WriteString("; ")
		text.WriteString(node.String())
	}
	text.WriteByte(')')
	if e.Context != nil {
		fmt.Fprintf(&text, ": %v", e.Context)
	}
	return text.String()
}

// Unwrap lists the reason and the context's error. The nodes' causes are in
// Nodes and not here: a node's own dial that timed out must not look as if the
// caller's context had.
func (e *RoundError) Unwrap() []error {
	if e.Context != nil {
		return []error{e.Reason, e.Context}
	}
	return []error{e.Reason}
}

// invalid reports an argument out of bounds.
func invalid(format string, arguments ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalidArgument, fmt.Sprintf(format, arguments...))
}

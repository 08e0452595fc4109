package redlock

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The errors of this package. Test for them with errors.Is. An error from a round is also
// a [*RoundError], which reports what every node answered. If the context ended the call,
// errors.Is finds the context's error too.
var (
	// ErrContended means that another holds the resource, or that contenders split
	// the votes. Another attempt can succeed later.
	ErrContended = errors.New("redlock: resource is held by another")
	// ErrNoQuorum means that too few nodes gave an answer that proves anything. The
	// others were down, cut off, too slow, returned an error, or did not count.
	ErrNoQuorum = errors.New("redlock: no quorum of nodes could be reached")
	// ErrLate means that votes arrived after the validity had ended (claim MX-3).
	ErrLate = errors.New("redlock: acquisition took longer than its validity")
	// ErrLapsed means that the lease's validity ended before the call succeeded.
	ErrLapsed = errors.New("redlock: lease has lapsed")
	// ErrNotHeld means that the key carries the lease's token on too few nodes for a
	// quorum. If the validity has not ended, somebody removed or replaced
	// the key, or nodes forgot it (assumptions A-OWNER and A-VOTE).
	ErrNotHeld = errors.New("redlock: lease is no longer held")
	// ErrReleased means that this process released the lease.
	ErrReleased = errors.New("redlock: lease was released")
	// ErrHandedOver means that this process left the lease to another; see [Lease.HandOver].
	ErrHandedOver = errors.New("redlock: lease was handed over")
	// ErrExtensionLimit means that the lease reached the limit of
	// WithMaximumExtensions.
	ErrExtensionLimit = errors.New("redlock: lease reached its maximum number of extensions")
	// ErrInvalidArgument means that an argument or an option is out of bounds.
	ErrInvalidArgument = errors.New("redlock: invalid argument")
	// ErrSameServer means that two nodes are one server (claim BA-9). A Locker locks
	// nothing until they answer as different servers.
	ErrSameServer = errors.New("redlock: two nodes are the same server")
	// ErrReleasesDropped means that a Locker was closed before it had sent all
	// releases, or before a call had returned. Those keys expire after their time to live.
	ErrReleasesDropped = errors.New("redlock: locker was closed before all releases were sent")
	// ErrClosed means that the Locker was closed.
	ErrClosed = errors.New("redlock: locker is closed")
)

// RoundError reports why a round failed and what every node answered. errors.Is finds
// Reason in it.
type RoundError struct {
	// Operation is the purpose of the round.
	Operation Operation
	// Resources are the locked names, sorted.
	Resources []string
	// Reason says why the round failed. It wraps an error of this package, or the
	// context's cause if the context ended the call, or both. Test it with errors.Is.
	Reason error
	// Nodes has one report per node, in the order given to New.
	Nodes []NodeReport
}

// shownResources bounds the names in the text of an error.
const shownResources = 8

// Error returns one line with the reason, the operation, the resources and the report of
// every node.
func (e *RoundError) Error() string {
	var text strings.Builder
	shown := min(len(e.Resources), shownResources)
	fmt.Fprintf(&text, "%v (%s %q", e.Reason, e.Operation, e.Resources[:shown])
	if more := len(e.Resources) - shown; more > 0 {
		fmt.Fprintf(&text, " and %d more", more)
	}
	for _, node := range e.Nodes {
		text.WriteString("; ")
		text.WriteString(node.String())
	}
	text.WriteByte(')')
	return text.String()
}

// Unwrap returns Reason. The causes of the nodes are only in Nodes: a node's dial that timed
// out must not look as if the caller's context had.
func (e *RoundError) Unwrap() error { return e.Reason }

// serverError is what a server answered in place of a result, without any token.
type serverError string

// Error returns the server's words.
func (e serverError) Error() string { return "server returned an error: " + string(e) }

// lasting reports whether the server will answer the same until somebody changes a user, a
// password or a key's type.
func (e serverError) lasting() bool {
	code, _, _ := strings.Cut(string(e), " ")
	return slices.Contains([]string{"NOPERM", "NOAUTH", "WRONGPASS", "WRONGTYPE"}, code) ||
		strings.Contains(string(e), "can't run this command") || // NOPERM in a script, before Redis 7
		strings.Contains(string(e), "ACL failure in script") // from Redis 7 on
}

// lasts reports whether the cause of a node's refusal lasts.
func lasts(cause error) bool {
	answer, ok := errors.AsType[serverError](cause)
	return ok && answer.lasting() || errors.Is(cause, errNoRunID) && strings.Contains(cause.Error(), "NOPERM")
}

func because(reason, cause error) error {
	if cause == nil {
		return reason
	}
	return fmt.Errorf("%w: %w", reason, cause)
}

func invalid(format string, arguments ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalidArgument, fmt.Sprintf(format, arguments...))
}

package checker

import (
	"fmt"
	"strings"
)

// FactName says what happened.
type FactName string

// The facts. HISTORY.md lists the fields that each requires, and the one
// assumption that each can break.
const (
	FactClockStep          FactName = "clock_step"
	FactClockRate          FactName = "clock_rate"
	FactWallDiffers        FactName = "wall_differs"
	FactSuspended          FactName = "suspended"
	FactForgot             FactName = "forgot"
	FactRevived            FactName = "revived"
	FactOwner              FactName = "owner"
	FactFailover           FactName = "failover"
	FactSameServer         FactName = "same_server"
	FactMembership         FactName = "membership"
	FactCounterLost        FactName = "counter_lost"
	FactMarkLost           FactName = "mark_lost"
	FactFault              FactName = "fault"
	FactSlowLink           FactName = "slow_link"
	FactLost               FactName = "lost"
	FactRetryFixed         FactName = "retry_fixed"
	FactUnboundedExtension FactName = "unbounded_extension"
	FactFewTries           FactName = "few_tries"
	FactPaused             FactName = "paused"
)

// Cause says why a node forgot or revived a vote.
type Cause string

// The causes. Crash, power loss and rollback break A-VOTE, a failover breaks
// A-DISTINCT, and a third party breaks A-OWNER. A clock step breaks A-STEP: it
// made a node that waits before it restarts come back too early.
const (
	CauseCrash     Cause = "crash"
	CausePowerLoss Cause = "power_loss"
	CauseRollback  Cause = "rollback"
	CauseFailover  Cause = "failover"
	CauseClockStep Cause = "clock_step"
	CauseOwner     Cause = "owner"
)

// Fact is something that happened to the world and that can break an
// assumption. Fields that a fact does not use stay empty.
type Fact struct {
	Head
	Fact FactName `json:"fact"`
	// AtNS is when it happened, or when it began.
	AtNS int64 `json:"at_ns"`
	// UntilNS is when it ended. It is absent for an instant, and for what did not
	// end in this run.
	UntilNS *int64 `json:"until_ns,omitempty"`
	// Event is the number of the trace event that caused it; 0 means none is known.
	Event int64 `json:"event,omitempty"`
	// Who is the node or client whose clock stepped or ran at a wrong rate.
	Who   string `json:"who,omitempty"`
	Clock Clock  `json:"clock,omitempty"`
	// DeltaNS is the size of a clock step, negative when backwards, or how far a wall
	// clock is ahead of that of Client, or of true time.
	DeltaNS int64 `json:"delta_ns,omitempty"`
	// ErrorPPM is a clock's rate error in parts per million, positive when fast.
	ErrorPPM int64 `json:"error_ppm,omitempty"`
	// Client is the client that was suspended or paused, retries after a fixed
	// delay, extends without bound, gave up after its tries, or uses other nodes from now on; or whose wall clock
	// Who's differs from. For a fault it is the only client that the fault cuts off; empty
	// means every client.
	Client string `json:"client,omitempty"`
	// Node is the node that something happened to, or the server that an address does not
	// lead to any more.
	Node string `json:"node,omitempty"`
	// Nodes lists the nodes that are one server, the new membership, or the nodes
	// that a fault, a slow link or a loss takes away. For these, empty means every node.
	Nodes []string `json:"nodes,omitempty"`
	Key   string   `json:"key,omitempty"`
	Token string   `json:"token,omitempty"`
	// RemainingNS is how long the forgotten, revived or removed key still had to
	// live, in true time. When it is not positive nothing is broken.
	RemainingNS int64 `json:"remaining_ns,omitempty"`
	Cause       Cause `json:"cause,omitempty"`
	// Name says in plain words what a fault, a slow link or a third party did, or who gave up.
	Name string `json:"name,omitempty"`
}

// lasting is the time that a fact with a duration covers.
func lasting(fact *Fact) interval {
	return interval{fact.AtNS, orForever(fact.UntilNS)}
}

// stops reports whether a client stood still during a fact.
func (fact *Fact) stops(client string) bool {
	return (fact.Fact == FactPaused || fact.Fact == FactSuspended) && fact.Client == client
}

// describeFact lists the fields that are set.
func describeFact(fact *Fact) string {
	words := []string{string(fact.Fact) + byEvent(fact.Event)}
	for _, text := range []string{
		fact.Name, fact.Who, fact.Client, fact.Node, strings.Join(fact.Nodes, ", "),
		string(fact.Clock), fact.Key, fact.Token, string(fact.Cause),
	} {
		if text != "" {
			words = append(words, text)
		}
	}
	if fact.DeltaNS != 0 {
		words = append(words, "by "+span(fact.DeltaNS))
	}
	if fact.ErrorPPM != 0 {
		words = append(words, fmt.Sprintf("%d ppm", fact.ErrorPPM))
	}
	if fact.RemainingNS != 0 {
		words = append(words, span(fact.RemainingNS)+" to live")
	}
	return strings.Join(words, ", ")
}

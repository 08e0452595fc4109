package checker

import (
	"fmt"
	"strings"
)

// GoalForm says what a goal demands of the operations that it selects.
type GoalForm string

// The forms of goals. HISTORY.md describes them, too.
const (
	// GoalSome: at least one selected operation succeeds and returns between
	// FromNS and FromNS + WithinNS.
	GoalSome GoalForm = "some"
	// GoalEachReturns: every selected operation called at FromNS or later returns
	// within WithinNS of its call, with any outcome but unknown.
	GoalEachReturns GoalForm = "each_returns"
	// GoalEachSucceeds: the same, with the outcome ok.
	GoalEachSucceeds GoalForm = "each_succeeds"
	// GoalEachFails: the same, with the outcome fail.
	GoalEachFails GoalForm = "each_fails"
	// GoalNeverSent: no command that asks for the action is sent between FromNS
	// and FromNS + WithinNS, as far as the nodes' logs show (MX-10).
	GoalNeverSent GoalForm = "never_sent"
)

// Goal is one liveness demand.
type Goal struct {
	Kind  Kind   `json:"kind"`
	ID    string `json:"id"`
	Claim string `json:"claim,omitempty"`
	// Bound describes the bound with its arithmetic, for readers.
	Bound string   `json:"bound"`
	Form  GoalForm `json:"form"`
	// Client, Except, Resource and Action select operations: those of one client,
	// those of all but one client, those on one resource. Empty selects all.
	Client   string `json:"client,omitempty"`
	Except   string `json:"except,omitempty"`
	Resource string `json:"resource,omitempty"`
	Action   Action `json:"op"`
	FromNS   int64  `json:"from_ns"`
	WithinNS int64  `json:"within_ns"`
	// HealNS is how long, inside the goal's window, a contender must be able to
	// reach a quorum without a break. Zero means the whole window.
	HealNS int64 `json:"heal_ns,omitempty"`
	// Needs lists the assumptions that the bound depends on, such as A-HEAL.
	Needs []string `json:"needs,omitempty"`
	Line  int      `json:"-"`
}

// selects reports whether a goal is about an operation.
func (goal *Goal) selects(operation *Operation) bool {
	return goal.about(operation.Action, operation.Client, operation.Resource)
}

// about reports whether a goal is about an action by a client on a resource.
func (goal *Goal) about(action Action, client, resource string) bool {
	return action == goal.Action &&
		(goal.Client == "" || client == goal.Client) &&
		(goal.Except == "" || client != goal.Except) &&
		(goal.Resource == "" || resource == goal.Resource)
}

// window is the time in which a goal must be met.
func (goal *Goal) window() interval { return interval{goal.FromNS, goal.FromNS + goal.WithinNS} }

// demand says what the goal demands: "B should have had the lock within 200ms of t=650ms".
func (goal *Goal) demand() string {
	who := "somebody"
	switch {
	case goal.Client != "":
		who = goal.Client
	case goal.Except != "":
		who += " but " + goal.Except
	}
	within := goal.Bound
	if formula, value, _ := strings.Cut(goal.Bound, " = "); formula == value {
		within = value
	}
	if each := map[GoalForm]string{GoalEachReturns: "returned", GoalEachSucceeds: "succeeded", GoalEachFails: "failed"}[goal.Form]; each != "" {
		return fmt.Sprintf("each %s by %s should have %s within %s of its call", goal.Action, who, each, within)
	}
	if goal.Form == GoalNeverSent {
		return fmt.Sprintf("%s should have sent no command to %s from %s on, for %s", who, goal.Action, instant(goal.FromNS), within)
	}
	done := map[Action]string{ActionAcquire: "had the lock", ActionExtend: "extended the lock", ActionRelease: "given the lock back"}[goal.Action]
	if done == "" {
		done = fmt.Sprintf("done one %s", goal.Action)
	}
	return fmt.Sprintf("%s should have %s within %s of %s", who, done, within, instant(goal.FromNS))
}

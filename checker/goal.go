package checker

import (
	"cmp"
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
	// GoalEachClears: what a selected release, or acquisition that failed, gave up
	// stays on no node for longer than WithinNS, while its client runs, nothing stands
	// between it and the node, and no release is on its way (LV-11).
	GoalEachClears GoalForm = "each_clears"
	// GoalSentInTime: no command that asks for the action is sent later than WithinNS
	// after the end of its lease, as far as the nodes' logs show (MX-8).
	GoalSentInTime GoalForm = "sent_in_time"
)

// Goal is one liveness demand.
type Goal struct {
	Head
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
}

// Selects reports whether a goal is about an operation.
func (goal *Goal) Selects(operation *Operation) bool {
	return goal.About(operation.Action, operation.Client, operation.Resource)
}

// About reports whether a goal is about an action by a client on a resource.
func (goal *Goal) About(action Action, client, resource string) bool {
	return action == goal.Action &&
		(goal.Client == "" || client == goal.Client) &&
		(goal.Except == "" || client != goal.Except) &&
		(goal.Resource == "" || resource == goal.Resource)
}

// wantsSuccess reports whether a goal demands that a call succeeds.
func (goal *Goal) wantsSuccess() bool { return goal.Form == GoalSome || goal.Form == GoalEachSucceeds }

// windowOf is the time in which a goal must be met.
func windowOf(goal *Goal) interval { return interval{goal.FromNS, goal.FromNS + goal.WithinNS} }

// demand says what the goal demands: "B should have had the lock within 200ms of t=650ms".
func demand(goal *Goal) string {
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
	must := map[GoalForm]string{GoalEachReturns: "returned", GoalEachSucceeds: "succeeded", GoalEachFails: "failed"}
	switch goal.Form {
	case GoalEachReturns, GoalEachSucceeds, GoalEachFails:
		return fmt.Sprintf("each %s by %s should have %s within %s of its call", goal.Action, who, must[goal.Form], within)
	case GoalNeverSent:
		return fmt.Sprintf("%s should have sent no command to %s from %s on, for %s", who, goal.Action, instant(goal.FromNS), within)
	case GoalEachClears:
		return fmt.Sprintf("each %s by %s should have left no key behind for longer than %s", goal.Action, who, within)
	case GoalSentInTime:
		return fmt.Sprintf("%s should have sent no command to %s later than %s after the end of its lease", who, goal.Action, within)
	}
	done := map[Action]string{
		ActionAcquire: "had the lock", ActionExtend: "extended the lock", ActionRelease: "given the lock back",
	}[goal.Action]
	done = cmp.Or(done, fmt.Sprintf("done one %s", goal.Action))
	return fmt.Sprintf("%s should have %s within %s of %s", who, done, within, instant(goal.FromNS))
}

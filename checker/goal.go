package checker

import (
	"fmt"
	"strings"
)

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
	if each := map[GoalForm]string{GoalEachReturns: "returned", GoalEachSucceeds: "succeeded", GoalEachFails: "failed"}[goal.Form]; each != "" {
		return fmt.Sprintf("each %s by %s should have %s within %s of its call", goal.Action, who, each, within)
	}
	if goal.Form == GoalNeverSent {
		return fmt.Sprintf("%s should have sent no command to %s from %s on, for %s", who, goal.Action, instant(goal.FromNS), within)
	}
	if goal.Form == GoalEachClears {
		return fmt.Sprintf("each %s by %s should have left no key behind for longer than %s", goal.Action, who, within)
	}
	if goal.Form == GoalSentInTime {
		return fmt.Sprintf("%s should have sent no command to %s later than %s after the end of its lease", who, goal.Action, within)
	}
	done := map[Action]string{ActionAcquire: "had the lock", ActionExtend: "extended the lock", ActionRelease: "given the lock back"}[goal.Action]
	if done == "" {
		done = fmt.Sprintf("done one %s", goal.Action)
	}
	return fmt.Sprintf("%s should have %s within %s of %s", who, done, within, instant(goal.FromNS))
}

package checker

import (
	"fmt"
	"slices"
)

// LivenessResult is the result of the fourth oracle: each goal is met within its
// bound. It is violated when any goal is, else inconclusive when any goal is.
type LivenessResult struct {
	Result
	Goals []GoalResult `json:"goals"` // in the order of the history
}

// GoalResult is the result for one goal.
type GoalResult struct {
	ID     string `json:"id"`
	Claim  string `json:"claim,omitempty"`
	Status Status `json:"status"`
	Bound  string `json:"bound"`
	// DeadlineNS is when the bound ends. For a goal about each operation it is the
	// deadline of the operation that missed it or came closest to it.
	DeadlineNS int64 `json:"deadline_ns"`
	// SlackNS is the time left at that deadline, negative when it was missed. It is
	// absent when the operation never returned.
	SlackNS   *int64 `json:"slack_ns,omitempty"`
	Operation string `json:"operation,omitempty"`
	Text      string `json:"text"`

	finding Finding // of a goal that is violated
}

func judgeLiveness(idx *index) LivenessResult {
	result := LivenessResult{Result: newResult(OracleLiveness), Goals: []GoalResult{}}
	for goal := range each(idx.Goals) {
		answer := judgeGoal(idx, goal)
		result.Checked++
		result.Goals = append(result.Goals, answer)
		switch answer.Status {
		case Violated:
			result.add(answer.finding)
		case Inconclusive:
			result.giveUp(fmt.Sprintf("%s: %s", answer.ID, answer.Text))
		}
	}
	return result
}

func judgeGoal(idx *index, goal *Goal) GoalResult {
	switch goal.Form {
	case GoalSome:
		return judgeSome(idx, goal)
	case GoalNeverSent:
		return judgeNeverSent(idx, goal)
	case GoalEachClears:
		return judgeClears(idx, goal)
	case GoalSentInTime:
		return judgeSentInTime(idx, goal)
	default:
		return judgeEach(idx, goal)
	}
}

// judgeSome judges a goal that one operation must meet.
func judgeSome(idx *index, goal *Goal) GoalResult {
	deadline := windowOf(goal).until
	answer := answerTo(goal, deadline)
	operation := idx.metBy(goal)
	wanted := idx.wantedBy(goal)
	if operation != nil && wanted {
		answer.decidedBy(operation)
	}
	switch {
	case operation != nil && *operation.ReturnNS <= deadline:
		answer.Status = Holds
		answer.Text = fmt.Sprintf("met by op %s of %s at %s, %s before the deadline",
			operation.ID, operation.Client, instant(*operation.ReturnNS), span(*answer.SlackNS))
	case deadline > idx.Header.EndNS && idx.gaveUp(goal):
		answer.violated(goal, nil, fmt.Sprintf("no %s succeeded from %s on, and every client has ended", goal.Action, instant(goal.FromNS)))
		answer.finding.AtNS = idx.Header.EndNS
	case deadline > idx.Header.EndNS:
		answer.Status = Inconclusive
		answer.Text = idx.tooShort(goal, deadline)
	case operation != nil && wanted:
		answer.violated(goal, operation, fmt.Sprintf("op %s of %s met it only at %s, %s after the deadline",
			operation.ID, operation.Client, instant(*operation.ReturnNS), span(-*answer.SlackNS)))
	case !wanted:
		idx.owesNothing(goal, &answer)
	default:
		answer.violated(goal, nil, fmt.Sprintf("no %s succeeded from %s to %s", goal.Action, instant(goal.FromNS), instant(deadline)))
	}
	return answer
}

// gaveUp reports whether a call that a goal selects failed in its window, and nobody will call
// again: all clients have ended, and none of them with such a call under way.
func (idx *index) gaveUp(goal *Goal) bool {
	failed := false
	for operation := range each(idx.Operations) {
		switch {
		case !goal.Selects(operation):
		case operation.ReturnNS == nil:
			return false // its client crashed
		case *operation.ReturnNS >= goal.FromNS:
			failed = failed || operation.Outcome == OutcomeFail
		}
	}
	return idx.Header.ClientsDone && failed
}

// wantedBy reports whether a call that a goal selects was under way in its window. A lock owes
// nothing to a client that asked for nothing then, also if it had asked before.
func (idx *index) wantedBy(goal *Goal) bool {
	window := windowOf(goal)
	return slices.ContainsFunc(idx.Operations, func(operation Operation) bool {
		return goal.Selects(&operation) && operation.CallNS < window.until &&
			(operation.ReturnNS == nil || *operation.ReturnNS >= window.from)
	})
}

// owesNothing answers a goal that nobody wanted in its window. It holds if each client that it
// selects had been served before and had no call under way later; nobody knows else whether the
// lock kept the client from asking.
func (idx *index) owesNothing(goal *Goal, answer *GoalResult) {
	answer.Status = Inconclusive
	answer.Text = fmt.Sprintf("nobody that the goal is about asked for %s from %s to %s",
		withArticle(goal.Action), instant(goal.FromNS), instant(answer.DeadlineNS))
	served := map[string]*Operation{} // by client: its last selected call, if it succeeded
	for operation := range each(idx.Operations) {
		switch before := served[operation.Client]; {
		case !goal.Selects(operation) || operation.CallNS >= answer.DeadlineNS:
		case before == nil || before.CallNS <= operation.CallNS:
			served[operation.Client] = operation
		}
	}
	for operation := range each(idx.Operations) {
		late := operation.ReturnNS == nil || *operation.ReturnNS > answer.DeadlineNS
		if served[operation.Client] != nil && operation.CallNS < answer.DeadlineNS && late {
			answer.Text += fmt.Sprintf("; op %s of %s was under way", operation.ID, operation.Client)
			return
		}
	}
	for _, operation := range served {
		if operation.Outcome != OutcomeOK {
			return
		}
	}
	if len(served) > 0 {
		answer.Status = Holds
		answer.Text += ", and who had asked before was served before"
	}
}

// withArticle says what is asked for: "an acquire".
func withArticle(action Action) string {
	if action == ActionAcquire || action == ActionExtend {
		return "an " + string(action)
	}
	return "a " + string(action)
}

// metBy finds the first operation that meets a goal of the form GoalSome, in time
// or late. It is nil when there is none.
func (idx *index) metBy(goal *Goal) *Operation {
	var first *Operation
	for operation := range each(idx.Operations) {
		if !goal.Selects(operation) || operation.Outcome != OutcomeOK || *operation.ReturnNS < goal.FromNS {
			continue
		}
		if first == nil || *operation.ReturnNS < *first.ReturnNS {
			first = operation
		}
	}
	return first
}

// tooShort says why the run was too short to decide a goal.
func (idx *index) tooShort(goal *Goal, deadline int64) string {
	if goal.FromNS >= idx.Header.EndNS {
		return fmt.Sprintf("the run ended %s, before the event that starts the goal", instant(idx.Header.EndNS))
	}
	return fmt.Sprintf("the run ended %s, before the deadline %s; "+
		"a run that goes on for %s more, or a bound of at most %s, would decide it",
		instant(idx.Header.EndNS), instant(deadline),
		span(deadline-idx.Header.EndNS), span(idx.Header.EndNS-goal.FromNS))
}

// judgeEach judges a goal that each operation must meet. It answers with the
// operation that missed its deadline first, else with one that is still under
// way, else with the one that came closest to its deadline.
func judgeEach(idx *index, goal *Goal) GoalResult {
	closest := answerTo(goal, windowOf(goal).until)
	closest.Status = Inconclusive
	closest.Text = fmt.Sprintf("no %s was called from %s on", goal.Action, instant(goal.FromNS))
	var missed, open *GoalResult
	for operation := range each(idx.Operations) {
		if !goal.Selects(operation) || operation.CallNS < goal.FromNS {
			continue
		}
		answer := judgeOperation(idx, goal, operation)
		switch {
		case answer.Status == Violated && (missed == nil || answer.finding.AtNS < missed.finding.AtNS):
			missed = &answer
		case answer.Status == Inconclusive && open == nil:
			open = &answer
		case answer.Status == Holds && (closest.SlackNS == nil || *answer.SlackNS < *closest.SlackNS):
			closest = answer
		}
	}
	if missed != nil {
		return *missed
	}
	if open != nil {
		return *open
	}
	return closest
}

// judgeOperation judges one operation of a goal that each operation must meet.
func judgeOperation(idx *index, goal *Goal, operation *Operation) GoalResult {
	answer := answerTo(goal, operation.CallNS+goal.WithinNS)
	answer.Operation = operation.ID
	name := fmt.Sprintf("op %s (%s by %s)", operation.ID, operation.Action, operation.Client)
	if operation.ReturnNS == nil {
		if answer.DeadlineNS <= idx.Header.EndNS {
			answer.violated(goal, operation, name+" never returned")
			return answer
		}
		answer.Status = Inconclusive
		answer.Text = fmt.Sprintf("%s had not returned when the run ended %s, before its deadline", name, instant(idx.Header.EndNS))
		return answer
	}
	answer.decidedBy(operation)
	switch {
	case *answer.SlackNS < 0:
		answer.violated(goal, operation, fmt.Sprintf("%s returned %s after its deadline", name, span(-*answer.SlackNS)))
	case operation.Outcome == OutcomeUnknown,
		goal.Form == GoalEachSucceeds && operation.Outcome != OutcomeOK,
		goal.Form == GoalEachFails && operation.Outcome != OutcomeFail:
		answer.violated(goal, operation, fmt.Sprintf("%s returned with outcome %s", name, operation.Outcome))
	default:
		answer.Status = Holds
		answer.Text = fmt.Sprintf("the closest was %s, %s before its deadline", name, span(*answer.SlackNS))
	}
	return answer
}

// judgeNeverSent looks for a command that should not have been sent. A history
// has only the commands that a node executed: those that were lost are not found.
func judgeNeverSent(idx *index, goal *Goal) GoalResult {
	deadline := windowOf(goal).until
	answer := answerTo(goal, deadline)
	known := false
	for _, event := range idx.nodeEvents {
		selected := event.SentNS != nil && goal.About(event.Asked, event.Client, event.Resource)
		known = known || selected
		if !selected || *event.SentNS < goal.FromNS || *event.SentNS > deadline {
			continue
		}
		answer.violated(goal, nil, fmt.Sprintf("%s sent %s a command to %s at %s, %s after the time from which none may be sent",
			event.Client, event.Node, goal.Action, instant(*event.SentNS), span(*event.SentNS-goal.FromNS)))
		answer.finding.AtNS = *event.SentNS
		answer.finding.Events = events(event.Event)
		answer.finding.Lines = append(answer.finding.Lines, event.Line)
		return answer
	}
	switch {
	case deadline > idx.Header.EndNS:
		answer.Status = Inconclusive
		answer.Text = idx.tooShort(goal, deadline)
	case !known:
		answer.Status = Inconclusive
		answer.Text = fmt.Sprintf("no node ever executed a command to %s that the goal is about", goal.Action)
	default:
		answer.Status = Holds
		answer.Text = fmt.Sprintf("no command to %s was sent from %s to %s", goal.Action, instant(goal.FromNS), instant(deadline))
	}
	return answer
}

// answerTo begins the result of a goal.
func answerTo(goal *Goal, deadline int64) GoalResult {
	return GoalResult{ID: goal.ID, Claim: goal.Claim, Bound: goal.Bound, DeadlineNS: deadline}
}

func (answer *GoalResult) decidedBy(operation *Operation) {
	answer.Operation = operation.ID
	answer.SlackNS = At(answer.DeadlineNS - *operation.ReturnNS)
}

func (answer *GoalResult) violated(goal *Goal, operation *Operation, text string) {
	answer.Status = Violated
	answer.Text = text
	answer.finding = Finding{
		Sort: SortGoal, Resource: goal.Resource, Goal: goal.ID, AtNS: answer.DeadlineNS, Lines: []int{goal.Line},
		Text: demand(goal) + ": " + text,
	}
	if operation != nil {
		answer.finding.Operations = []string{operation.ID}
		answer.finding.Events = events(operation.Event)
	}
}

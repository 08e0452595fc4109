package checker

import (
	"cmp"
	"fmt"
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

	goal    *Goal
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
	answer := GoalResult{
		ID: goal.ID, Claim: goal.Claim, Bound: goal.Bound, DeadlineNS: windowOf(goal).until, goal: goal,
	}
	switch goal.Form {
	case GoalSome:
		idx.judgeSome(&answer)
	case GoalNeverSent:
		idx.judgeNeverSent(&answer)
	case GoalEachClears:
		idx.judgeClears(&answer)
	case GoalSentInTime:
		idx.judgeSentInTime(&answer)
	default:
		idx.judgeEach(&answer)
	}
	return answer
}

// judgeSome judges a goal that one operation must meet.
func (idx *index) judgeSome(answer *GoalResult) {
	goal, deadline := answer.goal, answer.DeadlineNS
	operation, wanted := idx.metBy(goal), idx.wantedBy(goal)
	if operation != nil && wanted {
		answer.decidedBy(operation)
	}
	switch {
	case operation != nil && *operation.ReturnNS <= deadline:
		answer.is(Holds, "met by op %s of %s at %s, %s before the deadline",
			operation.ID, operation.Client, instant(*operation.ReturnNS), span(*answer.SlackNS))
	case deadline > idx.Header.EndNS && idx.gaveUp(goal):
		answer.violated(nil, "no %s succeeded from %s on, and every client has ended", goal.Action, instant(goal.FromNS))
		answer.finding.AtNS = idx.Header.EndNS
	case deadline > idx.Header.EndNS:
		idx.tooShort(answer)
	case operation != nil && wanted:
		answer.violated(operation, "op %s of %s met it only at %s, %s after the deadline",
			operation.ID, operation.Client, instant(*operation.ReturnNS), span(-*answer.SlackNS))
	case !wanted:
		idx.owesNothing(answer)
	default:
		answer.violated(nil, "no %s succeeded from %s to %s", goal.Action, instant(goal.FromNS), instant(deadline))
	}
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
	return nil != find(idx.Operations, func(operation *Operation) bool {
		return goal.Selects(operation) && operation.CallNS < window.until &&
			orForever(operation.ReturnNS) >= window.from
	})
}

// owesNothing answers a goal that nobody wanted in its window. It holds if each client that it
// selects had been served before and had no call under way later; nobody knows else whether the
// lock kept the client from asking.
func (idx *index) owesNothing(answer *GoalResult) {
	goal := answer.goal
	article := "a"
	if goal.Action == ActionAcquire || goal.Action == ActionExtend {
		article = "an"
	}
	answer.is(Inconclusive, "nobody that the goal is about asked for %s %s from %s to %s",
		article, goal.Action, instant(goal.FromNS), instant(answer.DeadlineNS))
	last := map[string]*Operation{} // by client: its last selected call
	for operation := range each(idx.Operations) {
		switch before := last[operation.Client]; {
		case !goal.Selects(operation) || operation.CallNS >= answer.DeadlineNS:
		case before == nil || before.CallNS <= operation.CallNS:
			last[operation.Client] = operation
		}
	}
	if late := find(idx.Operations, func(o *Operation) bool {
		return last[o.Client] != nil && o.CallNS < answer.DeadlineNS && orForever(o.ReturnNS) > answer.DeadlineNS
	}); late != nil {
		answer.Text += fmt.Sprintf("; op %s of %s was under way", late.ID, late.Client)
		return
	}
	for _, operation := range last {
		if operation.Outcome != OutcomeOK {
			return
		}
	}
	if len(last) > 0 {
		answer.Status = Holds
		answer.Text += ", and who had asked before was served before"
	}
}

// metBy finds the first operation that meets a goal of the form GoalSome, in time
// or late. It is nil when there is none.
func (idx *index) metBy(goal *Goal) *Operation {
	var first *Operation
	for operation := range each(idx.Operations) {
		met := goal.Selects(operation) && operation.Outcome == OutcomeOK && *operation.ReturnNS >= goal.FromNS
		if met && (first == nil || *operation.ReturnNS < *first.ReturnNS) {
			first = operation
		}
	}
	return first
}

// tooShort answers a goal that the run was too short to decide.
func (idx *index) tooShort(answer *GoalResult) {
	from, deadline, end := answer.goal.FromNS, answer.DeadlineNS, idx.Header.EndNS
	if from >= end {
		answer.is(Inconclusive, "the run ended %s, before the event that starts the goal", instant(end))
		return
	}
	answer.is(Inconclusive, "the run ended %s, before the deadline %s; "+
		"a run that goes on for %s more, or a bound of at most %s, would decide it",
		instant(end), instant(deadline), span(deadline-end), span(end-from))
}

// judgeEach judges a goal that each operation must meet. It answers with the
// operation that missed its deadline first, else with one that is still under
// way, else with the one that came closest to its deadline.
func (idx *index) judgeEach(answer *GoalResult) {
	goal := answer.goal
	answer.is(Inconclusive, "no %s was called from %s on", goal.Action, instant(goal.FromNS))
	var missed, open *GoalResult
	undecided := *answer
	for operation := range each(idx.Operations) {
		if !goal.Selects(operation) || operation.CallNS < goal.FromNS {
			continue
		}
		one := undecided
		idx.judgeOperation(&one, operation)
		switch {
		case one.Status == Violated && (missed == nil || one.finding.AtNS < missed.finding.AtNS):
			missed = &one
		case one.Status == Inconclusive && open == nil:
			open = &one
		case one.Status == Holds && (answer.SlackNS == nil || *one.SlackNS < *answer.SlackNS):
			*answer = one
		}
	}
	*answer = *cmp.Or(missed, open, answer)
}

// judgeOperation judges one operation of a goal that each operation must meet.
func (idx *index) judgeOperation(answer *GoalResult, operation *Operation) {
	form := answer.goal.Form
	answer.Operation, answer.DeadlineNS = operation.ID, operation.CallNS+answer.goal.WithinNS
	name := fmt.Sprintf("op %s (%s by %s)", operation.ID, operation.Action, operation.Client)
	if operation.ReturnNS != nil {
		answer.decidedBy(operation)
	}
	switch {
	case operation.ReturnNS == nil && answer.DeadlineNS <= idx.Header.EndNS:
		answer.violated(operation, "%s never returned", name)
	case operation.ReturnNS == nil:
		answer.is(Inconclusive, "%s had not returned when the run ended %s, before its deadline", name, instant(idx.Header.EndNS))
	case *answer.SlackNS < 0:
		answer.violated(operation, "%s returned %s after its deadline", name, span(-*answer.SlackNS))
	case operation.Outcome == OutcomeUnknown,
		form == GoalEachSucceeds && operation.Outcome != OutcomeOK,
		form == GoalEachFails && operation.Outcome != OutcomeFail:
		answer.violated(operation, "%s returned with outcome %s", name, operation.Outcome)
	default:
		answer.is(Holds, "the closest was %s, %s before its deadline", name, span(*answer.SlackNS))
	}
}

// judgeNeverSent looks for a command that should not have been sent. A history
// has only the commands that a node executed: those that were lost are not found.
func (idx *index) judgeNeverSent(answer *GoalResult) {
	goal, deadline := answer.goal, answer.DeadlineNS
	known := false
	for _, event := range idx.nodeEvents {
		selected := event.SentNS != nil && goal.About(event.Asked, event.Client, event.Resource)
		known = known || selected
		if selected && *event.SentNS >= goal.FromNS && *event.SentNS <= deadline {
			answer.violated(nil, "%s sent %s a command to %s at %s, %s after the time from which none may be sent",
				event.Client, event.Node, goal.Action, instant(*event.SentNS), span(*event.SentNS-goal.FromNS))
			answer.shownBy(event, *event.SentNS)
			return
		}
	}
	switch {
	case deadline > idx.Header.EndNS:
		idx.tooShort(answer)
	case !known:
		answer.is(Inconclusive, "no node ever executed a command to %s that the goal is about", goal.Action)
	default:
		answer.is(Holds, "no command to %s was sent from %s to %s", goal.Action, instant(goal.FromNS), instant(deadline))
	}
}

func (answer *GoalResult) is(status Status, format string, arguments ...any) {
	answer.Status, answer.Text = status, fmt.Sprintf(format, arguments...)
}

func (answer *GoalResult) decidedBy(operation *Operation) {
	answer.Operation = operation.ID
	answer.SlackNS = At(answer.DeadlineNS - *operation.ReturnNS)
}

// violated answers with a finding, which an operation shows or none.
func (answer *GoalResult) violated(operation *Operation, format string, arguments ...any) {
	goal := answer.goal
	answer.is(Violated, format, arguments...)
	answer.finding = Finding{
		Sort: SortGoal, Resource: goal.Resource, Goal: goal.ID, AtNS: answer.DeadlineNS, Lines: []int{goal.Line},
		Text: demand(goal) + ": " + answer.Text,
	}
	if operation != nil {
		answer.finding.Operations = []string{operation.ID}
		answer.finding.Events = events(operation.Event)
	}
}

// shownBy adds a command to the finding, and dates it.
func (answer *GoalResult) shownBy(event *NodeEvent, at int64) {
	answer.finding.AtNS = at
	answer.finding.Events = events(append(answer.finding.Events, event.Event)...)
	answer.finding.Lines = append(answer.finding.Lines, event.Line)
}

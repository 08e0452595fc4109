package checker

import (
	"fmt"
	"slices"
	"strings"
)

// LivenessResult is the answer of the fourth oracle: every goal was met within
// its bound. It is violated when any goal is, else inconclusive when any is.
type LivenessResult struct {
	Result
	Goals []GoalResult `json:"goals"`
}

// GoalResult is the answer for one goal.
type GoalResult struct {
	ID     string `json:"id"`
	Claim  string `json:"claim,omitempty"`
	Status Status `json:"status"`
	Bound  string `json:"bound"`
	// DeadlineNS is the instant of the bound; for the forms that look at each
	// operation, that of the operation that came closest to it or missed it.
	DeadlineNS int64 `json:"deadline_ns"`
	// SlackNS is the time that was left at that deadline, negative when it was
	// missed; absent when the deciding operation never returned.
	SlackNS   *int64 `json:"slack_ns,omitempty"`
	Operation string `json:"operation,omitempty"`
	Text      string `json:"text"`

	finding Finding
}

func judgeLiveness(idx *index) LivenessResult {
	result := LivenessResult{Result: Result{Status: Holds}, Goals: []GoalResult{}}
	for i := range idx.Goals {
		goal := &idx.Goals[i]
		answer := judgeGoal(idx, goal)
		result.Checked++
		result.Goals = append(result.Goals, answer)
		switch {
		case answer.Status == Violated:
			result.add(answer.finding)
		case answer.Status == Inconclusive && result.Status == Holds:
			result.Status = Inconclusive
			result.Reason = fmt.Sprintf("%s: %s", goal.ID, answer.Text)
		}
	}
	if result.Status == Violated {
		result.Reason = ""
	}
	return result
}

func judgeGoal(idx *index, goal *Goal) GoalResult {
	switch goal.Form {
	case GoalSome:
		return judgeSome(idx, goal)
	case GoalNeverSent:
		return judgeNeverSent(idx, goal)
	default:
		return judgeEach(idx, goal)
	}
}

func (goal *Goal) selects(operation *Operation) bool {
	return operation.Action == goal.Action &&
		(goal.Client == "" || operation.Client == goal.Client) &&
		(goal.Except == "" || operation.Client != goal.Except) &&
		(goal.Resource == "" || operation.Resource == goal.Resource)
}

// metBy finds the first operation that meets a goal of the form GoalSome,
// whether in time or late.
func (idx *index) metBy(goal *Goal) *Operation {
	var first *Operation
	for i := range idx.Operations {
		operation := &idx.Operations[i]
		if !goal.selects(operation) || operation.Outcome != OutcomeOK || *operation.ReturnNS < goal.FromNS {
			continue
		}
		if first == nil || *operation.ReturnNS < *first.ReturnNS {
			first = operation
		}
	}
	return first
}

func judgeSome(idx *index, goal *Goal) GoalResult {
	deadline := goal.FromNS + goal.WithinNS
	answer := goal.answer(deadline)
	operation := idx.metBy(goal)
	if operation != nil {
		answer.reached(operation)
	}
	switch {
	case operation != nil && *operation.ReturnNS <= deadline:
		answer.Status = Holds
		answer.Text = fmt.Sprintf("met by op %s of %s at %s, %s before the deadline", operation.ID, operation.Client, instant(*operation.ReturnNS), span(*answer.SlackNS))
	case deadline > idx.Header.EndNS:
		answer.Status = Inconclusive
		answer.Text = idx.undecided(goal, deadline)
	case operation != nil:
		answer.violated(goal, operation, fmt.Sprintf("op %s of %s met it only at %s, %s after the deadline",
			operation.ID, operation.Client, instant(*operation.ReturnNS), span(-*answer.SlackNS)))
	default:
		answer.violated(goal, nil, fmt.Sprintf("no %s succeeded from %s to %s", goal.Action, instant(goal.FromNS), instant(deadline)))
	}
	return answer
}

// undecided says why the run was too short for a goal.
func (idx *index) undecided(goal *Goal, deadline int64) string {
	if goal.FromNS >= idx.Header.EndNS {
		return fmt.Sprintf("what it begins with had not come when the run ended %s", instant(idx.Header.EndNS))
	}
	return fmt.Sprintf("the run ended %s, before the deadline %s", instant(idx.Header.EndNS), instant(deadline))
}

// judgeEach answers with the operation that missed its deadline first, else
// with one that is still open, else with the one that came closest.
func judgeEach(idx *index, goal *Goal) GoalResult {
	closest := goal.answer(goal.FromNS + goal.WithinNS)
	closest.Status = Inconclusive
	closest.Text = fmt.Sprintf("no %s was called from %s on", goal.Action, instant(goal.FromNS))
	var missed, open *GoalResult
	for i := range idx.Operations {
		operation := &idx.Operations[i]
		if !goal.selects(operation) || operation.CallNS < goal.FromNS {
			continue
		}
		answer := goal.answer(operation.CallNS + goal.WithinNS)
		answer.Operation = operation.ID
		answer.judgeOne(idx, goal, operation)
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

func (answer *GoalResult) judgeOne(idx *index, goal *Goal, operation *Operation) {
	who := fmt.Sprintf("op %s (%s by %s)", operation.ID, operation.Action, operation.Client)
	switch {
	case operation.ReturnNS == nil && answer.DeadlineNS > idx.Header.EndNS:
		answer.Status = Inconclusive
		answer.Text = fmt.Sprintf("%s had not returned when the run ended %s, before its deadline", who, instant(idx.Header.EndNS))
		return
	case operation.ReturnNS == nil:
		answer.violated(goal, operation, who+" never returned")
		return
	}
	answer.reached(operation)
	switch {
	case *answer.SlackNS < 0:
		answer.violated(goal, operation, fmt.Sprintf("%s returned %s after its deadline", who, span(-*answer.SlackNS)))
	case operation.Outcome == OutcomeUnknown,
		goal.Form == GoalEachSucceeds && operation.Outcome != OutcomeOK,
		goal.Form == GoalEachFails && operation.Outcome != OutcomeFail:
		answer.violated(goal, operation, fmt.Sprintf("%s returned with outcome %s", who, operation.Outcome))
	default:
		answer.Status = Holds
		answer.Text = fmt.Sprintf("the closest was %s, %s before its deadline", who, span(*answer.SlackNS))
	}
}

// judgeNeverSent looks for a command that should not have been sent. Commands
// that no node executed are not in the history: a run that loses messages shows less.
func judgeNeverSent(idx *index, goal *Goal) GoalResult {
	deadline := goal.FromNS + goal.WithinNS
	answer := goal.answer(deadline)
	known := false
	for _, event := range idx.nodeTime {
		selected := event.Asked == goal.Action && event.SentNS != nil &&
			(goal.Client == "" || event.Client == goal.Client) &&
			(goal.Except == "" || event.Client != goal.Except) &&
			(goal.Resource == "" || event.Resource == goal.Resource)
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
	answer.Status = Holds
	answer.Text = fmt.Sprintf("no command to %s was sent from %s to %s", goal.Action, instant(goal.FromNS), instant(deadline))
	switch {
	case deadline > idx.Header.EndNS:
		answer.Status = Inconclusive
		answer.Text = idx.undecided(goal, deadline)
	case !known:
		answer.Status = Inconclusive
		answer.Text = fmt.Sprintf("no node ever executed a command to %s that it could be about", goal.Action)
	}
	return answer
}

func (goal *Goal) answer(deadline int64) GoalResult {
	return GoalResult{ID: goal.ID, Claim: goal.Claim, Bound: goal.Bound, DeadlineNS: deadline}
}

// words are what the goal demands: "B should have had the lock within 200ms of t=650ms".
func (goal *Goal) words() string {
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

func (answer *GoalResult) reached(operation *Operation) {
	answer.Operation = operation.ID
	answer.SlackNS = At(answer.DeadlineNS - *operation.ReturnNS)
}

func (answer *GoalResult) violated(goal *Goal, operation *Operation, text string) {
	answer.Status = Violated
	answer.Text = text
	answer.finding = Finding{
		Sort: sortGoal, Resource: goal.Resource, Goal: goal.ID, AtNS: answer.DeadlineNS, Lines: []int{goal.Line},
		Text: goal.words() + ": " + text,
	}
	if operation != nil {
		answer.finding.Operations = []string{operation.ID}
		answer.finding.Events = events(operation.Event)
	}
}

// healing enters A-HEAL for every unmet goal that needs it: inside the goal's
// window no contender (see contenders) had a stretch of the needed length in which a quorum of
// nodes was within its reach.
func (book *bookkeeper) healing() {
	for i := range book.Goals {
		goal := &book.Goals[i]
		if !slices.Contains(goal.Needs, AssumptionHeal) || judgeGoal(book.index, goal).Status == Holds {
			continue
		}
		window := interval{goal.FromNS, goal.FromNS + goal.WithinNS}
		needed := goal.HealNS
		if needed == 0 {
			needed = goal.WithinNS
		}
		if fact := book.neverHealed(goal, window, needed); fact != nil {
			book.broken(AssumptionHeal, max(fact.AtNS, window.from), fact,
				"faults (first %s) left no contender %s in which it could reach %d nodes between %s and %s",
				fact.Name, span(needed), book.Header.Quorum, instant(window.from), instant(window.until))
		}
	}
}

// neverHealed returns the first fault in the window if no contender had its
// stretch, and nil if one had.
func (book *bookkeeper) neverHealed(goal *Goal, window interval, needed int64) *Fact {
	var first *Fact
	var faults []*Fact
	for i := range book.Facts {
		fact := &book.Facts[i]
		if fact.Fact != FactFault || !duration(fact).overlaps(window) {
			continue
		}
		faults = append(faults, fact)
		if first == nil || fact.AtNS < first.AtNS {
			first = fact
		}
	}
	if first == nil {
		return nil
	}
	for _, client := range book.contenders(goal, window) {
		if book.longestReach(client, faults, window) >= needed {
			return nil
		}
	}
	return first
}

// contenders are the clients that were asking inside a window for what a goal is
// about. One that crashed before, or never asked, heals nothing by what it could
// reach. Where nobody asked, all count whom the goal speaks of.
func (book *bookkeeper) contenders(goal *Goal, window interval) []string {
	var asking, meant []string
	for _, client := range book.Header.Clients {
		if goal.Client != "" && client.Name != goal.Client || client.Name == goal.Except {
			continue
		}
		meant = append(meant, client.Name)
		if slices.ContainsFunc(book.Operations, func(operation Operation) bool {
			return operation.Client == client.Name && goal.selects(&operation) && operation.CallNS < window.until &&
				(operation.ReturnNS == nil || *operation.ReturnNS > window.from)
		}) {
			asking = append(asking, client.Name)
		}
	}
	if len(asking) == 0 {
		return meant
	}
	return asking
}

// longestReach is the longest stretch of a window in which a client could
// reach a quorum.
func (book *bookkeeper) longestReach(client string, faults []*Fact, window interval) int64 {
	instants := []int64{window.from, window.until}
	for _, fact := range faults {
		for _, at := range []int64{fact.AtNS, duration(fact).until} {
			if at > window.from && at < window.until {
				instants = append(instants, at)
			}
		}
	}
	slices.Sort(instants)
	var longest, current int64
	for i := 1; i < len(instants); i++ {
		if book.reaches(client, faults, instants[i-1]) {
			current += instants[i] - instants[i-1]
			longest = max(longest, current)
		} else {
			current = 0
		}
	}
	return longest
}

func (book *bookkeeper) reaches(client string, faults []*Fact, at int64) bool {
	away := map[string]bool{}
	for _, fact := range faults {
		if fact.Client != "" && fact.Client != client || !duration(fact).overlaps(interval{at, at + 1}) {
			continue
		}
		if len(fact.Nodes) == 0 {
			return false
		}
		for _, node := range fact.Nodes {
			away[node] = true
		}
	}
	return len(book.Header.Nodes)-len(away) >= book.Header.Quorum
}

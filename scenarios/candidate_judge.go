package scenarios

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// setAside takes out of a verdict what is no failure of the lock, and returns what a claim
// measures there: goals of measured claims that were missed. A goal is inconclusive whose
// client had given up asking, or in whose story a fault waited for a command that the lock
// does not send.
func setAside(r *play.Result) (measured []string) {
	live := &r.Verdict.Liveness
	reason, unsent := "", neverSent(r)
	for i := range live.Goals {
		goal := &live.Goals[i]
		if goal.Status != checker.Violated {
			continue
		}
		counts := campaign.Counts(goal.Claim, checker.OracleLiveness)
		gone := cmp.Or(gaveUp(r, i), unsent)
		if counts && gone == "" {
			continue
		}
		if !counts {
			measured = append(measured, "the goal was missed: "+goal.Bound)
		} else {
			reason = gone
		}
		live.Findings = slices.DeleteFunc(live.Findings, func(f checker.Finding) bool { return f.Goal == goal.ID })
		live.Found--
		goal.Status = checker.Inconclusive
	}
	if len(measured) == 0 && reason == "" {
		return nil
	}
	live.Bug = slices.ContainsFunc(live.Findings, func(f checker.Finding) bool { return len(f.ExplainedBy) == 0 })
	if len(live.Findings) == 0 {
		live.ExplainedBy = nil
		if live.Status, live.Reason = checker.Holds, ""; reason != "" {
			live.Status, live.Reason = checker.Inconclusive, reason
		}
	}
	return measured
}

// neverSent says which fault waited for a command that the lock never sent, so that the story
// did not happen; empty when none did.
func neverSent(r *play.Result) string {
	for _, f := range r.Plan.Faults {
		when := f.Begin.When
		if when.Command == "" {
			continue
		}
		sent, purposes := faults.Pattern{Subject: "any", Word: "sent", Command: when.Command}, sim.Purposes{}
		never := !slices.ContainsFunc(r.Events, func(e sim.Event) bool { return sent.Match(e, purposes.Apply(&e)) })
		if never {
			return fmt.Sprintf("the fault %q waited for %q, and this lock sends no such command: say which it sends in Abilities.Commands",
				f.Name, when.String())
		}
	}
	return ""
}

// gaveUp says that the clients of a goal had stopped asking before its bound: the last
// blocking acquisition of each returned an error. It is empty when one still asked, and when the
// scenario itself ends the tries: A-TRIES explains that.
func gaveUp(r *play.Result, i int) string {
	goal := &r.History.Goals[i]
	if goal.Form != checker.GoalSome || goal.Action != checker.ActionAcquire || r.Plan.Lock.Retry.Tries > 0 {
		return ""
	}
	deadline := goal.FromNS + goal.WithinNS
	text := ""
	for _, c := range r.Plan.Clients {
		if goal.Client != "" && c.Name != goal.Client || c.Name == goal.Except {
			continue
		}
		var last *checker.Operation
		for j := range r.History.Operations {
			o := &r.History.Operations[j]
			about := goal.Resource == "" || o.Resource == goal.Resource
			if about && o.Client == c.Name && o.Action == goal.Action && o.CallNS <= deadline {
				last = o
			}
		}
		if last == nil {
			continue
		}
		has := func(kind plan.StepKind) bool {
			return slices.ContainsFunc(plan.AllSteps(c.Steps), func(x plan.Step) bool {
				return x.Kind == kind && x.Resource == last.Resource
			})
		}
		blocking := has(plan.StepLock) && !has(plan.StepTryLock)
		if !blocking || last.Outcome != checker.OutcomeFail || *last.ReturnNS >= deadline {
			return ""
		}
		text = fmt.Sprintf("%s gave up at %v (%s), before the bound of its goal, and no longer asked: a Lock that retries until its context ends decides it, as Environment.Retry does",
			c.Name, time.Duration(*last.ReturnNS).Round(time.Millisecond), last.Class)
	}
	return text
}

// bugsOf lists the violations that no broken assumption explains, and the contradictions
// in what the lock reports.
func bugsOf(r *play.Result) []string {
	var list []string
	for _, problem := range r.Verdict.Problems {
		list = append(list, "the history contradicts itself: "+problem.String())
	}
	return append(list, answers(r, func(a checker.Answer) bool { return a.Bug })...)
}

// notEnded says what it means that goroutines stayed.
const notEnded = ": something that the lock started waits for ever when the run is over; end it in Environment.OnEnd, as a watchdog whose lease nobody released"

// noDeadline says what it means that virtual time ran out.
const noDeadline = ": something of the lock waits without a deadline, such as a dial or a command whose message was lost"

// undecidedOf lists the inconclusive answers, and the bound that ended the run.
func undecidedOf(r *play.Result) []string {
	var list []string
	if r.Outcome != string(sim.Finished) {
		why := map[string]string{string(sim.VirtualBound): noDeadline, string(sim.Stuck): notEnded}[r.Outcome]
		list = append(list, "the run ended at its bound: "+r.Outcome+why)
	}
	return append(list, answers(r, func(a checker.Answer) bool { return a.Status == checker.Inconclusive })...)
}

// answers lists the chosen answers of the oracles, in words.
func answers(r *play.Result, chosen func(checker.Answer) bool) []string {
	var list []string
	for _, result := range r.Verdict.Results() {
		if chosen(result.Answer) {
			list = append(list, result.String())
		}
	}
	return list
}

// lastErrors lists the errors of the clients' last failed attempts.
func lastErrors(r *play.Result) []string {
	return plan.Texts(r.Failures, func(f string) string { return "the last attempt that failed, by " + f })
}

// said is what the run of a seed says.
type said struct {
	seed uint64
	text string
}

// numbers are counts, instants and times.
var numbers = regexp.MustCompile(`(\d+(\.\d+)?(ns|µs|ms|s|m|h)?)+`)

// folded words what runs say. What several seeds say in the same words, but for numbers, is one
// line: that of the first.
func folded(all []said) []string {
	type line struct {
		said
		words     string
		more      int
		otherwise bool // another seed has other numbers
		of        uint64
	}
	var lines []*line
	for _, s := range all {
		words := numbers.ReplaceAllString(s.text, "#")
		i := slices.IndexFunc(lines, func(l *line) bool { return l.words == words })
		if i < 0 {
			lines = append(lines, &line{said: s, words: words, of: s.seed})
			continue
		}
		l := lines[i]
		if l.of != s.seed {
			l.more++
		}
		l.of, l.otherwise = s.seed, l.otherwise || s.text != l.text
	}
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = fmt.Sprintf("seed %d: %s", l.seed, l.text)
		if l.more > 0 {
			texts[i] = fmt.Sprintf("seed %d, and %d more up to %d: %s", l.seed, l.more, l.of, l.text)
		}
		if l.otherwise {
			texts[i] += " (with other numbers elsewhere)"
		}
	}
	return texts
}

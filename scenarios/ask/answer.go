package ask

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/rules"
	"redlocklab/sim"
)

// Status is the answer in a word.
type Status string

// The answers. SafeIf names a condition that the setup does not state. Undecided: too few runs
// showed anything.
const (
	Safe      Status = "safe"
	SafeIf    Status = "safe if"
	Unsafe    Status = "unsafe"
	Undecided Status = "undecided"
)

// Answer is what the rule and the runs of one question say.
type Answer struct {
	Question string `json:"question"`
	Claim    string `json:"claim"`
	Status   Status `json:"status"`
	Says     string `json:"says"`               // in sentences, without the status
	Defaults string `json:"defaults,omitempty"` // what the setup did not say, and what decides the answer
	Notes    []Note `json:"notes,omitempty"`    // about the setup: what was played in place of what it says
	Disagree string `json:"disagree,omitempty"` // how rule and play differ; empty: they agree
	Unit     string `json:"unit"`               // of all numbers: ns, ppm, servers
	Own      int64  `json:"own"`                // the setup's number
	// Holds is the last safe number, Violated that of the nearest violated run. Absent where there is none.
	Holds    *int64 `json:"holds,omitempty"`
	Violated *int64 `json:"violated,omitempty"`
	Margin   *int64 `json:"margin,omitempty"` // from the own number to Holds; negative: too far
	Rule     ByRule `json:"rule"`
	Play     ByPlay `json:"play"`

	Changes []Change `json:"changes,omitempty"` // those that were played and held, the cheapest first
	Show    int64    `json:"show"`              // the number of the run that the story is about
	Seed    uint64   `json:"seed"`              // of that run
	told    variant  // of that run

	// TrueTime: the rule is about clocks of clients, too, which the laboratory cannot make wrong
	// for this lock.
	TrueTime bool `json:"true_time,omitempty"`
}

// ByRule is what the closed formula says.
type ByRule struct {
	Known   bool       `json:"known"` // the claims have a rule about this lock
	Sort    rules.Sort `json:"sort"`
	Formula string     `json:"formula"`
	Border  *int64     `json:"border,omitempty"` // its value here; of sort at
	Source  string     `json:"source"`
	If      []string   `json:"if,omitempty"`
}

// ByPlay is what the runs say.
type ByPlay struct {
	Runs     int `json:"runs"`      // in all
	Clean    int `json:"clean"`     // runs at Holds, without a violation
	CleanOwn int `json:"clean_own"` // runs at the setup's own number, without a violation
	// CleanUnless are runs at the setup's own number under the condition that makes it safe.
	CleanUnless int    `json:"clean_unless,omitempty"`
	Worst       string `json:"worst,omitempty"`      // the variant of the violated run
	Idle        bool   `json:"too_little,omitempty"` // too few runs showed anything
}

// Ask answers a question about a setup.
func (a *Asker) Ask(ctx context.Context, s *Setup, q *Question) (Answer, error) {
	played, notes := s.Notes()
	run := &session{Asker: a, ctx: ctx, q: q, s: &played, rule: q.rule()}
	answer, err := run.answer()
	answer.Play.Runs, answer.Notes = run.runs, notes
	return answer, err
}

func (a *session) answer() (Answer, error) {
	q, s := a.q, a.s
	stated, known := s.facts(q, false)
	a.facts, _ = s.facts(q, true)
	a.played = a.rule.Border(a.facts)
	border := a.rule.Border(stated)
	answer := Answer{
		Question: q.Name, Claim: q.Claim, Unit: a.rule.Unit, Own: q.own(s), Defaults: s.defaults(q),
		Show: q.Own(s), Seed: a.Seed, told: q.corners(s)[0],
		Rule: ByRule{
			Known: known, Sort: border.Sort, Formula: a.rule.Formula, Source: a.rule.Source, If: border.If,
		},
	}
	asPlayed := stated
	asPlayed.ClientRate, asPlayed.Sleeps = a.facts.ClientRate, a.facts.Sleeps
	answer.TrueTime = s.clock() == sim.True && a.rule.Border(asPlayed).Safe != border.Safe
	if border.Sort == rules.At {
		answer.Rule.Border = &border.Safe
	}
	bad, err := a.worst()
	if err != nil {
		return answer, err
	}
	if known {
		answer.Disagree = a.disagreement(bad)
	}
	if bad, err = a.settle(&answer, border, bad); err != nil {
		return answer, err
	}
	if bad != nil {
		answer.Violated, answer.Show, answer.Seed, answer.told = &bad.x, bad.x, bad.seed, bad.variant
		answer.Play.Worst = bad.variant.String()
	}
	if answer.Holds != nil {
		margin := (*answer.Holds - answer.Own) * q.unsafeWay()
		answer.Margin = &margin
	}
	if border.Unless != "" && answer.Holds != nil && q.unsafe(answer.Own, *answer.Holds) {
		a.q = q.calmed()
		clean, bad, err := a.evidence(q.Own(s))
		a.q = q
		if err != nil {
			return answer, err
		}
		if bad != nil {
			border.Unless = ""
		}
		answer.Play.CleanUnless, answer.Play.Idle = clean, answer.Play.Idle || clean < a.Evidence
	}
	a.judge(&answer, border)
	if answer.Status == Unsafe {
		own, err := a.attack(q.Own(s)) // the story is that of the setup's own number, where a run shows it
		if own != nil {
			answer.Show, answer.Seed, answer.told = own.x, own.seed, own.variant
		}
		if err != nil {
			return answer, err
		}
		answer.Changes, err = a.changes(&answer)
		return answer, err
	}
	return answer, nil
}

// disagreement says how the rule and the worst run differ, in the laboratory's facts.
func (a *session) disagreement(bad *run) string {
	q, b := a.q, a.played
	_, unsafe := a.far()
	switch {
	case bad == nil && b.Sort == rules.Always,
		bad == nil && b.Sort == rules.At && (unsafe-b.Harm)*q.unsafeWay() > q.step(a.s):
		return "the rule says that there is harm; no run shows it"
	case bad != nil && b.Sort == rules.Never:
		return fmt.Sprintf("the rule says never; a run is violated at %s", q.say(bad.x, 0))
	case bad != nil && b.Sort == rules.At && abs(bad.x-b.Harm) > 2*q.step(a.s):
		return fmt.Sprintf("the rule says %s; the worst run is violated at %s", q.say(b.Harm, 0), q.say(bad.x, 0))
	}
	return ""
}

func abs(n int64) int64 { return max(n, -n) }

// settle finds the last safe number: the rule's, or one further away where a run on the safe side is
// violated. It returns the violated run that is nearest.
func (a *session) settle(answer *Answer, border rules.Border, bad *run) (*run, error) {
	q := a.q
	safeEnd, unsafe := a.far()
	own := q.own(a.s)
	var safe *int64
	switch border.Sort {
	case rules.At:
		safe = &border.Safe
	case rules.Never:
		safe = &unsafe
	}
	// nearer moves the last safe number away from a violated run.
	nearer := func(r *run) {
		if x := r.x - q.step(a.s)*q.unsafeWay(); safe != nil && !q.unsafe(r.x, *safe) {
			safe = &x
		}
		bad = r
	}
	if bad != nil {
		nearer(bad)
	}
	for range 8 {
		if safe == nil || q.unsafe(safeEnd, *safe) {
			safe = nil
			break
		}
		points := []int64{*safe}
		if own >= q.low && q.unsafe(*safe, own) {
			points = append(points, own)
		}
		var violated *run
		for i, x := range points {
			if x < q.low && q.Name != "down" { // it does not happen
				continue
			}
			clean, found, err := a.evidence(x)
			if err != nil {
				return bad, err
			}
			if found != nil {
				violated = found
				break
			}
			if i == 0 {
				answer.Play.Clean = clean
			}
			if x == own {
				answer.Play.CleanOwn = clean
			}
			answer.Play.Idle = answer.Play.Idle || clean < a.Evidence
		}
		if violated == nil {
			break
		}
		if answer.Rule.Known {
			answer.Disagree = fmt.Sprintf("the rule says %s; a run is violated at %s", q.ruled(answer), q.say(violated.x, 0))
		}
		found, err := a.narrow(violated, safeEnd)
		if err != nil {
			return bad, err
		}
		nearer(found)
	}
	if border.Sort != rules.Never || bad != nil {
		answer.Holds = safe
	}
	return bad, nil
}

// ruled is the rule's border in words.
func (q *Question) ruled(a *Answer) string {
	switch {
	case !a.Rule.Known:
		return "none"
	case a.Rule.Border != nil:
		return q.Say(*a.Rule.Border)
	}
	return string(a.Rule.Sort)
}

// condition reports whether the border is itself a condition: the setup says that nothing of the
// kind happens, or its number is only a part of what counts.
func (q *Question) condition(answer *Answer) bool {
	return answer.Own == 0 && !q.rule().Below || q.Name == "pause"
}

// judge compares the border with the setup, in words.
func (a *session) judge(answer *Answer, b rules.Border) {
	q, s := a.q, a.s
	own := q.say(answer.Own, 0)
	conditions := b.If // what must stay true, and the setup does not state
	if b.Sort == rules.At && answer.Holds != nil && q.condition(answer) {
		conditions = append([]string{fmt.Sprintf(q.Unless, q.Say(*answer.Holds))}, conditions...)
	}
	need := ""
	if answer.Holds != nil {
		need = fmt.Sprintf(q.Need, q.Say(*answer.Holds))
		if q.Yours != "" {
			need += "; " + fmt.Sprintf(q.Yours, own)
		}
	}
	none := answer.Holds == nil || !q.rule().Below && *answer.Holds < max(1, q.low)
	switch {
	case b.Sort == rules.Never && answer.Violated == nil:
		answer.Status, answer.Says = Safe, q.None
	case q.Name == "down" && answer.Holds == nil:
		answer.Status, answer.Says = Unsafe, "this lock cannot be had in time, even while all servers are up"
	case q.Name == "down":
		answer.Status = Safe
		answer.Says = fmt.Sprintf("%d of %d servers may be down; one more stops all locking until it is back", *answer.Holds, s.Nodes)
		if *answer.Holds < answer.Own {
			answer.Status, answer.Says = Unsafe, "no server may be down: without it nobody can lock"
		}
	case none && answer.Own == 0 && !q.rule().Below:
		answer.Status, answer.Says, conditions = SafeIf, "it never happens: "+q.Any, nil
	case none:
		answer.Status, answer.Says = Unsafe, q.Any+"; "+fmt.Sprintf(q.Yours, own)
	case !q.unsafe(answer.Own, *answer.Holds):
		answer.Status, answer.Says = Safe, need
	case b.Unless != "" && answer.Disagree == "":
		answer.Status, answer.Says, conditions = SafeIf, b.Unless+". Otherwise "+need, nil
	default:
		answer.Status, answer.Says = Unsafe, need
	}
	near := answer.Holds != nil && answer.Status == Safe && q.condition(answer)
	switch {
	case answer.Disagree != "":
		answer.Status, answer.Says = Unsafe, answer.Says+". Rule and play disagree: "+answer.Disagree
	case answer.Status == Safe && answer.Play.Idle:
		answer.Status, answer.Says = Undecided, "too few runs show anything. "+capital(answer.Says)
	case answer.Status == Safe && len(conditions) > 0:
		answer.Status = SafeIf
		switch text := strings.Join(conditions, ", and "); {
		case near && answer.Own == 0:
			answer.Says = text
		case near:
			answer.Says = text + "; " + fmt.Sprintf(q.Yours, own)
		default:
			answer.Says = text + ". " + capital(answer.Says)
		}
	}
	if !answer.Rule.Known && (answer.Status == Safe || answer.Status == SafeIf) {
		answer.Status = SafeIf
		answer.Says = "the lock has no bug of its own (REPORT.md), and " + uncapital(answer.Says)
	}
	if answer.Status != SafeIf {
		answer.Says = capital(answer.Says)
	}
}

func uncapital(text string) string { return strings.ToLower(text[:1]) + text[1:] }

func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// verdict is what the rule alone says of a setup.
func (q *Question) verdict(s *Setup) Status {
	f, known := s.facts(q, false)
	switch b := q.rule().Border(f); {
	case b.Sort == rules.Always, b.Sort == rules.At && q.unsafe(q.own(s), b.Safe):
		if b.Unless == "" {
			return Unsafe
		}
		return SafeIf
	case len(b.If) > 0, !known:
		return SafeIf
	}
	return Safe
}

// defaults names what the setup does not say, where another value would change the rule's answer.
func (s *Setup) defaults(q *Question) string {
	var names, values []string
	for _, f := range Fields() {
		if !slices.Contains(q.fields, f.Name) || s.states(f.Name) {
			continue
		}
		decides := slices.ContainsFunc(others[f.Name], func(value string) bool {
			other := *s
			if value == "2ttl" {
				value = (2 * s.TTL).String()
			}
			return other.Set(f.Name, value) == nil && other.Check() == nil && q.raised(&other) &&
				q.verdict(&other) != q.verdict(s)
		})
		if decides {
			names = append(names, strings.ReplaceAll(f.Name, "_", "-"))
			values = append(values, f.Get(s))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "You did not say " + strings.Join(names, ", ") + ": taken as " + strings.Join(values, ", ")
}

// others are values that a field could have had.
var others = map[string][]string{
	"persistence": modes, "disk": {"kept", "empty", "pod"}, "guard": {"true", "false"},
	"restart_after": {"0s", "2ttl"}, "move_after": {"0s", "2ttl"}, "rolling": {"0s"}, "suspend": {"2ttl"}, "failover_lag": {"1ms"}, "clock_rate_ppm": {"0", "100000"}, "clock_step": {"0s", "2ttl"},
	"pause": {"0s", "2ttl"}, "fencing": {"none", "every"}, "nodes": {"1", "3"},
}

// changes plays the question's changes, cheapest first, and returns all that hold.
func (a *session) changes(answer *Answer) (list []Change, err error) {
	boundary := answer.Own
	if answer.Holds != nil {
		boundary = *answer.Holds
	}
	for _, c := range Changes(a.s, a.q.Name, boundary) {
		held, err := a.holds(&c.Setup)
		if err != nil {
			return list, err
		}
		if held {
			list = append(list, c)
		}
	}
	return list, nil
}

// holds reports whether a changed setup is safe by the rule, and by runs at its own number, or does not
// raise the question any more.
func (a *session) holds(changed *Setup) (bool, error) {
	verdict := a.q.verdict(changed)
	if raised := a.q.raised(changed); !raised || verdict == Unsafe {
		return !raised, nil
	}
	some := *a.Asker
	some.Evidence = max(1, a.Evidence/5)
	inner := &session{Asker: &some, ctx: a.ctx, q: a.q, s: changed, rule: a.rule}
	if verdict == SafeIf && a.q.stalls(changed) {
		inner.q = a.q.calmed()
	}
	clean, bad, err := inner.evidence(a.q.Own(changed))
	a.runs += inner.runs
	return bad == nil && clean >= some.Evidence, err
}

// PlanOf is the plan of the run that an answer is about.
func (q *Question) PlanOf(s *Setup, a *Answer) (*plan.Plan, error) {
	v := a.told
	v.seed = a.Seed
	return q.plan(s, v, a.Show)
}

// ScenarioOf is the story that an answer is about.
func (q *Question) ScenarioOf(s *Setup, a *Answer) (*plan.Scenario, error) {
	return q.scenario(s, a.told, a.Show)
}

// Brief tells what rule and play say, in one line.
func (q *Question) Brief(a *Answer) string {
	held := a.Play.CleanUnless
	if a.Play.CleanOwn > 0 && a.Holds != nil && a.Own != *a.Holds {
		held = a.Play.CleanOwn
	}
	text := fmt.Sprintf("Rule: %s. Runs: %d held", q.ruled(a), a.Play.Clean+held)
	if a.Violated != nil {
		text += ", one at " + q.say(*a.Violated, 0) + " did not"
	} else if a.TrueTime && a.Status == Unsafe {
		text += "; none can show it, for the laboratory gives this lock true time"
	}
	return text + "." + q.margin(a)
}

// margin tells how far the setup's number is from the border.
func (q *Question) margin(a *Answer) string {
	if a.Margin == nil || q.Name == "down" {
		return ""
	}
	word := "to spare"
	if *a.Margin < 0 {
		word = "missing"
	}
	return fmt.Sprintf(" Margin: %s %s.", q.say(abs(*a.Margin), -1), word)
}

// ByRule tells what the rule says, in a sentence.
func (q *Question) ByRule(a *Answer) string {
	claims, _, _ := strings.Cut(a.Rule.Source, ";")
	rule := q.ruled(a)
	switch {
	case !a.Rule.Known:
		return "By rule: the claims know none about this lock."
	case a.Rule.Sort == rules.Always:
		rule = a.Rule.Formula
	case a.Rule.Border != nil:
		rule += " = " + a.Rule.Formula
	}
	return "By rule: " + rule + ". [" + claims + "]"
}

// ByPlay tells what the runs say, in sentences.
func (q *Question) ByPlay(a *Answer) string {
	text := "By play: no safe number to play."
	switch {
	case a.Holds != nil && a.Play.Clean > 0:
		text = fmt.Sprintf("By play: %d runs at %s, none violated.", a.Play.Clean, q.Say(*a.Holds))
	case a.Play.Clean > 0:
		text = fmt.Sprintf("By play: %d runs, none violated.", a.Play.Clean)
	}
	if a.Play.CleanOwn > 0 && a.Own != 0 && a.Holds != nil && a.Own != *a.Holds {
		text += fmt.Sprintf(" %d at %s, none violated.", a.Play.CleanOwn, q.say(a.Own, 0))
	}
	if a.Play.CleanUnless > 0 {
		text += fmt.Sprintf(" %d at %s under that condition, none violated.", a.Play.CleanUnless, q.say(a.Own, 0))
	}
	if a.Violated != nil {
		text += fmt.Sprintf(" Violated at %s: %s.", q.say(*a.Violated, 0), a.Play.Worst)
	}
	text += q.margin(a)
	if a.TrueTime {
		text += " The laboratory gives this lock true time: no clock of a client errs there."
	}
	return text
}

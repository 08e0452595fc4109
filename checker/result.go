package checker

import (
	"cmp"
	"slices"
)

// Result is the answer of one oracle with its evidence.
type Result struct {
	Answer
	// Checked counts what the oracle examined. With 0, "holds" proves nothing.
	Checked int `json:"checked"`
	// Found counts all findings. Sorts lists their sorts, sorted.
	Found int      `json:"found"`
	Sorts []string `json:"sorts,omitempty"`
	// Findings lists the first findings by time; see [Options]. The first finding
	// that nothing explains is always among them.
	Findings []Finding `json:"findings,omitempty"`
}

// newResult returns the result of an oracle that has found nothing yet.
func newResult(oracle Oracle) Result {
	return Result{Answer: Answer{Oracle: oracle, Status: Holds}}
}

// Worst returns the first finding that nothing explains, else the first finding.
// It is nil when there is none.
func (result *Result) Worst() *Finding {
	bug := find(result.Findings, func(finding *Finding) bool { return len(finding.ExplainedBy) == 0 })
	return cmp.Or(bug, find(result.Findings, func(*Finding) bool { return true }))
}

// String says the answer in words, with the worst finding.
func (result *Result) String() string {
	text := result.Answer.String()
	if worst := result.Worst(); worst != nil {
		text += ": " + worst.Text
	}
	return text
}

// add records a finding, which makes the result violated.
func (result *Result) add(finding Finding) {
	result.Status, result.Reason = Violated, ""
	result.Found++
	result.Findings = append(result.Findings, finding)
	if !slices.Contains(result.Sorts, finding.Sort) {
		result.Sorts = append(result.Sorts, finding.Sort)
		slices.Sort(result.Sorts)
	}
}

// giveUp makes the result inconclusive, unless it is violated or inconclusive already.
func (result *Result) giveUp(reason string) {
	if result.Status == Holds {
		result.Status, result.Reason = Inconclusive, reason
	}
}

// trim orders the findings by time and keeps the first of them. The last one kept
// gives way to the first finding that nothing explains, if that comes later.
func (result *Result) trim(limit int) {
	slices.SortStableFunc(result.Findings, func(a, b Finding) int { return cmp.Compare(a.AtNS, b.AtNS) })
	if len(result.Findings) <= limit {
		return
	}
	worst := slices.IndexFunc(result.Findings, func(finding Finding) bool { return len(finding.ExplainedBy) == 0 })
	if worst >= limit {
		result.Findings[limit-1] = result.Findings[worst]
	}
	result.Findings = slices.Clip(result.Findings[:limit])
}

// Oracle names one question that a verdict answers.
type Oracle string

// The oracles. The protected resource is examined by four of them: one for each
// kind of register, and one for the fencing tokens that registers compare.
const (
	OracleOverlap              Oracle = "overlap"                // no two leases of one resource are believed at once
	OracleLinearizability      Oracle = "linearizability"        // the calls have an order that is legal
	OracleResourceUnfenced     Oracle = "resource_unfenced"      // no harm at registers that ignore fencing tokens
	OracleResourceFencedWrites Oracle = "resource_fenced_writes" // no harm at registers that compare the tokens of writes
	OracleResourceFenced       Oracle = "resource_fenced"        // no harm at registers that compare the token of each access
	OracleFencingTokens        Oracle = "fencing_tokens"         // fencing tokens grow from lease to lease
	OracleLiveness             Oracle = "liveness"               // each goal is met within its bound
)

// Oracles returns all oracles, in the order of reports.
func Oracles() []Oracle {
	return []Oracle{
		OracleOverlap, OracleLinearizability,
		OracleResourceUnfenced, OracleResourceFencedWrites, OracleResourceFenced, OracleFencingTokens,
		OracleLiveness,
	}
}

package checker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Every result stands under the name of its oracle, whether the history is judged
// or not.
func TestAnswersFollowTheOracles(t *testing.T) {
	contradictory := sound()
	contradictory.Operations[2].CallNS = 9
	for name, history := range map[string]*History{"sound": sound(), "contradictory": contradictory} {
		verdict := Judge(history, Options{})
		answers := verdict.Answers()
		if len(answers) != len(Oracles()) {
			t.Fatalf("%s: %d answers", name, len(answers))
		}
		for i, answer := range answers {
			if answer.Oracle != Oracles()[i] {
				t.Errorf("%s: answer %d is of %s, want %s", name, i, answer.Oracle, Oracles()[i])
			}
		}
		if inconclusive := answers.Inconclusive(); name == "contradictory" && !slices.Equal(inconclusive, Oracles()) {
			t.Errorf("%s: inconclusive %v", name, inconclusive)
		}
	}
	if unjudged := (&Verdict{}).Answers(); !slices.Equal(unjudged.Inconclusive(), Oracles()) {
		t.Errorf("the zero verdict: %v", unjudged)
	}
}

// Each part of the resource oracle has its own findings, explained apart: late
// work explains a stale write, and does not explain tokens that go backwards
// before it.
func TestResourceOraclesAreExplainedApart(t *testing.T) {
	a, b, c := held("A#1", 10, 50), held("B#1", 60, 120), held("C#1", 20, 25)
	a.Fence, b.Fence, c.Fence = At(33), At(34), At(33)
	history := &History{Header: headerFor(1000), Leases: []Lease{a, b, c}, Accesses: []Access{
		request(70, "B#1", RegisterUnfenced, ActionWrite, 34, 1, true),
		request(80, "A#1", RegisterUnfenced, ActionWrite, 33, 2, true),
		request(80, "A#1", RegisterFenced, ActionWrite, 33, 2, false),
	}}
	verdict := Judge(history, Options{})
	got := map[Oracle]string{}
	for _, answer := range verdict.Answers() {
		got[answer.Oracle] = string(answer.Status) + " " + answer.explanation()
	}
	for oracle, want := range map[Oracle]string{
		OracleResourceUnfenced: "violated A-WORK", OracleResourceFencedWrites: "holds ", OracleResourceFenced: "holds ", OracleFencingTokens: "violated bug",
	} {
		if got[oracle] != want {
			t.Errorf("%s: %q, want %q\n%s", oracle, got[oracle], want, verdict.Summary())
		}
	}
	if want := []string{"lock", "overlap", "stale_access", "tokens_backwards"}; !slices.Equal(verdict.Sorts(), want) {
		t.Errorf("sorts %v, want %v", verdict.Sorts(), want)
	}
}

// The findings that are listed are the first by time, and the first that nothing
// explains, which Worst returns.
func TestListedFindings(t *testing.T) {
	result := newResult(OracleOverlap)
	for at := range int64(6) {
		result.add(Finding{Sort: SortOverlap, AtNS: 5 - at})
	}
	result.explain(func(*Finding) []string { return []string{AssumptionStep} })
	if result.Bug || result.Worst().AtNS != 5 {
		t.Errorf("all is explained: %+v", result)
	}
	bug := func(at int64) Result {
		result := newResult(OracleOverlap)
		for i := range int64(6) {
			finding := Finding{Sort: SortOverlap, AtNS: i, ExplainedBy: []string{AssumptionStep}}
			if i == at {
				finding.ExplainedBy = nil
			}
			result.add(finding)
		}
		result.trim(3)
		return result
	}
	for at, want := range map[int64]string{1: "[0 1 2]", 4: "[0 1 4]", 9: "[0 1 2]"} {
		result := bug(at)
		var listed []int64
		for _, finding := range result.Findings {
			listed = append(listed, finding.AtNS)
		}
		if got := fmt.Sprint(listed); got != want || result.Found != 6 {
			t.Errorf("unexplained at %d: %d found, listed %s, want %s", at, result.Found, got, want)
		}
		if at < 6 && result.Worst().AtNS != at {
			t.Errorf("unexplained at %d: the worst is at %d", at, result.Worst().AtNS)
		}
	}
	if none := newResult(OracleOverlap); none.Worst() != nil {
		t.Error("a result without findings has a worst one")
	}
}

func TestAnswersInWords(t *testing.T) {
	answers := Answers{
		{Oracle: OracleOverlap, Status: Violated, ExplainedBy: []string{AssumptionVote}},
		{Oracle: OracleLinearizability, Status: Violated, ExplainedBy: []string{AssumptionVote}, Bug: true},
		{Oracle: OracleFencingTokens, Status: Holds},
		{Oracle: OracleLiveness, Status: Inconclusive, Reason: "the run was too short"},
	}
	var got []string
	for _, answer := range answers {
		got = append(got, answer.String())
	}
	got = append(got, answers.String(), answers[2:3].String(), answers.Explained(), Join(answers.Bugs()))
	want := []string{
		"overlap is violated, explained by A-VOTE",
		"linearizability is violated, and no broken assumption explains it",
		"fencing_tokens holds",
		"liveness is inconclusive: the run was too short",
		"violated: overlap, linearizability; inconclusive: liveness",
		"holds",
		"violated: overlap (A-VOTE), linearizability (A-VOTE, bug); inconclusive: liveness",
		"linearizability",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

package campaign_test

import (
	"bytes"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// bug says of the violated oracles of a run that nothing explains them.
func bug(r campaign.Summary) campaign.Summary {
	for i := range r.Answers {
		r.Answers[i].Bug = r.Answers[i].Status == checker.Violated
	}
	return r
}

// TestSummary: below the table stands, per subject, in how many runs it violated
// something, and in how many of them nothing explains some of that, whatever was broken.
func TestSummary(t *testing.T) {
	guarded := job(t, "all", 3)
	guarded.Scenario.Subjects[0].Name, guarded.Subject = "SY-10", "SY-10"
	planted := job(t, "all", 1)
	planted.Scenario.Subjects[0].Options = []plan.Option{{Name: "bug", Value: "no-clean-up"}}
	measured := job(t, "all", 2)
	measured.Scenario.Claim, measured.Scenario.Subjects[0].Name, measured.Subject = "LV-5", "SY-9", "SY-9"
	rows := []campaign.Row{
		campaign.NewRow(job(t, "all", 3), []campaign.Summary{report(1, nil), report(2, bothOracles, "A-VOTE"), bug(report(3, bothOracles, "A-WORK"))}),
		campaign.NewRow(guarded, []campaign.Summary{report(1, nil), report(2, bothOracles[:1], "A-VOTE"), {Seed: 3, Failure: "killed"}}),
		campaign.NewRow(planted, []campaign.Summary{bug(report(1, bothOracles))}),
		campaign.NewRow(measured, []campaign.Summary{bug(report(1, []checker.Oracle{checker.OracleLiveness})), bug(report(2, bothOracles))}),
	}
	var out bytes.Buffer
	if err := tables.WriteRows(&out, rows); err != nil {
		t.Fatal(err)
	}
	want := "textbook: violated in 2 of 3 runs, 1 of them not explained by a broken assumption\n" +
		"redlock: violated in 1 of 2 runs, all explained by broken assumptions\n" +
		"redlock-php: violated in 1 of 2 runs, 1 of them not explained by a broken assumption\n" +
		"missed goals of measured claims do not count as violations here\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("the table does not end with\n%s\n%s", want, out.String())
	}
}

// TestSummaryOfOneRun: a single run is not counted.
func TestSummaryOfOneRun(t *testing.T) {
	for want, r := range map[string]campaign.Summary{
		"textbook: nothing is violated\n":                                            report(1, nil),
		"textbook: violated; a broken assumption explains it\n":                      report(1, bothOracles, "A-VOTE"),
		"textbook: violated; no broken assumption explains it: the lock's own bug\n": bug(report(1, bothOracles)),
	} {
		var out bytes.Buffer
		if err := tables.WriteRows(&out, []campaign.Row{
			campaign.NewRow(job(t, "all", 1), []campaign.Summary{r}),
		}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table does not say %q:\n%s", want, out.String())
		}
	}
}

// TestAFaultThatNeverFired: where nothing is stated, runs without a scripted fault show nothing,
// unless they violate something all the same.
func TestAFaultThatNeverFired(t *testing.T) {
	t.Setenv("COLUMNS", "300")
	unstated := job(t, "all", 2)
	unstated.Scenario.Subjects[0].Unstated = true
	quiet := []campaign.Summary{fired(report(1, nil), bothFired[1]), fired(report(2, nil), bothFired[1])}
	row := campaign.NewRow(unstated, quiet)
	want := `what the fault waits for never happens with this lock: A cannot reach n4 and n5`
	if row.NotApplicable != want || !row.AsExpected {
		t.Errorf("found %q, want %q; %+v", row.NotApplicable, want, row.Problems)
	}
	var out bytes.Buffer
	if err := tables.WriteRows(&out, []campaign.Row{row}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"n/a (" + want + ")", "\n0 as expected, 0 not, 1 n/a\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table does not say %q:\n%s", want, out.String())
		}
	}
	for name, reports := range map[string][]campaign.Summary{
		"it fired once": {quiet[0], fired(report(2, nil), bothFired...)},
		"violated":      {quiet[0], fired(report(2, bothOracles), bothFired[1])},
	} {
		if row := campaign.NewRow(unstated, reports); row.NotApplicable != "" {
			t.Errorf("%s: %q", name, row.NotApplicable)
		}
	}
}

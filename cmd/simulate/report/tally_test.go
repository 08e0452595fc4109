package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/cmd/simulate/report"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/matrix"
)

// cell is the only cell of some results: two runs of a scenario of the suite's with a
// system, which end as said, in which the faults that are named fire.
func cell(
	t *testing.T, scenario, system string, answers checker.Answers, broken []string, fired ...campaign.Count,
) (*report.Input, campaign.Row) {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range matrix.Cells(suite) {
		if c.Scenario.Name != scenario || c.Subject.Title() != system {
			continue
		}
		job := &campaign.Job{Scenario: c.Scenario, Subject: system, Seeds: []uint64{1, 2}}
		var reports []campaign.Summary
		for _, seed := range job.Seeds {
			reports = append(reports, campaign.Summary{
				Scenario: scenario, Subject: system, Seed: seed, Outcome: campaign.Finished, Answers: answers,
				Broken: broken, Fired: fired,
			})
		}
		return &report.Input{
			Results: report.Collect([]matrix.Cell{c}, reports, "it"), Suite: suite,
		}, campaign.NewRow(job, reports)
	}
	t.Fatalf("no cell %s %s", scenario, system)
	return nil, campaign.Row{}
}

func lost(oracle checker.Oracle, explainedBy ...string) checker.Answer {
	return checker.Answer{
		Oracle: oracle, Status: checker.Violated, ExplainedBy: explainedBy, Bug: len(explainedBy) == 0,
	}
}

// line is the line of CELLS.md about a cell.
func line(t *testing.T, in *report.Input, scenario string) string {
	t.Helper()
	for line := range strings.Lines(report.RenderCells(in)) {
		if strings.HasPrefix(line, "| "+scenario+" |") {
			return line
		}
	}
	t.Fatalf("CELLS.md has no %s", scenario)
	return ""
}

// TestABugBesideABrokenAssumption: what an assumption explains is no excuse for what it does not.
func TestABugBesideABrokenAssumption(t *testing.T) {
	in, _ := cell(t, "RS-3", "SY-2", checker.Answers{
		lost(checker.OracleOverlap), lost(checker.OracleResourceUnfenced, "A-WORK"),
	}, []string{"A-WORK"})
	if gaps := strings.Join(in.Undiagnosed(), "\n"); !strings.Contains(gaps, "RS-3 SY-2: no broken assumption explains a violation") {
		t.Errorf("nobody has diagnosed it, and the check says %q", gaps)
	}
	if got, want := line(t, in, "RS-3"), "| **violated**: overlap (and explained by A-WORK: resource_unfenced) |"; !strings.Contains(got, want) {
		t.Errorf("%s does not say %q", got, want)
	}
	in, _ = cell(t, "RS-3", "SY-2", checker.Answers{lost(checker.OracleResourceUnfenced, "A-WORK")}, []string{"A-WORK"})
	if gaps := in.Undiagnosed(); len(gaps) > 0 {
		t.Errorf("all is explained, and the check says %q", gaps)
	}
	if got, want := line(t, in, "RS-3"), "| violated (A-WORK): resource_unfenced |"; !strings.Contains(got, want) {
		t.Errorf("%s does not say %q", got, want)
	}
}

// TestACellWithoutItsFault: a story whose fault fired in no run is not a question to the lock.
func TestACellWithoutItsFault(t *testing.T) {
	in, _ := cell(t, "SY-3", "SY-5", nil, nil, campaign.Count{Name: "A stands still"})
	if got, want := report.RenderCells(in), "\n- n/a, because what the fault waits for never happens with this lock: A stands still: SY-3 SY-5\n"; !strings.Contains(got, want) {
		t.Errorf("%s does not say %q", got, want)
	}
	now := campaign.Summary{
		Scenario: "SY-3", Subject: "SY-5", Seed: 2, Outcome: campaign.Finished,
		Fired: []campaign.Count{{Name: "A stands still", Times: 1}},
	}
	if changes := in.Results.Compare([]campaign.Summary{now}); len(changes) != 1 || changes[0] != `SY-3 SY-5 seed 2: the fault "A stands still" fired; it did in no run` {
		t.Errorf("it fires now, and the comparison says %q", changes)
	}
	in, _ = cell(t, "SY-3", "SY-5", nil, nil, campaign.Count{Name: "A stands still", Times: 1})
	if got := line(t, in, "SY-3"); !strings.Contains(got, "| holds | 2 |") {
		t.Errorf("it fired: %s", got)
	}
}

// TestMeasuredIsNoLoss: missed goals of a measured claim are a number; two holders are none.
func TestMeasuredIsNoLoss(t *testing.T) {
	in, _ := cell(t, "LV-5", "SY-10", checker.Answers{lost(checker.OracleLiveness)}, nil, campaign.Count{Name: "a common start", Times: 1})
	if got := line(t, in, "LV-5"); !strings.Contains(got, "| measured: 2 of 2 |") || len(in.Undiagnosed()) > 0 {
		t.Errorf("%s; %q", got, in.Undiagnosed())
	}
	in, _ = cell(t, "LV-5", "SY-10", checker.Answers{lost(checker.OracleOverlap)}, nil, campaign.Count{Name: "a common start", Times: 1})
	if got := line(t, in, "LV-5"); !strings.Contains(got, "| **violated**: overlap |") || len(in.Undiagnosed()) != 1 {
		t.Errorf("%s; %q", got, in.Undiagnosed())
	}
}

// TestTheSummaryCountsAsRunDoes: beside a command stands what it prints, also of
// the registers without a fence in RP-5, which do not speak against the claim.
func TestTheSummaryCountsAsRunDoes(t *testing.T) {
	in, row := cell(t, "RP-5-delay", "SY-10", checker.Answers{lost(checker.OracleResourceUnfenced, "A-WORK")}, []string{"A-WORK"})
	var table bytes.Buffer
	if err := tables.WriteRows(&table, []campaign.Row{row}); err != nil {
		t.Fatal(err)
	}
	said := "redlock: violated in 2 of 2 runs, all explained by broken assumptions"
	if !strings.Contains(table.String(), "\n"+said+"\n") {
		t.Errorf("run does not say %q:\n%s", said, table.String())
	}
	text := strings.Join(strings.Fields(report.Render(in)), " ")
	if want := fmt.Sprintf("*%s.* ``` ./simulate run RS-1 RS-2 RS-3 RP-5 --subject redlock", said); !strings.Contains(text, want) {
		t.Errorf("the summary does not say %q:\n%s", want, text)
	}
	if want := "holds; without a fence at every access violated (A-WORK): resource_unfenced"; !strings.Contains(line(t, in, "RP-5-delay"), want) {
		t.Errorf("%s does not say %q", line(t, in, "RP-5-delay"), want)
	}
}

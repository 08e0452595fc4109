package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"redlocklab/cmd/simulate/report"
	"redlocklab/faults"
	"redlocklab/scenarios/ask"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

// TestReportAdvisesWhatAskAnswers: each row of REPORT.md's table "What to do" names setups, the
// situation and what to do about it, and ask answers them as the row says.
func TestReportAdvisesWhatAskAnswers(t *testing.T) {
	rows := report.Asks()
	asker := &ask.Asker{Evidence: 10, Seed: 1, Workers: 2, Laboratory: func(p *plan.Plan) (ask.Played, error) {
		result, err := play.Run(p, play.RunOptions{})
		if err != nil {
			return ask.Played{}, err
		}
		idle := slices.ContainsFunc(result.Fired, func(f faults.Count) bool { return f.Acted == 0 })
		return ask.Played{Answers: result.Verdict.Answers(), Idle: idle}, nil
	}}
	asked := 0
	for _, situation := range slices.Sorted(maps.Keys(rows)) {
		for _, row := range rows[situation] {
			s := setupOf(t, row.Setup)
			raised := 0
			for _, q := range ask.Questions(&s) {
				want, named := row.Says[q.Name]
				if !named {
					continue
				}
				raised++
				a, err := asker.Ask(t.Context(), &s, &q)
				if err != nil {
					t.Fatal(err)
				}
				if string(a.Status) != want {
					t.Errorf("%s: ask %s: %s: %s: %s; the row says %s", situation, row.Setup, q.Name, a.Status, a.Says, want)
				}
			}
			if raised != len(row.Says) {
				t.Errorf("%s: ask %s raises only %d of %v", situation, row.Setup, raised, row.Says)
			}
			asked += raised
		}
	}
	if asked < 20 {
		t.Errorf("only %d answers were compared", asked)
	}
}

// setupOf reads flags of ask.
func setupOf(t *testing.T, flags string) ask.Setup {
	t.Helper()
	s, words := ask.NewSetup(), strings.Fields(flags)
	for i := 0; i+1 < len(words); i += 2 {
		var err error
		if words[i] == "--set" {
			var setting plan.Setting
			setting, err = plan.ParseSetting(words[i+1])
			s.Options = append(s.Options, setting)
		} else {
			err = s.Set(strings.ReplaceAll(strings.TrimPrefix(words[i], "--"), "-", "_"), words[i+1])
		}
		if err != nil {
			t.Fatalf("%s: %v", flags, err)
		}
	}
	if err := s.Check(); err != nil {
		t.Fatalf("%s: %v", flags, err)
	}
	return s
}

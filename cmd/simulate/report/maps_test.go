package report_test

import (
	"strings"
	"testing"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios"
)

// renderMap renders the map of a scenario.
func renderMap(t *testing.T, name, text string) string {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	var records [][]string
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		records = append(records, strings.Split(line, ","))
	}
	return report.RenderCells(&report.Input{
		Results: &report.Results{}, Suite: suite,
		Maps: []report.Map{{Name: name, Heads: records[0], Records: records[1:]}},
	})
}

// TestBestLines: of a map about missed goals a sentence says which lines are best where, by both of its measures.
func TestBestLines(t *testing.T) {
	text := renderMap(t, "LV-5", `
spread_ns,subject,violated_share,violated_share_low,violated_share_high,goal1_median_ns,goal1_median_low_ns,goal1_median_high_ns
1000,fast,0.40,0.35,0.45,5000000,4900000,5100000
1000,slow,0.08,0.05,0.11,9000000,8900000,9100000
2000,fast,0.30,0.25,0.35,5000000,4900000,5100000
2000,slow,0.08,0.05,0.11,9000000,8900000,9100000
3000,fast,0.09,0.06,0.12,8900000,8800000,9050000
3000,slow,0.08,0.05,0.11,9000000,8900000,9100000`)
	want := "by the smallest share, slow (1µs to 2µs), then fast or slow (at 3µs); by the shortest median time to the goal, fast (1µs to 2µs), then fast or slow (at 3µs)."
	if !strings.Contains(text, want) {
		t.Errorf("the report does not say %q:\n%s", want, text)
	}
}

// TestMarginIsTheMedian: the table shows what the plot does.
func TestMarginIsTheMedian(t *testing.T) {
	text := renderMap(t, "BA-8", `
node_rate_ppm,subject,margin_min_ns,margin_median_ns,margin_median_low_ns,margin_median_high_ns
0,SY-0,1000000,3000000,2000000,4000000`)
	for _, want := range []string{"Median over the runs of the worst margin", "| 0 | 3ms (2ms–4ms) |"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
}

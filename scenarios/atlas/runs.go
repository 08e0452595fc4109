package atlas

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"redlocklab/scenarios/campaign"
)

// Run is one run of a map, as its JSONL has it.
type Run struct {
	// At are the values of the axes as --set takes them, by their names.
	At map[string]string `json:"at"`
	// Value are the same as numbers, in the units that Column says; words are left out.
	Value    map[string]int64   `json:"value"`
	Grid     bool               `json:"grid"` // else it was played to narrow a border, or in line with the pin
	Verdicts map[string]Verdict `json:"verdicts"`
	Run      *campaign.Summary  `json:"run"`
}

// WriteRuns writes every run, one JSON object a line: those of the grid in the order of its lines,
// then those beside it.
func (m *Map) WriteRuns(w io.Writer) error {
	out := json.NewEncoder(w)
	for i, p := range slices.Concat(m.grid, m.extra) {
		for _, seed := range m.seeds() {
			r := Run{
				At: map[string]string{}, Value: map[string]int64{}, Grid: i < len(m.grid),
				Verdicts: map[string]Verdict{}, Run: m.report(p, seed),
			}
			if r.Run == nil {
				continue
			}
			for k, axis := range m.Axes {
				r.At[axis.Parameter.Name] = axis.Parameter.Format(p.Values[k])
				if len(axis.Parameter.Words) == 0 {
					r.Value[Column(axis.Parameter)] = p.Values[k]
				}
			}
			for _, judge := range m.judges {
				r.Verdicts[judge] = wordOf(gradeOf(r.Run, judge), judge)
			}
			if err := out.Encode(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Digest is the SHA-256 of the trace hashes of all runs, in the order of WriteRuns, and how
// many there are.
func (m *Map) Digest() (string, int) {
	sum, reports := sha256.New(), m.Reports()
	for _, r := range reports {
		fmt.Fprintln(sum, r.TraceHash)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), len(reports)
}

// bordering reports which lines are cells with a neighbour that has another verdict.
func (m *Map) bordering(lines []Line) map[int]bool {
	first := map[Place]int{} // of the lines of a place, one per judge
	for i, p := range m.grid {
		first[p] = i * len(m.judges)
	}
	near := map[int]bool{}
	for _, l := range m.gridLines() {
		for k := 1; k < len(l.places); k++ {
			for judge := range m.judges {
				a, b := first[l.places[k-1]]+judge, first[l.places[k]]+judge
				if lines[a].Verdict != lines[b].Verdict {
					near[a], near[b] = true, true
				}
			}
		}
	}
	return near
}

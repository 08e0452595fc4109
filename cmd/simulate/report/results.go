package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// ResultsVersion is the version of the result file, which FORMATS.md describes.
const ResultsVersion = 3

// SeedsOfCell is how many seeds of each cell are played, unless --seeds says so,
// from the first seed of its file.
const SeedsOfCell = 50

// Cell is the result of one scenario with one system.
type Cell struct {
	Scenario string `json:"scenario"`
	Claim    string `json:"claim"`
	Subject  string `json:"subject"` // the row's title
	// NotApplicable says why nothing was played; empty when something was.
	NotApplicable string `json:"not_applicable,omitempty"`
	// Found: no file says what to expect.
	Found   bool     `json:"found,omitempty"`
	Endings []Ending `json:"outcomes,omitempty"` // by their first seeds
	// Faults say in how many runs each fired, in the schedule's order.
	Faults []campaign.FaultCount `json:"faults,omitempty"`
	// WorstMarginNS is the smallest margin between two beliefs, negative for an
	// overlap; absent where no run had two.
	WorstMarginNS *int64 `json:"worst_margin_ns,omitempty"`
	WorstSeed     uint64 `json:"worst_seed,omitempty"`
}

// Ending is one way in which runs of a cell ended, and the seeds that did.
type Ending struct {
	Seeds Seeds `json:"seeds"`
	// Answers has the oracles that did not hold, without reasons: these may differ
	// from run to run.
	Answers checker.Answers `json:"answers,omitempty"`
	Broken  []string        `json:"broken,omitempty"`
	// Failure says why there is no verdict, or at which bound the run ended.
	Failure string `json:"failure,omitempty"`
}

// Results are all cells, in the order of the matrix.
type Results struct {
	Made  string // the command that plays them all
	Cells []Cell
}

// Jobs are the runs behind the cells: n seeds of each, from the first one of its file.
func Jobs(cells []matrix.Cell, n int) []campaign.Job {
	var jobs []campaign.Job
	for _, c := range cells {
		if c.NotApplicable != "" {
			continue
		}
		job := campaign.Job{Scenario: c.Scenario, Subject: c.Subject.Title()}
		for i := range n {
			job.Seeds = append(job.Seeds, c.Scenario.Seeds.First+uint64(i))
		}
		jobs = append(jobs, job)
	}
	return jobs
}

// Collect makes the results of the runs that a command has played.
func Collect(cells []matrix.Cell, reports []campaign.Summary, made string) *Results {
	byCell := map[[2]string][]campaign.Summary{}
	for _, r := range reports {
		key := [2]string{r.Scenario, r.Subject}
		byCell[key] = append(byCell[key], r)
	}
	results := &Results{Made: made}
	for i := range cells {
		c := &cells[i]
		cell := Cell{
			Scenario: c.Scenario.Name, Claim: c.Scenario.Claim, Subject: c.Subject.Title(),
			NotApplicable: c.NotApplicable, Found: !c.Stated(),
		}
		if c.NotApplicable == "" {
			row := campaign.NewRow(&campaign.Job{Scenario: c.Scenario, Subject: cell.Subject}, byCell[keyOf(c)])
			cell.Faults, cell.WorstMarginNS, cell.WorstSeed = row.Faults, row.WorstMarginNS, row.WorstSeed
			cell.take(byCell[keyOf(c)])
		}
		results.Cells = append(results.Cells, cell)
	}
	return results
}

// Replace takes over the cells of newer results, except applicable cells that were
// not played.
func (r *Results) Replace(newer *Results) {
	for i := range newer.Cells {
		c := &newer.Cells[i]
		if old := r.cell([2]string{c.Scenario, c.Subject}); old != nil && len(c.Endings) == 0 && c.NotApplicable == "" {
			*c = *old
		}
	}
	*r = *newer
}

// take sorts a cell's runs by how they ended.
func (c *Cell) take(reports []campaign.Summary) {
	slices.SortFunc(reports, func(a, b campaign.Summary) int { return cmp.Compare(a.Seed, b.Seed) })
	index := map[string]int{} // of outcomes, by their texts
	for i := range reports {
		r := &reports[i]
		o := endingOf(r)
		at, seen := index[o.text()]
		if !seen {
			at = len(c.Endings)
			index[o.text()] = at
			c.Endings = append(c.Endings, o)
		}
		c.Endings[at].Seeds = append(c.Endings[at].Seeds, r.Seed)
	}
}

func endingOf(r *campaign.Summary) Ending {
	o := Ending{Broken: r.Broken, Failure: r.Stopped()}
	for _, answer := range r.Answers {
		if answer.Status != checker.Holds {
			answer.Reason = ""
			o.Answers = append(o.Answers, answer)
		}
	}
	return o
}

// text says how a run ended: "violated: overlap (A-VOTE); broken: A-VOTE".
func (o *Ending) text() string {
	var parts []string
	if len(o.Answers) > 0 || o.Failure == "" {
		parts = append(parts, o.Answers.Explained())
	}
	if o.Failure != "" {
		parts = append(parts, o.Failure)
	}
	if len(o.Broken) > 0 {
		parts = append(parts, "broken: "+strings.Join(o.Broken, ", "))
	}
	return strings.Join(parts, "; ")
}

// Seeds are ascending seeds, "1-4 7 9-50" as text.
type Seeds []uint64

// MarshalText implements encoding.TextMarshaler.
func (s Seeds) MarshalText() ([]byte, error) {
	var parts []string
	for len(s) > 0 {
		n := 1
		for n < len(s) && s[n] == s[0]+uint64(n) {
			n++
		}
		part := fmt.Sprint(s[0])
		if n > 1 {
			part += fmt.Sprint("-", s[n-1])
		}
		parts, s = append(parts, part), s[n:]
	}
	return []byte(strings.Join(parts, " ")), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Seeds) UnmarshalText(text []byte) error {
	for _, part := range strings.Fields(string(text)) {
		seeds, err := plan.ParseSeeds(part)
		if err != nil {
			return fmt.Errorf("found the seeds %q; allowed: ranges such as 1-4 7 9-50", text)
		}
		for seed := seeds.First; seed <= seeds.Last; seed++ {
			*s = append(*s, seed)
		}
	}
	return nil
}

// header is the first line of the result file.
type header struct {
	Version int    `json:"version"`
	Made    string `json:"made_by"`
}

// Encode writes the result file: a header, then one cell a line.
func (r *Results) Encode() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(header{ResultsVersion, r.Made})
	for i := range r.Cells {
		err = cmp.Or(err, encoder.Encode(&r.Cells[i]))
	}
	return text.Bytes(), err
}

// Load reads a result file. Errors name the file and the line.
func Load(path string) (*Results, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var h header
	if err := decoder.Decode(&h); err != nil || h.Version != ResultsVersion {
		return nil, fmt.Errorf("%s:1: found version %d; allowed: %d; make the file again: ./simulate report --rerun", path, h.Version, ResultsVersion)
	}
	r := &Results{Made: h.Made}
	for line := 2; decoder.More(); line++ {
		var c Cell
		if err := decoder.Decode(&c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		r.Cells = append(r.Cells, c)
	}
	return r, nil
}

// Stale lists the cells that the results do not fit: cells of the suite without a
// result, or with one from before they changed, and results of no cell.
func (r *Results) Stale(cells []matrix.Cell) []string {
	var list []string
	known := map[[2]string]bool{}
	for i := range cells {
		known[keyOf(&cells[i])] = true
		if why := r.StaleCell(&cells[i]); why != "" {
			list = append(list, why)
		}
	}
	for _, cell := range r.Cells {
		if !known[[2]string{cell.Scenario, cell.Subject}] {
			list = append(list, fmt.Sprintf("%s %s: a result of what is not in the suite", cell.Scenario, cell.Subject))
		}
	}
	return list
}

// StaleCell says why the results do not fit one cell; empty when they do.
func (r *Results) StaleCell(c *matrix.Cell) string {
	key := keyOf(c)
	name := key[0] + " " + key[1]
	switch cell := r.cell(key); {
	case cell == nil:
		return name + ": no result"
	case cell.NotApplicable != c.NotApplicable:
		return name + ": applicable or not, and why, has changed"
	case cell.Found == c.Stated():
		return name + ": whether an expectation is stated has changed"
	}
	return ""
}

func keyOf(c *matrix.Cell) [2]string {
	return [2]string{c.Scenario.Name, c.Subject.Title()}
}

func (r *Results) cell(key [2]string) *Cell {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Scenario == key[0] && c.Subject == key[1] {
			return c
		}
	}
	return nil
}

// Compare lists the differences between runs that were played now and the results:
// another end, or a fault that fired now and in no run then.
func (r *Results) Compare(reports []campaign.Summary) []string {
	var list []string
	for i := range reports {
		run := &reports[i]
		cell, then, now := r.cell([2]string{run.Scenario, run.Subject}), "no result", endingOf(run)
		if cell == nil {
			cell = &Cell{}
		}
		for _, o := range cell.Endings {
			if slices.Contains(o.Seeds, run.Seed) {
				then = o.text()
			}
		}
		name := fmt.Sprintf("%s %s seed %d", run.Scenario, run.Subject, run.Seed)
		if then != now.text() {
			list = append(list, fmt.Sprintf("%s: was %s; now %s", name, then, now.text()))
		}
		for _, f := range cell.Faults {
			fired := slices.ContainsFunc(run.Fired, func(c campaign.Count) bool {
				return c.Name == f.Fault && c.Times > 0
			})
			if f.Runs == 0 && fired {
				list = append(list, fmt.Sprintf("%s: the fault %q fired; it did in no run", name, f.Fault))
			}
		}
	}
	slices.Sort(list)
	return list
}

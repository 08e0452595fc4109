package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/matrix"
)

// ResultsVersion is the version of the result file, which FORMATS.md describes.
const ResultsVersion = 3

// SeedsOfCell is how many seeds of each cell results are made of where nothing
// else is said, from the first that its file says.
const SeedsOfCell = 50

// Cell is what one scenario with one system came to.
type Cell struct {
	Scenario string `json:"scenario"`
	Claim    string `json:"claim"`
	Subject  string `json:"subject"` // the row's title
	// NotApplicable says why nothing was played; empty when something was.
	NotApplicable string `json:"not_applicable,omitempty"`
	// Found: nobody had said what to expect.
	Found    bool      `json:"found,omitempty"`
	Outcomes []Outcome `json:"outcomes,omitempty"` // by their first seeds
	// Faults say in how many runs each fired, in the schedule's order.
	Faults []campaign.FaultCount `json:"faults,omitempty"`
	// WorstMarginNS is the smallest margin between two beliefs, negative for an
	// overlap; absent where no run had two.
	WorstMarginNS *int64 `json:"worst_margin_ns,omitempty"`
	WorstSeed     uint64 `json:"worst_seed,omitempty"`
}

// Outcome is one way in which runs of a cell ended, and the seeds that did.
type Outcome struct {
	Seeds string `json:"seeds"` // "1-4 7 9-50"
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

// Jobs are the runs behind the cells: at most n seeds of each. The seeds begin
// with the first that the scenario says.
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

// Collect makes the results of what was played by a command.
func Collect(cells []matrix.Cell, reports []campaign.Report, made string) *Results {
	byCell := map[[2]string][]campaign.Report{}
	for _, r := range reports {
		key := [2]string{r.Scenario, r.Subject}
		byCell[key] = append(byCell[key], r)
	}
	results := &Results{Made: made}
	for _, c := range cells {
		cell := Cell{Scenario: c.Scenario.Name, Claim: c.Scenario.Claim, Subject: c.Subject.Title(), NotApplicable: c.NotApplicable, Found: !c.Stated()}
		if c.NotApplicable == "" {
			for _, fault := range c.Scenario.Faults {
				cell.Faults = append(cell.Faults, campaign.FaultCount{Fault: fault.Name})
			}
			cell.take(byCell[[2]string{cell.Scenario, cell.Subject}])
		}
		results.Cells = append(results.Cells, cell)
	}
	return results
}

// Replace takes the cells of newer results over that were played, and those that
// cannot be; the others stay as they are, in the order of the newer ones.
func (r *Results) Replace(newer *Results) {
	var list []Cell
	for _, c := range newer.Cells {
		if old := r.cell([2]string{c.Scenario, c.Subject}); old != nil && len(c.Outcomes) == 0 && c.NotApplicable == "" {
			c = *old
		}
		list = append(list, c)
	}
	r.Made, r.Cells = newer.Made, list
}

// take sorts a cell's runs by how they ended.
func (c *Cell) take(reports []campaign.Report) {
	slices.SortFunc(reports, func(a, b campaign.Report) int { return int(int64(a.Seed) - int64(b.Seed)) })
	var keys []string
	outcomes, seeds := map[string]Outcome{}, map[string][]uint64{}
	for i := range reports {
		r := &reports[i]
		o := outcomeOf(r)
		key := o.text()
		if _, seen := outcomes[key]; !seen {
			keys = append(keys, key)
			outcomes[key] = o
		}
		seeds[key] = append(seeds[key], r.Seed)
		for j := range c.Faults {
			for _, fired := range r.Fired {
				if fired.Name == c.Faults[j].Fault && fired.Times > 0 {
					c.Faults[j].Runs++
					c.Faults[j].Times += fired.Times
				}
			}
		}
		if r.MarginNS != nil && (c.WorstMarginNS == nil || *r.MarginNS < *c.WorstMarginNS) {
			c.WorstMarginNS, c.WorstSeed = r.MarginNS, r.Seed
		}
	}
	for _, key := range keys {
		o := outcomes[key]
		o.Seeds = seedText(seeds[key])
		c.Outcomes = append(c.Outcomes, o)
	}
}

func outcomeOf(r *campaign.Report) Outcome {
	o := Outcome{Broken: r.Broken, Failure: r.Failure}
	if o.Failure == "" && r.Outcome != campaign.Finished {
		o.Failure = "ended at its bound: " + r.Outcome
	}
	for _, answer := range r.Answers {
		if answer.Status != checker.Holds {
			answer.Reason = ""
			o.Answers = append(o.Answers, answer)
		}
	}
	return o
}

// text says how a run ended: "violated: overlap (A-VOTE); broken: A-VOTE".
func (o *Outcome) text() string {
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

// seedText writes ascending seeds as "1-4 7 9-50".
func seedText(seeds []uint64) string {
	var parts []string
	for i := 0; i < len(seeds); {
		j := i
		for j+1 < len(seeds) && seeds[j+1] == seeds[j]+1 {
			j++
		}
		part := strconv.FormatUint(seeds[i], 10)
		if j > i {
			part += "-" + strconv.FormatUint(seeds[j], 10)
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, " ")
}

// seeds reads what seedText wrote.
func (o *Outcome) seeds() ([]uint64, error) {
	var list []uint64
	for _, part := range strings.Fields(o.Seeds) {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		first, err1 := strconv.ParseUint(low, 10, 64)
		last, err2 := strconv.ParseUint(high, 10, 64)
		if err1 != nil || err2 != nil || last < first || last-first > 1_000_000 {
			return nil, fmt.Errorf("found the seeds %q; allowed: ranges such as 1-4 7 9-50", o.Seeds)
		}
		for seed := first; seed <= last; seed++ {
			list = append(list, seed)
		}
	}
	return list, nil
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
	if err := encoder.Encode(header{ResultsVersion, r.Made}); err != nil {
		return nil, err
	}
	for i := range r.Cells {
		if err := encoder.Encode(&r.Cells[i]); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// Load reads a result file. Errors name the file and the line.
func Load(path string) (*Results, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Results{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.DisallowUnknownFields()
		if n == 1 {
			var h header
			if err := decoder.Decode(&h); err != nil || h.Version != ResultsVersion {
				return nil, fmt.Errorf("%s:1: found no header of version %d; make the file anew: ./simulate report --rerun", path, ResultsVersion)
			}
			r.Made = h.Made
			continue
		}
		var c Cell
		if err := decoder.Decode(&c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		for i := range c.Outcomes {
			if _, err := c.Outcomes[i].seeds(); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, n, err)
			}
		}
		r.Cells = append(r.Cells, c)
	}
	return r, lines.Err()
}

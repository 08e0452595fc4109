package report

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// Cause says whose a violation is that nothing explains: no assumption that matters to it was broken.
type Cause string

// The causes. Only the first is a mistake of the lock.
const (
	CauseLock    Cause = "the lock"             // its code loses what the claim asks for
	CauseSetting Cause = "its default"          // a setting of the lock would avoid it
	CauseReading Cause = "laboratory's reading" // the lock reports no end of its validity, and we read one
	CauseDesign  Cause = "by design"            // the lock does what it is made for, and the scenario asks for something else
)

var causes = []Cause{CauseLock, CauseSetting, CauseReading, CauseDesign}

// Judgement is why a system loses scenarios with nothing that explains it:
// somebody has read its code and says it.
type Judgement struct {
	System    string   `yaml:"system"`    // "SY-9", or the title of a row: "SY-9 as-written"
	Scenarios []string `yaml:"scenarios"` // names, or patterns such as "BA-8-*"
	Cause     Cause    `yaml:"cause"`
	Finding   string   `yaml:"finding"` // in one sentence, for the track record
	Why       string   `yaml:"why"`     // what the code does, with the function's name, and what a user can do
	// Oracle is the one whose violation shows the finding, where that is not the
	// worst in the first run that the track record shows. Empty: the worst.
	Oracle checker.Oracle `yaml:"oracle"`
	line   int
}

// LoadJudgements reads the file in which violations are judged. Errors name the
// file and the line; a missing file is no judgements.
func LoadJudgements(file string) ([]Judgement, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var places []yaml.Node
	var list []Judgement
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := errors.Join(decoder.Decode(&list), yaml.Unmarshal(text, &places)); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range list {
		j := &list[i]
		j.line = places[i].Line
		if j.System == "" || len(j.Scenarios) == 0 || j.Finding == "" || j.Why == "" {
			return nil, fmt.Errorf("%s:%d: found no system, scenarios, finding or why; allowed: all four", file, j.line)
		}
		if !slices.Contains(causes, j.Cause) {
			return nil, fmt.Errorf("%s:%d: found the cause %q; allowed: %q", file, j.line, j.Cause, causes)
		}
		if j.Oracle != "" && !slices.Contains(checker.Oracles(), j.Oracle) {
			return nil, fmt.Errorf("%s:%d: found the oracle %q; allowed: %q, or none for the worst", file, j.line, j.Oracle, checker.Oracles())
		}
	}
	return list, nil
}

// about reports whether a judgement speaks of a cell.
func (j *Judgement) about(c *Cell) bool {
	return (j.System == c.name() || j.System == c.Subject) && slices.ContainsFunc(j.Scenarios, func(pattern string) bool {
		match, err := path.Match(pattern, c.Scenario)
		return match && err == nil
	})
}

// judgements are what is said of a cell.
func (in *Input) judgements(c *Cell) []*Judgement {
	var list []*Judgement
	for i := range in.Judgements {
		if in.Judgements[i].about(c) {
			list = append(list, &in.Judgements[i])
		}
	}
	return list
}

// bare reports whether a cell is violated in some run with nothing that explains it.
func (c *Cell) bare() bool {
	return slices.ContainsFunc(c.Outcomes, func(o Outcome) bool { return len(o.violated(c.Claim).Bugs()) > 0 })
}

// judged are the cells that must be judged; a planted bug is its own reason.
func (in *Input) judged(c *Cell) bool { return c.bare() && !in.planted(c) }

// Unjudged lists the violated cells whose reason nobody has said, and the
// judgements that are about nothing.
func (in *Input) Unjudged() []string {
	var list []string
	used := make([]bool, len(in.Judgements))
	for i := range in.Results.Cells {
		c := &in.Results.Cells[i]
		if !in.judged(c) {
			continue
		}
		if len(in.judgements(c)) == 0 {
			list = append(list, fmt.Sprintf("%s %s: violated with nothing that explains it, and judgements.yaml does not say why", c.Scenario, c.Subject))
		}
		for j := range in.Judgements {
			used[j] = used[j] || in.Judgements[j].about(c)
		}
	}
	for j := range in.Judgements {
		if !used[j] {
			list = append(list, fmt.Sprintf("judgements.yaml:%d: no cell of %s that is violated with nothing that explains it is any of %q", in.Judgements[j].line, in.Judgements[j].System, in.Judgements[j].Scenarios))
		}
	}
	return list
}

// causesOf are the causes of a cell's violations, in their order.
func (in *Input) causesOf(c *Cell) []Cause {
	var found []Cause
	for _, j := range in.judgements(c) {
		found = append(found, j.Cause)
	}
	if len(found) == 0 {
		found = []Cause{CauseLock}
	}
	return union(nil, found, causes)
}

// stories are the scenarios of a judgement that show it, in the suite's order.
func (in *Input) stories(j *Judgement) []*Cell {
	var list []*Cell
	for i := range in.Results.Cells {
		if c := &in.Results.Cells[i]; in.judged(c) && j.about(c) {
			list = append(list, c)
		}
	}
	return list
}

// claimsOf names the claims that cells are about.
func claimsOf(cells []*Cell) []string {
	var list []string
	for _, claim := range plan.Claims() {
		if slices.ContainsFunc(cells, func(c *Cell) bool { return c.Claim == claim.ID }) {
			list = append(list, claim.ID)
		}
	}
	return list
}

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
	"redlocklab/scenarios/campaign"
)

// Cause says whose a violation is that no broken assumption explains.
type Cause string

// The causes. Only the first is a mistake of the lock.
const (
	CauseLock     Cause = "the lock"     // its code loses what the claim asks for
	CauseSetting  Cause = "its default"  // another setting of the lock avoids it
	CauseEstimate Cause = "our estimate" // the lock reports no end of its validity, so we estimate one
	CauseDesign   Cause = "by design"    // the lock does what it is made for; the scenario asks for something else
)

var causes = []Cause{CauseLock, CauseSetting, CauseEstimate, CauseDesign}

// Diagnosis says why a system loses scenarios although no broken assumption explains
// it. People write it: they have read the system's code.
type Diagnosis struct {
	System    string   `yaml:"system"`    // "SY-9", or the title of a row: "SY-9 as-written"
	Scenarios []string `yaml:"scenarios"` // names, or patterns such as "BA-8-*"
	Cause     Cause    `yaml:"cause"`
	Finding   string   `yaml:"finding"` // in one sentence, for the track record
	Why       string   `yaml:"why"`     // what the code does, in which function, and what a user can do
	// Oracle is the one whose violation shows the finding, where that is not the
	// worst in the first run that the track record shows. Empty: the worst.
	Oracle checker.Oracle `yaml:"oracle"`
	line   int
}

// LoadDiagnoses reads the file of diagnoses. Errors name the file and the line; a
// missing file is no diagnoses.
func LoadDiagnoses(file string) ([]Diagnosis, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var places []yaml.Node
	var list []Diagnosis
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := errors.Join(decoder.Decode(&list), yaml.Unmarshal(text, &places)); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range list {
		d := &list[i]
		d.line = places[i].Line
		switch {
		case d.System == "" || len(d.Scenarios) == 0 || d.Finding == "" || d.Why == "":
			return nil, fmt.Errorf("%s:%d: found no system, scenarios, finding or why; allowed: all four", file, d.line)
		case !slices.Contains(causes, d.Cause):
			return nil, fmt.Errorf("%s:%d: found the cause %q; allowed: %q", file, d.line, d.Cause, causes)
		case d.Oracle != "" && !slices.Contains(checker.Oracles(), d.Oracle):
			return nil, fmt.Errorf("%s:%d: found the oracle %q; allowed: %q, or none for the worst", file, d.line, d.Oracle, checker.Oracles())
		}
	}
	return list, nil
}

// about reports whether a diagnosis is about a cell.
func (d *Diagnosis) about(c *Cell) bool {
	return (d.System == c.name() || d.System == c.Subject) &&
		slices.ContainsFunc(d.Scenarios, func(pattern string) bool {
			match, err := path.Match(pattern, c.Scenario)
			return match && err == nil
		})
}

// diagnoses are those of a cell.
func (in *Input) diagnoses(c *Cell) []*Diagnosis {
	var list []*Diagnosis
	for i := range in.Diagnoses {
		if in.Diagnoses[i].about(c) {
			list = append(list, &in.Diagnoses[i])
		}
	}
	return list
}

// unexplained reports whether no broken assumption explains some violation of a cell. A planted bug
// explains its own.
func (in *Input) unexplained(c *Cell) bool {
	return !in.planted(c) && slices.ContainsFunc(c.Endings, func(o Ending) bool {
		return len(campaign.Counted(o.Answers, c.Claim).Bugs()) > 0
	})
}

// Undiagnosed lists the unexplained cells without a diagnosis, and the diagnoses that
// are about no such cell.
func (in *Input) Undiagnosed() []string {
	var list []string
	used := map[*Diagnosis]bool{}
	for i := range in.Results.Cells {
		c := &in.Results.Cells[i]
		if !in.unexplained(c) {
			continue
		}
		found := in.diagnoses(c)
		if len(found) == 0 {
			list = append(list, fmt.Sprintf("%s %s: no broken assumption explains a violation, and diagnoses.yaml does not say why", c.Scenario, c.Subject))
		}
		for _, d := range found {
			used[d] = true
		}
	}
	for i := range in.Diagnoses {
		if d := &in.Diagnoses[i]; !used[d] {
			list = append(list, fmt.Sprintf("diagnoses.yaml:%d: %s has no unexplained violation in any of %q", d.line, d.System, d.Scenarios))
		}
	}
	return list
}

// causesOf are the causes of a cell's unexplained violations, in their order.
func (in *Input) causesOf(c *Cell) []Cause {
	var found []Cause
	for _, d := range in.diagnoses(c) {
		found = append(found, d.Cause)
	}
	if len(found) == 0 {
		found = []Cause{CauseLock}
	}
	return union(nil, found, causes)
}

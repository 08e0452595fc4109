package report

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"redlocklab/scenarios/plan"
	"redlocklab/tla"
)

// The files of the report, below the root of the checkout.
const (
	ReportFile    = "REPORT.md"
	Folder        = "cmd/simulate/report" // with the measured maps
	CellsFile     = Folder + "/CELLS.md"
	ResultsFile   = Folder + "/results/cells.jsonl"
	DiagnosesFile = Folder + "/diagnoses.yaml"
	MinimalFolder = Folder + "/minimal"
	// PicturesFolder holds a picture of each finding in the track record.
	PicturesFolder = Folder + "/pictures"
)

// Open reads all that the documents are made of, except the results.
func Open(root string, suite []*plan.Scenario) (*Input, error) {
	in := &Input{Suite: suite, Models: tla.LoadManifest().Claims}
	for _, part := range []func() error{
		func() (err error) { in.Diagnoses, err = LoadDiagnoses(filepath.Join(root, DiagnosesFile)); return err },
		func() (err error) { in.Minimal, err = LoadMinimal(filepath.Join(root, MinimalFolder)); return err },
		func() (err error) { in.Maps, err = LoadMaps(filepath.Join(root, Folder)); return err },
		func() (err error) { in.Versions, err = versionsOf(filepath.Join(root, "go.mod")); return err },
	} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// Documents returns REPORT.md, CELLS.md and the picture of the matrix.
func (in *Input) Documents() []Document {
	return []Document{{ReportFile, Render(in)}, {CellsFile, RenderCells(in)}, {MatrixFile, in.Matrix()}}
}

// Document is the text of a file below the root of the checkout.
type Document struct{ File, Text string }

// decisive are the modules whose versions the results depend on.
var decisive = []string{"alicebob/miniredis", "redis/go-redis/v9 ", "anishathalye/porcupine", "go-redsync/redsync", "bsm/redislock"}

var requirement = regexp.MustCompile(`(?m)^\s*(?:require )?(\S+ v\S+)$|^(go \S+)$`)

// versionsOf reads the versions that matter from a go.mod.
func versionsOf(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, match := range requirement.FindAllStringSubmatch(string(text), -1) {
		line := match[1] + match[2]
		if match[2] != "" || slices.ContainsFunc(decisive, func(m string) bool { return strings.Contains(line, m) }) {
			list = append(list, line)
		}
	}
	return list, nil
}

package remake

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
	"redlocklab/sim/explain"
)

// pictures plays the minimal plans of findings in the track record and draws them: of all
// findings, or of those in the cells that were asked for. Of pictures that belong to nothing
// it returns the files without a text.
func (m *Maker) pictures(all bool) ([]report.Document, error) {
	var files []report.Document
	belongs := map[string]bool{}
	for file, p := range m.In.Pictured() {
		belongs[file] = true
		if !all && !m.isAsked(p.Scenario, p.Subject.Title()) {
			continue
		}
		text, err := picture(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		files = append(files, report.Document{File: file, Text: text})
	}
	old, err := filepath.Glob(m.path(report.PicturesFolder + "/*.svg"))
	if err != nil {
		return nil, err
	}
	for _, path := range old {
		file := report.PicturesFolder + "/" + filepath.Base(path)
		if !belongs[file] {
			files = append(files, report.Document{File: file})
		}
	}
	return files, nil
}

// picture draws the run of a plan.
func picture(p *plan.Plan) (string, error) {
	result, err := play.Run(p, play.RunOptions{})
	if err != nil {
		return "", err
	}
	var drawn bytes.Buffer
	err = explain.SVG(&drawn, saved.Explain(result, nil), explain.StoryOptions{CausalOnly: true})
	return drawn.String(), err
}

// stale lists the documents that are not as the results make them.
func (m *Maker) stale() ([]string, error) {
	pictures, err := m.pictures(false)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, d := range append(pictures, m.In.Documents()...) {
		old, err := os.ReadFile(m.path(d.File))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		if err != nil || string(old) != d.Text {
			list = append(list, d.File+" is stale; make it again: ./simulate report")
		}
	}
	return list, nil
}

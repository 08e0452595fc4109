package page

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"strings"

	"redlocklab/sim/explain"
)

//go:embed atlas.css
var atlasStyle string

//go:embed atlas.js
var atlasScript string

//go:embed atlas.html
var atlasHTML string

var atlasTemplate = template.Must(template.New("atlas").Parse(atlasHTML))

// Atlas is a map whose cells open runs.
type Atlas struct {
	Title, Says, Cite string
	Panels            []AtlasPanel
	Legend            []AtlasSign
	Notes             []string // about axes and predictions
	Cells             []AtlasCell
}

// AtlasPanel is an SVG, whose cells have their number as data-cell.
type AtlasPanel struct{ Name, Drawing string }

// AtlasSign is a line of the legend: a colour, or a sign.
type AtlasSign struct{ Colour, Sign, Meaning string }

// AtlasCell is one cell, in the order of the numbers.
type AtlasCell struct {
	Panel, X, Y int    // where it is
	Words       string // the result there
	Command     string // that plays its run again
	TraceHash   string
	Run         *explain.Run `json:"-"` // nil: the page has only the command
}

// WriteAtlas writes a map as one page, which fetches nothing. A run opens in the page that
// [Write] makes of it.
func WriteAtlas(w io.Writer, a *Atlas, options explain.StoryOptions) error {
	type run struct {
		Cell int
		Data template.HTML
	}
	var runs []run
	for i := range a.Cells {
		if a.Cells[i].Run == nil {
			continue
		}
		var b bytes.Buffer
		if err := Write(&b, options, a.Cells[i].Run); err != nil {
			return err
		}
		// All runs share their style and script.
		text := strings.Replace(strings.Replace(b.String(), pageStyle, "\x01", 1), script, "\x02", 1)
		data, err := deflate([]byte(text))
		if err != nil {
			return err
		}
		runs = append(runs, run{i, template.HTML(data)})
	}
	data, err := json.Marshal(map[string]any{"Cells": a.Cells, "Style": pageStyle, "Script": script})
	if err != nil {
		return err
	}
	cells, err := deflate(data)
	if err != nil {
		return err
	}
	type panel struct {
		Name    string
		Drawing template.HTML
	}
	var panels []panel
	for _, p := range a.Panels {
		panels = append(panels, panel{p.Name, template.HTML(p.Drawing)})
	}
	return atlasTemplate.Execute(w, map[string]any{
		"Title": a.Title, "Says": a.Says, "Cite": a.Cite,
		"Panels": panels, "Legend": a.Legend, "Notes": a.Notes,
		"Runs": runs, "Cells": template.HTML(cells), "Slots": []string{"the run", "the run to compare"},
		"Style": template.CSS(atlasStyle), "Script": template.JS(atlasScript),
		// The runs' pages are inside of this one, and may do what both policies allow.
		"Policy": policy([]string{atlasScript, script}, []string{atlasStyle, pageStyle}),
	})
}

// deflate compresses, and writes in base64.
func deflate(data []byte) (string, error) {
	var b bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := zipped.Write(data); err != nil {
		return "", err
	}
	if err := zipped.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

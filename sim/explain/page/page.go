package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/explain"
	"redlocklab/sim/svg"
	"redlocklab/sim/words"
)

//go:embed page.css
var style string

//go:embed drawing.js
var drawingScript string

//go:embed panel.js
var panelScript string

//go:embed page.js
var pageScript string

//go:embed page.html
var pageHTML string

// script is the module of the page: plain parts, which share one scope.
var script = drawingScript + panelScript + pageScript

// The widths of a drawing at the page's smallest zoom, in pixels.
const (
	widthAlone  = 1240
	widthBeside = 850
	// tallest is the greatest height of a drawing under which there is room for panels.
	tallest = 420
)

// Write writes the page of a run, or of two runs that are to be compared. It writes the
// same bytes for the same runs. The error wraps [explain.ErrRun] or is that of the writer.
func Write(w io.Writer, options explain.StoryOptions, runs ...*explain.Run) error {
	if len(runs) < 1 || len(runs) > 2 {
		return fmt.Errorf("%w: found %d runs; allowed: one, or two to compare", explain.ErrRun, len(runs))
	}
	layout := "side"
	views, err := explain.NewViews(runs, options, widthBeside)
	if err != nil {
		return err
	}
	switch {
	case len(views) == 2:
		layout = "side pair"
	case views[0].Compressed.Height <= tallest:
		layout = "below"
		if views, err = explain.NewViews(runs, options, widthAlone); err != nil {
			return err
		}
	}
	packed, err := pack(views)
	if err != nil {
		return err
	}
	contents := map[string]any{
		"Title": views[0].Story.Title, "Policy": policy([]string{script}, []string{pageStyle}), "Layout": layout,
		"Pair": len(views) == 2, "Views": views, "Legend": explain.Legend(views...),
		"Definitions": template.HTML(explain.Definitions()), "Style": template.CSS(pageStyle),
		"Script": template.JS(script), "Data": template.HTML(packed), // the data is base64
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, contents); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

var pageStyle = svg.Style + style

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"svg": func(elements string) template.HTML { return template.HTML(elements) }, // package svg has escaped its texts
	"px":  svg.Px,
}).Parse(pageHTML))

// policy forbids everything but these scripts and styles.
func policy(scripts, styles []string) string {
	hashes := func(texts []string) string {
		var list []string
		for _, text := range texts {
			sum := sha256.Sum256([]byte(text))
			list = append(list, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
		}
		return strings.Join(list, " ")
	}
	return fmt.Sprintf("default-src 'none'; script-src %s; style-src %s", hashes(scripts), hashes(styles))
}

// The script reads the types below, which have short names: a long run has many of them.
type runData struct {
	Title, Subject string
	TTL            time.Duration
	Lines          []lineData
	Tracks         []explain.Track
	Assumptions    []lampData
	Sheets         []explain.Sheet // compressed, whose drawing the page has already, and true
	Trace          string          // as trace.ndjson has it
	Decisive       []int           `json:",omitempty"`
}

type lineData struct {
	Number int
	Mark   explain.Mark
	Text   string
	At     time.Duration // of the moment after the line
	Count  int           // of events that have happened then
	Events []int
}

type lampData struct {
	ID, Words string
	Event     int // that broke it; 0 when none did
	Broken    bool
}

// pack returns the data that the script reads, as JSON, compressed, in base64.
func pack(views []explain.View) (string, error) {
	var runs []runData
	for i := range views {
		runs = append(runs, dataOf(&views[i]))
	}
	signs := map[string]string{}
	for _, s := range explain.Legend() {
		signs[s.Name] = s.Words
	}
	text, err := json.Marshal(map[string]any{"Runs": runs, "Signs": signs, "Forever": sim.Forever})
	if err != nil {
		return "", err
	}
	return deflate(text)
}

func dataOf(v *explain.View) runData {
	data := runData{
		Title: v.Story.Title, Subject: words.Visible(v.Run.Subject), TTL: v.Run.TTL, Decisive: v.Run.Decisive,
		Lines: []lineData{}, Tracks: v.Tracks, Assumptions: []lampData{}, Sheets: []explain.Sheet{v.Compressed, v.True},
	}
	data.Sheets[0].Names, data.Sheets[0].Body = "", ""
	for i, line := range v.Story.Lines {
		moment := v.Moments[i]
		data.Lines = append(data.Lines, lineData{
			line.Number, line.Mark, line.Text, moment.At, moment.Events, line.Events,
		})
	}
	for _, a := range v.Run.Assumptions {
		lamp := lampData{ID: a.ID, Words: a.Words}
		for _, b := range v.Run.Broken {
			if b.Assumption == a.ID {
				lamp.Broken, lamp.Event = true, b.Event
			}
		}
		data.Assumptions = append(data.Assumptions, lamp)
	}
	var trace []byte
	for i := range v.Run.Events {
		trace = append(v.Run.Events[i].AppendJSON(trace), '\n')
	}
	data.Trace = string(trace)
	return data
}

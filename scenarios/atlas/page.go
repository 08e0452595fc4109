package atlas

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim/explain"
	"redlocklab/sim/explain/page"
)

// Pages says which cells have their run in the page; the others have the command that plays it.
type Pages string

// The pages.
const (
	NoPages     Pages = "none"
	BorderPages Pages = "border" // cells with a neighbour that has another verdict
	AllPages    Pages = "all"
)

// Words returns all of them.
func (Pages) Words() []Pages { return []Pages{NoPages, BorderPages, AllPages} }

// WritePage writes the map as one page for a browser, which fetches nothing. The runs that
// it contains are played again by laboratory, to the same traces. cite is its last line.
func (m *Map) WritePage(
	w io.Writer, lines []Line, pages Pages, laboratory func(*plan.Plan) (*play.Result, error), cite string,
) error {
	a := &page.Atlas{Title: m.title(), Says: m.Sentence(lines) + ".", Cite: cite}
	if err := m.draw(a, lines); err != nil {
		return err
	}
	near := m.bordering(lines)
	var group errgroup.Group
	group.SetLimit(runtime.NumCPU())
	a.Cells = make([]page.AtlasCell, len(lines))
	for number, p := range m.panels(lines) {
		for _, i := range p.lines {
			a.Cells[i].Panel = number
		}
	}
	for i := range lines {
		l, cell := &lines[i], &a.Cells[i]
		cell.X, cell.Y = m.Cell(l.Place)
		cell.Words, cell.Command = m.Words(l), m.Command(l)
		if r := m.report(l.Place, l.Seed); r != nil {
			cell.TraceHash = r.TraceHash
		}
		if pages == NoPages || pages == BorderPages && !near[i] {
			continue
		}
		plan, err := m.Plan(l.Place, l.Seed)
		if err != nil {
			return err
		}
		group.Go(func() error {
			run, err := laboratory(plan)
			if err == nil && run.TraceHash != cell.TraceHash {
				err = fmt.Errorf("%s: found the trace %s; allowed: the %s that it was", cell.Command, run.TraceHash, cell.TraceHash)
			}
			if err == nil {
				cell.Run = run.Explained()
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return page.WriteAtlas(w, a, explain.StoryOptions{CausalOnly: true})
}

// draw adds the drawings to a page, and what their colours, signs and axes mean.
func (m *Map) draw(a *page.Atlas, lines []Line) error {
	for i, axis := range m.Axes {
		where := []string{"across", "up", "panels"}[i]
		if i == 1 && m.Spec.Map.Y == nil {
			where = "panels"
		}
		a.Notes = append(a.Notes, fmt.Sprintf("%s: %s, %s", where, axis.Parameter.Name, axis.Parameter.Meaning))
	}
	if m.Spec.Map.Y == nil {
		drawing, err := m.Picture(lines)
		a.Panels = []page.AtlasPanel{{Drawing: drawing}}
		return err
	}
	chart, err := m.chart(lines)
	if err != nil {
		return err
	}
	for i := range chart.Panels {
		a.Panels = append(a.Panels, page.AtlasPanel{Name: chart.Panels[i].Name, Drawing: chart.Alone(i)})
	}
	for _, s := range chart.Legend {
		sign := strings.TrimSuffix(s.Sign, ":")
		a.Legend = append(a.Legend, page.AtlasSign{Colour: s.Colour, Sign: sign, Meaning: s.Meaning})
	}
	a.Notes = append(a.Notes, chart.Foot[:len(chart.Foot)-1]...) // the last is what the page says
	return nil
}

// Words says what was seen in a cell.
func (m *Map) Words(l *Line) string {
	text := m.PanelName(l.Place, l.Judge)
	for i, axis := range m.Axes {
		text += ", " + axis.Parameter.Name + " " + l.Texts[i]
	}
	text += fmt.Sprintf(": %s in %d of %d runs", l.Verdict, l.From, l.Planned)
	if l.Cause != "" {
		text += "; cause: " + l.Cause
	}
	if l.Predicted != "" {
		text += fmt.Sprintf("; predicted %s (%s)", l.Predicted, l.Agreement)
	}
	return text
}

// Command is the command that plays the run which a cell shows, and saves it.
func (m *Map) Command(l *Line) string {
	words := []string{"./simulate run", m.Spec.Name}
	for _, s := range m.Settings(l.Place) {
		words = append(words, "--set", s.String())
	}
	return strings.Join(append(words, "--subject", strconv.Quote(l.Subject), "--seed", strconv.FormatUint(l.Seed, 10), "--out D"), " ")
}

// Cell is which cell of its panel a place is in, from the left and from below.
func (m *Map) Cell(p Place) (x, y int) {
	index := func(axis int) int { return slices.Index(m.Axes[axis].Values, p.Values[axis]) }
	if m.Spec.Map.Y != nil {
		y = index(1)
	}
	return index(0), y
}

package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
	"redlocklab/sim/fidelity"
	"redlocklab/tla"
)

// Input is all that the documents are made of.
type Input struct {
	Results   *Results
	Diagnoses []Diagnosis
	Suite     []*plan.Scenario
	Models    []tla.ClaimVerdict
	Minimal   map[string]*search.Minimal // by the names of their files
	Maps      []Map
	Versions  []string // "github.com/redis/go-redis/v9 v9.23.0"

	plantedRows map[[2]string]bool // by scenario and title
}

//go:embed pages.tmpl
var pagesText string

func (in *Input) fill(page string) string {
	pages := template.Must(template.New("").Funcs(template.FuncMap{
		"decisions": in.decisions, "sentences": in.sentences, "forgetting": in.forgetting,
		"systems": plan.Systems, "asked": in.asked, "matrix": func() string { return MatrixFile },
		"assumptions": in.assumptions, "trackRecord": in.trackRecord, "plots": in.plots, "played": in.played,
		"versions": func() string { return strings.Join(in.Versions, ", ") },

		"cells": in.cells, "claims": in.claims, "table": in.matrix, "findings": in.findings,
		"promiseEnds": in.promises, "maps": in.maps, "compared": compared, "differences": differences,
	}).Parse(pagesText))
	var text strings.Builder
	if err := pages.ExecuteTemplate(&text, page, nil); err != nil {
		panic(err) // the template is our own
	}
	return text.String()
}

// Render makes REPORT.md: one page for those who use a lock, study locks, or write one.
func Render(in *Input) string { return reflow(in.fill("REPORT.md")) }

// RenderCells makes CELLS.md: every cell by itself. Its links lead from the report's folder.
func RenderCells(in *Input) string {
	return strings.NewReplacer(
		"]("+CellsFile+"#", "](#", "]("+Folder+"/", "](", "](scenarios/", "](../../../scenarios/",
		"](ARCHITECTURE.md", "](../../../ARCHITECTURE.md", "](checker/", "](../../../checker/",
		"](tla/", "](../../../tla/",
	).Replace(in.fill("CELLS.md"))
}

// document is a text under construction.
type document struct{ strings.Builder }

func (d *document) line(format string, arguments ...any) {
	fmt.Fprintf(d, format+"\n", arguments...)
}

// pageWidth is how many columns a line outside of tables has at most.
const pageWidth = 100

// command writes a command as a block inside of a list, in lines of at most so many columns.
func (d *document) command(text string) {
	d.line("   ```\n%s\n   ```", strings.Join(wrap(text, "   ", "     ", pageWidth-2), " \\\n"))
}

// wrap breaks a text at blanks into lines of at most so many columns. The first begins with an indent, the
// others with another one.
func wrap(text, indent, hang string, width int) []string {
	var lines []string
	line := indent
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == indent && lines == nil:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines, line = append(lines, line), hang+word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

var listItem = regexp.MustCompile(`^(- |\d+\. )`)

// reflow wraps the paragraphs and list items of a page anew. Headings, tables and indented
// blocks of commands stay as they are.
func reflow(page string) string {
	d := &document{}
	paragraph := ""
	end := func() {
		if paragraph != "" {
			hang := strings.Repeat(" ", min(len(listItem.FindString(paragraph)), 3))
			d.line("%s", strings.Join(wrap(paragraph, "", hang, pageWidth), "\n"))
		}
		paragraph = ""
	}
	for text := range strings.Lines(page) {
		asItIs := strings.HasPrefix(text, "   ") || strings.ContainsRune("\n#|", rune(text[0]))
		if asItIs || listItem.MatchString(text) {
			end()
		}
		if asItIs {
			d.WriteString(text)
		} else {
			paragraph += text
		}
	}
	end()
	return d.String()
}

// table writes a table, without the end of its last line.
func table(heads []string, rows [][]string) string {
	lines := []string{"| " + strings.Join(heads, " | ") + " |", "|" + strings.Repeat("---|", len(heads))}
	for _, row := range rows {
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "|", `\|`)
		}
		lines = append(lines, "| "+strings.Join(row, " | ")+" |")
	}
	return strings.Join(lines, "\n")
}

// tableOf writes a table with a row per thing, but for those whose row is nil.
func tableOf[T any](things []T, row func(T) []string, heads ...string) string {
	var rows [][]string
	for _, thing := range things {
		if cells := row(thing); cells != nil {
			rows = append(rows, cells)
		}
	}
	return table(heads, rows)
}

// code marks a command.
func code(text string) string { return "`" + text + "`" }

func anchor(claim string) string {
	return fmt.Sprintf("[%s](cmd/simulate/report/CELLS.md#%s)", claim, strings.ToLower(claim))
}

// choose lists cells, without the rows with a planted bug, which show that a
// scenario can fail.
func (in *Input) choose(wanted func(c *Cell) bool) []*Cell {
	var list []*Cell
	for i := range in.Results.Cells {
		if c := &in.Results.Cells[i]; wanted(c) && !in.planted(c) {
			list = append(list, c)
		}
	}
	return list
}

// chosen lists the cells of one subject and one claim.
func (in *Input) chosen(claim, subject string) []*Cell {
	return in.choose(func(c *Cell) bool { return c.Claim == claim && c.name() == subject })
}

// planted reports whether a cell's row has a planted bug.
func (in *Input) planted(c *Cell) bool {
	if in.plantedRows == nil {
		in.plantedRows = map[[2]string]bool{}
		for _, s := range in.Suite {
			for _, row := range s.Subjects {
				in.plantedRows[[2]string{s.Name, row.Title()}] = row.Planted()
			}
		}
	}
	return in.plantedRows[[2]string{c.Scenario, c.Subject}]
}

// name is the subject of a row's title.
func (c *Cell) name() string {
	name, _, _ := strings.Cut(c.Subject, " ")
	return name
}

// sums are the numbers in a paragraph.
type sums struct {
	Runs, Violated, Bug int
	Broken              string // the assumptions that explain all violations; empty when none do
	Cells, Open         int
	Command             string // that plays the runs
}

// forgetting sums up redlock's runs with nodes that forget.
func (in *Input) forgetting() sums {
	t := in.of("SY-10", "BA-2", "BA-3", "BA-4", "RP-1", "RP-2", "RP-3", "RP-4")
	s := sums{Runs: t.runs, Violated: t.violated, Bug: t.bare}
	if t.bare == 0 {
		s.Broken = strings.Join(t.broken, " or ")
	}
	return s
}

func (in *Input) played() sums {
	cells := in.choose(func(*Cell) bool { return true })
	all := in.tally(cells...)
	s := sums{Runs: all.runs, Cells: all.cells + all.idle, Command: in.Results.Made}
	for _, c := range cells {
		if t := in.tally(c); t.violated == 0 && t.open > 0 {
			s.Open++
		}
	}
	return s
}

// assumptions is the table of the assumptions, and the claims whose runs break them.
func (in *Input) assumptions() string {
	return tableOf(plan.AssumptionTerms(), func(term plan.Term) []string {
		var claims []string
		for _, claim := range in.asked() {
			breaks := func(c *Cell) bool { return slices.Contains(in.tally(c).broken, term.Name) }
			if slices.ContainsFunc(in.chosen(claim.ID, "SY-0"), breaks) {
				claims = append(claims, anchor(claim.ID))
			}
		}
		return []string{term.Name, term.Meaning, strings.Join(claims, " ")}
	}, "id", "assumption", "broken in")
}

// plots shows the measured claims: a picture each.
func (in *Input) plots() string {
	var pictures []string
	for i := range in.Maps {
		if c := &in.Maps[i]; c.Plot {
			pictures = append(pictures, fmt.Sprintf("![%s](%s/%s.svg)", c.Name, Folder, c.Name))
		}
	}
	return strings.Join(pictures, " ")
}

func (in *Input) claims() string {
	return tableOf(in.asked(), func(claim plan.Claim) []string {
		models := "not modelled"
		if i := slices.IndexFunc(in.Models, func(m tla.ClaimVerdict) bool { return m.Claim == claim.ID }); i >= 0 {
			models = in.Models[i].Says
			if m := in.Models[i]; m.TheoremOf != "" {
				models = fmt.Sprintf("theorem (%s); models: %s", m.TheoremOf, models)
			} else if m.Theorem != "" {
				models = "theorem; models: " + models
			}
		}
		of0, of10 := in.variants(claim.ID, "SY-0"), in.variants(claim.ID, "SY-10")
		return []string{anchor(claim.ID), claim.Title, string(claim.Kind), of0, of10, models}
	}, "claim", "", "expected", "SY-0", "SY-10", "models")
}

// variants is a claim's verdict for a subject, told apart by the labels of its
// rows where they differ.
func (in *Input) variants(claim, subject string) string {
	var titles, words, parts []string
	for _, c := range in.chosen(claim, subject) {
		titles = with(titles, c.Subject)
	}
	for _, title := range titles {
		word := in.tally(in.choose(func(o *Cell) bool { return o.Claim == claim && o.Subject == title })...).word()
		label := cmp.Or(strings.TrimSpace(strings.TrimPrefix(title, subject)), "default")
		words, parts = append(words, word), append(parts, label+": "+word)
	}
	switch len(slices.Compact(words)) {
	case 0:
		return "n/a"
	case 1:
		return words[0]
	}
	return strings.Join(parts, "<br>")
}

// matrix is the table of all systems and all claims.
func (in *Input) matrix() string {
	heads := []string{"claim"}
	for _, s := range plan.Systems() {
		heads = append(heads, strings.TrimSuffix(s.Name+"<br>"+s.Alias, "<br>"))
	}
	return tableOf(plan.Claims(), func(claim plan.Claim) []string {
		row, shown := []string{anchor(claim.ID)}, false
		for _, s := range plan.Systems() {
			shown = shown || in.tally(in.chosen(claim.ID, s.Name)...).cells > 0
			row = append(row, in.variants(claim.ID, s.Name))
		}
		if !shown {
			return nil
		}
		return row
	}, heads...)
}

// compared is the table of what was compared with a real server.
func compared() string {
	return tableOf(fidelity.Rows(), func(row fidelity.Row) []string {
		tried := "the same, but for the differences below"
		if !row.Tried {
			tried = "not tried: " + row.Why
		}
		return []string{row.Name, row.Compared, tried}
	}, "what", "compared", "with a real server")
}

// differences is the table of the known differences from a real server.
func differences() string {
	return tableOf(fidelity.Differences(), func(x fidelity.Difference) []string {
		redis := code(x.Redis)
		if x.Sometimes {
			redis += " or " + code(x.World)
		}
		where := strings.TrimSpace(strings.TrimSuffix(x.Row, " ") + " " + x.Step)
		return []string{where, redis, code(x.World), x.Why}
	}, "where", "Redis", "the world", "why it does no harm")
}

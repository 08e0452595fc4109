package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
)

// Map is a map that was played: a cells.csv of simulate map, perhaps with a plot beside it.
type Map struct {
	Name    string // of the file, without its ending
	Plot    bool
	Heads   []string
	Records [][]string
}

// LoadMaps reads the CSV files in a folder, in the order of their names.
func LoadMaps(dir string) ([]Map, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		return nil, err
	}
	maps := make([]Map, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = maps[i].Read(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		base := strings.TrimSuffix(file, ".csv")
		_, err = os.Stat(base + ".svg")
		maps[i].Name, maps[i].Plot = filepath.Base(base), err == nil
	}
	return maps, nil
}

// Read reads a map from its cells.csv.
func (c *Map) Read(text []byte) error {
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}
	if len(records) == 0 {
		return errors.New("found no header; allowed: the cells.csv of simulate map")
	}
	c.Heads, c.Records = records[0], records[1:]
	return nil
}

// at is the text in a record's column; empty when there is no such column.
func (c *Map) at(record []string, column string) string {
	if i := slices.Index(c.Heads, column); i >= 0 {
		return record[i]
	}
	return ""
}

// tableRows is how many points of a map are printed, evenly spread; all of them stand in its file.
const tableRows = 6

// maps shows the numbers that are verdicts themselves; empty when nothing was measured.
func (in *Input) maps() string {
	d := &document{}
	for i := range in.Maps {
		in.Maps[i].write(d, in.scenario(in.Maps[i].Name))
	}
	return d.String()
}

func (in *Input) scenario(name string) *plan.Scenario {
	i := slices.IndexFunc(in.Suite, func(s *plan.Scenario) bool { return s.Name == name })
	if i >= 0 {
		return in.Suite[i]
	}
	if text, err := atlas.ReadyText(name); err == nil {
		if s, err := file.Parse(name+".yaml", text); err == nil {
			return s
		}
	}
	return &plan.Scenario{Name: name, Title: name}
}

// write shows a map: a row per value of the first parameter, a column per line.
func (c *Map) write(d *document, s *plan.Scenario) {
	d.line("\n### %s: %s\n", c.Name, s.Title)
	d.line("[%s.csv](%s/%s.csv): %s", c.Name, Folder, c.Name, code("./simulate map "+c.Name+" --out out/"+c.Name))
	if c.Plot {
		d.line("\n![%s](%s/%s.svg)", c.Name, Folder, c.Name)
	}
	d.line("")
	shown := cmp.Or(s.Map, &plan.Map{Measure: plan.MeasureViolated})
	if shown.Y != nil {
		c.cells(d, shown)
		return
	}
	measure := shown.Measure
	d.line("%s:", map[plan.Measure]string{
		plan.MeasureViolated: "Share of runs in which something was violated",
		plan.MeasureMargin:   "Median over the runs of the worst margin between two beliefs; negative: both hold for so long",
		plan.MeasureTime:     "Median of the time to the first goal",
	}[measure])
	var values, lines []string
	cells := map[[2]string]string{}
	for _, record := range c.Records {
		value, line := c.axis(record, c.Heads[0]), c.line(record, 1)
		values, lines = with(values, value), with(lines, line)
		columns := intervalOf(measure)
		cells[[2]string{value, line}] = fmt.Sprintf("%s (%s–%s)",
			c.axis(record, columns[0]), c.axis(record, columns[1]), c.axis(record, columns[2]))
	}
	var rows [][]string
	for _, value := range Spread(values, tableRows) {
		row := []string{value}
		for _, line := range lines {
			row = append(row, cells[[2]string{value, line}])
		}
		rows = append(rows, row)
	}
	d.line("\n%s", table(append([]string{strings.TrimSuffix(c.Heads[0], "_ns")}, lines...), rows))
	if measure == plan.MeasureViolated && slices.Contains(c.Heads, "goal1_median_ns") { // about missed goals
		d.line("\nThe best lines, with those whose intervals overlap the best one's: "+
			"by the smallest share, %s; by the shortest median time to the goal, %s.",
			c.ranges(intervalOf(plan.MeasureViolated)), c.ranges(intervalOf(plan.MeasureTime)))
	}
}

// with is a list with a value, once.
func with[T comparable](list []T, value T) []T {
	if slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}

// Spread picks n of the values, evenly, with the first and the last.
func Spread[T any](values []T, n int) []T {
	if len(values) <= n {
		return values
	}
	picked := make([]T, n)
	for i := range picked {
		picked[i] = values[i*(len(values)-1)/(n-1)]
	}
	return picked
}

// line names one line of a map: its subject and the parameters from the given one on.
func (c *Map) line(record []string, first int) string {
	subject := slices.Index(c.Heads, "subject")
	words := []string{record[subject]}
	for i := first; i < subject; i++ {
		words = append(words, strings.TrimSuffix(c.Heads[i], "_ns")+" "+c.axis(record, c.Heads[i]))
	}
	return strings.Join(words, ", ")
}

// axis is what a column has for readers: of a time with its unit, empty where it is no number.
func (c *Map) axis(record []string, column string) string {
	text := c.at(record, column)
	if !strings.HasSuffix(column, "_ns") {
		return text
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return ""
	}
	return time.Duration(n).Round(time.Microsecond).String()
}

// intervalOf names the columns of a measure's value and of the ends of its interval.
func intervalOf(measure plan.Measure) [3]string {
	switch measure {
	case plan.MeasureMargin:
		return [3]string{"margin_median_ns", "margin_median_low_ns", "margin_median_high_ns"}
	case plan.MeasureTime:
		return [3]string{"goal1_median_ns", "goal1_median_low_ns", "goal1_median_high_ns"}
	}
	return [3]string{"violated_share", "violated_share_low", "violated_share_high"}
}

// cells shows a map over two axes: what is predicted, and per panel how many cells are what.
func (c *Map) cells(d *document, m *plan.Map) {
	for _, p := range m.Predictions {
		who := strings.TrimSpace(p.Subject + " " + p.Judge)
		switch {
		case who == "" && len(m.Predictions) == 1:
			who = "All"
		case who == "":
			who = "All others"
		}
		formulas := "violated where " + code(string(p.Violated))
		if p.Violated == "false" {
			formulas = "violated nowhere"
		}
		if p.None != "" {
			formulas += ", no progress where " + code(string(p.None))
		}
		d.line("- %s: predicted %s. %s", who, formulas, p.Because)
	}
	if len(m.Predictions) == 0 {
		d.line("Nothing is predicted.")
	}
	var panels []string
	counts, causes := map[string]map[string]int{}, map[string][]string{}
	for _, record := range c.Records {
		panel := c.line(record, 2)
		if len(m.Judges) > 0 {
			panel += ", " + c.at(record, "judge")
		}
		if counts[panel] == nil {
			panels, counts[panel] = append(panels, panel), map[string]int{}
		}
		counts[panel][c.at(record, "verdict")]++
		counts[panel][c.at(record, "agreement")]++
		if cause := c.at(record, "cause"); cause != "" && !strings.Contains(strings.Join(causes[panel], ";")+";", cause+";") {
			causes[panel] = append(causes[panel], cause)
		}
	}
	var rows [][]string
	for _, panel := range panels {
		row := []string{panel}
		for _, words := range [][]string{
			{"two holders", "violated"}, {"one holder", "held"}, {"no progress"}, {"undecided"}, {"disagrees"},
		} {
			n := 0
			for _, word := range words {
				n += counts[panel][word]
			}
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, append(row, strings.Join(causes[panel], "; ")))
	}
	heads := []string{"panel", "violated", "not violated", "no progress", "undecided", "not as predicted", "causes"}
	d.line("\n%s", table(heads, rows))
}

// ranges says which lines are best between which values of the first parameter.
func (c *Map) ranges(columns [3]string) string {
	type span struct{ from, to, best string }
	var spans []span
	for records := c.Records; len(records) > 0; {
		value, n := records[0][0], 1
		for n < len(records) && records[n][0] == value {
			n++
		}
		at, best := c.axis(records[0], c.Heads[0]), oneOf(c.best(records[:n], columns))
		if last := len(spans) - 1; last >= 0 && spans[last].best == best {
			spans[last].to = at
		} else {
			spans = append(spans, span{at, at, best})
		}
		records = records[n:]
	}
	return strings.Join(plan.Texts(spans, func(s span) string {
		if s.from == s.to {
			return fmt.Sprintf("%s (at %s)", s.best, s.from)
		}
		return fmt.Sprintf("%s (%s to %s)", s.best, s.from, s.to)
	}), ", then ")
}

// best names the line with the smallest value, and those whose interval overlaps its.
func (c *Map) best(records [][]string, columns [3]string) []string {
	type point struct {
		line    string
		numbers [3]float64 // value, low, high
	}
	var points []point
	for _, record := range records {
		p := point{line: c.line(record, 1)}
		var err error
		for i, column := range columns {
			n, wrong := strconv.ParseFloat(c.at(record, column), 64)
			p.numbers[i], err = n, cmp.Or(err, wrong)
		}
		if err == nil {
			points = append(points, p)
		}
	}
	if len(points) == 0 {
		return []string{"none"}
	}
	first := slices.MinFunc(points, func(a, b point) int { return cmp.Compare(a.numbers[0], b.numbers[0]) })
	points = slices.DeleteFunc(points, func(p point) bool { return p.numbers[1] > first.numbers[2] })
	return plan.Texts(points, func(p point) string { return p.line })
}

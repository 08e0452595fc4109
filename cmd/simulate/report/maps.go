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

// column is the place of a column, -1 when there is none.
func (c *Map) column(name string) int { return slices.Index(c.Heads, name) }

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
	if s.Map != nil && s.Map.Y != nil {
		c.cells(d, s.Map)
		return
	}
	measure := plan.MeasureViolated
	if s.Map != nil {
		measure = s.Map.Measure
	}
	d.line("%s:", map[plan.Measure]string{
		plan.MeasureViolated: "Share of runs in which something was violated",
		plan.MeasureMargin:   "Median over the runs of the worst margin between two beliefs; negative: both hold for so long",
		plan.MeasureTime:     "Median of the time to the first goal",
	}[measure])
	subject := c.column("subject")
	if subject < 1 {
		return
	}
	var values, lines []string
	cells := map[[2]string]string{}
	for _, record := range c.Records {
		value, line := c.axis(0, record), c.line(record[:subject+1])
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		cells[[2]string{value, line}] = c.measured(record, measure)
	}
	var rows [][]string
	for _, value := range spread(values, tableRows) {
		row := []string{value}
		for _, line := range lines {
			row = append(row, cells[[2]string{value, line}])
		}
		rows = append(rows, row)
	}
	d.line("\n%s", table(append([]string{strings.TrimSuffix(c.Heads[0], "_ns")}, lines...), rows))
	if text := c.bestLines(measure); text != "" {
		d.line("\n%s", text)
	}
}

// spread picks n of the values, evenly, with the first and the last.
func spread(values []string, n int) []string {
	if len(values) <= n {
		return values
	}
	picked := make([]string, n)
	for i := range picked {
		picked[i] = values[i*(len(values)-1)/(n-1)]
	}
	return picked
}

// line names one line of a map: its subject and the parameters but the first.
func (c *Map) line(record []string) string {
	words := []string{record[len(record)-1]}
	for i := 1; i < len(record)-1; i++ {
		words = append(words, strings.TrimSuffix(c.Heads[i], "_ns")+" "+c.axis(i, record))
	}
	return strings.Join(words, ", ")
}

// axis is a parameter's value, with the unit of a time.
func (c *Map) axis(i int, record []string) string {
	if strings.HasSuffix(c.Heads[i], "_ns") {
		return duration(record[i])
	}
	return record[i]
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

// measured is what a map is about, at one point, with its interval.
func (c *Map) measured(record []string, measure plan.Measure) string {
	var values [3]string
	for i, name := range intervalOf(measure) {
		if at := c.column(name); at >= 0 {
			values[i] = c.axis(at, record)
		}
	}
	return fmt.Sprintf("%s (%s–%s)", values[0], values[1], values[2])
}

// duration writes nanoseconds for readers; what is no number stays empty.
func duration(ns string) string {
	n, err := strconv.ParseInt(ns, 10, 64)
	if err != nil {
		return ""
	}
	return time.Duration(n).Round(time.Microsecond).String()
}

// cells shows a map over two axes: what is predicted, and per panel how many cells are what.
func (c *Map) cells(d *document, m *plan.Map) {
	for _, p := range m.Predictions {
		who := strings.TrimSpace(p.Subject + " " + p.Judge)
		if who == "" {
			who = "All others"
			if len(m.Predictions) == 1 {
				who = "All"
			}
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
	subject, judge, verdict := c.column("subject"), c.column("judge"), c.column("verdict")
	agreement, cause := c.column("agreement"), c.column("cause")
	if verdict < 0 || agreement < 0 {
		return
	}
	type panel struct {
		name   string
		counts map[string]int
		causes []string
	}
	var panels []*panel
	for _, record := range c.Records {
		name := record[subject]
		for i := 2; i < subject; i++ {
			name += ", " + strings.TrimSuffix(c.Heads[i], "_ns") + " " + c.axis(i, record)
		}
		if len(m.Judges) > 0 {
			name += ", " + record[judge]
		}
		i := slices.IndexFunc(panels, func(p *panel) bool { return p.name == name })
		if i < 0 {
			i, panels = len(panels), append(panels, &panel{name: name, counts: map[string]int{}})
		}
		p := panels[i]
		p.counts[record[verdict]]++
		p.counts[record[agreement]]++
		if text := record[cause]; text != "" && !strings.Contains(strings.Join(p.causes, ";")+";", text+";") {
			p.causes = append(p.causes, text)
		}
	}
	var rows [][]string
	for _, p := range panels {
		row := []string{p.name}
		for _, n := range []int{
			p.counts["two holders"] + p.counts["violated"], p.counts["one holder"] + p.counts["held"],
			p.counts["no progress"], p.counts["undecided"], p.counts["disagrees"],
		} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, append(row, strings.Join(p.causes, "; ")))
	}
	heads := []string{"panel", "violated", "not violated", "no progress", "undecided", "not as predicted", "causes"}
	d.line("\n%s", table(heads, rows))
}

// bestLines says which lines of a map about missed goals are best between which values
// of the first parameter: by the share of missed goals, and by the time to the goal. Empty for other maps.
func (c *Map) bestLines(measure plan.Measure) string {
	if measure != plan.MeasureViolated || c.column("goal1_median_ns") < 0 || c.column("subject") < 1 {
		return ""
	}
	return fmt.Sprintf("The best lines, with those whose intervals overlap the best one's: "+
		"by the smallest share, %s; by the shortest median time to the goal, %s.",
		c.ranges(intervalOf(plan.MeasureViolated)), c.ranges(intervalOf(plan.MeasureTime)))
}

// ranges says which lines are best between which values of the first parameter.
func (c *Map) ranges(columns [3]string) string {
	type span struct{ from, to, best string }
	var spans []span
	for _, records := range c.byFirst() {
		at, best := c.axis(0, records[0]), oneOf(c.best(records, columns))
		if last := len(spans) - 1; last >= 0 && spans[last].best == best {
			spans[last].to = at
			continue
		}
		spans = append(spans, span{at, at, best})
	}
	var parts []string
	for _, s := range spans {
		where := fmt.Sprintf("%s to %s", s.from, s.to)
		if s.from == s.to {
			where = "at " + s.from
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", s.best, where))
	}
	return strings.Join(parts, ", then ")
}

// byFirst sorts the records by the value of the first parameter, in the file's order.
func (c *Map) byFirst() [][][]string {
	var groups [][][]string
	for _, record := range c.Records {
		last := len(groups) - 1
		if last < 0 || groups[last][0][0] != record[0] {
			groups = append(groups, nil)
			last++
		}
		groups[last] = append(groups[last], record)
	}
	return groups
}

// best names the line with the smallest value, and those whose interval overlaps its.
func (c *Map) best(records [][]string, columns [3]string) []string {
	value, low, high := columns[0], columns[1], columns[2]
	number := func(record []string, column string) (float64, bool) {
		n, err := strconv.ParseFloat(record[c.column(column)], 64)
		return n, err == nil
	}
	records = slices.DeleteFunc(slices.Clone(records), func(r []string) bool { _, ok := number(r, value); return !ok })
	if len(records) == 0 {
		return []string{"none"}
	}
	first := slices.MinFunc(records, func(a, b []string) int {
		x, _ := number(a, value)
		y, _ := number(b, value)
		return cmp.Compare(x, y)
	})
	bound, _ := number(first, high)
	var names []string
	for _, record := range records {
		if from, ok := number(record, low); ok && from <= bound {
			names = append(names, c.line(record[:c.column("subject")+1]))
		}
	}
	return names
}

package report

import (
	"bytes"
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

// measured writes the numbers that are verdicts themselves.
func (in *Input) measured(d *document) {
	d.line("## Measured")
	d.line("")
	if len(in.Maps) == 0 {
		d.line("Nothing has been measured yet: `./simulate map` makes the files that are shown here.")
		d.line("")
		return
	}
	d.line("Brackets hold 95 %% intervals (Wilson's for a share, by ranks for a median); times are true time inside the run. The tables show a few points of each map. Its CSV file has all of them, and its command makes")
	d.line("them again. The scenario's file says what the parameters mean.")
	for i := range in.Maps {
		in.Maps[i].write(d, in.scenario(in.Maps[i].Name))
	}
	d.line("")
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
	d.line("")
	d.line("### %s: %s", c.Name, s.Title)
	d.line("")
	d.line("[%s.csv](cmd/simulate/report/%s.csv): %s", c.Name, c.Name, code("./simulate map "+c.Name+" --out out/"+c.Name))
	if c.Plot {
		d.line("")
		d.line("![%s](cmd/simulate/report/%s.svg)", c.Name, c.Name)
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
	d.head(append([]string{strings.TrimSuffix(c.Heads[0], "_ns")}, lines...)...)
	for _, value := range spread(values, tableRows) {
		row := []string{value}
		for _, line := range lines {
			row = append(row, cells[[2]string{value, line}])
		}
		d.row(row...)
	}
	if text := c.bestLines(measure); text != "" {
		d.line("")
		d.line("%s", text)
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

// measured is what a map is about, at one point.
func (c *Map) measured(record []string, measure plan.Measure) string {
	value := func(name string) string {
		if i := c.column(name); i >= 0 {
			return record[i]
		}
		return ""
	}
	switch measure {
	case plan.MeasureMargin:
		return fmt.Sprintf("%s (%s–%s)", duration(value("margin_median_ns")), duration(value("margin_median_low_ns")), duration(value("margin_median_high_ns")))
	case plan.MeasureTime:
		return fmt.Sprintf("%s (%s–%s)", duration(value("goal1_median_ns")), duration(value("goal1_median_low_ns")), duration(value("goal1_median_high_ns")))
	}
	return fmt.Sprintf("%s (%s–%s)", value("violated_share"), value("violated_share_low"), value("violated_share_high"))
}

// duration writes nanoseconds for readers; what is no number stays empty.
func duration(ns string) string {
	n, err := strconv.ParseInt(ns, 10, 64)
	if err != nil {
		return ""
	}
	return time.Duration(n).Round(time.Microsecond).String()
}

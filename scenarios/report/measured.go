package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Curve is one measurement: a CSV file of simulate sweep, perhaps with a plot beside it.
type Curve struct {
	Name    string // of the file, without its ending
	Plot    bool
	Heads   []string
	Records [][]string
}

// LoadCurves reads the CSV files in a folder, in the order of their names.
func LoadCurves(dir string) ([]Curve, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		return nil, err
	}
	var curves []Curve
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(records) == 0 {
			return nil, fmt.Errorf("%s: found no header; allowed: what simulate sweep --csv writes", file)
		}
		c := Curve{Name: strings.TrimSuffix(filepath.Base(file), ".csv"), Heads: records[0], Records: records[1:]}
		_, err = os.Stat(strings.TrimSuffix(file, ".csv") + ".svg")
		c.Plot = err == nil
		curves = append(curves, c)
	}
	return curves, nil
}

// column is the place of a column, -1 when there is none.
func (c *Curve) column(name string) int { return slices.Index(c.Heads, name) }

// tableRows is up to how many points of a curve are printed; the rest stands in its file.
const tableRows = 24

// measured writes the numbers that are verdicts themselves.
func (in *Input) measured(d *document) {
	d.line("## Measured")
	d.line("")
	if len(in.Curves) == 0 {
		d.line("Nothing has been measured yet: `./simulate sweep` makes the files that are shown here.")
		d.line("")
		return
	}
	d.line("Shares come with their 95 %% interval (Wilson); times are true time inside the run. Each CSV file in `scenarios/report/` is printed again by the command beside it.")
	for i := range in.Curves {
		in.Curves[i].write(d)
	}
	d.line("")
}

func (c *Curve) write(d *document) {
	d.line("")
	d.line("### %s", c.Name)
	d.line("")
	d.line("[%s.csv](scenarios/report/%s.csv): %s", c.Name, c.Name, code(fmt.Sprintf("./simulate sweep %s --csv scenarios/report/%s.csv --svg scenarios/report/%s.svg", c.Name, c.Name, c.Name)))
	if c.Plot {
		d.line("")
		d.line("![%s](scenarios/report/%s.svg)", c.Name, c.Name)
	}
	if len(c.Records) > tableRows {
		return
	}
	axes := max(0, c.column("subject"))
	heads := append(slices.Clone(c.Heads[:axes]), "system", "runs", "violated (95 %)", "median of the first goal")
	d.head(heads...)
	for _, record := range c.Records {
		row := slices.Clone(record[:axes])
		row = append(row, c.value(record, "subject"), c.value(record, "runs"),
			fmt.Sprintf("%s (%s–%s)", c.value(record, "violated_share"), c.value(record, "violated_share_low"), c.value(record, "violated_share_high")),
			duration(c.value(record, "goal1_median_ns")))
		d.row(row...)
	}
}

func (c *Curve) value(record []string, name string) string {
	if i := c.column(name); i >= 0 {
		return record[i]
	}
	return ""
}

// duration writes nanoseconds for readers; what is no number stays empty.
func duration(ns string) string {
	n, err := strconv.ParseInt(ns, 10, 64)
	if err != nil {
		return ""
	}
	return time.Duration(n).Round(time.Microsecond).String()
}

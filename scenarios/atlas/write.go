package atlas

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// WriteCSV writes one record per cell, subject and judge under a header. Durations are
// whole nanoseconds, shares lie between 0 and 1, empty cells have no value.
// FORMATS.md describes the columns.
func (m *Map) WriteCSV(w io.Writer, lines []Line) error {
	out := csv.NewWriter(w)
	var heads []string
	for _, axis := range m.Axes {
		heads = append(heads, Column(axis.Parameter))
	}
	heads = append(heads, "subject", "judge", "verdict", "from", "seed", "cause", "predicted", "agreement", "planned", "runs")
	for _, oracle := range checker.Oracles() {
		heads = append(heads, string(oracle)+"_violated")
	}
	heads = append(heads, "violated", "violated_share", "violated_share_low", "violated_share_high")
	heads = append(heads, spreadHeads("margin")...)
	for i := range m.Scenario.Liveness {
		heads = append(heads, spreadHeads(fmt.Sprintf("goal%d", i+1))...)
	}
	if err := out.Write(heads); err != nil {
		return err
	}
	for i := range lines {
		if err := out.Write(m.record(&lines[i])); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func spreadHeads(name string) []string {
	return []string{name + "_runs", name + "_min_ns", name + "_median_ns", name + "_median_low_ns", name + "_median_high_ns", name + "_p99_ns", name + "_max_ns"}
}

func (m *Map) record(l *Line) []string {
	var record []string
	for i, axis := range m.Axes {
		if axis.Parameter.Kind == plan.WordParameter {
			record = append(record, l.Texts[i])
		} else {
			record = append(record, strconv.FormatInt(l.Values[i], 10))
		}
	}
	record = append(record,
		l.Subject, l.Judge, string(l.Verdict), strconv.Itoa(l.From), strconv.FormatUint(l.Seed, 10), l.Cause,
		string(l.Predicted), string(l.Agreement), strconv.Itoa(l.Planned), strconv.Itoa(l.Runs))
	for _, o := range l.Oracles {
		record = append(record, strconv.Itoa(o.Violated))
	}
	record = append(record, strconv.Itoa(l.Violated.Count))
	for _, share := range []float64{l.Violated.Value(), l.Violated.Low, l.Violated.High} {
		record = append(record, strconv.FormatFloat(share, 'f', 4, 64))
	}
	for _, spread := range append([]*Spread{l.Margin}, l.Times...) {
		record = append(record, spreadCells(spread)...)
	}
	return record
}

func spreadCells(s *Spread) []string {
	if s == nil {
		return []string{"0", "", "", "", "", "", ""}
	}
	cells := []string{strconv.Itoa(s.Runs)}
	for _, ns := range []int64{s.Min, s.Median, s.Low, s.High, s.P99, s.Max} {
		cells = append(cells, strconv.FormatInt(ns, 10))
	}
	return cells
}

// Column is a parameter's name with its unit behind it, where the name does not
// say it already: durations are in nanoseconds, percentages in parts per million.
func Column(p plan.Parameter) string {
	unit := map[plan.ParameterKind]string{
		plan.NumberParameter: strings.ReplaceAll(p.Unit, " ", "_"), plan.DurationParameter: "ns", plan.PercentParameter: "ppm",
	}[p.Kind]
	if unit == "" || strings.HasSuffix(p.Name, "_"+unit) || p.Name == unit {
		return p.Name
	}
	return p.Name + "_" + unit
}

package tables

import (
	"fmt"
	"io"
	"strings"
	"time"

	"redlocklab/scenarios/sweep"
)

// WriteSweep prints one line per point of a sweep and subject.
func WriteSweep(w io.Writer, s *sweep.Sweep, lines []sweep.Line) error {
	table := New(w)
	var heads []string
	for _, axis := range s.Axes {
		heads = append(heads, strings.ToUpper(axis.Parameter.Name))
	}
	heads = append(heads, "SUBJECT", "RUNS", "VIOLATED", "SHARE (95 %)", "MARGIN MIN/MEDIAN/MAX")
	for i := range s.Scenario.Liveness {
		heads = append(heads, fmt.Sprintf("GOAL %d MEDIAN (95 %%), MAX", i+1))
	}
	fmt.Fprintln(table, strings.Join(heads, "\t"))
	for i := range lines {
		l := &lines[i]
		cells := append([]string{}, l.Texts...)
		cells = append(cells, l.Subject, runsOf(l.Runs, l.Planned), violated(l), fmt.Sprintf("%.3f (%.3f–%.3f)", l.Violated.Value(), l.Violated.Low, l.Violated.High))
		if m := l.Margin; m != nil {
			cells = append(cells, fmt.Sprintf("%v/%v/%v", short(m.Min), short(m.Median), short(m.Max)))
		} else {
			cells = append(cells, "none")
		}
		for _, t := range l.Times {
			if t == nil {
				cells = append(cells, "never")
				continue
			}
			cells = append(cells, fmt.Sprintf("%v (%v–%v), %v", short(t.Median), short(t.Low), short(t.High), short(t.Max)))
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}

// violated names the oracles that were violated, with the count of runs.
func violated(l *sweep.Line) string {
	var parts []string
	for _, o := range l.Oracles {
		if o.Violated > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", o.Oracle, o.Violated))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// short is a duration to the microsecond.
func short(ns int64) time.Duration { return time.Duration(ns).Round(time.Microsecond) }

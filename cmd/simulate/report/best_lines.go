package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redlocklab/scenarios/plan"
)

// bestLines says which lines of a map about missed goals are best between which values
// of the first parameter: by the share of missed goals, and by the time to the goal. Empty for other maps.
func (c *Map) bestLines(measure plan.Measure) string {
	if measure != plan.MeasureViolated || c.column("goal1_median_ns") < 0 || c.column("subject") < 1 {
		return ""
	}
	return fmt.Sprintf("The best lines, with those whose intervals overlap the best one's: by the smallest share, %s; by the shortest median time to the goal, %s.",
		c.ranges("violated_share", "violated_share_low", "violated_share_high"), c.ranges("goal1_median_ns", "goal1_median_low_ns", "goal1_median_high_ns"))
}

// ranges says which lines are best between which values of the first parameter.
func (c *Map) ranges(value, low, high string) string {
	type span struct{ from, to, best string }
	var spans []span
	for _, records := range c.byFirst() {
		at, best := c.axis(0, records[0]), oneOf(c.best(records, value, low, high))
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
func (c *Map) best(records [][]string, value, low, high string) []string {
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

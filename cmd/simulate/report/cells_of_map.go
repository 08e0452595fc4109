package report

import (
	"fmt"
	"strconv"
	"strings"

	"redlocklab/scenarios/plan"
)

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
	type panel struct {
		name   string
		counts map[string]int
		not    int
	}
	var panels []*panel
	known := map[string]*panel{}
	subject, judge, verdict, agreement, cause := c.column("subject"), c.column("judge"), c.column("verdict"), c.column("agreement"), c.column("cause")
	if verdict < 0 || agreement < 0 {
		return
	}
	causes := map[*panel][]string{}
	for _, record := range c.Records {
		name := record[subject]
		for i := 2; i < subject; i++ {
			name += ", " + strings.TrimSuffix(c.Heads[i], "_ns") + " " + c.axis(i, record)
		}
		if len(m.Judges) > 0 {
			name += ", " + record[judge]
		}
		p := known[name]
		if p == nil {
			p = &panel{name: name, counts: map[string]int{}}
			known[name] = p
			panels = append(panels, p)
		}
		p.counts[record[verdict]]++
		if record[agreement] == "disagrees" {
			p.not++
		}
		if text := record[cause]; text != "" && !strings.Contains(strings.Join(causes[p], ";")+";", text+";") {
			causes[p] = append(causes[p], text)
		}
	}
	d.head("panel", "violated", "not violated", "no progress", "undecided", "not as predicted", "causes")
	for _, p := range panels {
		n := func(words ...string) string {
			sum := 0
			for _, w := range words {
				sum += p.counts[w]
			}
			return strconv.Itoa(sum)
		}
		d.row(p.name, n("two holders", "violated"), n("one holder", "held"), n("no progress"), n("undecided"), fmt.Sprint(p.not), strings.Join(causes[p], "; "))
	}
}

package report

import (
	"fmt"
	"slices"
	"strings"

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

// document is a text under construction.
type document struct{ strings.Builder }

func (d *document) line(format string, arguments ...any) {
	fmt.Fprintf(d, format+"\n", arguments...)
}

// row writes one row of a table.
func (d *document) row(cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	d.line("| %s |", strings.Join(cells, " | "))
}

// head begins a table.
func (d *document) head(cells ...string) {
	d.line("")
	d.row(cells...)
	d.line("|%s", strings.Repeat("---|", len(cells)))
}

// code marks a command.
func code(text string) string { return "`" + text + "`" }

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

// claims writes the table of the claims.
func (in *Input) claims(d *document) {
	d.line("## The claims")
	d.line("")
	d.line("What each claim says in advance, what the runs say of the textbook algorithm (SY-0) and of package redlock (SY-10), and what the TLA+ models say.")
	d.line("Assumptions in brackets explain the violations. **violated** is a mistake of the lock: no broken assumption explains it. \"Measured: k of n\" counts the runs that missed the goal:")
	d.line("a number, not a verdict, with its maps below. `./simulate list claims` names the file behind each line.")
	d.line("`./simulate tla` checks the models ([tla/README.md](tla/README.md)).")
	d.head("claim", "", "expected", "SY-0", "SY-10", "models")
	for _, claim := range plan.Claims() {
		if claim.Kind == plan.KindSystem {
			continue
		}
		models := "not modelled"
		if i := slices.IndexFunc(in.Models, func(m tla.ClaimVerdict) bool { return m.Claim == claim.ID }); i >= 0 {
			models = in.Models[i].Says
			if m := in.Models[i]; m.TheoremOf != "" {
				models = fmt.Sprintf("theorem (%s); models: %s", m.TheoremOf, models)
			} else if m.Theorem != "" {
				models = "theorem; models: " + models
			}
		}
		d.row(anchor(claim.ID), claim.Title, string(claim.Kind), in.variants(claim.ID, "SY-0"), in.variants(claim.ID, "SY-10"), models)
	}
	d.line("")
}

func anchor(claim string) string {
	return fmt.Sprintf("[%s](cmd/simulate/report/CELLS.md#%s)", claim, strings.ToLower(claim))
}

// variants is a claim's verdict for a subject, told apart by the labels of its
// rows where they differ.
func (in *Input) variants(claim, subject string) string {
	var labels []string
	words := map[string]string{}
	for _, c := range in.choose(func(c *Cell) bool { return c.Claim == claim && c.name() == subject }) {
		if slices.Contains(labels, c.Subject) {
			continue
		}
		labels = append(labels, c.Subject)
		words[c.Subject] = in.tally(in.choose(func(o *Cell) bool { return o.Claim == claim && o.Subject == c.Subject })...).word()
	}
	if len(labels) == 0 {
		return "n/a"
	}
	var parts []string
	same := true
	for _, title := range labels {
		same = same && words[title] == words[labels[0]]
		label := strings.TrimSpace(strings.TrimPrefix(title, subject))
		if label == "" {
			label = "default"
		}
		parts = append(parts, label+": "+words[title])
	}
	if same {
		return words[labels[0]]
	}
	return strings.Join(parts, "<br>")
}

// matrix writes subject × claim.
func (in *Input) matrix(d *document) {
	systems := plan.Systems()
	d.line("## The matrix")
	d.line("")
	d.line("A cell sums up all scenarios of a claim. **Violated** is a mistake of the lock: no broken assumption explains it. Brackets hold the assumptions that explain a violation, or its cause when that is")
	d.line("not the lock: its default settings, our estimate of the expiry of a lock that reports none, or its design, which is not for what the scenario asks.")
	d.line("Each claim links to its scenarios one by one, with the reason for every n/a (also where a scripted fault waits for what the lock never does), and with the reason, the seed and the command for every violation. Where")
	d.line("no file expects anything of a system, the table shows what was found. SY-1 to SY-7 and redislock use one node.")
	heads := []string{"claim"}
	for _, s := range systems {
		head := s.Name
		if s.Alias != "" {
			head += "<br>" + s.Alias
		}
		heads = append(heads, head)
	}
	d.head(heads...)
	for _, claim := range plan.Claims() {
		cells := []string{anchor(claim.ID)}
		any := false
		for _, s := range systems {
			chosen := in.choose(func(c *Cell) bool { return c.Claim == claim.ID && c.name() == s.Name })
			any = any || in.tally(chosen...).cells > 0
			cells = append(cells, in.variants(claim.ID, s.Name))
		}
		if any {
			d.row(cells...)
		}
	}
	d.line("")
	d.line("`./simulate run --subject NAME` plays one column; its head has the name.")
	d.line("")
}

// fidelity writes what of the simulated node was held to a real server.
func (in *Input) fidelity(d *document) {
	d.line("## How far a simulated node is a Redis server")
	d.line("")
	d.line("The command engine is miniredis; clock, disk and crashes are the simulator's own. `go test ./sim -run Fidelity` asks a real redis-server the same and compares.")
	d.head("what", "compared", "with a real server")
	for _, row := range fidelity.Rows() {
		tried := "the same, but for the differences below"
		if !row.Tried {
			tried = "not tried: " + row.Why
		}
		d.row(row.Name, row.Compared, tried)
	}
	d.line("")
	d.line("Known differences:")
	d.head("where", "Redis", "the world", "why it does no harm")
	for _, x := range fidelity.Differences() {
		redis := code(x.Redis)
		if x.Sometimes {
			redis += " or " + code(x.World)
		}
		d.row(strings.TrimSuffix(strings.TrimSuffix(x.Row, " ")+" "+x.Step, " "), redis, code(x.World), x.Why)
	}
	d.line("")
}

package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/ci"
	"redlocklab/scenarios/search"
	"redlocklab/sim/words"
)

const summaryHelp = `
` + ci.Variable + `=junit, md or github, with ":FILE" behind it or not, writes the results as tests
for CI, in the formats of scenarios.Test: JUnit XML, a table, or annotations for GitHub.
Merging shards writes them, too.
`

// summarized plays a command, and writes its cases where the environment asks for a summary.
func (p *program) summarized(name string, json bool, play func() error) error {
	target, err := ci.ParseTarget(os.Getenv(ci.Variable))
	if err == nil && json && target.Format == "github" && target.File == "" {
		err = fmt.Errorf("found github, which is for standard output, beside --json; allowed: github:FILE")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", ci.Variable, err)
	}
	p.summary = ci.Report{Lock: "simulate " + name, Package: "redlocklab"}
	played := play()
	if len(p.summary.Cases) == 0 {
		return played
	}
	file, err := target.Write(&p.summary)
	if err != nil {
		return fmt.Errorf("%s: %w", ci.Variable, err)
	}
	if file != "" {
		fmt.Fprintf(p.err, "summary: %s\n", words.Visible(file))
	}
	return played
}

func (p *program) addCase(c ci.Case) {
	c.Name, c.Text = words.Visible(c.Name), words.VisibleLines(c.Text)
	c.Test = c.Name
	p.summary.Cases = append(p.summary.Cases, c)
}

// addRows adds the rows of run. What is inconclusive fails, as it does by the exit code.
func (p *program) addRows(jobs []campaign.Job, rows []campaign.Row) {
	for i := range rows {
		row := &rows[i]
		c := ci.Case{
			Name: row.Scenario + " " + row.Subject, Title: jobs[i].Scenario.Title, Seeds: row.Runs, Status: ci.Passed,
		}
		if path := jobs[i].Scenario.Path; !strings.HasPrefix(path, "suite/") {
			c.File = path
		}
		var texts []string
		for _, problem := range row.Problems {
			text := fmt.Sprintf("%s: %s", problem.Class, problem.Text)
			if problem.Runs > 0 {
				text += fmt.Sprintf(" (%d of %d runs, first seed %d)", problem.Runs, row.Planned, problem.Seed)
			}
			texts = append(texts, text)
			c.Safety = c.Safety || problem.Class == campaign.Safety
			c.Seed, c.Command = cmp.Or(c.Seed, problem.Seed), cmp.Or(c.Command, problem.Replay)
		}
		c.Text = strings.Join(texts, "\n")
		switch {
		case row.NotApplicable != "":
			c.Status, c.Text = ci.NotApplicable, row.NotApplicable
		case !row.AsExpected:
			c.Status = ci.Failed
		case row.Unstated && row.Violated > 0:
			c.Text = "nothing is expected of it: a safety oracle or a goal was violated in " +
				words.Counted(row.Violated, "run")
		}
		p.addCase(c)
	}
}

// addExploration adds what a search found, and how it ended.
func (p *program) addExploration(spec *explorationSpec, e *search.Exploration, missing int) {
	violated := spec.Expect == "violated"
	subject := spec.Options.Subject
	for _, f := range e.Findings() {
		own := len(f.Target.Broken) == 0 || f.Target.Unexplained
		c := ci.Case{
			Name: subject + " " + f.Target.String(), Status: ci.Passed, Seeds: 1, Seed: f.Plan.Seed,
			Text: "first in run " + fmt.Sprint(f.Run), Command: spec.again(f.Run), Safety: true,
		}
		unexcused := len(f.Target.Broken) == 0 && len(spec.Options.Break) > 0
		if own && !violated || violated && unexcused {
			c.Status = ci.Failed
		}
		p.addCase(c)
	}
	c := ci.Case{
		Name: subject + " " + spec.Strategy, Status: ci.Passed, Seeds: spec.Runs,
		Text: words.Counted(len(e.Findings()), "finding") + " in " + words.Counted(spec.Runs, "run"),
	}
	switch {
	case violated && len(e.Findings()) == 0:
		c.Status, c.Text = ci.Failed, "expected a violation; "+c.Text
	case e.Inconclusive > 0 || !violated && missing > 0:
		c.Status = ci.Failed
		c.Text = fmt.Sprintf("inconclusive: %s without a verdict, %s never reached",
			words.Counted(e.Inconclusive, "run"), words.Counted(missing, "coverage point"))
	}
	p.addCase(c)
}

// addMap adds the cells of a map. One without a verdict in some run fails, as by the exit code.
func (p *program) addMap(m *atlas.Map, lines []atlas.Line) {
	for i := range lines {
		l := &lines[i]
		about := m.Words(l)
		name, _, _ := strings.Cut(about, ": ")
		c := ci.Case{
			Name: m.Spec.Name + " " + name, Title: m.Scenario.Title, Status: ci.Passed, Seeds: l.Runs,
			Seed: l.Seed, Text: about, Command: m.Command(l), Safety: l.Agreement == atlas.Disagrees,
		}
		switch {
		case l.Agreement == atlas.Disagrees:
			c.Status, c.Text = ci.Failed, "not as predicted: "+about
		case !atlas.Complete(lines[i : i+1]):
			c.Status, c.Text = ci.Failed, "inconclusive: "+about
		case l.Verdict == atlas.Undecided:
			c.Status = ci.Undecided
		}
		p.addCase(c)
	}
}

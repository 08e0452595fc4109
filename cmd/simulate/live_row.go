package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// liveRow is a scenario with one of its subjects, in the simulator and on real servers.
type liveRow struct {
	job    *campaign.Job
	plan   *plan.Plan
	reason string // why it is not played; empty when it is

	simulated, live campaign.Report
	took, stall     time.Duration
	attempts        int
	failure         error // of the laboratory
}

func joinReasons(reasons []string) string { return strings.Join(reasons, "; ") }

// doubtful reports whether a row that was played disagrees for the machine's sake.
func (r *liveRow) doubtful() bool {
	return r.reason == "" && r.failure == nil && len(r.differences()) > 0 && r.stalled()
}

// stalled reports whether the machine kept the run from being what it should: it
// stood still for so long that timeouts, or the order of messages, may be its own.
func (r *liveRow) stalled() bool {
	longest := r.plan.World.Network.Latency.Max
	for _, link := range r.plan.World.Network.Links {
		longest = max(longest, link.Latency.Max)
	}
	return r.stall > min(r.plan.Lock.NodeTimeout/2, longest)
}

// differences are the ways in which the real run is not what the simulated one
// is, measured by what is expected of both.
func (r *liveRow) differences() []campaign.Difference {
	if r.failure != nil {
		return []campaign.Difference{{Class: campaign.Incomplete, Text: r.failure.Error()}}
	}
	expected := r.job.Expected()
	here, there := campaign.Judge(expected, &r.live), campaign.Judge(expected, &r.simulated)
	found := slices.DeleteFunc(slices.Clone(here), func(d campaign.Difference) bool { return slices.Contains(there, d) })
	for _, d := range there {
		if !slices.Contains(here, d) {
			d.Text = "only in the simulator: " + d.Text
			found = append(found, d)
		}
	}
	for i, fired := range r.live.Fired {
		if fired.Times == 0 && r.simulated.Fired[i].Times > 0 {
			found = append(found, campaign.Difference{Class: campaign.Incomplete, Text: fmt.Sprintf("the fault %q fired in the simulator only", fired.Name)})
		}
	}
	return found
}

// verdictText is what a run showed, on one line.
func verdictText(r *campaign.Report) string {
	var violated, open []string
	for _, o := range r.Oracles {
		switch o.Status {
		case checker.Violated:
			violated = append(violated, string(o.Oracle))
		case checker.Inconclusive:
			open = append(open, string(o.Oracle))
		}
	}
	text := string(plan.Holds)
	if len(violated) > 0 {
		text = "violated: " + strings.Join(violated, ", ")
	}
	if len(open) > 0 {
		text += "; inconclusive: " + strings.Join(open, ", ")
	}
	if len(r.Broken) > 0 {
		text += " (" + strings.Join(r.Broken, ", ") + " broken)"
	}
	return text
}

func marginText(r *campaign.Report) string {
	if r.MarginNS == nil {
		return "none"
	}
	return time.Duration(*r.MarginNS).Round(time.Microsecond).String()
}

// printLive prints the two verdicts of every row beside each other, what they
// disagree in, and what was not played.
func (p *program) printLive(rows []*liveRow) error {
	table := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SCENARIO\tSUBJECT\tSIMULATED\tREAL SERVERS\tMARGIN SIMULATED\tREAL\tTOOK\tRESULT")
	agree, disagree, left := 0, 0, 0
	worst := exitExpected
	for _, r := range rows {
		if r.reason != "" {
			left++
			continue
		}
		shown, result := verdictText(&r.live), "agrees"
		if r.failure != nil {
			shown = "none"
		}
		if d := r.differences(); len(d) > 0 {
			disagree++
			result = "DISAGREES"
			for i := range d {
				worst = worse(worst, d[i].Class.ExitCode())
			}
		} else {
			agree++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%.1fs\t%s\n", r.job.Scenario.Name, r.job.Subject, verdictText(&r.simulated), shown,
			marginText(&r.simulated), marginText(&r.live), r.took.Seconds(), result)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range rows {
		if r.reason != "" {
			continue
		}
		if differences := r.differences(); len(differences) > 0 {
			fmt.Fprintf(p.out, "\n%s %s (the longest stall of the machine: %v; played %d times):\n", r.job.Scenario.Name, r.job.Subject, r.stall.Round(time.Millisecond), r.attempts)
			for _, d := range differences {
				fmt.Fprintf(p.out, "  %s: %s\n", d.Class, d.Text)
			}
			fmt.Fprintf(p.out, "  again: ./simulate live %s --subject '%s' --seed %d --out out/live\n", r.job.Scenario.Name, r.job.Subject, r.plan.Seed)
		}
	}
	p.printLeftOut(rows)
	fmt.Fprintf(p.out, "%d agree, %d not; %d cannot be played here\n", agree, disagree, left)
	if agree+disagree == 0 {
		return &exitError{exitInconclusive, errors.New("nothing was played: no chosen row can be played here")}
	}
	return exit(worst)
}

// printLeftOut lists what was not played, by reason.
func (p *program) printLeftOut(rows []*liveRow) {
	byReason := map[string][]string{}
	var reasons []string
	for _, r := range rows {
		if r.reason == "" {
			continue
		}
		if byReason[r.reason] == nil {
			reasons = append(reasons, r.reason)
		}
		if names := byReason[r.reason]; !slices.Contains(names, r.job.Scenario.Name) {
			byReason[r.reason] = append(names, r.job.Scenario.Name)
		}
	}
	for _, reason := range reasons {
		fmt.Fprintf(p.out, "not played: %s (%s)\n", strings.Join(byReason[reason], ", "), reason)
	}
}

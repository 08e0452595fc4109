package tla

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteTable prints the report as a table for people, one row per model, the
// problems below it, and as its last line the command that repeats the failed
// models, or the sum of a run without failures.
func (r Report) WriteTable(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "model\tclaims\tmust\tTLC said\tdistinct states\tseconds\tprocessor s\t")
	var problems strings.Builder
	var failed []string
	kept, processor := 0, 0.0
	for _, result := range r.Results {
		name, mark := result.Model.Name, ""
		switch {
		case len(result.Problems) > 0:
			mark, failed = "FAIL", append(failed, name)
		case result.Kept:
			mark, kept = "kept", kept+1
		}
		for _, problem := range result.Problems {
			fmt.Fprintf(&problems, "%s: %s\n", name, problem)
		}
		processor += result.Outcome.Processor
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%.1f\t%.1f\t%s\n", name, strings.Join(result.Model.Claims, " "),
			result.Model.must(), result.said(), result.states(),
			result.Elapsed.Seconds(), result.Outcome.Processor, mark)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("tla: %w", err)
	}
	if !r.Toolchain.KnownJar {
		fmt.Fprintf(out, "another TLC (sha256 %s): state counts not compared\n", r.Toolchain.SHA256)
	}
	last := fmt.Sprintf("%d models as expected in %.0f s; TLC took %.0f s of processor time", len(r.Results), r.Elapsed.Seconds(), processor)
	if kept > 0 {
		last += fmt.Sprintf(", %d of them kept from earlier runs", kept)
	}
	if len(failed) > 0 {
		last = "simulate tla " + strings.Join(failed, " ")
	}
	if _, err := fmt.Fprintln(out, problems.String()+last); err != nil {
		return fmt.Errorf("tla: %w", err)
	}
	return nil
}

// WriteMarkdown prints the report as the table of tla/README.md: what each model
// must do, its size, and the processor time that it took when it was checked.
func (r Report) WriteMarkdown(out io.Writer) error {
	var text strings.Builder
	text.WriteString("| model | class | must | distinct states | processor s |\n|---|---|---|---|---|\n")
	for _, result := range r.Results {
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %.1f |\n", result.Model.Name, result.Model.TimeClass,
			result.Model.must(), result.states(), result.Outcome.Processor)
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("tla: %w", err)
	}
	return nil
}

// must says in a few words what TLC must find.
func (m Model) must() string {
	switch m.Expected {
	case Holds:
		return "hold"
	case Reached:
		return "reach: " + m.Violates
	default:
		return "fail: " + m.Violates
	}
}

// said is the outcome in a few words.
func (r Result) said() string {
	switch found := r.Outcome.violated(); {
	case found != "":
		return found + " violated"
	case r.Outcome.Completed:
		return "no error"
	case r.Outcome.ExitCode == 0:
		return "no error in the sample"
	}
	return fmt.Sprintf("exit code %d", r.Outcome.ExitCode)
}

// states is the size of what TLC explored.
func (r Result) states() string {
	if r.Model.Simulate != nil {
		return fmt.Sprintf("%d sampled", r.Outcome.Generated)
	}
	return fmt.Sprint(r.Outcome.Distinct)
}

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
	fmt.Fprintln(table, "model\tclaims\texpected\tTLC said\tdistinct states\tseconds\t")
	for _, result := range r.Results {
		mark := ""
		switch {
		case len(result.Problems) > 0:
			mark = "FAIL"
		case result.Kept:
			mark = "kept"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%.1f\t%s\n", result.Model.Name,
			strings.Join(result.Model.Claims, " "), expectation(result.Model), result.Outcome.said(),
			states(result), result.Elapsed.Seconds(), mark)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("tla: %w", err)
	}
	if !r.Toolchain.KnownJar {
		fmt.Fprintf(out, "another TLC (sha256 %s): state counts not compared\n", r.Toolchain.SHA256)
	}
	var again []string
	keptOnes := 0
	for _, result := range r.Results {
		for _, problem := range result.Problems {
			fmt.Fprintf(out, "%s: %s\n", result.Model.Name, problem)
		}
		if len(result.Problems) > 0 {
			again = append(again, result.Model.Name)
		}
		if result.Kept {
			keptOnes++
		}
	}
	last := fmt.Sprintf("%d models as expected in %.0f s", len(r.Results), r.Elapsed.Seconds())
	if keptOnes > 0 {
		last += fmt.Sprintf(", %d of them kept from earlier runs", keptOnes)
	}
	if len(again) > 0 {
		last = "simulate tla " + strings.Join(again, " ")
	}
	if _, err := fmt.Fprintln(out, last); err != nil {
		return fmt.Errorf("tla: %w", err)
	}
	return nil
}

// WriteMarkdown prints the report as the table of tla/README.md: what each model
// must do, its size, and the seconds that it took when it was checked.
func (r Report) WriteMarkdown(out io.Writer) error {
	var text strings.Builder
	text.WriteString("| model | class | must | distinct states | seconds |\n|---|---|---|---|---|\n")
	for _, result := range r.Results {
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %.1f |\n", result.Model.Name, result.Model.TimeClass,
			result.Model.must(), states(result), result.Elapsed.Seconds())
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

func expectation(model Model) string {
	if model.Expected == Holds {
		return string(Holds)
	}
	return string(model.Expected) + ": " + model.Violates
}

func (o Outcome) said() string {
	switch {
	case o.Temporal:
		return "temporal property violated"
	case o.Violated != "":
		return o.Violated + " violated"
	case o.Completed:
		return "no error"
	case o.ExitCode == exitSuccess:
		return "no error in the sample"
	default:
		return fmt.Sprintf("exit code %d", o.ExitCode)
	}
}

func states(result Result) string {
	if result.Model.Simulate != nil {
		return fmt.Sprintf("%d sampled", result.Outcome.Generated)
	}
	return fmt.Sprint(result.Outcome.Distinct)
}

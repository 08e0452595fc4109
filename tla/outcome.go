package tla

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Codes of the messages that TLC frames with @!@!@STARTMSG code:severity in
// its -tool mode, as listed in tlc2.output.EC.
const (
	messageSuccess          = "2193" // no error has been found
	messageInvariantInit    = "2107" // invariant violated by an initial state
	messageInvariant        = "2110" // invariant violated
	messageTemporal         = "2116" // temporal properties were violated
	messageActionProperty   = "2112" // action property violated
	messageStats            = "2199" // final counts
	messageProgress         = "2200" // counts on the way
	messageProgressSampling = "2209" // counts of a simulation on the way
	severityError           = "1"
)

// Outcome is TLC's result for one model.
type Outcome struct {
	ExitCode int `json:"exit_code"`
	// Completed: TLC's own message of success was seen.
	Completed bool `json:"completed"`
	// Violated names the invariant or action property that failed. TLC does
	// not name a temporal property: then Temporal is set and Violated is empty.
	Violated string `json:"violated,omitempty"`
	Temporal bool   `json:"temporal,omitempty"`
	// Generated and Distinct are the final counts; of a simulation, the states
	// it checked and 0.
	Generated int `json:"generated_states"`
	Distinct  int `json:"distinct_states"`
	// Processor is the processor time that TLC took, in seconds: other work on the machine
	// changes it less than it changes how long TLC ran.
	Processor float64 `json:"processor_s"`
	// Errors are other error messages, such as a parse error.
	Errors []string `json:"errors,omitempty"`
	// Printed are the tuples that the specification printed, one a line.
	Printed []string `json:"-"`
}

var (
	messageStart = regexp.MustCompile(`^@!@!@STARTMSG (\d+):(\d+) @!@!@$`)
	violatedName = regexp.MustCompile(`^(?:Invariant|Action property) (\S+) is violated`)
	finalCounts  = regexp.MustCompile(`^([\d,]+) states generated, ([\d,]+) distinct states found`)
	// tracePreamble matches the lines of severity 1 that only introduce a trace.
	tracePreamble    = regexp.MustCompile(`^The (behavior up to this point is|following behavior constitutes a counter-example)`)
	simulationCounts = regexp.MustCompile(`([\d,]+) states (?:checked|generated, -1 distinct)`)
)

// ParseOutcome reads TLC's output of -tool mode. Each progress message is
// passed to progress, which may be nil. The exit code is the caller's to set.
// Errors are those of reading only; what TLC failed at is in the Outcome.
func ParseOutcome(output io.Reader, progress func(line string)) (Outcome, error) {
	var outcome Outcome
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 16<<20)
	var code, severity string
	var body []string
	inside := false
	for lines.Scan() {
		line := lines.Text()
		start := messageStart.FindStringSubmatch(line)
		switch {
		case start != nil:
			code, severity, body, inside = start[1], start[2], nil, true
		case strings.HasPrefix(line, "@!@!@ENDMSG "):
			outcome.message(code, severity, strings.TrimSpace(strings.Join(body, "\n")), progress)
			inside = false
		case inside:
			body = append(body, line)
		case strings.HasPrefix(line, "<<"):
			outcome.Printed = append(outcome.Printed, line)
		case strings.Contains(line, "Exception"), strings.HasPrefix(line, "Error"):
			outcome.Errors = append(outcome.Errors, line)
		}
	}
	if err := lines.Err(); err != nil {
		return outcome, fmt.Errorf("tla: reading TLC's output: %w", err)
	}
	return outcome, nil
}

func (o *Outcome) message(code, severity, text string, progress func(string)) {
	switch code {
	case messageSuccess:
		o.Completed = true
	case messageInvariant, messageInvariantInit, messageActionProperty:
		if name := violatedName.FindStringSubmatch(text); name != nil {
			o.Violated = name[1]
			return
		}
		o.Errors = append(o.Errors, text)
	case messageTemporal:
		o.Temporal = true
	case messageStats:
		if counts := finalCounts.FindStringSubmatch(text); counts != nil {
			o.Generated, o.Distinct = number(counts[1]), number(counts[2])
		}
	case messageProgress, messageProgressSampling:
		if counts := simulationCounts.FindStringSubmatch(text); counts != nil {
			o.Generated = number(counts[1])
		}
		if progress != nil {
			progress(text)
		}
	default:
		if severity == severityError && !tracePreamble.MatchString(text) {
			o.Errors = append(o.Errors, text)
		}
	}
}

// number reads a count with thousands separators, which the caller matched.
func number(text string) int {
	value, _ := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	return value
}

// exitCodes are TLC's, as listed in tlc2.output.EC.ExitStatus: 12 is a violation of
// safety, 13 one of a temporal or an action property.
var exitCodes = map[Expectation][]int{Holds: {0}, Safety: {12, 13}, Reached: {12, 13}, Liveness: {13}}

// violated names what TLC found violated; it is empty when nothing was.
func (o Outcome) violated() string {
	if o.Temporal {
		return "temporal property"
	}
	return o.Violated
}

// compare lists what in the outcome differs from the model's expectation; an
// empty list is a pass. counts says whether distinct states are compared.
func (m Model) compare(outcome Outcome, counts bool) []string {
	var problems []string
	complain := func(format string, arguments ...any) {
		problems = append(problems, fmt.Sprintf(format, arguments...))
	}
	for _, message := range outcome.Errors {
		firstLine, _, _ := strings.Cut(message, "\n")
		complain("TLC error: %s", firstLine)
	}
	expected := m.Violates
	if m.Expected == Liveness { // TLC does not name it
		expected = Outcome{Temporal: true}.violated()
	}
	if found := outcome.violated(); found != expected {
		complain("violated: %q, expected %q", found, expected)
	}
	if allowed := exitCodes[m.Expected]; !slices.Contains(allowed, outcome.ExitCode) {
		complain("exit code %d, expected one of %v", outcome.ExitCode, allowed)
	}
	switch {
	case m.Expected != Holds:
	case m.Simulate == nil && !outcome.Completed:
		complain("TLC did not say that it completed")
	case m.Simulate != nil && outcome.Generated == 0:
		complain("TLC sampled no state")
	}
	if counts && m.DistinctStates != 0 && outcome.Distinct != m.DistinctStates {
		complain("%d distinct states, expected %d", outcome.Distinct, m.DistinctStates)
	}
	return problems
}

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

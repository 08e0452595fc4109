package tla

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// TraceVerdict says whether the specification explains a trace.
type TraceVerdict struct {
	Name      string
	Accepted  bool
	Explained int // events of the longest explained prefix
	// Unexplained is the first event that no step of the specification
	// explains; nil when accepted.
	Unexplained *Event
	// Actions counts the explained events by the action of Redlock.tla that
	// explained them.
	Actions map[string]int
}

var explainedLine = regexp.MustCompile(`^<<"explained", (\d+), (\d+), "(\w*)">>$`)

// CheckTraces asks TLC, in one run, which traces are behaviours of Redlock.tla. It calls
// step, which may be nil, about once for each event that is done. Errors: *MissingToolError,
// *TraceDataError, the context's error, and TLC's own when it could not check them.
func CheckTraces(
	ctx context.Context, jar string, parameters TraceParameters, traces []Trace, step func(),
) ([]TraceVerdict, error) {
	tools, err := FindToolchain(jar)
	if err != nil {
		return nil, err
	}
	directory, err := Unpack(files)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	data, err := traceData(parameters, traces)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(directory, "TraceData.tla"), []byte(data), 0o600); err != nil {
		return nil, fmt.Errorf("tla: %w", err)
	}
	lines := lineCounter{step: step}
	for _, trace := range traces {
		lines.left += len(trace.Events)
	}
	outcome, err := tools.run(ctx, invocation{
		directory: directory, module: "TraceRedlock.tla", configuration: "TraceRedlock.cfg", states: lines.left,
		arguments: []string{"-workers", "1"}, // the specification keeps its prefixes in TLC's registers
		output:    &lines,
	})
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("tla: %w", ctx.Err())
	case err != nil:
		return nil, err
	case outcome.ExitCode != 0 || !outcome.Completed || len(outcome.Errors) > 0:
		return nil, fmt.Errorf("tla: TLC could not check the traces: exit code %d: %s", outcome.ExitCode, strings.Join(outcome.Errors, "; "))
	}
	lines.count(lines.left) // those that are not explained
	return traceVerdicts(outcome.Printed, traces)
}

// lineCounter counts the lines that TLC prints: nearly all are explained events.
type lineCounter struct {
	left int // events that are not counted yet
	step func()
}

func (l *lineCounter) Write(text []byte) (int, error) {
	l.count(bytes.Count(text, []byte{'\n'}))
	return len(text), nil
}

func (l *lineCounter) count(lines int) {
	for range min(lines, l.left) {
		l.left--
		if l.step != nil {
			l.step()
		}
	}
}

// traceVerdicts reads the prefixes that TraceRedlock.tla prints.
func traceVerdicts(lines []string, traces []Trace) ([]TraceVerdict, error) {
	verdicts := make([]TraceVerdict, len(traces))
	for i, trace := range traces {
		verdicts[i] = TraceVerdict{Name: trace.Name, Actions: map[string]int{}}
	}
	for _, line := range lines {
		found := explainedLine.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		trace, _ := strconv.Atoi(found[1])
		length, _ := strconv.Atoi(found[2])
		if trace < 1 || trace > len(traces) || length > len(traces[trace-1].Events) {
			return nil, fmt.Errorf("tla: TLC explained event %d of trace %d, which is not there", length, trace)
		}
		verdict := &verdicts[trace-1]
		verdict.Explained = max(verdict.Explained, length)
		if found[3] != "" {
			verdict.Actions[found[3]]++
		}
	}
	for i, trace := range traces {
		verdict := &verdicts[i]
		if verdict.Accepted = verdict.Explained == len(trace.Events); !verdict.Accepted {
			verdict.Unexplained = &trace.Events[verdict.Explained]
		}
	}
	return verdicts, nil
}

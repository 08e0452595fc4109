package tla

import (
	"bytes"
	"context"
	"fmt"
	"io"
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
}

// TraceReport is the result of CheckTraces.
type TraceReport struct {
	Verdicts []TraceVerdict
	// Explained counts the explained events by kind.
	Explained map[EventKind]int
}

// Unseen lists the kinds of events that no trace contained or that were never
// explained: the specification's actions that the traces do not cover.
func (r TraceReport) Unseen() []EventKind {
	var unseen []EventKind
	for _, kind := range EventKinds {
		if r.Explained[kind] == 0 {
			unseen = append(unseen, kind)
		}
	}
	return unseen
}

var explainedLine = regexp.MustCompile(`^<<"explained", (\d+), (\d+)>>$`)

// CheckTraces asks TLC, in one run, which traces are behaviours of Redlock.tla.
// Errors: *MissingToolError, *WrongJarError, *TraceDataError, the context's
// error, and TLC's own when it could not judge.
func CheckTraces(ctx context.Context, jar string, parameters TraceParameters, traces []Trace) (TraceReport, error) {
	tools, err := FindToolchain(jar)
	if err != nil {
		return TraceReport{}, err
	}
	directory, err := unpack()
	if err != nil {
		return TraceReport{}, err
	}
	defer os.RemoveAll(directory)
	var data bytes.Buffer
	if err := WriteTraceData(&data, parameters, traces); err != nil {
		return TraceReport{}, err
	}
	if err := os.WriteFile(filepath.Join(directory, "TraceData.tla"), data.Bytes(), 0o600); err != nil {
		return TraceReport{}, fmt.Errorf("tla: %w", err)
	}
	// One worker: the specification keeps its prefixes in TLC's registers.
	command, err := tools.command(ctx, directory, "TraceRedlock.tla", "TraceRedlock.cfg", fullCompiler, "-workers", "1")
	if err != nil {
		return TraceReport{}, err
	}
	output, err := command.CombinedOutput()
	if ctx.Err() != nil {
		return TraceReport{}, fmt.Errorf("tla: %w", ctx.Err())
	}
	outcome, readError := ParseOutcome(bytes.NewReader(output), nil)
	if readError != nil {
		return TraceReport{}, readError
	}
	if err != nil || !outcome.Completed || len(outcome.Errors) > 0 {
		return TraceReport{}, fmt.Errorf("tla: TLC could not judge the traces: %v: %s", err, strings.Join(outcome.Errors, "; "))
	}
	return judge(bytes.NewReader(output), traces)
}

// judge reads the prefixes that TraceRedlock.tla prints.
func judge(output io.Reader, traces []Trace) (TraceReport, error) {
	text, err := io.ReadAll(output)
	if err != nil {
		return TraceReport{}, fmt.Errorf("tla: reading TLC's output: %w", err)
	}
	explained := make([]int, len(traces))
	for line := range strings.Lines(string(text)) {
		found := explainedLine.FindStringSubmatch(strings.TrimSpace(line))
		if found == nil {
			continue
		}
		trace, _ := strconv.Atoi(found[1])
		length, _ := strconv.Atoi(found[2])
		if trace < 1 || trace > len(traces) || length > len(traces[trace-1].Events) {
			return TraceReport{}, fmt.Errorf("tla: TLC explained event %d of trace %d, which is not there", length, trace)
		}
		explained[trace-1] = max(explained[trace-1], length)
	}
	report := TraceReport{Explained: map[EventKind]int{}}
	for i, trace := range traces {
		verdict := TraceVerdict{Name: trace.Name, Explained: explained[i], Accepted: explained[i] == len(trace.Events)}
		if !verdict.Accepted {
			event := trace.Events[explained[i]]
			verdict.Unexplained = &event
		}
		for _, event := range trace.Events[:explained[i]] {
			report.Explained[event.Kind]++
		}
		report.Verdicts = append(report.Verdicts, verdict)
	}
	return report, nil
}

package checker_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redlocklab/checker"
)

func load(t *testing.T, name string) (*checker.History, error) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return checker.Read(file)
}

const everythingInconclusive = "inconclusive: overlap, linearizability, resource_unfenced, resource_fenced_writes, resource_fenced, fencing_tokens, liveness"

// Every expectation was worked out by hand from the history: the answers, the
// broken assumptions, whether there is a bug, and the line of the first problem.
var handWritten = map[string]struct {
	answers     string
	broken      []string
	bug         bool
	problemLine int
}{
	"good_two_holders":                     {"holds", nil, false, 0},
	"good_late_write_refused":              {"holds", []string{"A-WORK"}, false, 0},
	"bad_overlap_clock_step":               {"violated: overlap, linearizability", []string{"A-STEP"}, false, 0},
	"bad_overlap_unexplained":              {"violated: overlap, linearizability", nil, true, 0},
	"bad_stale_write":                      {"violated: resource_unfenced", []string{"A-WORK"}, false, 0},
	"bad_sold_twice":                       {"violated: linearizability", nil, true, 0},
	"bad_foreign_delete":                   {"violated: linearizability", nil, true, 0},
	"bad_tokens_backwards":                 {"violated: fencing_tokens", []string{"A-COUNTER"}, false, 0},
	"bad_goal_missed":                      {"violated: liveness", []string{"A-HEAL"}, false, 0},
	"bad_token_falls_waiting_contender":    {"violated: fencing_tokens", nil, true, 0},
	"bad_step_of_uninvolved_client":        {"violated: overlap, linearizability", []string{"A-STEP"}, true, 0},
	"bad_token_of_other_resource":          {"violated: overlap, linearizability", []string{"A-TOKEN"}, true, 0},
	"contradictory_ok_write_never_arrived": {everythingInconclusive, nil, false, 4},
	"contradictory_step_without_clock":     {everythingInconclusive, nil, false, 6},
	"ambiguous_write_seen_late":            {"holds", nil, false, 0},
	"ambiguous_write_vanishes":             {"violated: linearizability", nil, true, 0},
	"ambiguous_run_too_short":              {"inconclusive: liveness", nil, false, 0},
	"contradictory_two_at_once":            {everythingInconclusive, nil, false, 3},
	"contradictory_unknown_lease":          {everythingInconclusive, nil, false, 2},
}

func TestHandWrittenHistories(t *testing.T) {
	for name, want := range handWritten {
		t.Run(name, func(t *testing.T) {
			history, err := load(t, name)
			if err != nil {
				t.Fatal(err)
			}
			verdict := checker.Judge(history, checker.Options{})
			if got := verdict.Answers().String(); got != want.answers {
				t.Errorf("got %s, want %s\n%s", got, want.answers, verdict.Summary())
			}
			if !slices.Equal(verdict.Broken(), want.broken) {
				t.Errorf("broken: got %v, want %v", verdict.Broken(), want.broken)
			}
			if bugs := verdict.Answers().Bugs(); len(bugs) > 0 != want.bug {
				t.Errorf("bugs: got %v\n%s", bugs, verdict.Summary())
			}
			line := 0
			if len(verdict.Problems) > 0 {
				line = verdict.Problems[0].Line
			}
			if line != want.problemLine {
				t.Errorf("problems: got %v, want one on line %d", verdict.Problems, want.problemLine)
			}
		})
	}
}

// Each malformed file and the line (and a word) that its error must name.
var malformed = map[string]struct {
	line int
	word string
}{
	"malformed_unknown_field":     {3, "outcom"},
	"malformed_syntax":            {3, ""},
	"malformed_repeated_key":      {2, "twice"},
	"malformed_version":           {1, "version"},
	"malformed_no_header":         {1, "header"},
	"malformed_blank_line":        {2, "blank"},
	"malformed_word":              {3, "aquire"},
	"malformed_never_returned_ok": {2, "return_ns"},
	"malformed_negative_time":     {4, "negative"},
	"malformed_wrong_type":        {2, "call_ns"},
}

func TestMalformedHistories(t *testing.T) {
	for name, want := range malformed {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, name)
			var readError *checker.ReadError
			if !errors.As(err, &readError) {
				t.Fatalf("got %v, want a ReadError", err)
			}
			if readError.Line != want.line || !strings.Contains(err.Error(), want.word) {
				t.Errorf("got %q, want line %d and %q", err, want.line, want.word)
			}
		})
	}
}

// Every file under testdata belongs to one of the two tables.
func TestNoForgottenTestdata(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) != len(handWritten)+len(malformed) {
		t.Fatalf("%d files, %d expectations, %v", len(files), len(handWritten)+len(malformed), err)
	}
}

func TestWriteRoundTrips(t *testing.T) {
	for name := range handWritten {
		history, err := load(t, name)
		if err != nil {
			t.Fatal(err)
		}
		var first, second bytes.Buffer
		if err := checker.Write(&first, history); err != nil {
			t.Fatal(err)
		}
		again, err := checker.Read(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := checker.Write(&second, again); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Errorf("%s: written twice, it differs:\n%s\n%s", name, first.String(), second.String())
		}
		if got, want := len(again.Operations)+len(
			again.Accesses,
		)+len(again.Facts), len(history.Operations)+len(history.Accesses)+len(history.Facts); got != want {
			t.Errorf("%s: %d records came back of %d", name, got, want)
		}
	}
}

// The verdict is a function of the history: the same JSON each time, whether
// the history comes from a file or from memory.
func TestVerdictIsStable(t *testing.T) {
	for name := range handWritten {
		history, err := load(t, name)
		if err != nil {
			t.Fatal(err)
		}
		var written bytes.Buffer
		if err := checker.Write(&written, history); err != nil {
			t.Fatal(err)
		}
		fromFile, err := checker.Read(&written)
		if err != nil {
			t.Fatal(err)
		}
		fromMemory := withoutLines(*fromFile)
		want := verdictJSON(t, fromFile)
		for range 3 {
			if got := verdictJSON(t, fromMemory); got != want {
				t.Fatalf("%s:\n%s\n%s", name, got, want)
			}
		}
	}
}

func withoutLines(history checker.History) *checker.History {
	history.Header.Line = 0
	return &history
}

func verdictJSON(t *testing.T, history *checker.History) string {
	t.Helper()
	text, err := json.Marshal(checker.Judge(history, checker.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestVisualizationNamesWhatHappened(t *testing.T) {
	history, err := load(t, "bad_overlap_clock_step")
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := checker.WriteVisualization(&page, history, checker.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<html", "acquire B#1", "belief of A", "world: clock step", "held by A#1", `["A","B","A extends","B extends"][i]`, "operations of A", "acquire stock by B: ok", "#bfe3c8"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	contradictory, err := load(t, "contradictory_two_at_once")
	if err != nil {
		t.Fatal(err)
	}
	if err := checker.WriteVisualization(&page, contradictory, checker.Options{}); err == nil {
		t.Error("a history with problems was drawn")
	}
}

// Either of two acquisitions can be the first, and then the other one fails. Porcupine keeps
// both orders in a set.
func TestVisualizationIsTheSameEachTime(t *testing.T) {
	history, err := load(t, "bad_overlap_unexplained")
	if err != nil {
		t.Fatal(err)
	}
	history.Operations[1].CallNS = history.Operations[0].CallNS
	pages := map[string]bool{}
	for range 50 {
		var page bytes.Buffer
		if err := checker.WriteVisualization(&page, history, checker.Options{}); err != nil {
			t.Fatal(err)
		}
		pages[page.String()] = true
	}
	if len(pages) != 1 {
		t.Errorf("one history was drawn in %d ways", len(pages))
	}
}

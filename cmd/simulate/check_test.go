package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestCheckHandWritten judges the checker's hand-written histories from the command
// line: the exit code says what was found, and where a file cannot be read.
func TestCheckHandWritten(t *testing.T) {
	expected := map[string]struct {
		code int
		says string
	}{
		"good_two_holders":                     {exitExpected, `overlap +holds`},
		"good_late_write_refused":              {exitExpected, `broken +A-WORK at`},
		"bad_overlap_clock_step":               {exitSafety, `overlap +violated .*explained by A-STEP`},
		"bad_overlap_unexplained":              {exitSafety, `overlap +violated .*BUG`},
		"bad_stale_write":                      {exitSafety, `resource_unfenced +violated`},
		"bad_sold_twice":                       {exitSafety, `linearizability +violated`},
		"bad_foreign_delete":                   {exitSafety, `linearizability +violated`},
		"bad_tokens_backwards":                 {exitSafety, `fencing_tokens +violated .*A-COUNTER`},
		"bad_goal_missed":                      {exitLiveness, `liveness +violated`},
		"bad_token_falls_waiting_contender":    {exitSafety, `fencing_tokens +violated .*BUG`},
		"bad_step_of_uninvolved_client":        {exitSafety, `overlap +violated .*BUG`},
		"bad_token_of_other_resource":          {exitSafety, `overlap +violated .*BUG`},
		"contradictory_ok_write_never_arrived": {exitInconclusive, `problem +line 4`},
		"contradictory_step_without_clock":     {exitInconclusive, `problem +line 6`},
		"ambiguous_write_seen_late":            {exitExpected, `linearizability +holds`},
		"ambiguous_write_vanishes":             {exitSafety, `linearizability +violated`},
		"ambiguous_run_too_short":              {exitInconclusive, `liveness +inconclusive`},
		"contradictory_two_at_once":            {exitInconclusive, `problem +line 3`},
		"contradictory_unknown_lease":          {exitInconclusive, `problem +line 2`},
		"malformed_unknown_field":              {exitUsage, `jsonl: .*line 3`},
		"malformed_syntax":                     {exitUsage, `jsonl: .*line 3`},
		"malformed_repeated_key":               {exitUsage, `jsonl: .*line 2`},
		"malformed_version":                    {exitUsage, `jsonl: .*line 1`},
		"malformed_no_header":                  {exitUsage, `jsonl: .*line 1`},
		"malformed_blank_line":                 {exitUsage, `jsonl: .*line 2`},
		"malformed_word":                       {exitUsage, `jsonl: .*line 3`},
		"malformed_never_returned_ok":          {exitUsage, `jsonl: .*line 2`},
		"malformed_negative_time":              {exitUsage, `jsonl: .*line 4`},
		"malformed_wrong_type":                 {exitUsage, `jsonl: .*line 2`},
	}
	files, err := filepath.Glob("../../checker/testdata/*.jsonl")
	if err != nil || len(files) != len(expected) {
		t.Errorf("%d files, %d expectations, %v", len(files), len(expected), err)
	}
	for name, want := range expected {
		out, err := exec.Command("simulate", "check", "../../checker/testdata/"+name+".jsonl").CombinedOutput()
		if code := exitStatus(err); code != want.code || !regexp.MustCompile(want.says).Match(out) {
			t.Errorf("%s: exit code %d, want %d and %s\n%s", name, code, want.code, want.says, out)
		}
	}
}

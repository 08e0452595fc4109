package play_test

import (
	"fmt"
	"strings"
	"testing"

	"redlocklab/sim/explain"
)

// told is the story of a run of the suite, on one line. What does not matter is left
// out when causal is set.
func told(t *testing.T, name, subject string, seed uint64, causal bool) string {
	t.Helper()
	result := playSuite(t, name, subject, seed)
	story, err := explain.NewStory(result.Explained(), explain.StoryOptions{CausalOnly: causal})
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	if _, err := story.WriteTo(&told); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(told.String()), " ")
}

// TestStoryOfFencedAcquisition: a command that changes a counter beside the lock's key
// is told by what it did with the lock.
func TestStoryOfFencedAcquisition(t *testing.T) {
	if text := told(t, "RP-5-durable", "SY-10", 1, false); strings.Contains(text, "(also)") ||
		strings.Contains(text, "and yet") || !strings.Contains(text, "is a quorum, A holds") {
		t.Errorf("it is told wrongly:\n%s", text)
	}
}

// TestEachFindingHasItsOwnExplanation: an assumption that was broken explains neither
// what it does not matter to, nor what came before.
func TestEachFindingHasItsOwnExplanation(t *testing.T) {
	for _, c := range []struct {
		scenario, subject string
		finding           string // of one line, up to its explanation
		explanation       string
	}{
		{"SY-9-two-down", "SY-0", "from 0.900 s to 1.400 s; ", "broken assumption: A-HEAL"},
		{"SY-9-two-down", "SY-0", "mutual exclusion is violated; ", "broken assumption: A-VOTE"},
		{"RS-3-busy", "SY-2", "while C#2 was believed; ", "no broken assumption explains it"},
		{"RS-3-busy", "SY-2", "and had read the value before it; ", "broken assumption: A-WORK"},
	} {
		_, after, found := strings.Cut(told(t, c.scenario, c.subject, 1, true), c.finding)
		if !found || !strings.HasPrefix(after, c.explanation) {
			t.Errorf("%s with %s: after %q comes %.60q, want %q", c.scenario, c.subject, c.finding, after, c.explanation)
		}
	}
	if text := told(t, "BA-2", "SY-0", 1, true); !strings.Contains(text, "): A node that acknowledged a vote keeps it until its TTL is over.") {
		t.Errorf("the verdict does not say what the broken assumption says:\n%s", text)
	}
}

// TestMissedGoalsAreTold: a reader learns who has the key, who is refused and why, and
// what was lost, in few lines.
func TestMissedGoalsAreTold(t *testing.T) {
	for _, c := range []struct {
		scenario, subject string
		lines             int // at most
		want              []string
	}{
		{"LV-4", "SY-0 fixed", 12, []string{"A asks all five nodes for lock r", "more times, until", "no (they have B's key)",
			"somebody should have had the lock within", "broken assumption: A-RANDOM. <<<"}},
		{"MX-3", "SY-5", 12, []string{"n1 says yes, A holds r", "the validity of A's lease A#1 on r ends", "n1 says no (it has A's key)",
			"A's release fails (not held)", "B should have had the lock within 200 ms of 0.650 s: B met it only at 1.518 s"}},
		{"MX-11-lost", "SY-1", 8, []string{"A asks n1", "n1 agrees, but the answer is lost", "n1 says no (it has A's key); B tries again (and six more times",
			"B should have had the lock within 2*round = "}},
	} {
		text := told(t, c.scenario, c.subject, 1, true)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s with %s: no %q in:\n%s", c.scenario, c.subject, want, text)
			}
		}
		if strings.Contains(text, fmt.Sprintf(" %d. ", c.lines+1)) {
			t.Errorf("%s with %s has more than %d lines:\n%s", c.scenario, c.subject, c.lines, text)
		}
	}
}

// TestGuardedVotesAreTold: a vote that the restart guard leaves out makes no quorum.
func TestGuardedVotesAreTold(t *testing.T) {
	text := told(t, "BA-2", "SY-10 guarded", 7, true)
	if !strings.Contains(text, "n3 has been up for 203 ms, less than 10 s: its vote does not count") || !strings.Contains(text, ": 2 of 5 is no quorum; B tries again") || strings.Contains(text, "is a quorum; B tries again") {
		t.Errorf("the guard is not told:\n%s", text)
	}
	if text := told(t, "RP-4-price", "SY-10", 1, true); strings.Contains(text, "is a quorum; B tries again") {
		t.Errorf("what the guard leaves out after it saw a restart is counted:\n%s", text)
	}
	if text := told(t, "BA-2", "SY-10 unguarded", 7, true); strings.Contains(text, "does not count") {
		t.Errorf("a guard is told where there is none:\n%s", text)
	}
}

// TestStateAgreesWithItsLine: a walk shows the state after all that a line says, though
// events of later lines came before.
func TestStateAgreesWithItsLine(t *testing.T) {
	result := playSuite(t, "BA-2", "SY-0", 7)
	run := result.Explained()
	var walk strings.Builder
	if err := explain.Step(nil, &walk, run, explain.StoryOptions{CausalOnly: true}); err != nil {
		t.Fatal(err)
	}
	for line, state := range map[string][]string{
		"n3, n4 and n5 say yes":   {"n3 r: B's key", "n4 r: B's key", "n5 r: B's key"},
		"n3, n4 and n5 delete it": {"n3 - ", "n4 - ", "n5 - "},
	} {
		_, step, found := strings.Cut(walk.String(), line)
		step, _, _ = strings.Cut(step, "\n\n")
		step = strings.Join(strings.Fields(step), " ")
		for _, want := range state {
			if !found || !strings.Contains(step, want) {
				t.Errorf("%s: the state does not say %q: %s", line, want, step)
			}
		}
	}
}

// TestFaultsAreDescribed: a story says what the plan says of a fault.
func TestFaultsAreDescribed(t *testing.T) {
	if text := told(t, "MX-3", "SY-5", 1, true); !strings.Contains(text, `fault "A is slow" begins: delay 600ms, clients A, direction requests`) {
		t.Errorf("the fault is not described:\n%s", text)
	}
}

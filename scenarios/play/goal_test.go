package play_test

import (
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/play"
)

// A goal whose time never begins to run must not look met.
func TestGoalThatNeverBeginsIsInconclusive(t *testing.T) {
	verdict := playText(t, `claim: LV-1
title: Nobody waits for A
story: A does not extend.
lock: { ttl: 1s }
clients:
  A: [ { lock: r }, { hold: 10ms }, { release: r }, { trylock: r }, { repeat: { times: 1, steps: [ { release: r } ] } } ]
seeds: 1
subjects:
  SY-0: { expect: { overlap: holds } }
liveness:
  - { claim: LV-1, client: A, does: acquire, from: { when: A acquired, nth: 3 }, within: 10ms }
`).Verdict
	if verdict.Liveness.Status != checker.Inconclusive || !strings.Contains(verdict.Liveness.Goals[0].Bound, "never happened") {
		t.Errorf("%s: %+v", verdict.Liveness.Status, verdict.Liveness.Goals)
	}
}

// The bound of A-BOUNDED is the scenario's: the extension after it breaks it.
func TestExtensionsBreakTheirBound(t *testing.T) {
	for times, broken := range map[string]string{"2": "", "3": checker.AssumptionBounded} {
		verdict := playText(t, `claim: LV-9
title: A extends
story: A extends a few times.
lock: { ttl: 1s, extensions: 2 }
clients:
  A: [ { lock: r }, { repeat: { times: `+times+`, steps: [ { extend: r } ] } }, { release: r } ]
seeds: 1
subjects:
  SY-0: { expect: { overlap: holds } }
`).Verdict
		if got := strings.Join(verdict.Broken(), " "); got != broken {
			t.Errorf("%s extensions of 2: broken %q, want %q", times, got, broken)
		}
	}
}

func playText(t *testing.T, text string) *play.Result {
	t.Helper()
	return playSubject(t, "SY-0", text)
}

func playSubject(t *testing.T, subject, text string) *play.Result {
	t.Helper()
	s, err := file.Parse(text[len("claim: "):len("claim: LV-1")]+".yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.Plan(subject, 1)
	if err != nil {
		t.Fatal(err)
	}
	result, err := play.Run(plan, play.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

package play_test

import (
	"runtime"
	"testing"
	"time"

	"redlocklab/scenarios/file"
	"redlocklab/scenarios/play"
)

// TestThousandClients plays a story of 1,000 clients to its end, within the default bounds, and
// prints its size, its time and the memory that the program has taken for it.
func TestThousandClients(t *testing.T) {
	if testing.Short() {
		t.Skip("1,000 clients are not played with -short")
	}
	s, err := file.Load("testdata/MX-1-thousand.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Plan("SY-10", 1)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	result, err := play.Run(p, play.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf("%d clients, %d events: %.1f s, %d MB of memory", len(p.Clients), len(result.Events),
		time.Since(begun).Seconds(), memory.Sys/1e6)
	if result.Outcome != "finished" {
		t.Errorf("the run ended at its bound: %s", result.Outcome)
	}
	if bound := p.World.Bounds.Events; len(result.Events) <= 200_000 || bound != 1_000_000 {
		t.Errorf("%d events within a bound of %d: the test must need more than 200,000", len(result.Events), bound)
	}
	for _, answer := range result.Verdict.Answers() {
		if answer.Status != "holds" {
			t.Errorf("%s: %s", answer.Oracle, answer.Status)
		}
	}
}

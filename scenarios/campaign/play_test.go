package campaign_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"redlocklab/scenarios/campaign"
)

// TestPlayer plays runs one by one; one that kills or blocks its worker is
// reported, and the next one has a new worker.
func TestPlayer(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := scenario(t, "MX-6", "sometimes bad")
	player := campaign.NewPlayer(settings(t))
	defer player.Close()
	for seed, want := range map[uint64]string{1: "", 3: "killed", 5: "fatal error: planted", 7: "planted refusal", 9: "planted panic", 11: ""} {
		plan, err := s.Plan("SY-0", seed)
		if err != nil {
			t.Fatal(err)
		}
		report, err := player.Play(t.Context(), campaign.PlanJob(plan))
		if errors.As(err, new(*campaign.PanicError)) != (seed == 9) || seed != 9 && err != nil ||
			report.Seed != seed || !strings.Contains(report.Failure, want) || (want == "") != (report.Failure == "") {
			t.Errorf("seed %d: %+v, %v; wanted the failure %q", seed, report, err, want)
		}
		_, name, kept := strings.Cut(report.Failure, "; more in ")
		if text, _ := os.ReadFile(name); kept != (seed == 5) || kept && !strings.Contains(string(text), "where it happened") {
			t.Errorf("seed %d: %q; the file holds %q", seed, report.Failure, text)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	plan, _ := s.Plan("SY-0", 1)
	if _, err := player.Play(ended, campaign.PlanJob(plan)); err == nil {
		t.Error("it plays after the context's end")
	}
}

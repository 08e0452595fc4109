package conform

import (
	"strings"
	"testing"

	"redlocklab/scenarios"
	"redlocklab/tla"
)

// Models and simulator come to the same verdict on every claim that both ask. A
// claim that the model splits says both words: "holds within the allowance, fails beyond".
func TestModelsAndSimulatorAgree(t *testing.T) {
	verdicts, err := tla.ByClaim()
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]tla.ClaimVerdict{}
	for _, v := range verdicts {
		byID[v.Claim] = v
	}
	compared := 0
	for _, claim := range scenarios.Claims() {
		model, listed := byID[claim.ID]
		if claim.Kind == scenarios.KindSystem {
			continue
		}
		if !listed {
			t.Errorf("%s: the models do not say whether they have it", claim.ID)
			continue
		}
		if len(model.Models) == 0 {
			continue
		}
		word := map[scenarios.Kind]string{scenarios.KindHolds: "holds", scenarios.KindViolated: "fails"}[claim.Kind]
		if word == "" || !strings.Contains(model.Says, word) {
			t.Errorf("%s: the models say %q, the simulator %s", claim.ID, model.Says, claim.Kind)
		}
		compared++
	}
	if compared < 30 {
		t.Errorf("only %d claims were compared", compared)
	}
}

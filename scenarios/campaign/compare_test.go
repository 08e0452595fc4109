package campaign_test

import (
	"strings"
	"testing"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// TestBoundsSayWhatToChange: a run that ended at a bound names the field that moves it.
func TestBoundsSayWhatToChange(t *testing.T) {
	for outcome, field := range map[sim.Outcome]string{
		sim.EventBound: "raise bounds.events, or play fewer clients", sim.ByteBound: "raise bounds.bytes, or play fewer clients",
		sim.VirtualBound: "raise bounds.virtual, or give a deadline",
	} {
		found := campaign.Compare(&plan.Subject{}, &campaign.Summary{Outcome: string(outcome)})
		if len(found) == 0 || !strings.Contains(found[0].Text, field) {
			t.Errorf("%s: %+v does not say %q", outcome, found, field)
		}
	}
}

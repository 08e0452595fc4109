package tla

import (
	"fmt"
	"slices"
)

// ClaimVerdict is what the models say about one claim: the model column of a
// report.
type ClaimVerdict struct {
	Claim string `json:"claim"` // id, as simulate list claims prints it
	// Says is the verdict in words: "holds", "fails (A-VOTE)", "not modelled".
	// "Fails" is meant: the assumption in brackets is off in those models.
	Says string `json:"says"`
	// Models are the models behind it, in the order of the README; their twins
	// and reachability models are not named. Empty when not modelled.
	Models []string `json:"models"`
	Reason string   `json:"reason,omitempty"` // why it is not modelled
}

// ByClaim lists what the models say about each claim, in the order of simulate list claims
// (MX, BA, RP, RS, LV). It reads manifest.json only: that the models do say so is
// for Run to check.
func ByClaim() ([]ClaimVerdict, error) {
	manifest, err := LoadManifest()
	if err != nil {
		return nil, err
	}
	return manifest.Claims, nil
}

// validateClaims holds the list of claims and the models to each other.
func (m Manifest) validateClaims() error {
	byName := map[string]Model{}
	for _, model := range m.Models {
		byName[model.Name] = model
	}
	listed := map[string]bool{}
	for _, claim := range m.Claims {
		if listed[claim.Claim] {
			return fmt.Errorf("claim %s is listed twice", claim.Claim)
		}
		listed[claim.Claim] = true
		if (len(claim.Models) == 0) != (claim.Reason != "") || claim.Says == "" {
			return fmt.Errorf("claim %s needs a verdict, and either models or a reason", claim.Claim)
		}
		for _, name := range claim.Models {
			if model, found := byName[name]; !found || !slices.Contains(model.Claims, claim.Claim) {
				return fmt.Errorf("claim %s: model %q is not about it", claim.Claim, name)
			}
		}
	}
	for _, model := range m.Models {
		for _, claim := range model.Claims {
			if !listed[claim] {
				return fmt.Errorf("claim %s of model %s is not listed", claim, model.Name)
			}
		}
	}
	return nil
}

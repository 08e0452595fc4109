package tla

import (
	"fmt"
	"slices"
	"testing"
)

func TestClaims(t *testing.T) {
	claims := LoadManifest().Claims
	byID := map[string]ClaimVerdict{}
	for _, claim := range claims {
		byID[claim.Claim] = claim
	}
	if c := byID["BA-2"]; c.Says != "fails (A-VOTE)" || len(c.Models) != 1 || c.Models[0] != "BA-2" {
		t.Errorf("BA-2: %+v", c)
	}
	if c := byID["LV-5"]; len(c.Models) != 0 || c.Reason == "" {
		t.Errorf("LV-5: %+v", c)
	}
	if claims[0].Claim != "MX-1" {
		t.Errorf("the first claim is %s", claims[0].Claim)
	}
}

func TestClaimsAndModelsAgree(t *testing.T) {
	model := Model{Name: "MX-1", Claims: []string{"MX-1"}}
	good := ClaimVerdict{Claim: "MX-1", Says: "holds", Models: []string{"MX-1"}}
	for name, claims := range map[string][]ClaimVerdict{
		"not listed":           nil,
		"listed twice":         {good, good},
		"no verdict":           {{Claim: "MX-1", Models: []string{"MX-1"}}},
		"neither":              {good, {Claim: "LV-5", Says: "not modelled"}},
		"both":                 {{Claim: "MX-1", Says: "holds", Models: []string{"MX-1"}, Reason: "none"}},
		"unknown model":        {{Claim: "MX-1", Says: "holds", Models: []string{"MX-2"}}},
		"model of other claim": {good, {Claim: "MX-2", Says: "holds", Models: []string{"MX-1"}}},
	} {
		if err := checkClaims(Manifest{Models: []Model{model}, Claims: claims}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := checkClaims(Manifest{Models: []Model{model}, Claims: []ClaimVerdict{good}}); err != nil {
		t.Error(err)
	}
	if err := checkClaims(LoadManifest()); err != nil {
		t.Errorf("manifest.json: %v", err)
	}
}

// checkClaims compares the list of claims with the claims of the models.
func checkClaims(m Manifest) error {
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

package tla

import (
	"testing"
)

func TestByClaim(t *testing.T) {
	claims, err := ByClaim()
	if err != nil {
		t.Fatal(err)
	}
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
		if err := (Manifest{Models: []Model{model}, Claims: claims}).validateClaims(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := (Manifest{Models: []Model{model}, Claims: []ClaimVerdict{good}}).validateClaims(); err != nil {
		t.Error(err)
	}
}

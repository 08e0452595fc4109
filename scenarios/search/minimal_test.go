package search_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/search"
)

func TestMinimal(t *testing.T) {
	p := suitePlan(t, "BA-2", "SY-0")
	minimal, err := search.Shrink(p, search.Target{Oracle: checker.OracleOverlap, Broken: []string{"A-VOTE"}}, playOnce)
	if err != nil {
		t.Fatal(err)
	}
	text, err := minimal.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "small.json")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(string(text))
	back, err := search.LoadMinimal(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(encoded(t, back.Plan), encoded(t, minimal.Plan)) ||
		back.Certificate.Oracle != checker.OracleOverlap || !slices.Equal(back.Certificate.Broken, []string{"A-VOTE"}) {
		t.Errorf("read back: %+v", back)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"version": 1`, `"version": 9`, "found a minimal plan of version 9; allowed: 1"},
		{`"certificate": {`, `"certificates": {`, `small.json: line 3: json: unknown field "certificates"; allowed: `},
		{`"seed": `, `"sead": `, `small.json: the plan in it: line `},
	} {
		write(strings.Replace(string(text), c.old, c.new, 1))
		if _, err := search.LoadMinimal(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.new, err, c.want)
		}
	}
}

package scenarios

import (
	"slices"
	"testing"

	"redlocklab/faults"
)

// Every parameter of every kind of fault is set by some scenario, and every word
// that a parameter can have is one that some scenario gives it, or leaves as it is.
func TestTheSuiteUsesEveryParameter(t *testing.T) {
	suite, err := Suite()
	if err != nil {
		t.Fatal(err)
	}
	used, node := map[string]bool{}, map[string]bool{}
	for _, s := range suite {
		for _, f := range s.Faults {
			kind := faults.KindOf(f.Effect)
			given := map[string]string{}
			for _, field := range f.Fields() {
				given[field.Key] = field.Value
				used[kind+" "+field.Key], used[field.Key] = true, true
				node[field.Value] = true
			}
			for _, k := range faults.Kinds() {
				for _, p := range k.Parameters {
					value, set := given[p.Name]
					if k.Name == kind && !set {
						value = p.Default
					}
					if k.Name == kind {
						used[kind+" "+p.Name+": "+value] = true
					}
				}
			}
		}
	}
	for _, k := range faults.Kinds() {
		for _, p := range k.Parameters {
			common := (p.Name == "for" || p.Name == "until") && used[p.Name] // one word for all kinds
			if !used[k.Name+" "+p.Name] && !common {
				t.Errorf("no scenario sets %s of %s", p.Name, k.Name)
			}
			for _, word := range p.Words {
				if !used[k.Name+" "+p.Name+": "+word] {
					t.Errorf("no scenario has %s: %s of %s", p.Name, word, k.Name)
				}
			}
		}
	}
	for _, word := range faults.Selections() {
		if !node[word] {
			t.Errorf("no scenario names its nodes by %q", word)
		}
	}
}

// Every word of the patterns is waited for by some scenario.
func TestTheSuiteUsesEveryTrigger(t *testing.T) {
	suite, err := Suite()
	if err != nil {
		t.Fatal(err)
	}
	var used []string
	for _, s := range suite {
		for _, p := range s.Patterns() {
			used = append(used, p.Word)
		}
	}
	for _, word := range faults.TriggerWords() {
		if !slices.Contains(used, word) {
			t.Errorf("no scenario waits for %q", word)
		}
	}
}

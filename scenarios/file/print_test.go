package file_test

import (
	"encoding/json"
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/file"
)

// A scenario that is printed reads back as the same scenario, for the whole suite.
func TestPrintedScenariosReadBack(t *testing.T) {
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		text, err := file.Print(s)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		again, err := file.Parse(s.Name+".yaml", text)
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		want := *s
		want.Path, want.Map, want.Parameters = again.Path, nil, nil
		a, _ := json.Marshal(want)
		b, _ := json.Marshal(again)
		if string(a) != string(b) {
			t.Errorf("%s changed:\n%s\n%s\n%s", s.Name, a, b, text)
		}
	}
}

package tla

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func recordedTrace(t *testing.T, name string) ErrorTrace {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	trace, err := ParseErrorTrace(file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return trace
}

func TestErrorTraceOfAmnesia(t *testing.T) {
	trace := recordedTrace(t, "BA-2")
	if trace.Violated != "MutualExclusion" || trace.BackTo != 0 || trace.Stuttering {
		t.Errorf("%q, back to %d, stuttering %v", trace.Violated, trace.BackTo, trace.Stuttering)
	}
	if trace.States[0].Action != "" {
		t.Errorf("initial state has action %q", trace.States[0].Action)
	}
	crashes, believers := 0, 0
	for i, state := range trace.States {
		if state.Number != i+1 || len(state.Variables) != 3 {
			t.Errorf("state %d: %+v", i+1, state)
		}
		if state.Action == "Crash" {
			crashes++
		}
	}
	last := trace.States[len(trace.States)-1].Variables["client"]
	for _, client := range last.Entries {
		if phase, _ := client.Value.At("phase"); phase.Text == "held" {
			believers++
		}
	}
	if crashes != 1 || believers != 2 {
		t.Errorf("%d crashes, %d holders in the end", crashes, believers)
	}
}

// TLC's plain and -tool output tell the same behaviour.
func TestErrorTracePlainEqualsTool(t *testing.T) {
	if plain, tool := recordedTrace(t, "plain-BA-2"), recordedTrace(t, "BA-2"); !reflect.DeepEqual(plain, tool) {
		t.Errorf("plain %+v\ntool %+v", plain, tool)
	}
}

func TestErrorTraceOfLiveness(t *testing.T) {
	lasso := recordedTrace(t, "LV-1-twin")
	if lasso.BackTo != 8 || lasso.Stuttering || lasso.Violated != "" {
		t.Errorf("lasso: back to %d, stuttering %v, %q", lasso.BackTo, lasso.Stuttering, lasso.Violated)
	}
	stuttering := recordedTrace(t, "LV-2-twin")
	if stuttering.BackTo != 0 || !stuttering.Stuttering || len(stuttering.States) != 4 {
		t.Errorf("stuttering: %+v", stuttering)
	}
}

func TestNoErrorTrace(t *testing.T) {
	if _, err := ParseErrorTrace(strings.NewReader("Finished in 1s\n")); !errors.Is(err, ErrNoTrace) {
		t.Errorf("error %v", err)
	}
}

func TestParseValueRoundTrip(t *testing.T) {
	for text, want := range map[string]string{
		"-12":                               "-12",
		`"held"`:                            `"held"`,
		"TRUE":                              "TRUE",
		"{ c1,\n  c2 }":                     "{c1, c2}",
		"{}":                                "{}",
		"<<c1, 2>>":                         "<<c1, 2>>",
		"<<>>":                              "<<>>",
		`[a |-> 1, b |-> {"x"}]`:            `("a" :> 1 @@ "b" :> {"x"})`,
		"( c1 :>\n [p |-> 1] @@\n c2 :> 3)": `(c1 :> ("p" :> 1) @@ c2 :> 3)`,
	} {
		value, err := ParseValue(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if value.String() != want {
			t.Errorf("%q: %s, expected %s", text, value, want)
		}
		again, err := ParseValue(value.String())
		if err != nil || again.String() != want {
			t.Errorf("%q does not survive: %s, %v", text, again, err)
		}
	}
	for _, text := range []string{"", "{", "<<1", "[a 1]", "[a |-> 1", "(c1 @@ c2)", `"x`, "1 2", "{1 2}", strings.Repeat("{", 200)} {
		if value, err := ParseValue(text); err == nil {
			t.Errorf("%q accepted as %s", text, value)
		}
	}
}

func FuzzParseValue(f *testing.F) {
	f.Add("( c1 :> [p |-> {1, <<>>}] @@ c2 :> \"x\")")
	f.Fuzz(func(t *testing.T, text string) {
		value, err := ParseValue(text)
		if err != nil {
			return
		}
		again, err := ParseValue(value.String())
		if err != nil || again.String() != value.String() {
			t.Errorf("%q reads as %s, which reads as %s, %v", text, value, again, err)
		}
	})
}

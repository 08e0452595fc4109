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
	if trace[0].Action != "" {
		t.Errorf("initial state has action %q", trace[0].Action)
	}
	crashes, believers := 0, 0
	for i, state := range trace {
		if len(state.Variables) != 3 {
			t.Errorf("state %d: %+v", i+1, state)
		}
		if state.Action == "Crash" {
			crashes++
		}
	}
	last := trace[len(trace)-1]
	for _, client := range last.Keys("client") {
		if last.Field("client", client, "phase") == "held" {
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

// Behind the last state of a liveness counterexample TLC says how it goes on.
func TestErrorTraceOfLiveness(t *testing.T) {
	if lasso := recordedTrace(t, "LV-1-twin"); len(lasso) != 12 {
		t.Errorf("%d states of a lasso", len(lasso))
	}
	if stuttering := recordedTrace(t, "LV-2-twin"); len(stuttering) != 4 {
		t.Errorf("%d states that end in stuttering", len(stuttering))
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
		if printed(value) != want {
			t.Errorf("%q: %s, expected %s", text, printed(value), want)
		}
		again, err := ParseValue(printed(value))
		if err != nil || printed(again) != want {
			t.Errorf("%q does not survive: %s, %v", text, printed(again), err)
		}
	}
	for _, text := range []string{"", "{", "<<1", "[a 1]", "[a |-> 1", "(c1 @@ c2)", `"x`, "1 2", "{1 2}", strings.Repeat("{", 200)} {
		if value, err := ParseValue(text); err == nil {
			t.Errorf("%q accepted as %s", text, printed(value))
		}
	}
}

// printed writes a value in TLA+ on one line; ParseValue reads it back.
func printed(v Value) string {
	var parts []string
	for _, element := range v.Elements {
		parts = append(parts, printed(element))
	}
	for _, entry := range v.Entries {
		parts = append(parts, printed(entry.Key)+" :> "+printed(entry.Value))
	}
	switch v.Opening {
	case `"`:
		return `"` + v.Text + `"`
	case "{":
		return "{" + strings.Join(parts, ", ") + "}"
	case "<<":
		return "<<" + strings.Join(parts, ", ") + ">>"
	case "(":
		return "(" + strings.Join(parts, " @@ ") + ")"
	}
	return v.Text
}

func FuzzParseValue(f *testing.F) {
	f.Add("( c1 :> [p |-> {1, <<>>}] @@ c2 :> \"x\")")
	f.Fuzz(func(t *testing.T, text string) {
		value, err := ParseValue(text)
		if err != nil {
			return
		}
		again, err := ParseValue(printed(value))
		if err != nil || printed(again) != printed(value) {
			t.Errorf("%q reads as %s, which reads as %s, %v", text, printed(value), printed(again), err)
		}
	})
}

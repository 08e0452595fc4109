package plan

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestParameterRoundTrip: a value that was formatted is read again as the same number.
func TestParameterRoundTrip(t *testing.T) {
	parameters := []Parameter{
		{Name: "rate", Value: "500", Unit: "ppm"}, {Name: "wait", Value: "4ms"}, {Name: "loss", Value: "1%"},
	}
	for i, valueRange := range []string{"-1000..1000", "0s..1h", "0%..50%"} {
		if field, err := parameters[i].Complete(valueRange); err != nil {
			t.Fatal(field, err)
		}
	}
	words := Parameter{Name: "order", Value: "b", Words: []string{"a", "b", "c"}}
	if field, err := words.Complete(""); err != nil {
		t.Fatal(field, err)
	}
	words.High = 2 // to draw from
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(append(parameters, words)).Draw(t, "parameter")
		n := rapid.Int64Range(p.Low, p.High).Draw(t, "n")
		if again, err := p.Parse(p.Format(n)); err != nil || again != n {
			t.Fatalf("%s: %d is formatted as %s, and read as %d, %v", p.Name, n, p.Format(n), again, err)
		}
	})
}

func TestAxis(t *testing.T) {
	s := &Scenario{Name: "BA-8", Parameters: []Parameter{
		{
			Name: "rate", Kind: NumberParameter, Unit: "ppm", Low: 0, High: 1000,
		}, {Name: "order", Kind: WordParameter, Words: []string{"a", "b"}},
	}}
	for _, test := range []struct {
		parameter, values string
		want              []int64
		wrong             string // a part of the error
	}{
		{"rate", "0:1000:400", []int64{0, 400, 800}, ""},
		{"rate", "5:5:1", []int64{5}, ""},
		{"rate", "3, 1 ,2", []int64{1, 2, 3}, ""}, // borders lie between neighbours
		{"order", "b,a", []int64{1, 0}, ""},
		{"rate", "1,1", nil, `found "1" twice; allowed: each value once`},
		{"rate", "0:1000", nil, "or from:to:step"},
		{"rate", "0:2000:1", nil, `found "2000"; allowed: a whole number from 0 to 1000, in ppm`},
		{"rate", "0:10:0", nil, "a step above zero"},
		{"rate", "10:0:1", nil, "that is not smaller"},
		{"order", "a:b:a", nil, "allowed: one value, or several like a,b,c"},
		{"order", "c", nil, `found "c"; allowed: a, b`},
		{"rat", "1", nil, `found the unknown parameter "rat" of BA-8; allowed: rate, order; nearest: rate`},
	} {
		p, err := s.Parameter(test.parameter)
		axis := Axis{}
		if err == nil {
			axis, err = p.Axis(test.values)
		}
		if (err == nil) != (test.wrong == "") || err != nil && !strings.Contains(err.Error(), test.wrong) ||
			!slices.Equal(axis.Values, test.want) {
			t.Errorf("%s over %s: %v, %v; want %v %s", test.parameter, test.values, axis.Values, err, test.want, test.wrong)
		}
	}
	wide := Parameter{Name: "x", Kind: NumberParameter, Unit: "nodes", High: 1_000_000}
	if _, err := wide.Axis("0:1000000:1"); err == nil || !strings.Contains(err.Error(), "10000 values at most") {
		t.Errorf("a million values: %v", err)
	}
}

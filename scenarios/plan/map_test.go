package plan_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"redlocklab/scenarios/plan"
)

// TestCutsAreGrids: a range that is cut has its ends, grows, and has no more values than were
// asked for, and as many where there is room.
func TestCutsAreGrids(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom([]plan.ParameterKind{
			plan.NumberParameter, plan.DurationParameter, plan.PercentParameter,
		}).Draw(r, "kind")
		low := rapid.Int64Range(-1e9, 1e12).Draw(r, "low")
		span := rapid.OneOf(rapid.Int64Range(1, 40), rapid.Int64Range(1, 1e13)).Draw(r, "span")
		n := rapid.IntRange(2, 200).Draw(r, "cells")
		m := plan.Map{
			X: plan.Axis{Parameter: plan.Parameter{Kind: kind}, Range: []int64{low, low + span}}, Cells: [2]int{n, 2},
		}
		m.Cut()
		values := m.X.Values
		if values[0] != low || values[len(values)-1] != low+span || !slices.IsSorted(values) ||
			len(slices.Compact(slices.Clone(values))) != len(values) {
			r.Errorf("%v", values)
		}
		if want := int(min(int64(n), span+1)); len(values) != want {
			r.Errorf("%d values, want %d: %v", len(values), want, values)
		}
	})
}

// TestBracketsNarrow: halving ends at neighbours of a step, with the border between them.
func TestBracketsNarrow(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		low := rapid.Int64Range(-1e6, 1e6).Draw(r, "low")
		high := low + rapid.Int64Range(1, 1e6).Draw(r, "width")
		border := rapid.Int64Range(low+1, high).Draw(r, "border") // the first value that is as at High
		step := rapid.Int64Range(1, 5000).Draw(r, "step")
		b := plan.Bracket{Low: low, High: high}
		for range 64 {
			middle, open := b.Middle(step)
			if !open {
				break
			}
			if middle <= b.Low || middle >= b.High {
				r.Fatalf("%d is not inside of %+v", middle, b)
			}
			b.Narrow(middle, middle < border)
		}
		if b.Low >= border || b.High < border || b.High-b.Low > max(1, step) {
			r.Errorf("%+v with the border %d and steps of %d", b, border, step)
		}
	})
}

// TestFormulas: names are the parameters', times are seconds, and whatever could differ from run
// to run cannot be asked.
func TestFormulas(t *testing.T) {
	parameters := []plan.Parameter{
		{Name: "ttl", Kind: plan.DurationParameter, Value: "10s", Low: 0, High: 1e12},
		{Name: "rate_ppm", Kind: plan.NumberParameter, Value: "5", Low: 0, High: 1e6},
		{Name: "loss", Kind: plan.PercentParameter, Value: "1%", Low: 0, High: 1e6},
		{Name: "guard", Kind: plan.WordParameter, Value: "true", Words: []string{"true", "false"}},
	}
	values := []int64{2.5e9, 4000, 250_000, 1}
	for formula, want := range map[plan.Formula]bool{
		"ttl == 2.5": true, "ttl * rate_ppm / 1e6 > 0.0099": true, "loss == 0.25": true, `guard == "false" and not (ttl < 1)`: true,
		"floor(ttl) == 2 and max(abs(0 - ttl), 1) == 2.5": true, "ttl < 1 or loss > 0.5": false, "": false,
	} {
		c, err := formula.Compile(parameters)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Holds(parameters, values); err != nil || got != want {
			t.Errorf("%s: %v, %v", formula, got, err)
		}
	}
	for _, formula := range []plan.Formula{"tll < 3", "ttl + 1", `ttl < "x"`, "now() > 3", "ttl <", "guard < 3"} {
		if c, err := formula.Compile(parameters); err == nil {
			if _, err = c.Holds(parameters, values); err == nil {
				t.Errorf("%s is accepted", formula)
			}
		}
	}
}

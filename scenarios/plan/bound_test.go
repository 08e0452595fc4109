package plan

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestBound evaluates sums of durations and quantities. ρ is 50 % here, so a time on a
// client's clock is twice as long in true time.
func TestBound(t *testing.T) {
	s := &Scenario{
		Lock: Lock{
			TTL: 10 * time.Second, RateErrorPPM: 500_000, NodeTimeout: 50 * time.Millisecond,
			Retry: Retry{Delay: Span{Low: 50 * time.Millisecond, High: 150 * time.Millisecond}},
		},
		Network: Network{Latency: Span{High: 4 * time.Millisecond}, Links: []Link{{Latency: Span{High: 9 * time.Millisecond}}, {Latency: Span{High: 5 * time.Millisecond}}}},
	}
	for text, want := range map[string]time.Duration{
		"ttl":                       10 * time.Second,
		"clock_error":               10 * time.Second,
		"node_timeout":              100 * time.Millisecond,
		"retry":                     300 * time.Millisecond,
		"round":                     500 * time.Millisecond,
		"latency":                   9 * time.Millisecond,
		"guard":                     21 * time.Second,
		"1500ms":                    1500 * time.Millisecond,
		"3*round":                   1500 * time.Millisecond,
		" ttl + 2 * latency + 1ms ": 10*time.Second + 19*time.Millisecond,
		"0s + 1ns":                  1,
	} {
		got, err := s.Bound(text)
		if err != nil || got != (Bound{Text: text, Value: want}) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":            `found ""; allowed: ttl, clock_error`,
		"rounds":      "nearest: round",
		"ttl + ":      `found ""`,
		"-1s":         "allowed: a duration from 0s to 10000h0m0s",
		"0s":          "which is 0s; allowed: more than 0s",
		"0*ttl":       `found "0" in "0*ttl"; allowed: a whole number from 1 to 100000 before *`,
		"x*ttl":       `found "x"`,
		"100001*ttl":  `found "100001"`,
		"9999h + 2h":  "allowed: at most 10000h0m0s in all",
		"100000*999h": "at most 10000h0m0s",
	} {
		if got, err := s.Bound(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want the error %q", text, got, err, want)
		}
	}
}

// TestSlow compares with exact arithmetic: d/(1−ρ), rounded up.
func TestSlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Int64Range(0, int64(longest)).Draw(t, "d")
		ppm := rapid.Int64Range(limits.RateErrorPPM.Low, limits.RateErrorPPM.High).Draw(t, "ppm")
		exact := new(big.Int).Mul(big.NewInt(d), big.NewInt(million))
		exact.Add(exact, big.NewInt(million-ppm-1)).Div(exact, big.NewInt(million-ppm))
		if got := slow(time.Duration(d), ppm); exact.Cmp(big.NewInt(int64(got))) != 0 {
			t.Fatalf("slow(%d, %d) = %d, want %v", d, ppm, got, exact)
		}
	})
}

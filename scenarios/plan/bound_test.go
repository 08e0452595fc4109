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
		Network: Network{
			Latency: Span{High: 4 * time.Millisecond},
			Links:   []Link{{Latency: Span{High: 9 * time.Millisecond}}, {Latency: Span{High: 5 * time.Millisecond}}},
		},
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
		"2*(ttl + 1h1m)":            2*time.Hour + 2*time.Minute + 20*time.Second,
		"1s + 2*(retry + 2*(1ms))":  1604 * time.Millisecond,
		"0 + 1.5µs+.5us + 1.μs":     3 * time.Microsecond,
		"007*1s":                    7 * time.Second,
		"ttl\u00a0+\n1s":            11 * time.Second,
		"9999h + 59m60s":            10_000 * time.Hour,
		"100000*360s":               10_000 * time.Hour,
	} {
		got, err := s.Bound(text)
		if err != nil || got != (Bound{Text: text, Value: want}) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	const (
		sum    = "; allowed: ttl, clock_error, node_timeout, retry, round, latency, guard; or a duration with its unit"
		plain  = sum + "; they may be added, and multiplied by whole numbers only"
		factor = "; allowed: a whole number from 1 to 100000 before *"
		most   = "; allowed: at most 10000h0m0s in all"
	)
	for text, want := range map[string]string{
		"":                   `found ""` + plain,
		"ttl + ":             `found "ttl + "` + plain,
		"+ ttl":              `found "+ ttl"` + plain,
		"rounds":             `found "rounds"; allowed: ttl, clock_error, node_timeout, retry, round, latency, guard; nearest: round; or a duration with its unit, in "rounds"`,
		"3 rounds":           `found "3 rounds"; allowed: ttl, clock_error, node_timeout, retry, round, latency, guard; nearest: round; or a duration with its unit; they may be added, and multiplied by whole numbers only`,
		"0s":                 `found "0s", which is 0s; allowed: more than 0s`,
		"5":                  `found "5", which is no duration; allowed: a duration with its unit, like 20ms; 5s?`,
		"ttl + 1.5":          `found "1.5" in "ttl + 1.5", which is no duration; allowed: a duration with its unit, like 20ms; 1.5s?`,
		"0*ttl":              `found "0" in "0*ttl"` + factor,
		"x*ttl":              `found "x" in "x*ttl"` + factor,
		"100001*ttl":         `found "100001" in "100001*ttl"` + factor,
		"1000000*ttl*9999h":  `found "1000000" in "1000000*ttl*9999h"` + factor,
		"0x10*ttl":           `found "0x10" in "0x10*ttl"` + factor,
		"1_000*ttl":          `found "1_000" in "1_000*ttl"` + factor,
		"1e3*ttl":            `found "1e3" in "1e3*ttl"` + factor,
		"round*3":            `found "round" in "round*3"` + factor,
		"2*3*ttl":            `found "3" in "2*3*ttl", which is no duration; allowed: a duration with its unit, like 20ms; 3s?`,
		"1.5*ttl":            `found "1.5" in "1.5*ttl"` + factor + " (whole numbers only)",
		"ttl*ttl":            `found "ttl*ttl", a product of two durations` + factor,
		"1µs*round":          `found "1µs*round", a product of two durations` + factor,
		"2*ttl*(ttl + 1s)":   `found "2*ttl*(ttl + 1s)", a product of two durations` + factor,
		"9999h + 2h":         `found "9999h + 2h"` + most,
		"100000*999h":        `found "100000*999h"` + most,
		"999999999999999h":   `found "999999999999999h"` + most,
		"2m1":                `found "2m1"` + sum + `, in "2m1"`,
		"duration_7 + 1s":    `found "duration_7"` + sum + `, in "duration_7 + 1s"`,
		"w0 + 1s":            `found "w0"` + sum + `, in "w0 + 1s"`,
		"1.2.3s":             `found "1.2.3s"` + sum + `, in "1.2.3s"`,
		"-1s":                `found "-1s"` + plain,
		"ttl - 1s":           `found "ttl - 1s"` + plain,
		"max(ttl, 1s)":       `found "max(ttl, 1s)"` + plain,
		"abs(ttl)":           `found "abs(ttl)"` + plain,
		"let x = ttl; x":     `found "let x = ttl; x"` + plain,
		`len("abc")*1s`:      `found "len(\"abc\")*1s"` + plain,
		"[ttl][0]":           `found "[ttl][0]"` + plain,
		"ttl /* all */ + 1s": `found "ttl /* all */ + 1s"` + plain,
		"2**ttl":             `found "2**ttl"` + plain,
		"ttl ttl":            `found "ttl ttl"` + plain,
		"ttl in ttl":         `found "ttl in ttl"` + plain,
		"not ttl":            `found "not ttl"` + plain,
		"ttl.ttl":            `found "ttl.ttl"` + sum + `, in "ttl.ttl"`,
		"ttl;":               `found "ttl;"` + plain,
	} {
		if got, err := s.Bound(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, error\n%v; want the error\n%v", text, got, err, want)
		}
	}
	for _, long := range []string{
		strings.Repeat("x", 80_000), strings.Repeat("ttl+", 20_000), strings.Repeat("(", 80_000),
		strings.Repeat("9", 80_000) + "h", strings.Repeat("9", 80_000) + "*ttl", strings.Repeat("9", 80_000),
		strings.Repeat("0", 80_000) + "5",
	} {
		if _, err := s.Bound(long); err == nil || len(err.Error()) > 500 || !strings.Contains(err.Error(), "…") {
			t.Errorf("%.10s…: error %.1000v; want a short one", long, err)
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

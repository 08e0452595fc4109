package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"redlocklab/faults"
)

// quantity is a duration of the scenario that can be used in bounds.
type quantity struct {
	name  string
	value func(s *Scenario) time.Duration
}

// quantities are worst cases in true time. Times on a client's clock are multiplied by
// 1/(1−ρ), for the clock may be slow by ρ.
var quantities = []quantity{
	// The lock's TTL.
	{"ttl", func(s *Scenario) time.Duration { return s.Lock.TTL }},
	// How much longer than the TTL a key lives on the slowest allowed clock: ttl·ρ/(1−ρ).
	{"clock_error", func(s *Scenario) time.Duration {
		return slow(s.Lock.TTL, s.Lock.RateErrorPPM) - s.Lock.TTL
	}},
	// The timeout of one node, on the slowest allowed clock.
	{"node_timeout", func(s *Scenario) time.Duration {
		return slow(s.Lock.NodeTimeout, s.Lock.RateErrorPPM)
	}},
	// The longest delay between two attempts, on the slowest allowed clock.
	{"retry", func(s *Scenario) time.Duration {
		return slow(s.Lock.Retry.Delay.High, s.Lock.RateErrorPPM)
	}},
	// One failed attempt: acquire, release, delay; 2·node_timeout + retry.
	{"round", func(s *Scenario) time.Duration {
		return slow(2*s.Lock.NodeTimeout+s.Lock.Retry.Delay.High, s.Lock.RateErrorPPM)
	}},
	// The longest latency of a message.
	{"latency", func(s *Scenario) time.Duration {
		longest := s.Network.Latency.High
		for _, l := range s.Network.Links {
			longest = max(longest, l.Latency.High)
		}
		return longest
	}},
	// How long a restarted node is left out: ttl + clock_error + 1 s, for its uptime counts whole seconds.
	{"guard", func(s *Scenario) time.Duration {
		return slow(s.Lock.TTL, s.Lock.RateErrorPPM) + time.Second
	}},
}

// slow is the true time that passes while a clock that is slow by ppm advances by d,
// rounded up.
func slow(d time.Duration, ppm int64) time.Duration {
	rest := million - ppm
	whole, part := int64(d)/rest, int64(d)%rest
	return time.Duration(whole*million + (part*million+rest-1)/rest)
}

// Bound evaluates the arithmetic of a bound.
func (s *Scenario) Bound(text string) (Bound, error) {
	value, err := evaluate(text, s)
	return Bound{Text: text, Value: value}, err
}

// EvaluateBounds evaluates the bounds of all goals.
func (s *Scenario) EvaluateBounds() []Problem {
	c := &check{}
	for i := range s.Liveness {
		g := &s.Liveness[i]
		for _, each := range []struct {
			name  string
			bound *Bound
		}{{"within", &g.Within}, {"heal", g.Heal}} {
			if each.bound == nil {
				continue
			}
			value, err := evaluate(each.bound.Text, s)
			if err != nil {
				c.message(field(element("liveness", i), each.name), err.Error())
			}
			each.bound.Value = value
		}
	}
	return c.problems
}

// evaluate computes a sum of terms, each a duration or a quantity, optionally with a whole
// number and * before it: "ttl + clock_error + 3*round".
func evaluate(text string, s *Scenario) (time.Duration, error) {
	var sum time.Duration
	for _, term := range strings.Split(text, "+") {
		factor, name, isProduct := strings.Cut(term, "*")
		if !isProduct {
			factor, name = "1", factor
		}
		n, err := strconv.ParseInt(strings.TrimSpace(factor), 10, 32)
		if err != nil || n < 1 || n > 100_000 {
			return 0, fmt.Errorf("found %s in %s; allowed: a whole number from 1 to 100000 before *", strconv.Quote(strings.TrimSpace(factor)), strconv.Quote(text))
		}
		value, err := quantityOf(strings.TrimSpace(name), s)
		if err != nil {
			return 0, fmt.Errorf("%w, in %s", err, strconv.Quote(text))
		}
		if value > 0 && int64(longest-sum)/n < int64(value) {
			return 0, fmt.Errorf("found %s; allowed: at most %v in all", strconv.Quote(text), longest)
		}
		sum += time.Duration(n) * value
	}
	if sum <= 0 {
		return 0, fmt.Errorf("found %s, which is %v; allowed: more than 0s", strconv.Quote(text), sum)
	}
	return sum, nil
}

// Quantities returns the names of the quantities that can be used in bounds.
func Quantities() []string {
	names := make([]string, len(quantities))
	for i, q := range quantities {
		names[i] = q.name
	}
	return names
}

func quantityOf(name string, s *Scenario) (time.Duration, error) {
	for _, q := range quantities {
		if q.name == name {
			return q.value(s), nil
		}
	}
	if d, err := faults.ParseDuration(name); err == nil {
		if d < 0 || d > longest {
			return 0, fmt.Errorf("found %s; allowed: a duration from 0s to %v", strconv.Quote(name), longest)
		}
		return d, nil
	}
	return 0, fmt.Errorf("found %s; %s; or a duration with its unit", strconv.Quote(name), faults.Allowed(name, Quantities()))
}

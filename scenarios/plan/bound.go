package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"redlocklab/faults"
)

// quantity is a duration of the scenario that a bound can be made of.
type quantity struct {
	name  string
	doc   string
	value func(s *Scenario) time.Duration
}

// quantities are worst cases in true time. What is measured on a client's clock
// is stretched by 1/(1−ρ), for the clock may run slow by ρ.
var quantities = []quantity{
	{"ttl", "the lock's TTL", func(s *Scenario) time.Duration { return s.Lock.TTL }},
	{"clock_error", "how much longer than the TTL a key lives on the slowest allowed clock: ttl·ρ/(1−ρ)", func(s *Scenario) time.Duration {
		return slow(s.Lock.TTL, s.Lock.RateErrorPPM) - s.Lock.TTL
	}},
	{"node_timeout", "the timeout of one node, on the slowest allowed clock", func(s *Scenario) time.Duration {
		return slow(s.Lock.NodeTimeout, s.Lock.RateErrorPPM)
	}},
	{"retry", "the longest delay between two attempts, on the slowest allowed clock", func(s *Scenario) time.Duration {
		return slow(s.Lock.Retry.Delay.High, s.Lock.RateErrorPPM)
	}},
	{"round", "one failed attempt: acquire, release, delay; 2·node_timeout + retry", func(s *Scenario) time.Duration {
		return slow(2*s.Lock.NodeTimeout+s.Lock.Retry.Delay.High, s.Lock.RateErrorPPM)
	}},
	{"latency", "the longest way of one message", func(s *Scenario) time.Duration {
		longest := s.Network.Latency.High
		for _, l := range s.Network.Links {
			longest = max(longest, l.Latency.High)
		}
		return longest
	}},
	{"guard", "how long a restarted node stays out: ttl + clock_error + 1 s, for uptime counts whole seconds", func(s *Scenario) time.Duration {
		return slow(s.Lock.TTL, s.Lock.RateErrorPPM) + time.Second
	}},
}

// slow is the true time that passes while a clock that runs slow by ppm shows d,
// rounded up.
func slow(d time.Duration, ppm int64) time.Duration {
	rest := Million - ppm
	whole, part := int64(d)/rest, int64(d)%rest
	return time.Duration(whole*Million + (part*Million+rest-1)/rest)
}

// largestBound keeps sums far from overflow.
const largestBound = Longest

// Bound computes a bound of the scenario from its arithmetic.
func (s *Scenario) Bound(text string) (Bound, error) {
	value, err := evaluate(text, s)
	return Bound{Text: text, Value: value}, err
}

// EvaluateBounds computes the bounds of all goals from their texts.
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

// evaluate computes a bound: terms joined by +, each a duration or a quantity,
// with a whole number and * before it or not: "ttl + clock_error + 3*round".
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
		if value > 0 && int64(largestBound-sum)/n < int64(value) {
			return 0, fmt.Errorf("found %s; allowed: at most %v in all", strconv.Quote(text), largestBound)
		}
		sum += time.Duration(n) * value
	}
	if sum <= 0 {
		return 0, fmt.Errorf("found %s, which is %v; allowed: more than 0s", strconv.Quote(text), sum)
	}
	return sum, nil
}

// Quantities returns the names of the quantities that a bound can be made of.
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
		if d < 0 || d > largestBound {
			return 0, fmt.Errorf("found %s; allowed: a duration from 0s to %v", strconv.Quote(name), largestBound)
		}
		return d, nil
	}
	return 0, fmt.Errorf("found %s; %s; or a duration with its unit", strconv.Quote(name), faults.Allowed(name, Quantities()))
}

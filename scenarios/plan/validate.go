package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/faults"
)

// Problem is one thing that is wrong in a scenario or in a plan.
type Problem struct {
	Path    string // names as in JSON and places in lists, from 0: "clients[0].steps[2].resource"; "" is the whole
	Name    bool   // the field's name is wrong, not its value
	Found   string
	Allowed string
}

// Message says what was found and what is allowed.
func (p Problem) Message() string {
	if p.Allowed == "" {
		return "found " + p.Found
	}
	return "found " + p.Found + "; allowed: " + p.Allowed
}

// Error is "path: message".
func (p Problem) Error() string { return p.Path + ": " + p.Message() }

// check collects problems. Its functions are rules that scenarios and plans share.
type check struct{ problems []Problem }

func (c *check) problem(path, found, allowed string) {
	c.problems = append(c.problems, Problem{Path: path, Found: found, Allowed: allowed})
}

// message adds a problem that is worded as "found …; allowed: …".
func (c *check) message(path, text string) { c.named(path, false, text) }

func (c *check) named(path string, name bool, text string) {
	found, allowed, _ := strings.Cut(strings.TrimPrefix(text, "found "), "; allowed: ")
	c.problems = append(c.problems, Problem{Path: path, Name: name, Found: found, Allowed: allowed})
}

// by checks a value by a rule of its own.
func (c *check) by(path, value string, rule func(string) error) {
	if err := rule(value); err != nil {
		c.message(path, err.Error())
	}
}

// err is all problems, one a line; nil when there is none.
func (c *check) err() error {
	list := make([]error, len(c.problems))
	for i, p := range c.problems {
		list[i] = p
	}
	return errors.Join(list...)
}

// element is the path of an entry of a list, field that of a field of a mapping.
func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func field(path, name string) string { return path + "." + name }

// nearest lists the allowed words, and names the one that a slip may have meant.
func nearest(found string, words []string) string {
	return strings.TrimPrefix(faults.Allowed(found, words), "allowed: ")
}

// number checks a whole number in a closed range.
func number[T ~int | ~int64](c *check, path string, value, low, high T) {
	if value < low || value > high {
		c.problem(path, strconv.FormatInt(int64(value), 10), fmt.Sprintf("%d to %d", int64(low), int64(high)))
	}
}

// span checks a range of times, each end at least low.
func (c *check) span(path string, s Span, low time.Duration) {
	if s.Low < low || s.High < s.Low || s.High > Longest {
		c.problem(path, fmt.Sprintf("%d..%d ns", s.Low, s.High), fmt.Sprintf("a range from %d to %d ns whose end is not below its beginning", low, Longest))
	}
}

// oneOf checks a word. What it is, as in "the unknown client", goes before it.
func oneOf[T ~string](c *check, path, what string, value T, words ...T) {
	if slices.Contains(words, value) {
		return
	}
	allowed := make([]string, len(words))
	for i, w := range words {
		allowed[i] = string(w)
	}
	c.problem(path, what+strconv.Quote(string(value)), nearest(string(value), allowed))
}

// once checks a list of some of the given words, each once.
func (c *check) once(path string, values, words []string) {
	for i, v := range values {
		at := element(path, i)
		oneOf(c, at, "", v, words...)
		if slices.Contains(values[:i], v) {
			c.problem(at, strconv.Quote(v)+" twice", "once")
		}
	}
}

// steps checks the form of steps: kinds, times, names and loops.
func (c *check) steps(path string, list []Step, depth int) {
	for i, s := range list {
		at := element(path, i)
		oneOf(c, field(at, "kind"), "", s.Kind, append(slices.Clone(Verbs), StepCrash)...)
		for _, part := range []struct {
			name string
			span Span
		}{{"duration", s.Duration}, {"cancel", s.Cancel}, {"think", s.Think}, {"delay", s.Delay}} {
			c.span(field(at, part.name), part.span, 0)
		}
		switch s.Kind {
		case StepRepeat:
			c.loop(at, s, depth+1)
		case StepHold, StepWait, StepCrash:
		default:
			c.by(field(at, "resource"), s.Resource, CheckResource)
		}
	}
}

func (c *check) loop(at string, s Step, depth int) {
	number(c, field(at, "times"), s.Times, 0, Million)
	number(c, field(at, "for_ns"), int64(s.For), 0, int64(Longest))
	switch {
	case depth > DeepestLoop:
		c.problem(at, fmt.Sprintf("loops %d deep", depth), strconv.Itoa(DeepestLoop))
		return
	case (s.Times == 0) == (s.For == 0):
		c.problem(at, fmt.Sprintf("times %d and for_ns %d", s.Times, s.For), "one of the two above 0")
	case s.For > 0 && !slices.ContainsFunc(s.Steps, takesTime):
		c.problem(at, "a loop without a step that must take time, which would never end", "with a lock, a trylock or a wait")
	}
	c.steps(field(at, "steps"), s.Steps, depth)
}

// goal checks the words and the names of one liveness goal.
func (c *check) goal(at string, g *Goal, t *faults.Topology) {
	clients := append(slices.Clone(t.Clients), AnyClient)
	oneOf(c, field(at, "client"), "the unknown client ", g.Client, clients...)
	oneOf(c, field(at, "does"), "", g.Does, GoalOperations...)
	oneOf(c, field(at, "each"), "", g.Each, EachNone, EachReturns, EachSucceeds, EachFails, EachNever)
	if g.Except != "" {
		oneOf(c, field(at, "except"), "the unknown client ", g.Except, t.Clients...)
	}
	if g.Resource != "" {
		c.by(field(at, "resource"), g.Resource, CheckResource)
	}
	number(c, field(at, "from.at_ns"), int64(g.From.At), 0, int64(Longest))
	number(c, field(at, "from.nth"), g.From.Nth, 0, Million)
	number(c, field(at, "from.after_ns"), int64(g.From.After), 0, int64(Longest))
	number(c, field(at, "within.value_ns"), int64(g.Within.Value), 1, int64(Longest))
	if g.Heal != nil {
		number(c, field(at, "heal.value_ns"), int64(g.Heal.Value), 1, int64(Longest))
	}
	c.once(field(at, "needs"), g.Needs, assumptions)
}

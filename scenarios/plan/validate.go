package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redlocklab/checker"
	"redlocklab/faults"
)

// Problem is one thing that is wrong in a scenario or in a plan.
type Problem struct {
	Path    string // names as in JSON and indexes: "clients[0].steps[2].resource"; "" is the whole
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

// check collects problems. Its methods are rules of scenarios and plans.
type check struct{ problems []Problem }

func (c *check) problem(path, found, allowed string) {
	c.problems = append(c.problems, Problem{Path: path, Found: found, Allowed: allowed})
}

// message adds a problem from a text like "found …; allowed: …".
func (c *check) message(path, text string) {
	found, allowed, _ := strings.Cut(strings.TrimPrefix(text, "found "), "; allowed: ")
	c.problem(path, found, allowed)
}

// error adds a problem from an error with such a text; nil is none.
func (c *check) error(path string, err error) {
	if err != nil {
		c.message(path, err.Error())
	}
}

// JoinProblems makes one error of all problems; nil when there is none.
func JoinProblems(problems []Problem) error {
	list := make([]error, len(problems))
	for i, p := range problems {
		list[i] = p
	}
	return errors.Join(list...)
}

// element is the path of an entry of a list, field that of a field of a mapping.
func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func field(path, name string) string { return path + "." + name }

// nearest lists the allowed words, with the one that a typing error may have meant.
func nearest(found string, words []string) string {
	return strings.TrimPrefix(faults.Allowed(found, words), "allowed: ")
}

// span checks a range of times.
func (c *check) span(path string, s Span) {
	if s.Low < 0 || s.High < s.Low || s.High > longest {
		c.problem(path, fmt.Sprintf("%d..%d ns", s.Low, s.High), fmt.Sprintf("a range from 0 to %d ns whose end is not below its beginning", longest))
	}
}

// oneOf checks a word. what describes it in the message: "the unknown client ".
func oneOf[T ~string](c *check, path, what string, value T, words ...T) {
	if slices.Contains(words, value) {
		return
	}
	c.problem(path, what+strconv.Quote(string(value)), nearest(string(value), Strings(words)))
}

// once checks that values are some of the given words, each once.
func (c *check) once(path string, values, words []string) {
	for i, v := range values {
		at := element(path, i)
		oneOf(c, at, "", v, words...)
		if slices.Contains(values[:i], v) {
			c.problem(at, strconv.Quote(v)+" twice", "once")
		}
	}
}

// steps checks the fields of steps, and the depth and the end of loops.
func (c *check) steps(path string, list []Step, depth int) {
	for i, s := range list {
		at := element(path, i)
		oneOf(c, field(at, "kind"), "", s.Kind, append(StepsWithFields(), StepCrash)...)
		c.span(field(at, "duration"), s.Duration)
		c.span(field(at, "cancel"), s.Cancel)
		c.span(field(at, "think"), s.Think)
		c.span(field(at, "delay"), s.Delay)
		switch s.Kind {
		case StepRepeat:
			c.loop(at, s, depth+1)
		case StepHold, StepWait, StepCrash:
		default:
			c.error(field(at, "resource"), CheckResource(s.Resource))
		}
	}
}

// loop checks the fields of a loop, which is the depth-th of nested ones.
func (c *check) loop(at string, s Step, depth int) {
	within(c, field(at, "times"), s.Times, limits.Count)
	within(c, field(at, "for_ns"), s.For, limits.Time)
	switch {
	case depth > DeepestLoop:
		c.problem(at, fmt.Sprintf("loops %d deep", depth), strconv.Itoa(DeepestLoop))
		return
	case (s.Times == 0) == (s.For == 0):
		c.problem(at, fmt.Sprintf("times %d and for_ns %d", s.Times, s.For), "one of the two above 0")
	}
	c.loopEnds(at, s)
	c.steps(field(at, "steps"), s.Steps, depth)
}

// loopEnds checks that a loop for some time has a step that takes time.
func (c *check) loopEnds(at string, s Step) {
	if s.For > 0 && !slices.ContainsFunc(s.Steps, takesTime) {
		c.problem(at, "a loop without a step that must take time, which would never end", "with a lock, a trylock or a wait")
	}
}

// goal checks the fields of one liveness goal.
func (c *check) goal(at string, g *Goal, t *faults.Topology) {
	clients := append(slices.Clone(t.Clients), AnyClient)
	oneOf(c, field(at, "client"), "the unknown client ", g.Client, clients...)
	oneOf(c, field(at, "does"), "", g.Does, GoalOperations()...)
	oneOf(c, field(at, "each"), "", g.Each, append(g.Each.Words(), EachNone)...)
	if g.Except != "" {
		oneOf(c, field(at, "except"), "the unknown client ", g.Except, t.Clients...)
	}
	if g.Resource != "" {
		c.error(field(at, "resource"), CheckResource(g.Resource))
	}
	within(c, field(at, "from.at_ns"), g.From.At, limits.Time)
	within(c, field(at, "from.nth"), g.From.Nth, limits.Count)
	within(c, field(at, "from.after_ns"), g.From.After, limits.Time)
	within(c, field(at, "within.value_ns"), g.Within.Value, limits.Positive)
	if g.Heal != nil {
		within(c, field(at, "heal.value_ns"), g.Heal.Value, limits.Positive)
	}
	c.once(field(at, "needs"), g.Needs, checker.Assumptions())
}

package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"redlocklab/faults"
)

// quantity is a duration of the scenario that can be used in bounds.
type quantity struct {
	name  string
	value time.Duration
}

// quantities are worst cases in true time. Times on a client's clock are multiplied by
// 1/(1−ρ), for the clock may be slow by ρ.
func (s *Scenario) quantities() []quantity {
	slow := func(d time.Duration) time.Duration { return slow(d, s.Lock.RateErrorPPM) }
	ttl, timeout, retry, latency := s.Lock.TTL, s.Lock.NodeTimeout, s.Lock.Retry.Delay.High, s.Network.Latency.High
	for _, l := range s.Network.Links {
		latency = max(latency, l.Latency.High)
	}
	return []quantity{
		{"ttl", ttl},
		{"clock_error", slow(ttl) - ttl}, // how much longer than the TTL a key lives: ttl·ρ/(1−ρ)
		{"node_timeout", slow(timeout)},
		{"retry", slow(retry)},             // the longest delay between two attempts
		{"round", slow(2*timeout + retry)}, // one failed attempt: acquire, release, delay
		{"latency", latency},               // the longest of a message
		{"guard", slow(ttl) + time.Second}, // how long a restarted node is left out: its uptime counts whole seconds
	}
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
	evaluate := func(path string, b *Bound) {
		var err error
		*b, err = s.Bound(b.Text)
		c.error(path, err)
	}
	for i := range s.Liveness {
		g, at := &s.Liveness[i], element("liveness", i)
		evaluate(field(at, "within"), &g.Within)
		if g.Heal != nil {
			evaluate(field(at, "heal"), g.Heal)
		}
	}
	return c.problems
}

var (
	// boundWord is a quantity, a duration or a whole number inside a bound.
	boundWord = regexp.MustCompile(`[\w.µμ]+`)
	// boundForm holds all characters of a bound.
	boundForm = regexp.MustCompile(`^[\w.µμ\s\pZ+*()]*$`)
	// durationForm is a duration, however long.
	durationForm = regexp.MustCompile(`^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$`)
	// placeholder is how the parser sees a word.
	placeholder = regexp.MustCompile(`w\d+`)
)

const (
	maxFactor     = 100_000
	allowedFactor = "allowed: a whole number from 1 to 100000 before *"
)

// arithmetic is the text of a bound. The parser sees only placeholders of its words, so that
// numbers, functions and keywords of the parser's own language mean nothing here.
type arithmetic struct {
	text     string
	words    []string
	scenario *Scenario
}

// evaluate computes a sum of terms, each a duration, a quantity or a sum in parentheses. A
// whole number and * may stand before a term: "ttl + clock_error + 3*(round + 1ms)".
func evaluate(text string, s *Scenario) (time.Duration, error) {
	a := arithmetic{text: text, scenario: s}
	source := boundWord.ReplaceAllStringFunc(text, func(word string) string {
		a.words = append(a.words, word)
		return fmt.Sprintf("w%d", len(a.words)-1)
	})
	if !boundForm.MatchString(text) {
		return 0, a.unreadable()
	}
	tree, err := parser.Parse(source)
	if err != nil {
		return 0, a.unreadable()
	}
	d, err := a.value(tree.Node)
	if err == nil && d <= 0 {
		err = fmt.Errorf("found %s, which is %v; allowed: more than 0s", quoted(text), d)
	}
	return d, err
}

// value is the value of one part of the bound.
func (a *arithmetic) value(node ast.Node) (time.Duration, error) {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		return a.term(a.written(n))
	case *ast.BinaryNode:
		switch n.Operator {
		case "+":
			left, err := a.value(n.Left)
			if err != nil {
				return 0, err
			}
			right, err := a.value(n.Right)
			if err == nil && left > longest-right {
				err = a.tooLong()
			}
			return left + right, err
		case "*":
			return a.product(n)
		}
	}
	return 0, a.unreadable()
}

func (a *arithmetic) product(n *ast.BinaryNode) (time.Duration, error) {
	factor, err := strconv.ParseInt(a.written(n.Left), 10, 32)
	if err != nil || factor < 1 || factor > maxFactor {
		return 0, a.badFactor(n)
	}
	d, err := a.value(n.Right)
	if err == nil && d > longest/time.Duration(factor) {
		err = a.tooLong()
	}
	return time.Duration(factor) * d, err
}

// badFactor says why what stands before * is not a whole number that is allowed.
func (a *arithmetic) badFactor(n *ast.BinaryNode) error {
	factor := a.written(n.Left)
	_, isWord := n.Left.(*ast.IdentifierNode)
	_, noNumber := strconv.ParseFloat(factor, 64)
	_, noDuration := a.value(n.Left)
	_, noProduct := a.value(n.Right)
	switch {
	case !isWord && noDuration != nil:
		return noDuration
	case noNumber == nil && strings.Contains(factor, "."):
		return fmt.Errorf("%s; %s (whole numbers only)", a.found(factor), allowedFactor)
	case noNumber != nil && noDuration == nil && noProduct == nil:
		return fmt.Errorf("found %s, a product of two durations; %s", quoted(a.text), allowedFactor)
	}
	return fmt.Errorf("%s; %s", a.found(factor), allowedFactor)
}

// term is the value of a quantity or of a duration.
func (a *arithmetic) term(word string) (time.Duration, error) {
	d, err := time.ParseDuration(word)
	for _, q := range a.scenario.quantities() {
		if q.name == word {
			d, err = q.value, nil
		}
	}
	hint := faults.UnitHint(word)
	if len(word) > mostQuoted {
		hint = ""
	}
	switch {
	case d > longest, err != nil && durationForm.MatchString(word):
		return 0, a.tooLong()
	case err != nil && hint != "":
		return 0, fmt.Errorf("%s, which is no duration; allowed: a duration with its unit, like 20ms%s", a.found(word), hint)
	case err != nil:
		return 0, fmt.Errorf("found %s; %s; or a duration with its unit, in %s",
			quoted(word), faults.Allowed(word, Quantities()), quoted(a.text))
	}
	return d, nil
}

// written is a part of the bound as its author wrote it, but for blanks.
func (a *arithmetic) written(node ast.Node) string {
	return placeholder.ReplaceAllStringFunc(node.String(), func(name string) string {
		i, _ := strconv.Atoi(name[1:])
		return a.words[i]
	})
}

// found begins a message about a part of the bound.
func (a *arithmetic) found(part string) string {
	if part == strings.TrimSpace(a.text) {
		return "found " + quoted(a.text)
	}
	return "found " + quoted(part) + " in " + quoted(a.text)
}

func (a *arithmetic) tooLong() error {
	return fmt.Errorf("found %s; allowed: at most %v in all", quoted(a.text), longest)
}

func (a *arithmetic) unreadable() error {
	slip := ""
	for _, word := range a.words {
		if !slices.Contains(Quantities(), word) && unicode.IsLetter(rune(word[0])) {
			slip = word
		}
	}
	return fmt.Errorf("found %s; %s; or a duration with its unit; "+
		"they may be added, and multiplied by whole numbers only", quoted(a.text), faults.Allowed(slip, Quantities()))
}

// mostQuoted is how many characters of a text a message shows.
const mostQuoted = 100

// quoted is a text in quotation marks. A long one is cut.
func quoted(text string) string {
	if runes := []rune(text); len(runes) > mostQuoted {
		text = string(runes[:mostQuoted]) + "…"
	}
	return strconv.Quote(text)
}

// Quantities returns the names of the quantities that can be used in bounds.
func Quantities() []string {
	return Texts((&Scenario{}).quantities(), func(q quantity) string { return q.name })
}

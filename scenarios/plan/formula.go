package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

// Formula is a condition over the parameters of a scenario, such as "outage < ttl - 0.3".
// Times are in seconds, percentages are shares, words are texts. It may use + - * / ( ) < <= > >=
// == and or not, abs, min, max, floor, ceil and len. Empty is never.
type Formula string

// functions are those that formulas may call: none of them reads a clock.
var functions = []string{"abs", "min", "max", "floor", "ceil", "len"}

// Condition is a formula that can be asked.
type Condition struct{ program *vm.Program }

// Compile checks a formula against parameters. An error says what is allowed.
func (f Formula) Compile(parameters []Parameter) (Condition, error) {
	if f == "" {
		return Condition{}, nil
	}
	values := map[string]any{}
	var names []string
	for _, p := range parameters {
		n, _ := p.Parse(p.Value)
		values[p.Name] = p.number(n)
		names = append(names, p.Name)
	}
	options := []expr.Option{expr.AsBool(), expr.Env(values), expr.DisableAllBuiltins()}
	for _, name := range functions {
		options = append(options, expr.EnableBuiltin(name))
	}
	program, err := expr.Compile(string(f), options...)
	if err != nil {
		slices.Sort(names)
		why, _, _ := strings.Cut(err.Error(), "\n")
		return Condition{}, fmt.Errorf("found %q (%s); allowed: a condition over %s, with %s",
			string(f), why, strings.Join(names, ", "), strings.Join(functions, ", "))
	}
	return Condition{program}, nil
}

// number is a value as formulas see it.
func (p Parameter) number(n int64) any {
	switch p.Kind {
	case DurationParameter:
		return float64(n) / 1e9
	case PercentParameter:
		return float64(n) / 1e6
	case WordParameter:
		return p.Words[max(0, n)]
	}
	return float64(n)
}

// Holds asks the condition about parameters with these values, in their own units. An
// absent condition never holds. One without an answer, such as a division of words, is an error.
func (c Condition) Holds(parameters []Parameter, values []int64) (bool, error) {
	if c.program == nil {
		return false, nil
	}
	env := map[string]any{}
	for i, p := range parameters {
		env[p.Name] = p.number(values[i])
	}
	answer, err := expr.Run(c.program, env)
	holds, isBool := answer.(bool)
	if err != nil || !isBool {
		return false, fmt.Errorf("a formula has no answer: %w", err)
	}
	return holds, nil
}

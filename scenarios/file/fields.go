package file

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// field is one place of a file whose value --set can change.
type field struct {
	parameter plan.Parameter // named by the path: "faults.1.by"
	other     string         // the path with the fault's name in place of its index; or empty
	what      string         // equal for places that mean the same: the hold of any step, the by of any pause
	parent    *yaml.Node     // the mapping around it
	value     *yaml.Node     // nil: the file leaves the default
}

// set writes a value into the tree of the file.
func (f field) set(text string) {
	if f.value == nil {
		f.parent.Content = append(f.parent.Content, textAt(f.parent, f.key()), textAt(f.parent, text))
		return
	}
	*f.value = *textAt(f.value, text)
}

// textAt is a text at the position of another node.
func textAt(at *yaml.Node, text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: at.Line, Column: at.Column}
}

// key is the field's own name.
func (f field) key() string { return f.parameter.Name[strings.LastIndex(f.parameter.Name, ".")+1:] }

// index is an index in a path.
var index = regexp.MustCompile(`\[(\d+)\]`)

// settable remembers a field whose value --set can change; value is nil if the file leaves
// the default.
func (p property) settable(r *reader, parent, value *yaml.Node, at string) {
	if p.shape.about == nil {
		return
	}
	about := p.shape.about()
	about.Meaning = p.doc
	if strings.HasSuffix(p.name, "ppm") {
		about.Unit = "ppm"
	}
	what := index.ReplaceAllString(at, "")
	if rest, ok := strings.CutPrefix(at, "clients."); ok {
		_, rest, _ = strings.Cut(rest, ".")
		what = "clients." + rest
		if strings.HasPrefix(rest, "steps[") {
			what = "steps." + p.name
		}
	}
	r.remember(field{parameter: about, what: what, parent: parent, value: value}, at)
}

// settableWords remembers the numbers, times, percentages and words of a fault or a trigger.
func settableWords(r *reader, n *yaml.Node, at string) {
	if n.Kind != yaml.MappingNode {
		return
	}
	values, name, kind := map[string]*yaml.Node{}, "", ""
	var own []faults.Parameter // of the kind
	known := slices.Concat(faults.TriggerParameters(), faults.RepetitionParameters())
	for i := 0; i+1 < len(n.Content); i += 2 {
		values[n.Content[i].Value] = n.Content[i+1]
	}
	if n := values["name"]; n != nil {
		name = n.Value
	}
	for _, k := range faults.Kinds() {
		if values[k.Name] != nil {
			kind, own, known = k.Name, k.Parameters, slices.Concat(k.Parameters, known)
			break
		}
	}
	for _, p := range known {
		value := values[p.Name]
		about, ok := wordParameter(p)
		if p.Unit == faults.UnitNodes && value != nil && faults.IsCount(value.Value) {
			about, ok = plan.Parameter{
				Kind: plan.NumberParameter, Low: 1, High: int64(plan.AllowedRanges().Nodes.High),
				Meaning: p.Meaning + ": how many, drawn for each run",
			}, true
		}
		needsWhen := p.Name == "after" || p.Name == "nth"
		lacks := value == nil && (kind == "" || about.Value == "" || needsWhen && values["when"] == nil)
		if !ok || lacks || value != nil && value.Kind != yaml.ScalarNode {
			continue
		}
		what := "when." + p.Name
		if p.Name != "for" && slices.ContainsFunc(own, func(o faults.Parameter) bool { return o.Name == p.Name }) {
			what = kind + "." + p.Name
		}
		f := field{parameter: about, what: what, parent: n, value: value}
		if list, _, isFault := strings.Cut(at, "["); isFault && list == "faults" && name != "" {
			f.other = "faults." + name + "." + p.Name
		}
		r.remember(f, child(at, p.Name))
	}
}

// wordParameter describes a word of a fault; false if it holds names or a pattern. Its value
// is the default, or empty where there is none.
func wordParameter(p faults.Parameter) (plan.Parameter, bool) {
	about := plan.Parameter{Meaning: p.Meaning, Low: math.MinInt64, High: math.MaxInt64}
	switch p.Unit {
	case faults.UnitDuration, faults.UnitStep:
		about.Kind, about.Range = plan.DurationParameter, "a duration, "+p.Range
	case faults.UnitSpan:
		about.Kind, about.Range, about.Span = plan.DurationParameter, "a duration, "+p.Range, true
	case faults.UnitPPM:
		about.Kind, about.Range, about.Unit = plan.NumberParameter, p.Range, "ppm"
	case faults.UnitCount:
		about.Kind, about.Range = plan.NumberParameter, "a whole number, "+strings.TrimPrefix(p.Range, "a whole number ")
	case faults.UnitPercent:
		about.Kind, about.Range = plan.PercentParameter, "a percentage, "+p.Range
	case faults.UnitWord:
		about.Kind, about.Words = plan.WordParameter, p.Words
	default:
		return about, false
	}
	if _, err := about.Parse(p.Default); err == nil {
		about.Value = p.Default
	}
	return about, true
}

// remember adds a field at a path such as "faults[1].by".
func (r *reader) remember(f field, at string) {
	f.parameter.Name = index.ReplaceAllString(at, ".$1")
	if f.value != nil {
		f.parameter.Value = f.value.Value
	}
	r.fields = append(r.fields, f)
}

// complete writes into the tree what a file may leave out or shorten, with the same meaning,
// so that every field has a mapping to stand in: nodes: 5 is nodes: { count: 5 }.
func complete(root *yaml.Node) {
	if root.Kind != yaml.MappingNode {
		return
	}
	mapping := func(at *yaml.Node, key string, value *yaml.Node) *yaml.Node {
		return &yaml.Node{
			Kind: yaml.MappingNode, Tag: "!!map", Line: at.Line, Column: at.Column,
			Content: []*yaml.Node{textAt(at, key), value},
		}
	}
	add := func(in *yaml.Node, key, inner, value string) {
		if in.Kind == yaml.MappingNode && entry(in, key) == nil {
			in.Content = append(in.Content, textAt(in, key), mapping(in, inner, textAt(in, value)))
		}
	}
	s := plan.Default()
	add(root, "nodes", "count", strconv.Itoa(s.Nodes.Count))
	add(root, "network", "latency", s.Network.Latency.String())
	add(root, "bounds", "virtual", s.Bounds.Virtual.String())
	if lock := entry(root, "lock"); lock != nil {
		add(lock, "retry", "delay", s.Lock.Retry.Delay.String())
	}
	if n := entry(root, "nodes"); n.Kind == yaml.ScalarNode {
		count := *n
		*n = *mapping(n, "count", &count)
	}
	if list := entry(root, "clients"); list != nil && list.Kind == yaml.MappingNode {
		for i := 1; i < len(list.Content); i += 2 {
			if steps := list.Content[i]; steps.Kind == yaml.SequenceNode {
				list.Content[i] = mapping(steps, "steps", steps)
			}
		}
	}
}

// entry is the value of a key in a mapping; nil if it is not there.
func entry(in *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(in.Content); i += 2 {
		if in.Content[i].Value == key {
			return in.Content[i+1]
		}
	}
	return nil
}

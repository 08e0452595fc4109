package file

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/scenarios/plan"
)

// Print writes a scenario as a file, which [Parse] reads as the same scenario. It leaves
// out defaults. A map is left out, too. A parameter is declared if its Places name fields of
// faults ("faults.NAME.WORD"), which then refer to it.
func Print(s *plan.Scenario) ([]byte, error) {
	copied, standard := *s, plan.Default()
	root := scenario(&copied).write(scenario(&standard).write(nil))
	root.Style = 0 // a line for each field
	if list := entry(root, "faults"); list != nil {
		for i, fault := range list.Content {
			refer(fault, "faults."+s.Faults[i].Name+".", s.Parameters)
		}
	}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	err := encoder.Encode(root)
	return b.Bytes(), err
}

// refer writes $name in place of the values of parameters, in the fields of a mapping.
func refer(in *yaml.Node, path string, parameters []plan.Parameter) {
	for i := 0; i+1 < len(in.Content); i += 2 {
		for _, p := range parameters {
			if slices.Contains(p.Places, path+in.Content[i].Value) {
				in.Content[i+1].Value = strings.Replace(in.Content[i+1].Value, p.Value, "$"+p.Name, 1)
			}
		}
	}
}

// written writes a value in a list or a mapping. Fields that are as in a new value are left out.
func written[T any](value T, shapeOf func(*T) shape) *yaml.Node {
	var usual T
	standard := shapeOf(&usual).write(nil)
	copied := value
	form := shapeOf(&copied)
	copied = value // a shape sets the defaults of what it reads into
	return form.write(standard)
}

// writtenScalar writes a single value; nil if it is the standard one.
func writtenScalar(value any, standard *yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(value)}
	if standard != nil && n.Value == standard.Value {
		return nil
	}
	if _, isText := value.(string); isText {
		n.Tag = "!!str"
	}
	return n
}

// flowMapping is an empty mapping that stands in one line.
func flowMapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle} }

// put adds a field to a mapping, if there is a value.
func put(in *yaml.Node, key string, value *yaml.Node) {
	if value != nil {
		in.Content = append(in.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
	}
}

// unlessEmpty is the mapping or the list; nil if it is empty.
func unlessEmpty(n *yaml.Node) *yaml.Node {
	if len(n.Content) == 0 {
		return nil
	}
	return n
}

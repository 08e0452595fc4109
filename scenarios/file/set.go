package file

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// opened is a scenario's file, open for changes.
type opened struct {
	*reader
	scenario *plan.Scenario
	root     *yaml.Node
}

// open reads the file of a scenario again, with a place for every field that may be set.
func open(s *plan.Scenario) (*opened, error) {
	root, problem := document(s.Path, s.Text)
	if problem != nil {
		return nil, FileErrors{*problem}
	}
	complete(root)
	r := newReader(s.Path)
	read, err := r.scenario(s.Text, root, r.parameters(root))
	if err == nil {
		read.Map = s.Map // no setting changes it
	}
	return &opened{r, read, root}, err
}

// Parameters returns everything that --set can change in a scenario: its declared
// parameters, the numbers, times, percentages and words of its file by their paths, and the
// options of subjects as "SY-10.guard".
func Parameters(s *plan.Scenario) ([]plan.Parameter, error) {
	open, err := open(s)
	if err != nil {
		return nil, err
	}
	list := slices.Clone(open.scenario.Parameters)
	for _, f := range open.fields {
		list = append(list, f.parameter)
	}
	for _, d := range plan.Systems() {
		for _, o := range d.Options {
			p := o.Parameter()
			p.Name = d.Name + "." + p.Name
			list = append(list, p)
		}
	}
	return list, nil
}

// Parameter finds what a name of --set means: a declared parameter, the end of a field's
// path (by, retry.delay, faults.1.by), or an option of subjects (guard, SY-10.guard). A name
// that means several things is an error, which lists their paths.
func Parameter(s *plan.Scenario, name string) (plan.Parameter, error) {
	open, err := open(s)
	if err != nil {
		return plan.Parameter{}, err
	}
	found, err := open.find(name)
	return found.parameter, err
}

// UnknownParameter is the error of a name that means nothing in a scenario. It says what is allowed.
type UnknownParameter string

func (text UnknownParameter) Error() string { return string(text) }

// target is what a setting changes: a declared parameter, fields, or options.
type target struct {
	parameter plan.Parameter
	fields    []field
	subject   string // of an option; empty: of all that have it
	option    string
}

// named reports whether a name is the path, or its end.
func named(path, name string) bool {
	return path != "" && (path == name || strings.HasSuffix(path, "."+name))
}

func (open *opened) find(name string) (target, error) {
	s := open.scenario
	for _, p := range s.Parameters {
		if p.Name == name {
			return target{parameter: p}, nil
		}
	}
	path := strings.Trim(index.ReplaceAllString(name, ".$1"), ".")
	if path == "nodes" {
		path = "nodes.count"
	}
	t := target{}
	var paths, things []string // what the name can mean
	mean := func(thing, path string) {
		if paths = append(paths, path); !slices.Contains(things, thing) {
			things = append(things, thing)
		}
	}
	for _, f := range open.fields {
		if named(f.parameter.Name, path) || named(f.other, path) {
			t.fields = append(t.fields, f)
			mean(f.what, f.parameter.Name)
		}
	}
	var options []plan.OptionDeclaration
	subject, option, scoped := strings.Cut(name, ".")
	if !scoped {
		subject, option = "", name
	}
	for _, d := range plan.Systems() {
		titled := slices.ContainsFunc(s.Subjects, func(x plan.Subject) bool {
			return x.Name == d.Name && x.Title() == subject
		})
		for _, o := range d.Options {
			if o.Name == option && (!scoped || subject == d.Name || subject == d.Alias || titled) {
				options = append(options, o)
				mean("an option", d.Name+"."+o.Name)
			}
		}
	}
	switch {
	case len(things) == 0:
		return t, UnknownParameter(fmt.Sprintf("found the unknown parameter %q of %s; %s", name, s.Name, faults.Allowed(name, open.names())))
	case len(things) > 1:
		return t, fmt.Errorf("found %s, which means several things in %s; allowed: one of %s", name, s.Name, strings.Join(paths, ", "))
	case len(options) > 0:
		t.parameter, t.subject, t.option = options[0].Parameter(), subject, option
		for _, o := range options[1:] {
			for _, word := range o.Values {
				if o.Kind == "" && !slices.Contains(t.parameter.Words, word) {
					t.parameter.Words = append(slices.Clone(t.parameter.Words), word)
				}
			}
		}
	default:
		t.parameter = t.fields[0].parameter
	}
	t.parameter.Name, t.parameter.Places = name, paths
	return t, nil
}

// names are the shortest names of all that can be set, each once.
func (open *opened) names() []string {
	var list []string
	add := func(name string) {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for _, p := range open.scenario.Parameters {
		add(p.Name)
	}
	things := map[string]string{}
	for _, f := range open.fields {
		if other, known := things[f.key()]; known && other != f.what {
			things[f.key()] = ""
		} else if !known {
			things[f.key()] = f.what
		}
	}
	for _, f := range open.fields {
		switch {
		case f.parameter.Name == "nodes.count":
			add("nodes")
		case things[f.key()] != "":
			add(f.key())
		default:
			add(f.parameter.Name)
		}
	}
	for _, d := range plan.Systems() {
		for _, o := range d.Options {
			if _, isField := things[o.Name]; isField {
				add(d.Name + "." + o.Name)
			} else {
				add(o.Name)
			}
		}
	}
	return list
}

// With is the scenario with other values of parameters, which [Parameter] finds. Its name
// carries them, as in "BA-8@node_rate_ppm=500"; what is expected stays what the
// file says. An error is about a setting, and says what is allowed.
func With(s *plan.Scenario, list ...plan.Setting) (*plan.Scenario, error) {
	if len(list) == 0 {
		copied := *s
		return &copied, nil
	}
	open, err := open(s)
	if err != nil {
		return nil, err
	}
	name := s.Name
	list = slices.Clone(list)
	targets := make([]target, len(list))
	declared := slices.Clone(open.scenario.Parameters)
	for i, setting := range list {
		t, err := open.find(setting.Name)
		if err != nil {
			return nil, err
		}
		p := t.parameter
		if _, _, isRange := strings.Cut(setting.Value, ".."); !p.Span || !isRange {
			n, err := p.Parse(setting.Value)
			if err != nil {
				return nil, fmt.Errorf("%s of %s: %w", p.Name, s.Name, err)
			}
			list[i].Value = p.Format(n)
		}
		if slices.ContainsFunc(list[:i], func(other plan.Setting) bool { return other.Name == setting.Name }) {
			return nil, fmt.Errorf("found %s twice; allowed: once", p.Name)
		}
		if at := slices.IndexFunc(declared, func(d plan.Parameter) bool { return d.Name == p.Name }); at >= 0 {
			declared[at].Value = list[i].Value
		}
		name += "@" + list[i].String()
		t.parameter.Value, targets[i] = list[i].Value, t
	}
	for n, text := range open.referring {
		n.Value = text
	}
	open.substitute(open.root, declared)
	for i, t := range targets {
		for _, f := range t.fields {
			f.set(list[i].Value)
		}
	}
	set, err := newReader(s.Path).scenario(s.Text, open.root, declared)
	if problems := (FileErrors)(nil); errors.As(err, &problems) { // the file, which has positions, lacks the settings
		texts := strings.Join(plan.Texts(list, plan.Setting.String), " ")
		return nil, fmt.Errorf("%s with %s: %s: %s", s.Name, texts, problems[0].Field, problems[0].Message)
	}
	set.Map, set.Name, set.Options = s.Map, name, slices.Clone(s.Options)
	for i, t := range targets {
		if t.option != "" {
			option := plan.Option{Name: t.option, Value: list[i].Value}
			set.Options = append(set.Options, plan.SetOption{Subject: t.subject, Option: option})
		}
		if t.option != "" || len(t.fields) > 0 {
			set.Parameters = append(set.Parameters, t.parameter)
		}
	}
	for i := range set.Subjects {
		set.Subjects[i] = set.Subjects[i].With(set.Options)
	}
	return set, nil
}

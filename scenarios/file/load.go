package file

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// Load reads one scenario file. Its error is FileErrors: everything that is
// wrong, at once; the scenario is nil then.
func Load(path string) (*plan.Scenario, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return Parse(path, data)
}

// LoadAll reads files, and all *.yaml in folders and below. Nothing is returned
// when anything is wrong; two files of one name are.
func LoadAll(paths ...string) ([]*plan.Scenario, error) {
	var files []string
	var problems FileErrors
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			problems = append(problems, unreadable(p, err)...)
			continue
		}
		if !info.IsDir() {
			files = append(files, p)
			continue
		}
		before := len(files)
		err = filepath.WalkDir(p, func(file string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && filepath.Ext(file) == extension {
				files = append(files, file)
			}
			return err
		})
		if err != nil {
			problems = append(problems, unreadable(p, err)...)
		} else if len(files) == before {
			problems = append(problems, FileError{Path: p, Message: "found no *.yaml in this folder; allowed: files, or folders with at least one"})
		}
	}
	return loadAll(files, problems, Load)
}

// LoadFS reads all *.yaml in a folder of a file system, as LoadAll does.
func LoadFS(files fs.FS, folder string) ([]*plan.Scenario, error) {
	names, err := fs.Glob(files, path.Join(folder, "*"+extension))
	if err != nil {
		return nil, err
	}
	return loadAll(names, nil, func(name string) (*plan.Scenario, error) {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, unreadable(name, err)
		}
		return Parse(name, data)
	})
}

const extension = ".yaml"

// loadAll reads files and sorts what they hold by claim.
func loadAll(files []string, problems FileErrors, load func(string) (*plan.Scenario, error)) ([]*plan.Scenario, error) {
	var all []*plan.Scenario
	for _, file := range files {
		s, err := load(file)
		if list := (FileErrors)(nil); errors.As(err, &list) {
			problems = append(problems, list...)
			continue
		}
		for _, other := range all {
			if other.Name == s.Name {
				twice := "found a second scenario " + s.Name + " beside " + other.Path + "; allowed: each name once"
				problems = append(problems, FileError{Path: file, Line: 1, Column: 1, Message: twice})
			}
		}
		all = append(all, s)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	slices.SortStableFunc(all, func(a, b *plan.Scenario) int { return plan.CompareNames(a.Name, b.Name) })
	return all, nil
}

// Parse reads a scenario from the text of a file with the given path.
func Parse(path string, data []byte) (*plan.Scenario, error) {
	root, problem := document(path, data)
	if problem != nil {
		return nil, FileErrors{*problem}
	}
	r := newReader(path)
	s, err := r.scenario(data, root, r.parameters(root))
	if err != nil {
		return nil, err
	}
	for _, read := range r.axes {
		read()
	}
	if len(r.errors) == 0 {
		for _, check := range r.formulas {
			check()
		}
	}
	if len(r.errors) > 0 {
		return nil, r.errors.sorted()
	}
	return s, nil
}

// parameters reads the declared parameters, which must be known before any other field is
// read, and writes their values into the fields that refer to them.
func (r *reader) parameters(root *yaml.Node) []plan.Parameter {
	var declared []plan.Parameter
	if root.Kind != yaml.MappingNode {
		return nil
	}
	if list := entry(root, "parameters"); list != nil {
		parameters(&declared).read(r, list, "parameters")
	}
	if len(r.errors) == 0 {
		r.substitute(root, declared)
	}
	return declared
}

// scenario reads a tree in which no parameter is left.
func (r *reader) scenario(data []byte, root *yaml.Node, parameters []plan.Parameter) (*plan.Scenario, error) {
	if len(r.errors) > 0 {
		return nil, r.errors.sorted()
	}
	s := plan.Default()
	s.Path, s.Text, s.Name, s.Parameters = r.path, data, nameOf(r.path), parameters
	scenario(&s).read(r, root, "")
	r.name(&s)
	r.eventsFor(&s)
	r.check(&s)
	if len(r.errors) > 0 {
		return nil, r.errors.sorted()
	}
	return &s, nil
}

// document parses YAML and returns the one document in it.
func document(path string, data []byte) (*yaml.Node, *FileError) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	err := d.Decode(&first)
	switch {
	case errors.Is(err, io.EOF):
		return nil, &FileError{path, 1, 1, "", "found an empty file; allowed: a scenario"}
	case err != nil:
		return nil, SyntaxError(path, err)
	}
	switch err := d.Decode(&second); {
	case err == nil:
		return nil, &FileError{path, second.Line, second.Column, "", "found a second document; allowed: one scenario per file"}
	case !errors.Is(err, io.EOF):
		return nil, SyntaxError(path, err)
	}
	return first.Content[0], nil
}

// yamlLine finds the line in a message of the YAML library, which reports no column.
var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

// SyntaxError is an error of the YAML library, with its position.
func SyntaxError(path string, err error) *FileError {
	line, message := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if parts := yamlLine.FindStringSubmatch(err.Error()); parts != nil {
		line, _ = strconv.Atoi(parts[1])
		message = parts[2]
		if strings.HasPrefix(message, "did not find expected ") && !strings.Contains(message, "whitespace") {
			line++ // the library counts from 0 what its parser finds, from 1 what its scanner does
		}
	}
	return &FileError{path, line, 1, "", "found no valid YAML: " + message + "; allowed: YAML 1.2, indented with blanks"}
}

// nameOf is the name of the scenario in a file.
func nameOf(file string) string {
	return strings.TrimSuffix(path.Base(filepath.ToSlash(file)), extension)
}

// name checks the scenario's name, that of its file: it must begin with the claim.
func (r *reader) name(s *plan.Scenario) {
	rest, begins := strings.CutPrefix(s.Name, s.Claim)
	if s.Claim != "" && r.clean("claim") && (!begins || rest != "" && rest[0] != '-') {
		r.report("claim", fmt.Sprintf("found %s in a file named %s; allowed: the claim that the file's name begins with, alone or before a -", strconv.Quote(s.Claim), strconv.Quote(s.Name+extension)))
	}
}

// unreadable is the error of a file that cannot be opened.
func unreadable(path string, err error) FileErrors {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return FileErrors{{Path: path, Message: "cannot be read: " + err.Error()}}
}

// Ready are the YAML files of a folder that comes with the program.
type Ready struct {
	Files  embed.FS
	Folder string
	Is     string // what an unknown name is not, for messages: "no ready map"
}

// Names returns the names of the files without their ending, in order.
func (r Ready) Names() []string {
	entries, err := r.Files.ReadDir(r.Folder)
	if err != nil {
		panic(err) // they are embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Text returns a file.
func (r Ready) Text(name string) ([]byte, error) {
	text, err := r.Files.ReadFile(path.Join(r.Folder, name+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("found %s, which is %s; %s", strconv.Quote(name), r.Is, faults.Allowed(name, r.Names()))
	}
	return text, nil
}

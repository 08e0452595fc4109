package proof

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"redlocklab/tla"
)

//go:embed *.v _CoqProject axioms.txt variants.json
var files embed.FS

// Variant is a weakening under which a proof must fail.
type Variant struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	Old    string `json:"old"` // stands in File exactly once
	New    string `json:"new"`
	Breaks string `json:"breaks"` // file and lemma whose proof must fail
}

// Report is what a check of the proofs found.
type Report struct {
	Theorems int      // whose axioms were listed
	Axioms   []string // that any of them rests on, sorted
	Variants int      // that failed where they must
	Problems []string // empty: everything is as it should be
}

// InstallCommand installs Coq on Debian.
const InstallCommand = "sudo apt-get install --yes --no-install-recommends coq"

// Find returns the path of coqc. Error: *tla.MissingToolError.
func Find() (string, error) {
	path, err := exec.LookPath("coqc")
	if err != nil {
		return "", &tla.MissingToolError{
			Checks: "the proofs", Tool: "coqc", Searched: []string{"PATH"}, Cause: err, Install: []string{InstallCommand},
		}
	}
	return path, nil
}

// prover compiles the files of one directory.
type prover struct{ coqc, directory string }

// Check compiles the proofs and these weakened variants, which must fail. progress, unless
// nil, gets a line for each, one at a time. What is wrong with a proof is in the report.
// Errors: *tla.MissingToolError, those of the file system, and the context's.
func Check(ctx context.Context, variants []Variant, progress func(line string)) (Report, error) {
	coqc, err := Find()
	if err != nil {
		return Report{}, err
	}
	directory, err := tla.Unpack(files)
	if err != nil {
		return Report{}, err
	}
	defer os.RemoveAll(directory)
	if progress == nil {
		progress = func(string) {}
	}
	p := prover{coqc, directory}
	report := Report{Problems: unproved()}
	output, broken, err := p.compile(ctx, sources())
	if err != nil || broken != "" {
		report.Problems = append(report.Problems, strings.TrimSpace(broken+"\n"+output))
		return report, err
	}
	progress(fmt.Sprintf("%d files compiled", len(sources())))
	report.Theorems, report.Axioms = axioms(output)
	if allowed := strings.Fields(text("axioms.txt")); !slices.Equal(report.Axioms, allowed) {
		report.Problems = append(report.Problems, fmt.Sprintf("axioms: found %q; allowed: those of axioms.txt, %q", report.Axioms, allowed))
	}
	broke, err := p.variants(ctx, variants, progress)
	if err != nil {
		return report, err
	}
	for i, v := range variants {
		if broke[i] == v.Breaks {
			report.Variants++
		} else {
			report.Problems = append(report.Problems, fmt.Sprintf("variant %q: found that %q fails; allowed: %q", v.Name, broke[i], v.Breaks))
		}
	}
	return report, nil
}

// Variants lists the weakenings of variants.json, which the tests have checked.
func Variants() []Variant {
	var list []Variant
	if err := json.Unmarshal([]byte(text("variants.json")), &list); err != nil {
		panic(err)
	}
	return list
}

// sources lists the files in the order in which they compile.
func sources() []string {
	return slices.DeleteFunc(strings.Fields(text("_CoqProject")), func(word string) bool { return !strings.HasSuffix(word, ".v") })
}

func text(name string) string {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it was built in
	}
	return string(content)
}

var (
	comment   = regexp.MustCompile(`(?s)\(\*.*?\*\)`)
	forbidden = regexp.MustCompile(`\b(Admitted|admit|Abort|Axioms?|Parameters?|Conjecture|Unset)\b`)
	lemma     = regexp.MustCompile(`^(?:Theorem|Lemma|Definition) (\w+)`)
	errorLine = regexp.MustCompile(`(?m)^File "\./(\w+\.v)", line (\d+)`)
	axiom     = regexp.MustCompile(`(?m)^([\w.]+\.\w+)(?: :|$)`)
)

// unproved lists words that leave something without a proof.
func unproved() []string {
	var problems []string
	for _, name := range sources() {
		for _, word := range forbidden.FindAllString(comment.ReplaceAllString(text(name), ""), -1) {
			problems = append(problems, fmt.Sprintf("%s: found %s; allowed: proofs", name, word))
		}
	}
	return problems
}

// axioms reads what Print Assumptions has printed: of how many theorems, and what they rest on.
func axioms(output string) (theorems int, names []string) {
	for _, found := range axiom.FindAllStringSubmatch(output, -1) {
		names = append(names, found[1])
	}
	slices.Sort(names)
	return strings.Count(output, "Axioms:") + strings.Count(output, "Closed under the global context"), slices.Compact(names)
}

// compile compiles files in order, up to the first that fails. It returns what coqc
// printed, and the file and lemma that failed.
func (p prover) compile(ctx context.Context, names []string) (output, broken string, err error) {
	var printed bytes.Buffer
	for _, name := range names {
		command := exec.CommandContext(ctx, p.coqc, "-q", "-Q", ".", "Redlock", name)
		command.Dir, command.Stdout, command.Stderr = p.directory, &printed, &printed
		failure := command.Run()
		if ctx.Err() != nil {
			return "", "", fmt.Errorf("proof: %w", ctx.Err())
		}
		if failure != nil && !errors.As(failure, new(*exec.ExitError)) {
			return "", "", fmt.Errorf("proof: %w", failure)
		}
		if failure != nil {
			return printed.String(), p.culprit(printed.String(), name), nil
		}
	}
	return printed.String(), "", nil
}

// culprit is the file and the lemma that an error of coqc is about.
func (p prover) culprit(output, name string) string {
	found := errorLine.FindStringSubmatch(output)
	content, err := os.ReadFile(filepath.Join(p.directory, name))
	if found == nil || err != nil {
		return name
	}
	line, last := 0, ""
	fmt.Sscan(found[2], &line)
	for _, row := range strings.Split(string(content), "\n")[:line] {
		if begins := lemma.FindStringSubmatch(row); begins != nil {
			last = begins[1]
		}
	}
	return name + " " + last
}

// variants compiles the variants, two at a time if there are two processors, and returns
// the file and lemma that fail in each.
func (p prover) variants(ctx context.Context, variants []Variant, progress func(line string)) ([]string, error) {
	broke := make([]string, len(variants))
	var printing sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(min(2, runtime.NumCPU()))
	for i, v := range variants {
		group.Go(func() (err error) {
			if broke[i], err = p.variant(ctx, v); err != nil {
				return err
			}
			printing.Lock()
			defer printing.Unlock()
			progress(fmt.Sprintf("variant %q breaks %s", v.Name, broke[i]))
			return nil
		})
	}
	return broke, group.Wait()
}

// variant compiles the proofs with one edit and returns the file and lemma that fail.
func (p prover) variant(ctx context.Context, v Variant) (string, error) {
	original := text(v.File)
	if n := strings.Count(original, v.Old); n != 1 {
		return fmt.Sprintf("%s: the text stands there %d times", v.File, n), nil
	}
	directory, err := tla.Unpack(os.DirFS(p.directory))
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(directory)
	edited := strings.Replace(original, v.Old, v.New, 1)
	if err := os.WriteFile(filepath.Join(directory, v.File), []byte(edited), 0o600); err != nil {
		return "", fmt.Errorf("proof: %w", err)
	}
	// Whether each hypothesis is needed is another question than whether the theorem holds.
	another := func(name string) bool { return name == "Necessity.v" || name == "Axioms.v" }
	names := sources()
	names = slices.DeleteFunc(names[slices.Index(names, v.File):], another)
	_, broken, err := prover{p.coqc, directory}.compile(ctx, names)
	return broken, err
}

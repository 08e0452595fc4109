package tla

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"redlocklab/scenarios/journal"
)

// Options are the choices of one run of the models.
type Options struct {
	Jar      string    // see FindToolchain
	Full     bool      // the full models too; ignored when Models is not empty
	Mutants  bool      // the mutants, instead of the models; ignored when Models is not empty
	Models   []string  // run these only
	Parallel int       // TLC workers at a time; 0: the smaller of 2 and the CPUs
	Progress io.Writer // one line per finished model and per minute of TLC; nil: none
	// Directory, when not empty, receives TLC's input for each model (Name.cfg, and the
	// edited Name.tla of a mutant), its output (Name.txt, for ParseErrorTrace), and
	// Name.json for each model that was as expected. A later run into the same folder
	// skips those, so that an interrupted run can be continued.
	Directory string
}

// Result is one model's outcome against its expectation.
type Result struct {
	Model    Model
	Outcome  Outcome
	Elapsed  time.Duration
	Problems []string // empty: as expected
	Kept     bool     // from an earlier run into the same folder
}

// Report is a run of models, in the order of the manifest.
type Report struct {
	Toolchain Toolchain
	Results   []Result
	Elapsed   time.Duration
}

// Failed counts the models that differ from the manifest.
func (r Report) Failed() int {
	failed := 0
	for _, result := range r.Results {
		if len(result.Problems) > 0 {
			failed++
		}
	}
	return failed
}

// Run checks models with TLC and compares each with manifest.json. A model that
// differs is in the report, not in the error. Errors: *MissingToolError when nothing
// could be checked, *UnknownModelError, and the context's error when the run was cut
// short.
func Run(ctx context.Context, options Options) (Report, error) {
	models, err := LoadManifest().Select(options.Full, options.Mutants, options.Models)
	if err != nil {
		return Report{}, err
	}
	tools, err := FindToolchain(options.Jar)
	if err != nil {
		return Report{}, err
	}
	directory, err := Unpack(files)
	if err != nil {
		return Report{}, err
	}
	defer os.RemoveAll(directory)
	if options.Directory != "" {
		if err := os.MkdirAll(options.Directory, fs.ModePerm); err != nil {
			return Report{}, fmt.Errorf("tla: %w", err)
		}
	}

	started := time.Now()
	if options.Progress == nil {
		options.Progress = io.Discard
	}
	run := &run{options: options, tools: tools, directory: directory, total: len(models)}
	report := Report{Toolchain: tools, Results: run.all(ctx, models), Elapsed: time.Since(started)}
	if err := ctx.Err(); err != nil {
		return report, fmt.Errorf("tla: %w", err)
	}
	return report, nil
}

// Unpack writes built-in files into a new directory, which the caller removes.
func Unpack(files fs.FS) (string, error) {
	directory, err := os.MkdirTemp("", "redlocklab-tla-")
	if err != nil {
		return "", fmt.Errorf("tla: %w", err)
	}
	if err := os.CopyFS(directory, files); err != nil {
		os.RemoveAll(directory)
		return "", fmt.Errorf("tla: %w", err)
	}
	return directory, nil
}

type run struct {
	options   Options
	tools     Toolchain
	directory string
	total     int

	mutex    sync.Mutex // guards finished and options.Progress
	finished int
}

// all runs the models, as many at a time as their workers allow.
func (r *run) all(ctx context.Context, models []Model) []Result {
	capacity := cmp.Or(max(r.options.Parallel, 0), min(2, runtime.NumCPU()))
	free := semaphore.NewWeighted(int64(capacity))
	results := make([]Result, len(models))
	started := 0
	var group sync.WaitGroup
	for i, model := range models {
		workers := int64(min(model.Workers, capacity))
		if free.Acquire(ctx, workers) != nil {
			break // the context has ended
		}
		started++
		group.Go(func() {
			defer free.Release(workers)
			results[i] = r.one(ctx, model)
		})
	}
	group.Wait()
	return results[:started]
}

func (r *run) one(ctx context.Context, model Model) Result {
	result, err := r.result(ctx, model)
	if err != nil {
		result.Problems = []string{err.Error()}
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if ctx.Err() != nil {
		return result // TLC was stopped: its outcome proves nothing
	}
	verdict := "ok"
	switch {
	case len(result.Problems) > 0:
		verdict = "FAIL: " + result.Problems[0]
	case result.Kept:
		verdict = "ok, kept from an earlier run"
	}
	r.finished++
	fmt.Fprintf(r.options.Progress, "[%d/%d] %s (%s) %d states, %.1f s: %s\n", r.finished, r.total, model.Name,
		model.Expected, result.Outcome.Distinct, result.Elapsed.Seconds(), verdict)
	return result
}

// result returns the result that an earlier run has kept, or else checks the model.
func (r *run) result(ctx context.Context, model Model) (Result, error) {
	input, err := r.input(model)
	if err != nil {
		return Result{Model: model}, err
	}
	if kept, found := r.kept(model, input); found {
		return kept, nil
	}
	started := time.Now()
	outcome, err := r.check(ctx, model)
	result := Result{Model: model, Outcome: outcome, Elapsed: time.Since(started)}
	if err != nil {
		return result, err
	}
	if result.Problems = model.compare(outcome, r.tools.KnownJar); len(result.Problems) > 0 {
		return result, nil
	}
	return result, r.keep(result, input)
}

// quietTime is how long a model runs before TLC's own progress is passed on: a
// short run prints it at its end, too.
const quietTime = 30 * time.Second

// prepare writes the model's specification and configuration into a new directory.
func (r *run) prepare(model Model) (string, error) {
	specification, err := model.specification()
	if err != nil {
		return "", err
	}
	directory := filepath.Join(r.directory, model.Name)
	write := func(path, text string) {
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
	}
	err = os.Mkdir(directory, fs.ModePerm)
	write(filepath.Join(directory, model.Module+".tla"), specification)
	write(filepath.Join(directory, model.Name+".cfg"), model.Configuration())
	if r.options.Directory != "" {
		write(r.file(model, ".cfg"), model.Configuration())
		if model.Old != "" {
			write(r.file(model, ".tla"), specification)
		}
	}
	if err != nil {
		return "", fmt.Errorf("tla: %w", err)
	}
	return directory, nil
}

// check runs TLC on one model.
func (r *run) check(ctx context.Context, model Model) (Outcome, error) {
	directory, err := r.prepare(model)
	if err != nil {
		return Outcome{}, err
	}
	started := time.Now()
	i := invocation{
		directory: directory, module: model.Module + ".tla", configuration: model.Name + ".cfg",
		states: model.size, arguments: []string{"-workers", strconv.Itoa(model.Workers)},
		progress: func(text string) {
			if time.Since(started) < quietTime {
				return
			}
			r.mutex.Lock()
			defer r.mutex.Unlock()
			fmt.Fprintf(r.options.Progress, "      %s: %s\n", model.Name, text)
		},
	}
	if s := model.Simulate; s != nil {
		i.states = math.MaxInt
		i.arguments = append(i.arguments, "-simulate", "num="+strconv.Itoa(s.Behaviours),
			"-depth", strconv.Itoa(s.Depth), "-seed", strconv.Itoa(s.Seed))
	}
	if r.options.Directory != "" {
		file, err := os.Create(r.file(model, ".txt"))
		if err != nil {
			return Outcome{}, fmt.Errorf("tla: %w", err)
		}
		defer file.Close()
		i.output = file
	}
	return r.tools.run(ctx, i)
}

// kept is the record of a model that was as expected, in Name.json beside TLC's
// output. A later run into the same folder uses it instead of checking the model.
type kept struct {
	// Input is the SHA-256 of all that TLC was given: its jar, the module, the
	// configuration and how it explores.
	Input   string  `json:"input"`
	Outcome Outcome `json:"outcome"`
	Seconds float64 `json:"seconds"`
}

// input identifies what TLC is given for a model.
func (r *run) input(model Model) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, r.tools.SHA256)
	specification, err := model.specification()
	if err != nil {
		return "", err
	}
	for _, text := range []string{specification, model.Configuration()} {
		fmt.Fprintf(sum, "%d\n%s", len(text), text)
	}
	if s := model.Simulate; s != nil {
		fmt.Fprintln(sum, s.Behaviours, s.Depth, s.Seed)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}

// file returns the path of a model's file in the folder of the run.
func (r *run) file(model Model, suffix string) string {
	return filepath.Join(r.options.Directory, model.Name+suffix)
}

// kept returns the kept result of a model if TLC's input would be the same, its output
// still exists, and the manifest expects this outcome. A record that cannot be read counts
// as missing.
func (r *run) kept(model Model, input string) (Result, bool) {
	if r.options.Directory == "" {
		return Result{}, false
	}
	var k kept
	text, readError := os.ReadFile(r.file(model, ".json"))
	_, outputError := os.Stat(r.file(model, ".txt"))
	if errors.Join(readError, outputError) != nil || json.Unmarshal(text, &k) != nil || k.Input != input ||
		len(model.compare(k.Outcome, r.tools.KnownJar)) > 0 {
		return Result{}, false
	}
	elapsed := time.Duration(k.Seconds * float64(time.Second))
	return Result{Model: model, Outcome: k.Outcome, Elapsed: elapsed, Kept: true}, true
}

// keep saves a result that is as expected; after an interruption the file is whole,
// or not there.
func (r *run) keep(result Result, input string) error {
	if r.options.Directory == "" {
		return nil
	}
	record := kept{input, result.Outcome, result.Elapsed.Seconds()}
	if err := journal.WriteJSON(r.file(result.Model, ".json"), record); err != nil {
		return fmt.Errorf("tla: %w", err)
	}
	return nil
}

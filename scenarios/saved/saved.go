package saved

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
	"redlocklab/sim/explain"
)

// The files of a saved run.
const (
	PlanFile      = "plan.json"      // all that the run depends on; it may be changed by hand
	TraceFile     = "trace.ndjson"   // every event, one JSON line each
	HistoryFile   = "history.jsonl"  // what the checker judged
	VerdictFile   = "verdict.json"   // a SavedVerdict
	PorcupineFile = "porcupine.html" // of a run with a violation
	PictureFile   = "explain.svg"    // of a run with a violation
	CommandFile   = "command.txt"    // of a lock's test: the command that plays the run again, with DIR for its folder
	CausesFile    = "causes.json"    // a cause.Answer, of a run with a violation whose causes were asked for
)

// VerdictVersion is the version of verdict.json. A reader refuses every other.
const VerdictVersion = 3

// SavedVerdict is what verdict.json holds: what was found, and of which plan and
// trace. FORMATS.md describes it.
type SavedVerdict struct {
	Version      int             `json:"version"`
	PlanVersion  int             `json:"plan_version"`
	TraceVersion int             `json:"trace_version"`
	PlanHash     string          `json:"plan_hash"`
	TraceHash    string          `json:"trace_hash"`
	Outcome      string          `json:"outcome"`
	Fired        []faults.Count  `json:"fired,omitempty"`
	Verdict      checker.Verdict `json:"verdict"`
}

// Write writes the run's files into a folder: all of them, or none. The folder may
// be missing, empty, or hold an earlier run, which is replaced; any other is refused.
// causes may be nil: nobody asked for them.
func Write(r *play.Result, causes *cause.Answer, dir string) error {
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := Replaceable(dir); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	if err := writeFiles(r, causes, fresh); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(fresh, dir)
}

// Replaceable says why a run cannot be saved in a folder; nil when it can.
func Replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) == 0:
		return nil
	}
	for _, name := range []string{PlanFile, VerdictFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("%s holds something else than a saved run; "+
				"allowed: a folder that is new, empty, or holds a run to replace", dir)
		}
	}
	return nil
}

func writeFiles(r *play.Result, causes *cause.Answer, dir string) error {
	p, err := r.Plan.Encode()
	if err != nil {
		return err
	}
	var history bytes.Buffer
	if err := checker.Write(&history, r.History); err != nil {
		return err
	}
	verdict, err := journal.Indented(SavedVerdict{
		VerdictVersion, plan.PlanVersion, sim.TraceVersion, r.PlanHash, r.TraceHash, r.Outcome, r.Fired, r.Verdict,
	})
	if err != nil {
		return err
	}
	files := map[string][]byte{PlanFile: p, TraceFile: r.Trace(), HistoryFile: history.Bytes(), VerdictFile: verdict}
	if r.Violated() {
		var page, picture bytes.Buffer
		switch err := checker.WriteVisualization(&page, r.History, checker.Options{}); {
		case err == nil:
			files[PorcupineFile] = page.Bytes()
		case !errors.Is(err, checker.ErrNothingToDraw):
			return err
		}
		if err := explain.SVG(&picture, Explain(r, causes), explain.StoryOptions{CausalOnly: true}); err != nil {
			return err
		}
		files[PictureFile] = picture.Bytes()
	}
	if causes != nil {
		if files[CausesFile], err = journal.Indented(causes); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Saved is a run as its folder holds it.
type Saved struct {
	Dir       string
	Plan      *plan.Plan // as it is now; it may have been changed since
	Verdict   SavedVerdict
	TraceHash string // of the trace file as it is now
}

// Changed reports whether the plan is another than the one that was played.
func (s *Saved) Changed() bool { return s.Plan.Hash() != s.Verdict.PlanHash }

// OpenSaved reads what is needed to play a saved run of one of this program's subjects again.
// Errors name the file.
func OpenSaved(dir string) (*Saved, error) {
	s, err := Open(dir)
	if err != nil {
		return nil, err
	}
	if _, known := lock.Of(s.Plan.Subject.Name); !known {
		command := "REDLOCKLAB_PLAN=DIR go test -count=1 -run '^TestLock$' PACKAGE"
		if text, err := os.ReadFile(filepath.Join(dir, CommandFile)); err == nil {
			command = strings.TrimSpace(string(text))
		}
		if of, err := filepath.Abs(dir); err == nil {
			command = strings.Replace(command, "=DIR ", "="+of+" ", 1)
		}
		return nil, fmt.Errorf("the test of that lock plays it, and tells its cause and its smallest plan: %s\n"+
			"%s: found the subject %q, which is none of this program's; allowed: those of list subjects",
			command, filepath.Join(dir, PlanFile), s.Plan.Subject.Name)
	}
	return s, nil
}

// Open is [OpenSaved] for a run of any lock.
func Open(dir string) (*Saved, error) {
	s := &Saved{Dir: dir}
	var err error
	if s.Plan, err = plan.LoadPlan(filepath.Join(dir, PlanFile)); err != nil {
		return nil, err
	}
	if err = s.readVerdict(filepath.Join(dir, VerdictFile)); err != nil {
		return nil, err
	}
	s.TraceHash, err = journal.Hash(filepath.Join(dir, TraceFile))
	return s, err
}

// Load reads a whole saved run: its plan, history and events. It judges the history anew, and
// refuses files that do not belong together: a story of them would be a story of no run.
func Load(dir string) (*play.Result, error) {
	s, err := Open(dir)
	if err != nil {
		return nil, err
	}
	history, err := ReadHistory(filepath.Join(dir, HistoryFile))
	if err != nil {
		return nil, err
	}
	events, err := read(filepath.Join(dir, TraceFile), sim.ReadTrace)
	if err != nil {
		return nil, err
	}
	old := &s.Verdict
	const allowed = "allowed: the files as they were saved; make them anew: ./simulate run NAME --seed N --out DIR"
	if s.TraceHash != old.TraceHash && old.TraceHash != "" { // that of real servers has none
		return nil, fmt.Errorf("%s: found another trace than %s names; %s",
			filepath.Join(dir, TraceFile), VerdictFile, allowed)
	}
	verdict := checker.Judge(history, checker.Options{})
	if now, then := judged(&verdict), judged(&old.Verdict); now != then {
		return nil, fmt.Errorf("%s: found a history that is judged %q, and %q in %s; %s",
			filepath.Join(dir, HistoryFile), now, then, VerdictFile, allowed)
	}
	return &play.Result{
		Plan: s.Plan, PlanHash: s.Plan.Hash(), TraceHash: old.TraceHash, Outcome: old.Outcome, Fired: old.Fired,
		Events: events, History: history, Verdict: verdict,
	}, nil
}

// judged says a verdict on one line, with the broken assumptions.
func judged(v *checker.Verdict) string {
	return v.Answers().Explained() + "; broken: " + cmp.Or(strings.Join(v.Broken(), " "), "none")
}

// ReadHistory reads a history.jsonl. Its errors name the file and the line.
func ReadHistory(path string) (*checker.History, error) { return read(path, checker.Read) }

// read reads a file. Its errors name the file.
func read[T any](path string, from func(io.Reader) (T, error)) (T, error) {
	file, err := os.Open(path)
	if err != nil {
		return *new(T), err
	}
	defer file.Close()
	content, err := from(file)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return content, err
}

// readVerdict reads verdict.json. Another version is reported as such, not by its keys.
func (s *Saved) readVerdict(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var v struct {
		Version      int `json:"version"`
		TraceVersion int `json:"trace_version"`
	}
	err = json.Unmarshal(text, &v)
	if err == nil && (v.Version != VerdictVersion || v.TraceVersion != sim.TraceVersion) {
		return fmt.Errorf("%s: found version %d with a trace of version %d; "+
			"allowed: %d with %d, those of this program", path, v.Version, v.TraceVersion, VerdictVersion, sim.TraceVersion)
	}
	if err := plan.DecodeStrict(text, &s.Verdict); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// FindSaved lists the folders of saved runs: dir itself, or else those below it, in
// the order of their names.
func FindSaved(dir string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() == PlanFile {
			found = append(found, filepath.Dir(path))
		}
		return err
	})
	if _, several := os.Stat(filepath.Join(dir, journal.File)); err == nil && len(found) == 0 && several == nil {
		return nil, fmt.Errorf("%s: several seeds were played into it, of which only the reports are kept (%s); "+
			"allowed: a folder of one seed, which the same command with --seed N in place of --seeds writes: "+
			"./simulate run NAME --seed N --out DIR", dir, journal.File)
	}
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: there is no saved run here (no %s); allowed: a folder that run --out wrote", dir, PlanFile)
	}
	return found, err
}

// TraceDifference is the first event in which two traces differ. A side is empty
// where that trace has ended.
type TraceDifference struct {
	Line          int // from 1, which is the event's number
	First, Second string
}

// CompareTraces finds the first difference of two trace files; nil when there is none.
func CompareTraces(first, second string) (*TraceDifference, error) {
	a, err := os.ReadFile(first)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(second)
	if err != nil {
		return nil, err
	}
	for line := 1; len(a) > 0 || len(b) > 0; line++ {
		x, restA, _ := bytes.Cut(a, []byte("\n"))
		y, restB, _ := bytes.Cut(b, []byte("\n"))
		if !bytes.Equal(x, y) {
			return &TraceDifference{line, string(x), string(y)}, nil
		}
		a, b = restA, restB
	}
	return nil, nil
}

// Explain prepares a run for package explain. The causes say what explains each finding;
// without causes the footprint does.
func Explain(r *play.Result, causes *cause.Answer) *explain.Run {
	if causes == nil {
		return r.Explained()
	}
	decided := *r
	decided.Verdict = causes.Explain(r.Verdict)
	run := decided.Explained()
	run.Causes, run.Decisive = causes.Sentences(), causes.Events()
	return run
}

// Explained reads a saved run, with its causes if there are any, for package explain.
func Explained(dir string) (*explain.Run, error) {
	r, err := Load(dir)
	if err != nil {
		return nil, err
	}
	causes, err := Causes(dir, r)
	if err != nil {
		return nil, err
	}
	return Explain(r, causes), nil
}

// Causes reads the causes that were saved with a run. It returns nil when there are none, or
// when they belong to another run, because the plan was changed.
func Causes(dir string, r *play.Result) (*cause.Answer, error) {
	path := filepath.Join(dir, CausesFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &version); err == nil && version.Version != cause.Version {
		return nil, fmt.Errorf("%s: found version %d; allowed: %d; make it again: ./simulate why %s",
			path, version.Version, cause.Version, dir)
	}
	a := &cause.Answer{}
	if err := plan.DecodeStrict(text, a); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !a.Of(r) {
		return nil, nil
	}
	return a, nil
}

// WriteCauses writes causes beside a saved run.
func WriteCauses(a *cause.Answer, dir string) error {
	return journal.WriteJSON(filepath.Join(dir, CausesFile), a)
}

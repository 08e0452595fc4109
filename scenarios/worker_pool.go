package scenarios

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"redlocklab/scenarios/ci"
)

// workers are the workers of one call of [Test]: as many as there are jobs at a time.
type workers struct {
	program string
	args    []string
	call    string

	mu   sync.Mutex
	idle []*worker
}

// worker is a program that does jobs.
type worker struct {
	command *exec.Cmd
	input   io.WriteCloser
	answers *json.Decoder
	output  *shared
}

// shared is what a worker wrote during its job.
type shared struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *shared) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.text.Reset()
	return s.text.String()
}

// hireFor makes the workers for a call of [Test]; nil for a test that plays in its own program.
func hireFor(t *testing.T, call string) (*workers, error) {
	profiles := []string{"cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace"}
	measured := slices.ContainsFunc(profiles, func(name string) bool {
		f := flag.Lookup("test." + name)
		return f != nil && f.Value.String() != ""
	})
	if os.Getenv(WorkersVariable) == "0" || measured || testing.CoverMode() != "" || runtime.GOOS == "windows" {
		return nil, nil
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("scenarios: no workers: %w", err)
	}
	args := []string{
		"-test.run=" + exactly(t.Name()), "-test.timeout=0", fmt.Sprintf("-test.short=%v", testing.Short()),
	}
	return &workers{program: program, args: append(args, ownArguments(os.Args[1:])...), call: call}, nil
}

// ownArguments are the arguments of a test program that are not those of package testing.
func ownArguments(all []string) (own []string) {
	for i := 0; i < len(all); i++ {
		name, _, valued := strings.Cut(strings.TrimLeft(all[i], "-"), "=")
		if !strings.HasPrefix(all[i], "-") || !strings.HasPrefix(name, "test.") {
			own = append(own, all[i])
			continue
		}
		if f := flag.Lookup(name); !valued && f != nil {
			if _, boolean := f.Value.(interface{ IsBoolFlag() bool }); !boolean {
				i++ // the next argument is its value
			}
		}
	}
	return own
}

// start starts a worker.
func (ws *workers) start() (*worker, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	w := &worker{command: exec.Command(ws.program, ws.args...), answers: json.NewDecoder(read), output: &shared{}}
	w.command.Env = append(os.Environ(), workerVariable+"="+ws.call, "GOMAXPROCS=1", "GOTRACEBACK=all")
	w.command.Stdout, w.command.Stderr, w.command.ExtraFiles = w.output, w.output, []*os.File{write}
	if w.input, err = w.command.StdinPipe(); err == nil {
		err = w.command.Start()
	}
	_ = write.Close() // the worker has its own
	if err != nil {
		_ = read.Close()
		return nil, err
	}
	return w, nil
}

// ask has a worker do a job. If the worker ends before its answer, death is what it wrote.
func (ws *workers) ask(next job) (a answer, death string) {
	w, err := ws.take()
	if err != nil {
		return a, "scenarios: no worker: " + err.Error()
	}
	if err = json.NewEncoder(w.input).Encode(next); err == nil {
		err = w.answers.Decode(&a)
	}
	if err != nil {
		_ = w.input.Close()
		ended := w.command.Wait()
		return a, fmt.Sprintf("%s\n%v", w.output.take(), ended)
	}
	if a.Last {
		_ = w.command.Process.Kill()
		_ = w.command.Wait() // it was killed
		return a, ""
	}
	_, _ = io.WriteString(os.Stderr, w.output.take()) // what the lock logs
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.idle = append(ws.idle, w)
	return a, ""
}

func (ws *workers) take() (*worker, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if last := len(ws.idle) - 1; last >= 0 {
		w := ws.idle[last]
		ws.idle = ws.idle[:last]
		return w, nil
	}
	return ws.start()
}

// judge has the seeds of a scenario played. A worker that ends fails the scenario.
func (ws *workers) judge(next job, o *outcome) {
	a, death := ws.ask(next)
	if death == "" && a.Ending != nil {
		o.ending = *a.Ending
		return
	}
	kind, text := deathOf(death)
	o.ending = ending{Case: ci.Case{Name: next.Scenario, Test: next.Test, Status: ci.Failed, Kind: kind, Text: text}}
	o.Fatal = kind + "\n" + text
}

// tell has a bug told.
func (ws *workers) tell(next job, o *outcome) string {
	a, death := ws.ask(next)
	if death != "" {
		kind, text := deathOf(death)
		a.Error = kind + "\n" + text
	}
	if a.Error != "" {
		return o.Text + "\n\nIts story cannot be told: " + a.Error + "\n\nplay it again:\n  " + o.Command
	}
	return a.Text
}

// dismiss ends the workers. What fails a worker at its end, such as a data race, fails the test.
func (ws *workers) dismiss(t testing.TB) {
	if ws == nil {
		return
	}
	for _, w := range ws.idle {
		_ = w.input.Close()
		if err := w.command.Wait(); err != nil {
			t.Errorf("a worker of this test: %v\n%s", err, w.output.take())
		}
	}
}

// The kinds of failures of a lock that ends its program.
const (
	escapedKind = "the lock's code leaves the simulated world, and Go's runtime ends the program"
	diedKind    = "the lock's code ends the program"
)

var (
	deathLine      = regexp.MustCompile(`(?m)^(fatal error: |panic: |.*signal SIG).*$`)
	deathGoroutine = regexp.MustCompile(`(?m)^goroutine \d+ .*\[[^\n]*\]:\n(?:[^\n]+\n?)*`)
	ofRuntime      = regexp.MustCompile(`^(runtime|internal|testing|panic\()[./(]?`)
)

// deathOf says what ended a program, from what it wrote: the runtime's reason, and the goroutine that
// it names first, with its frames.
func deathOf(output string) (kind, text string) {
	reason := deathLine.FindStringIndex(output)
	if reason == nil {
		lines := strings.Split(strings.TrimSpace(output), "\n")
		return diedKind, strings.Join(lines[max(0, len(lines)-10):], "\n")
	}
	kind, text = diedKind, output[reason[0]:reason[1]]
	if strings.Contains(text, "synctest") {
		kind = escapedKind
		text += ": a goroutine met what belongs to another run or to none, such as a channel that the whole program shares"
	}
	goroutine := deathGoroutine.FindString(output[reason[1]:])
	if goroutine == "" {
		return kind, text
	}
	lines := strings.Split(strings.TrimSpace(goroutine), "\n")
	frames, more := lines[1:], ""
	for len(frames) > 2 && ofRuntime.MatchString(frames[0]) {
		frames = frames[2:] // a function and its place
	}
	if len(frames) > mostFrames {
		last := frames[len(frames)-2:]
		if strings.HasPrefix(last[0], "created by ") {
			more = "\n" + strings.Join(last, "\n")
		}
		frames = frames[:mostFrames]
	}
	return kind, text + "\n" + cmp.Or(lines[0], "goroutine") + "\n" + strings.Join(frames, "\n") + more
}

// mostFrames bounds the lines of frames that a failure shows: two for each frame.
const mostFrames = 12

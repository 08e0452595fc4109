package campaign

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// worker is a process that plays runs, as seen from outside.
type worker struct {
	command *exec.Cmd
	input   io.WriteCloser
	lines   chan Summary // closed when the process has closed its output
	errors  *head
	broken  error // what its last line was, when that was no report; read after lines is closed
	closing sync.Once
	patch   string
	played  int // runs that came back
}

// startWorker starts a process that carries a patch.
func startWorker(command *exec.Cmd, patch string) (*worker, error) {
	w := &worker{command: command, lines: make(chan Summary), errors: &head{}, patch: patch}
	command.Stderr = w.errors
	var err error
	if w.input, err = command.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(w.lines)
		decoder := json.NewDecoder(bufio.NewReaderSize(output, 64<<10))
		for {
			var r Summary
			if err := decoder.Decode(&r); err != nil {
				if err != io.EOF {
					w.broken = err
					w.kill() // what it writes from here on cannot be told from answers
				}
				return
			}
			w.lines <- r
		}
	}()
	return w, nil
}

// finish closes the worker's input: it ends after its present run.
func (w *worker) finish() { w.closing.Do(func() { w.input.Close() }) }

// end ends a worker that has nothing more to do; nil is none.
func (w *worker) end() {
	if w != nil {
		w.finish()
		w.wait()
	}
}

// kill ends the process now.
func (w *worker) kill() { w.command.Process.Kill() }

// grace is how long a process that has nothing more to do may take to end.
const grace = 5 * time.Second

// wait waits for the end of a process that has nothing more to do, or was
// killed, and says how it came about.
func (w *worker) wait() string {
	timer := time.AfterFunc(grace, w.kill)
	defer timer.Stop()
	for range w.lines {
	}
	err := w.command.Wait()
	if w.command.ProcessState.ExitCode() == overLimit {
		return w.errors.firstLine()
	}
	text := "its worker process ended early"
	if err != nil {
		text = "its worker process died: " + err.Error()
	}
	if w.broken != nil {
		text += "; its last line was no answer: " + w.broken.Error()
	}
	if first := w.errors.firstLine(); first != "" {
		text += ": " + first
	}
	if name := w.errors.keep(); name != "" {
		text += "; more in " + name
	}
	return text
}

// play has the worker play a request. It calls report for each run that came
// back and returns how many did, and why it was not all of them: "" when it was.
// stopping is closed when no further run is to begin. The caller must end
// and replace a worker that did not answer for all runs.
func (w *worker) play(r *request, stopping <-chan struct{}, report func(Summary)) (done int, failure string) {
	line, err := json.Marshal(r)
	if err != nil {
		return 0, "no run: " + err.Error()
	}
	// A worker that does not read cannot block us for longer than the limit.
	go w.input.Write(append(line, '\n'))
	limit := restFactor * r.Limit
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for done < len(r.Seeds) {
		select {
		case answer, open := <-w.lines:
			if !open {
				return done, w.wait()
			}
			report(answer)
			done++
			w.played++
			timer.Reset(limit)
		case <-timer.C:
			w.kill()
			w.wait()
			return done, fmt.Sprintf("killed: it took more than %v of real time", limit)
		case <-stopping:
			stopping = nil
			w.finish()
		}
	}
	return done, ""
}

// head keeps the beginning of what a process writes: of a crash that is where
// the reason stands.
type head struct {
	mu   sync.Mutex
	text []byte
}

const headSize = 64 << 10

// Write implements io.Writer and never fails.
func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if room := headSize - len(h.text); room > 0 {
		h.text = append(h.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

func (h *head) firstLine() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	line, _, _ := strings.Cut(strings.TrimSpace(string(h.text)), "\n")
	return line
}

// keep writes what is there into a file when it is more than a line, and returns
// the file's name: a crash of the Go runtime cannot be reproduced.
func (h *head) keep() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !strings.Contains(strings.TrimSpace(string(h.text)), "\n") {
		return ""
	}
	file, err := os.CreateTemp("", "simulate-worker-*.txt")
	if err != nil {
		return ""
	}
	defer file.Close()
	if _, err := file.Write(h.text); err != nil {
		return ""
	}
	return file.Name()
}

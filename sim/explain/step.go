package explain

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// Unit is what one step of a walk shows.
type Unit string

// The units of a walk.
const (
	ByLine  Unit = "line"  // one line of the story
	ByEvent Unit = "event" // one event of the trace
)

// StepOptions choose how a run is shown step by step.
type StepOptions struct {
	Unit       Unit // "" means ByLine
	CausalOnly bool // as for the story; events are never left out
	// Interactive waits for an answer after every step. Without it, all steps are
	// printed.
	Interactive bool
}

// IsTerminal reports whether a reader is a terminal: the usual value of
// [StepOptions.Interactive].
func IsTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

const stepHelp = "enter: next   b: back   g N: go to step N   q: quit"

// Step shows a run step by step, with the state of all nodes, clients and leases
// after each step. If it is interactive, it reads one line per answer and stops at
// the end of the input. The error wraps [ErrRun] or is that of the reader or writer.
func Step(in io.Reader, out io.Writer, run *Run, options StepOptions) error {
	if err := run.Validate(); err != nil {
		return err
	}
	w := &walk{run: run, out: bufio.NewWriter(out), steps: newSteps(run, options)}
	for _, line := range append([]string{w.steps.title}, w.steps.setting...) {
		w.say(line)
	}
	if options.Interactive && len(w.steps.all) > 0 {
		if err := w.ask(in); err != nil {
			return err
		}
	} else {
		for i := range w.steps.all {
			w.show(i)
		}
	}
	for _, line := range w.steps.verdict {
		w.say(line)
	}
	return w.out.Flush()
}

// walk shows a run step by step.
type walk struct {
	run   *Run
	out   *bufio.Writer
	steps *steps
}

// say writes a line. Flush returns the error of the writer.
func (w *walk) say(format string, arguments ...any) {
	if len(arguments) > 0 {
		format = fmt.Sprintf(format, arguments...)
	}
	w.out.WriteString(format + "\n")
}

// ask shows the first step and then those that the answers ask for.
func (w *walk) ask(in io.Reader) error {
	answers := bufio.NewScanner(in)
	at := 0
	w.show(at)
	for {
		w.out.WriteString(stepHelp + " > ")
		if err := w.out.Flush(); err != nil {
			return err
		}
		if !answers.Scan() {
			w.say("")
			return answers.Err()
		}
		next, quit, problem := w.follow(at, answers.Text())
		switch {
		case quit:
			return nil
		case problem != "":
			w.say(problem)
		default:
			at = next
			w.show(at)
		}
	}
}

// follow interprets an answer: it returns the next step, whether to stop, or what is
// wrong with the answer. "Next" at the last step stops.
func (w *walk) follow(at int, answer string) (next int, quit bool, problem string) {
	last := len(w.steps.all) - 1
	command, argument, _ := strings.Cut(strings.TrimSpace(answer), " ")
	switch {
	case command == "" || command == "n":
		return at + 1, at == last, ""
	case command == "b":
		if at == 0 {
			return at, false, "this is the first step"
		}
		return at - 1, false, ""
	case command == "q":
		return at, true, ""
	case strings.HasPrefix(command, "g"):
		number := strings.TrimSpace(strings.TrimPrefix(command, "g") + argument)
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > last+1 {
			return at, false, fmt.Sprintf("found step %q; allowed: 1 to %d", number, last+1)
		}
		return n - 1, false, ""
	}
	return at, false, fmt.Sprintf("found %q; allowed: enter, b, g N, q", command)
}

// show prints one step and the state after it.
func (w *walk) show(i int) {
	s := w.steps.all[i]
	w.say("")
	for j, line := range wrap(s.text, textWidth) {
		if j > 0 {
			line = "    " + line
		}
		w.say("%s", line)
	}
	for _, line := range w.steps.after(s) {
		w.say("%s", "    "+line)
	}
}

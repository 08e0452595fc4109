package explain

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"redlocklab/sim/svg"
)

// StepOptions choose how a run is shown step by step, one line of the story per step.
type StepOptions struct {
	CausalOnly bool // as for the story
	// Interactive waits for an answer after every step. Without it, all steps are
	// printed.
	Interactive bool
}

const stepHelp = "enter: next   b: back   g N: go to step N   q: quit"

// Step shows a run step by step, with the state of all nodes, clients and leases
// after each step. If it is interactive, it reads one line per answer and stops at
// the end of the input. The error wraps [ErrRun] or is that of the reader or writer.
func Step(in io.Reader, out io.Writer, run *Run, options StepOptions) error {
	if err := run.Validate(); err != nil {
		return err
	}
	d := newDigest(run)
	story := tell(d, StoryOptions{CausalOnly: options.CausalOnly})
	w := &walk{run: run, digest: d, out: bufio.NewWriter(out), steps: stepsOf(run, story.Lines)}
	w.say(story.Title)
	for _, line := range story.Setting {
		w.say(line)
	}
	if options.Interactive && len(w.steps) > 0 {
		if err := w.ask(in); err != nil {
			return err
		}
	} else {
		for _, s := range w.steps {
			w.show(s)
		}
	}
	w.say("")
	for _, line := range story.Verdict {
		w.say(line)
	}
	return w.out.Flush()
}

// walk shows a run step by step.
type walk struct {
	run      *Run
	digest   *digest
	out      *bufio.Writer
	steps    []step
	observer *observer
}

// say writes a line. Flush returns the error of the writer.
func (w *walk) say(line string) { w.out.WriteString(svg.Visible(line) + "\n") }

// ask shows the first step and then those that the answers ask for.
func (w *walk) ask(in io.Reader) error {
	answers := bufio.NewScanner(in)
	at := 0
	w.show(w.steps[at])
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
			w.show(w.steps[at])
		}
	}
}

// follow interprets an answer: it returns the next step, whether to stop, or what is
// wrong with the answer. "Next" at the last step stops.
func (w *walk) follow(at int, answer string) (next int, quit bool, problem string) {
	last := len(w.steps) - 1
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
func (w *walk) show(s step) {
	w.say("")
	writeWrapped(w.out, "    ", s.text)
	for _, line := range w.state(s) {
		w.say("    " + line)
	}
}

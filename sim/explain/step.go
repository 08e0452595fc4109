package explain

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"redlocklab/sim/words"
)

const stepHelp = "enter: next   b: back   g N: go to step N   q: quit"

// Step shows a run step by step, one line of the story per step, with the state of all nodes,
// clients and leases after it. It reads one line per answer, and stops at the end of the input;
// without an input (nil) it prints all steps. The error wraps [ErrRun] or is that of the reader
// or writer.
func Step(in io.Reader, out io.Writer, run *Run, options StoryOptions) error {
	if err := run.Validate(); err != nil {
		return err
	}
	d := newDigest(run)
	story := tell(d, options)
	w := &walk{run: run, digest: d, out: bufio.NewWriter(out), lines: story.Lines}
	w.moments = momentsOf(run, story.Lines)
	w.say(story.Title)
	for _, line := range story.Setting {
		w.say(line)
	}
	if in != nil && len(w.lines) > 0 {
		if err := w.ask(in); err != nil {
			return err
		}
	} else {
		for i := range w.lines {
			w.show(i)
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
	lines    []Line   // of the story: a step for each
	moments  []Moment // after each of them
	observer *observer
}

// say writes a line. Flush returns the error of the writer.
func (w *walk) say(line string) { w.out.WriteString(words.Visible(line) + "\n") }

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
	last := len(w.lines) - 1
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
func (w *walk) show(at int) {
	w.say("")
	writeWrapped(w.out, "    ", w.lines[at].String())
	for _, line := range w.state(w.moments[at]) {
		w.say("    " + line)
	}
}

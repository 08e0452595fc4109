package explain

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/sim"
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
	w := &walk{digest: d, out: bufio.NewWriter(out), lines: story.Lines, moments: momentsOf(run, story.Lines)}
	w.say(story.Title)
	w.say(story.Setting...)
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
	w.say(story.Verdict...)
	return w.out.Flush()
}

type walk struct {
	digest   *digest
	out      *bufio.Writer
	lines    []Line   // of the story: a step for each
	moments  []Moment // after each of them
	observer *observer
}

// say writes lines. Flush returns the error of the writer.
func (w *walk) say(lines ...string) {
	for _, line := range lines {
		w.out.WriteString(words.Visible(line) + "\n")
	}
}

// ask shows the first step and then those that the answers ask for. "Next" at the last
// step stops.
func (w *walk) ask(in io.Reader) error {
	answers := bufio.NewScanner(in)
	at, problem := 0, ""
	for {
		if problem != "" {
			w.say(problem)
		} else {
			w.show(at)
		}
		w.out.WriteString(stepHelp + " > ")
		if err := w.out.Flush(); err != nil {
			return err
		}
		if !answers.Scan() {
			w.say("")
			return answers.Err()
		}
		command, argument, _ := strings.Cut(strings.TrimSpace(answers.Text()), " ")
		next := at
		number, jumps := strings.CutPrefix(command, "g")
		problem = ""
		switch {
		case command == "q":
			return nil
		case command == "" || command == "n":
			next++
		case command == "b" && at == 0:
			problem = "this is the first step"
		case command == "b":
			next--
		case jumps:
			number = strings.TrimSpace(number + argument)
			n, err := strconv.Atoi(number)
			if next = n - 1; err != nil || n < 1 || n > len(w.lines) {
				next, problem = at, fmt.Sprintf("found step %q; allowed: 1 to %d", number, len(w.lines))
			}
		default:
			problem = fmt.Sprintf("found %q; allowed: enter, b, g N, q", command)
		}
		if at = next; at == len(w.lines) {
			return nil
		}
	}
}

// show prints one step and the state after it.
func (w *walk) show(at int) {
	w.say("")
	writeWrapped(w.out, "    ", w.lines[at].String())
	for _, line := range w.state(w.moments[at]) {
		w.say("    " + line)
	}
}

// momentsOf returns a moment for each line of a story. It has the events of its line that come
// before any later line begins, and those without which the line is not true (Line.decides).
func momentsOf(run *Run, lines []Line) []Moment {
	begins := make([]int, len(lines)) // the first event of all later lines
	first := len(run.Events) + 1
	for i, l := range slices.Backward(lines) {
		begins[i] = first
		if len(l.Events) > 0 {
			first = min(first, l.Events[0])
		}
	}
	var all []Moment
	reached := 0
	for i := range lines {
		l := &lines[i]
		for _, seq := range l.Events {
			if seq == l.Events[0] || seq < begins[i] {
				reached = max(reached, l.decides, seq)
			}
		}
		for len(l.Events) == 0 && reached < len(run.Events) && run.Events[reached].At <= l.At {
			reached++
		}
		at := l.At
		if reached > 0 {
			at = max(at, run.Events[reached-1].At)
		}
		all = append(all, Moment{at, reached})
	}
	return all
}

// state returns the state after a step, a line for each node, client and register, and
// one for the broken assumptions. A step back starts from the beginning.
func (w *walk) state(m Moment) []string {
	if w.observer == nil || w.observer.applied > m.Events {
		w.observer = newObserver(w.digest)
	}
	var lines []string
	add := func(name, text string) {
		lines = append(lines, fmt.Sprintf("%-6s %s", name, text))
	}
	for _, node := range w.digest.run.Nodes {
		add(node, w.observer.node(node, m).words(m.At))
	}
	for _, client := range w.digest.run.Processes {
		add(client, w.observer.client(client, m).words(m.At))
	}
	for _, register := range w.digest.registers {
		add(register, w.observer.register(register, m).words())
	}
	var broken []string
	for _, b := range w.digest.run.Broken {
		if b.Event <= m.Events {
			broken = append(broken, b.Assumption)
		}
	}
	if len(broken) > 0 {
		add("broken", words.Listed(broken))
	}
	return lines
}

func (s NodeState) words(at time.Duration) string {
	var parts []string
	if s.Down {
		parts = append(parts, "DOWN")
	}
	for _, k := range s.Keys {
		left := "no TTL"
		if k.Ends != sim.Forever {
			left = words.Period(max(0, k.Ends-at)) + " left"
		}
		parts = append(parts, fmt.Sprintf("%s: %s %s, %s", k.Key, keyOf(k.Owner, "key"), k.Token, left))
	}
	return cmp.Or(strings.Join(parts, "; "), "-")
}

func (s ClientState) words(at time.Duration) string {
	var parts []string
	switch s.Status {
	case "":
	case "crashed", "paused":
		parts = append(parts, strings.ToUpper(s.Status))
	default:
		parts = append(parts, s.Status)
	}
	for _, h := range s.Holds {
		parts = append(parts, fmt.Sprintf("holds %s (%s) until %s, for %s more", h.Resource, h.Lease, words.Instant(h.Until), words.Period(h.Until-at)))
	}
	if s.Ballot != nil {
		parts = append(parts, s.Ballot.words())
	}
	return cmp.Or(strings.Join(parts, "; "), "-")
}

// voteSigns are the signs of votes in a terminal and on a page.
var voteSigns = map[VoteMark]string{VoteYes: "✓", VoteNo: "✗", VoteOut: "○", VoteLost: "–", VoteOpen: "?"}

func (b *Ballot) words() string {
	text := fmt.Sprintf("%s of %s:", b.Purpose, b.Key)
	for _, v := range b.Votes {
		text += " " + v.Node + " " + voteSigns[v.Mark]
	}
	if b.Purpose == sim.PurposeRelease {
		return text
	}
	return fmt.Sprintf("%s, %d of the %d needed", text, b.Yes, b.Need)
}

func (s RegisterState) words() string {
	if s.Writer == "" {
		return "-"
	}
	text := s.Writer + "'s " + s.Value
	if s.Stale {
		text += " (stale)"
	}
	return text
}

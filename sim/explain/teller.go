package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/words"
)

// entry is a future line of a story. Its words are computed last, when neighbours
// have been joined and the lines have their numbers.
type entry struct {
	at      time.Duration
	order   int // orders entries of one instant: the Seq of an event
	mark    Mark
	events  []int
	decides int    // as in Line
	process string // the process that acts; "" when a node does
	node    string
	lease   string // the lease that it is about, if no event tells it
	words   func() string

	kind    entryKind
	round   *round
	names   []string // nodes on which keys expired together
	group   string   // entries are joined only if this is equal
	opening string   // of the words for a crash or restart of a node
	memory  []string // words for each key that this crash or restart lost or brought back
	times   int      // number of attempts that it tells
	repeats []*entry // the further ones
	told    []int    // events that it tells by itself, without those that are attached to it
	until   time.Duration
}

// entryKind says how an entry may be joined with others.
type entryKind int

const (
	single   entryKind = iota
	question           // the first half of a round
	answer             // the second half of a round, which may follow the first in one line
	attempt            // a round that failed and was followed by another
	runOut             // keys that expired
	crashed            // the first half of a crash and restart
	restart            // the second half
)

// claim is a part of a line's text with the events that it is about. Tests hold claims to
// the trace.
type claim struct {
	text    string
	process string // whose round it is about; "" for other events
	purpose sim.Purpose
	events  []int // Seq of the events, ascending
	end     int   // Seq of the event with which the round ended for its process; 0 for none
}

// teller turns a digest into entries, and entries into a story.
type teller struct {
	d       *digest
	run     *Run
	entries []*entry
	lines   []Line
	claims  []claim // of the line that is being told
}

// say notes what a part of a line claims about some requests of a round, and returns it.
func (t *teller) say(text string, r *round, requests []*request) string {
	c := claim{text: text, process: r.process, purpose: r.purpose, end: r.ended()}
	for _, q := range requests {
		for _, e := range []*sim.Event{q.Sent, q.Delivered, q.Executed, q.Replied, q.Dropped} {
			if e != nil {
				c.events = append(c.events, e.Seq)
			}
		}
	}
	slices.Sort(c.events)
	t.claims = append(t.claims, c)
	return text
}

// compose makes all entries and sorts them by time. Afterwards every event of the
// trace belongs to exactly one entry.
func (t *teller) compose() {
	for _, op := range t.d.operations {
		t.operation(op)
	}
	for _, r := range t.d.rounds {
		if r.operation == nil && r.cleans == nil {
			t.round(r)
		}
	}
	t.moments()
	t.leaseEnds()
	t.violations()
	slices.SortStableFunc(t.entries, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order))
	})
	for _, e := range t.entries {
		e.told = slices.Clone(e.events)
		if e.round == nil && len(e.events) > 0 {
			e.decides = slices.Max(e.events)
		}
	}
	t.attach()
}

func (t *teller) add(e *entry) *entry {
	t.entries = append(t.entries, e)
	return e
}

// event adds an entry that tells one event.
func (t *teller) event(e *sim.Event, words func() string) *entry {
	return t.add(&entry{
		at: e.At, order: e.Seq, events: []int{e.Seq}, process: e.Process, node: e.Node,
		mark: marks[e.Kind], words: words,
	})
}

// attach adds the events that belong to no entry (timers, connections, the end of
// a process) to the latest entry of their process or node, or else to the first
// entry of the story.
func (t *teller) attach() {
	if len(t.entries) == 0 && len(t.run.Events) > 0 {
		t.add(&entry{at: t.run.Events[0].At, words: func() string { return "nothing happens to the lock" }})
	}
	claimed := make([]bool, len(t.run.Events)+1)
	for _, e := range t.entries {
		for _, seq := range e.events {
			claimed[seq] = true
		}
	}
	latest := map[string]*entry{}
	next := 0
	for i := range t.run.Events {
		event := &t.run.Events[i]
		for next < len(t.entries) && t.entries[next].at <= event.At {
			e := t.entries[next]
			latest[e.process], latest[e.node] = e, e
			next++
		}
		if !claimed[event.Seq] {
			e := cmp.Or(latest[cmp.Or(event.Process, event.Node)], t.entries[0])
			e.events = append(e.events, event.Seq)
		}
	}
}

// join merges entries that make one line: question and answer, crash and restart,
// keys that expire one after another, and repeated failed attempts.
func (t *teller) join() {
	var joined []*entry
	for _, e := range t.entries {
		if len(joined) == 0 || !joined[len(joined)-1].takes(e) {
			joined = append(joined, e)
		}
	}
	attempts := map[string]*entry{}  // the latest attempts of each contender, while nothing else happens
	questions := map[*round]*entry{} // of attempts whose answers come later
	merged := map[*entry]bool{}      // into an earlier attempt
	for _, e := range joined {
		first := attempts[e.group]
		switch {
		case e.kind == question && e.group != "":
			questions[e.round] = e
		case e.kind != attempt:
			clear(attempts)
		case first == nil:
			attempts[e.group] = e
		default:
			first.times++
			first.repeats = append(first.repeats, e)
			first.until = e.until
			e.round.repeated, merged[e] = true, true
			first.events = append(first.events, e.events...)
			if asked := questions[e.round]; asked != nil {
				merged[asked] = true
				first.events = append(first.events, asked.events...)
			}
		}
	}
	t.entries = slices.DeleteFunc(joined, func(e *entry) bool { return merged[e] })
}

// takes merges the next entry into this one if they make one line, and reports
// whether it did.
func (e *entry) takes(next *entry) bool {
	switch {
	case e.kind == question && (next.kind == answer || next.kind == attempt) && next.round == e.round:
		first, second := e.words, next.words
		e.words = func() string { return first() + ": " + second() }
		e.kind, e.group, e.mark, e.times, e.until = next.kind, next.group, next.mark, next.times, next.until
	case e.kind == runOut && next.kind == runOut && next.group == e.group:
		e.names = append(e.names, next.names...)
	case e.kind == crashed && next.kind == restart && next.node == e.node:
		down, up := e.words, ", and is up again after "+words.Period(next.at-e.at)+next.forgotten()
		e.words = func() string { return down() + up }
		e.kind = single
	default:
		return false
	}
	e.events = append(e.events, next.events...)
	e.told = append(e.told, next.told...)
	e.decides = max(e.decides, next.decides)
	return true
}

// story numbers the entries and computes their words.
func (t *teller) story() *Story {
	t.lines = make([]Line, len(t.entries))
	for i, e := range t.entries {
		slices.Sort(e.events)
		t.lines[i] = Line{Number: i + 1, At: e.at, Mark: e.mark, Events: e.events, decides: e.decides}
	}
	s := &Story{Title: t.title(), Setting: t.setting(), Lines: t.lines}
	for i, e := range t.entries {
		t.claims = nil
		text := e.words()
		if len(t.claims) == 0 {
			t.claims = []claim{{text: text, process: e.process, events: e.told}}
		}
		for _, again := range e.repeats {
			again.words()
		}
		s.Lines[i].claims = t.claims
		if e.times > 1 {
			text += fmt.Sprintf(" (and %s more %s, until %s)", words.Cardinal(e.times-1), words.Plural(e.times-1, "time", "times"), words.Instant(e.until))
		}
		for _, b := range t.run.Broken {
			if slices.Contains(e.events, b.Event) {
				text += "; this breaks " + b.Assumption
			}
		}
		s.Lines[i].Text = text + "."
	}
	s.Verdict = t.verdict()
	return s
}

// lineOf returns the number of the line that tells an event; 0 when none does.
func (t *teller) lineOf(seq int) int {
	for _, l := range t.lines {
		if slices.Contains(l.Events, seq) {
			return l.Number
		}
	}
	return 0
}

func (t *teller) title() string {
	if t.run.Claim != "" && t.run.Title != "" {
		return t.run.Claim + ": " + t.run.Title
	}
	return cmp.Or(t.run.Claim, t.run.Title, "A run")
}

func (t *teller) setting() []string {
	var parts []string
	if t.run.Subject != "" {
		parts = append(parts, "Subject "+t.run.Subject)
	}
	parts = append(parts, fmt.Sprintf("seed %d", t.run.Seed))
	if n := len(t.run.Nodes); n > 0 {
		parts = append(parts, words.Counted(n, "node")+t.electorates())
	}
	if t.run.TTL > 0 {
		parts = append(parts, "TTL "+words.Period(t.run.TTL))
	}
	lines := []string{strings.Join(parts, " · ")}
	for _, f := range t.run.Faults {
		text := fmt.Sprintf("Fault %q", f.Name)
		if f.Words != "" {
			text += ": " + f.Words
		}
		lines = append(lines, text)
	}
	for _, note := range t.run.Notes {
		lines = append(lines, words.Rounded(note)+".")
	}
	return lines
}

// electorates says how many votes are a quorum, and which nodes clients ask unless
// all clients ask all nodes: ", 3 are a quorum", ", A and B ask n1".
func (t *teller) electorates() string {
	text, askers := "", map[string][]string{}
	for _, client := range t.run.Processes {
		nodes := t.run.nodeNames(t.run.asked(client))
		askers[nodes] = append(askers[nodes], client)
	}
	for _, client := range t.run.Processes {
		nodes := t.run.nodeNames(t.run.asked(client))
		alike := askers[nodes]
		if alike[0] != client {
			continue
		}
		if len(alike) < len(t.run.Processes) || len(t.run.asked(client)) < len(t.run.Nodes) {
			text += fmt.Sprintf(", %s %s %s", words.Listed(alike), words.Plural(len(alike), "asks", "ask"), nodes)
		}
		if quorum := t.run.quorum(client); quorum > 1 || len(t.run.Nodes) == 1 {
			text += fmt.Sprintf(", %d %s a quorum", quorum, words.Plural(quorum, "is", "are"))
		}
	}
	return text
}

func (t *teller) eventAt(seq int) *sim.Event { return &t.run.Events[seq-1] }

package explain_test

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/search"
	"redlocklab/sim"
	"redlocklab/sim/explain"
)

// everyStory plays more:
//
//	go test ./sim/explain -run StoriesAreTrue -every-story -timeout 60m
var everyStory = flag.Bool("every-story", false, "hold the stories of five seeds of each row and of 5,000 drawn runs to their traces")

// TestStoriesAreTrue holds each part of each line to the trace, which it reads by itself. It
// plays each row of the suite, and drawn runs.
func TestStoriesAreTrue(t *testing.T) {
	seeds, drawn := uint64(1), uint64(240)
	switch {
	case *everyStory:
		seeds, drawn = 5, 5000
	case testing.Short():
		drawn = 40
	}
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	var all truths
	for _, scenario := range suite {
		for i := range scenario.Subjects {
			for seed := uint64(1); seed <= seeds; seed++ {
				title := scenario.Subjects[i].Title()
				p, err := scenario.Plan(title, seed)
				if err != nil {
					t.Fatal(err)
				}
				all.play(t, fmt.Sprintf("./simulate run %s --subject %q --seed %d", scenario.Name, title, seed), p)
			}
		}
	}
	for _, name := range []string{"SY-0", "SY-10"} {
		for seed := uint64(1); seed <= drawn/2; seed++ {
			o := search.Trial{Subject: name, Break: []string{"A-VOTE", "A-STEP"}[:seed%3%2*2]}
			p, err := search.Swarm(seed, o)
			if err != nil {
				t.Fatal(err)
			}
			all.play(t, fmt.Sprintf("swarm of %s, breaking %v, seed %d", name, o.Break, seed), p)
		}
	}
	t.Logf("%d runs, %d parts of lines held to their traces, by kind %v", all.runs, all.claims, all.kinds)
	if all.claims < 20*all.runs {
		t.Errorf("only %d parts of lines in %d runs", all.claims, all.runs)
	}
}

// truths counts what was held to traces.
type truths struct {
	runs, claims, wrong int
	kinds               map[string]int
}

func (all *truths) play(t *testing.T, how string, p *plan.Plan) {
	t.Helper()
	result, err := play.Run(p, play.RunOptions{})
	if err != nil {
		t.Fatalf("%s: %v", how, err)
	}
	run := result.Explained()
	run.Violations = nil
	all.runs++
	if all.kinds == nil {
		all.kinds = map[string]int{}
	}
	reading := readTruth(run)
	for _, l := range tell(t, run, explain.StoryOptions{}).Lines {
		for _, c := range explain.Claims(&l) {
			all.claims++
			kind, wrong := reading.judge(&c)
			all.kinds[kind]++
			if wrong != "" {
				if all.wrong++; all.wrong <= 40 {
					t.Errorf("%s: line %d, %q: %s", how, l.Number, c.Text, wrong)
				}
			}
		}
	}
}

// truth is a trace as this test reads it: what became of each message, and who wrote what.
type truth struct {
	run      *explain.Run
	messages map[int]map[sim.Kind]*sim.Event
	writers  map[string][]string // value → the processes whose commands named it
}

func readTruth(run *explain.Run) *truth {
	r := &truth{run: run, messages: map[int]map[sim.Kind]*sim.Event{}, writers: map[string][]string{}}
	for i := range run.Events {
		e := &run.Events[i]
		if e.Kind == sim.Send {
			for _, word := range strings.Fields(e.Detail) {
				if e.Key != "" && !slices.Contains(r.writers[word], e.Process) {
					r.writers[word] = append(r.writers[word], e.Process)
				}
			}
		}
		if e.Message == 0 || e.Detail == "also" {
			continue
		}
		if r.messages[e.Message] == nil {
			r.messages[e.Message] = map[sim.Kind]*sim.Event{}
		}
		r.messages[e.Message][e.Kind] = e
	}
	return r
}

const names = `((?:all \w+ nodes)|(?:[\w-]+(?:, [\w-]+)*(?: and [\w-]+)?))`

// The parts of lines about the answers of nodes, and what each says.
var answers = []struct {
	kind  string
	words *regexp.Regexp
}{
	{"yes late", regexp.MustCompile(`^` + names + ` says? yes too late to matter$`)},
	{"yes", regexp.MustCompile(`^` + names + ` says? yes$`)},
	{"no key", regexp.MustCompile(`^` + names + ` says? no \((?:it has|they have) no key\)`)},
	{"no", regexp.MustCompile(`^` + names + ` says? no`)},
	{"down", regexp.MustCompile(`^` + names + ` (?:is|are) down`)},
	{"unreachable", regexp.MustCompile(`^` + names + ` cannot be reached`)},
	{"unconnected", regexp.MustCompile(`^` + names + ` (?:is|are) not connected in time`)},
	{"request lost", regexp.MustCompile(`^the requests? to ` + names + ` (?:is|are) lost`)},
	{"reply lost", regexp.MustCompile(`^` + names + ` (?:agrees?|answers?), but the answers? (?:is|are) lost`)},
	{"silent", regexp.MustCompile(`^` + names + ` (?:does|do) not answer`)},
	{"deletes", regexp.MustCompile(`^` + names + ` deletes? its key`)},
	{"keeps", regexp.MustCompile(`^` + names + ` keeps? the key of (\w+)`)},
	{"keeps own", regexp.MustCompile(`^` + names + ` keeps? its key \(`)},
	{"keeps another", regexp.MustCompile(`^` + names + ` keeps? another key of (\w+)`)},
	{"nothing", regexp.MustCompile(`^` + names + ` (?:has|have) nothing to delete`)},
	{"later", regexp.MustCompile(`^` + names + ` (?:gets|get) it later`)},
}

var (
	countWords  = regexp.MustCompile(`^(\d+) of (\d+) is (a|no) quorum`)
	holdsWords  = regexp.MustCompile(`^(\S+) (?:still )?holds (\S+)(?: until ([\d.]+) s)?`)
	failedWords = regexp.MustCompile(`^(\S+)'s (\w+) fails|^(\S+) does not get (\S+)`)
	asksWords   = regexp.MustCompile(`^(\S+) asks ` + names + ` for (lock|more time on) (\S+)|^(\S+) releases (\S+) on ` + names)
)

// judge says what kind of part it is, and what the trace says against it; "" for nothing.
func (r *truth) judge(c *explain.Claim) (kind, wrong string) {
	for _, a := range answers {
		if m := a.words.FindStringSubmatch(c.Text); m != nil {
			return a.kind, r.answered(c, a.kind, m)
		}
	}
	if m := countWords.FindStringSubmatch(c.Text); m != nil {
		return "count", r.counted(c, m)
	}
	if m := asksWords.FindStringSubmatch(c.Text); m != nil {
		return "question", r.asked(c, m[1]+m[5], m[2]+m[7], m[4]+m[6])
	}
	if len(c.Events) != 1 {
		return "other", ""
	}
	e := &r.run.Events[c.Events[0]-1]
	if m := holdsWords.FindStringSubmatch(c.Text); m != nil && strings.Contains(c.Text, "holds") && e.Resource != "" {
		return "holds", r.holds(e, m)
	}
	if m := failedWords.FindStringSubmatch(c.Text); m != nil {
		if e.Kind != sim.Failed || e.Process != m[1]+m[3] || !strings.HasPrefix(e.Detail, m[2]) {
			return "failed", fmt.Sprintf("event %d is %s of %s: %s", e.Seq, e.Kind, e.Process, e.Detail)
		}
		return "failed", ""
	}
	return "other", ""
}

func (r *truth) nodes(text string) []string {
	if strings.HasPrefix(text, "all ") {
		return r.run.Nodes
	}
	return strings.FieldsFunc(strings.ReplaceAll(text, " and ", ", "), func(c rune) bool { return c == ',' || c == ' ' })
}

// sent lists the messages and the dials of a part, by node.
func (r *truth) sent(c *explain.Claim) map[string]*sim.Event {
	found := map[string]*sim.Event{}
	for _, seq := range c.Events {
		e := &r.run.Events[seq-1]
		failed := (e.Kind == sim.Refuse || e.Kind == sim.Drop) && found[e.Node] == nil // of a dial before
		if e.Kind == sim.Send || e.Kind == sim.Dial || failed {
			found[e.Node] = e
		}
	}
	return found
}

// answered holds what is said about nodes to what became of the requests to them.
func (r *truth) answered(c *explain.Claim, kind string, words []string) string {
	sent := r.sent(c)
	nodes := r.nodes(words[1])
	if len(nodes) != len(sent) {
		return fmt.Sprintf("it is about %d nodes and tells events of %d", len(nodes), len(sent))
	}
	for _, node := range nodes {
		first := sent[node]
		if first == nil {
			return "nothing was sent to " + node
		}
		if first.Process != c.Process {
			return fmt.Sprintf("event %d is of %s", first.Seq, first.Process)
		}
		var wrong string
		if first.Kind != sim.Send {
			wrong = r.dialled(c, kind, first)
		} else {
			wrong = r.sentOne(c, kind, words, first)
		}
		if wrong != "" {
			return node + ": " + wrong
		}
	}
	return ""
}

// before reports whether an event happened before the round ended.
func before(e *sim.Event, end int) bool { return e != nil && (end == 0 || e.Seq < end) }

// dialled judges what is said of a node to which only a connection was asked for.
func (r *truth) dialled(c *explain.Claim, kind string, dial *sim.Event) string {
	lost, refused := dial.Kind == sim.Drop, dial.Kind == sim.Refuse
	for i := dial.Seq; i < len(r.run.Events) && before(&r.run.Events[i], c.End); i++ {
		e := &r.run.Events[i]
		if e.Process != dial.Process || e.Node != dial.Node {
			continue
		}
		if e.Kind == sim.Dial {
			break // the next connection
		}
		lost = lost || e.Kind == sim.Drop && (e.Message == 0 || kind == "unreachable" && e.Fault != "")
		refused = refused || e.Kind == sim.Refuse
	}
	switch {
	case kind == "unreachable" && !lost:
		return fmt.Sprintf("nothing of connection %d was lost before event %d", dial.Conn, c.End)
	case kind == "down" && !refused:
		return "nobody refused the connection"
	case kind == "unconnected" && (lost || refused):
		return "its connection was lost or refused"
	case kind != "unreachable" && kind != "down" && kind != "unconnected":
		return "it was dialled, and nothing was sent to it"
	}
	return ""
}

// sentOne judges what is said of a node to which a command was sent.
func (r *truth) sentOne(c *explain.Claim, kind string, words []string, send *sim.Event) string {
	m := r.messages[send.Message]
	reply, execute, drop := m[sim.Reply], m[sim.Execute], m[sim.Drop]
	switch kind {
	case "down", "unreachable", "unconnected":
		return "a command was sent to it"
	case "request lost":
		if execute != nil || drop == nil {
			return "the request was not lost"
		}
		return ""
	case "silent":
		if reply != nil && before(reply, c.End) {
			return fmt.Sprintf("it answered in event %d", reply.Seq)
		}
		return ""
	case "later":
		if execute == nil {
			return "it never got it"
		}
		return ""
	}
	if execute == nil {
		return "it executed nothing"
	}
	number, _ := strconv.Atoi(execute.Detail)
	positive := execute.Detail == "OK" || number > 0
	owners := r.writers[execute.Value]
	owned := slices.Contains(owners, c.Process)
	switch kind {
	case "reply lost":
		if reply != nil || drop == nil {
			return "its answer was not lost"
		}
		if !before(drop, c.End) && drop.Fault == "" {
			return fmt.Sprintf("the answer was lost in event %d, only after the round ended in %d", drop.Seq, c.End)
		}
	case "yes":
		if !before(reply, c.End) {
			return fmt.Sprintf("it had not answered when the round ended in event %d", c.End)
		}
		if !owned && !positive {
			return fmt.Sprintf("it answered %s and has the key of %q", execute.Detail, owners)
		}
	case "yes late":
		if before(reply, c.End) {
			return fmt.Sprintf("it answered in event %d, and the round ended in %d", reply.Seq, c.End)
		}
	case "no key":
		if execute.Value != "" || positive {
			return fmt.Sprintf("it answered %s and has %q", execute.Detail, execute.Value)
		}
	case "no":
		if positive && (c.Purpose == sim.PurposeExtend || strings.HasPrefix(send.Detail, "set ")) {
			return fmt.Sprintf("it answered %s", execute.Detail)
		}
	case "deletes":
		if execute.Value != "" {
			return fmt.Sprintf("it still has %s", execute.Value)
		}
	case "nothing":
		if execute.Value != "" {
			return fmt.Sprintf("it has %s", execute.Value)
		}
	case "keeps":
		if !slices.Contains(owners, words[2]) {
			return fmt.Sprintf("it has the key of %q", owners)
		}
		if words[2] == c.Process {
			return "its own release keeps its key"
		}
	case "keeps own", "keeps another":
		names := slices.Contains(strings.Fields(send.Detail), execute.Value)
		if !owned || execute.Value == "" || names != (kind == "keeps own") {
			return fmt.Sprintf("it has the key %q of %q", execute.Value, owners)
		}
	}
	return ""
}

// counted counts the votes of a round again.
func (r *truth) counted(c *explain.Claim, words []string) string {
	most, _ := strconv.Atoi(words[1])
	possible := 0
	for _, send := range r.sent(c) {
		if send.Kind != sim.Send {
			continue
		}
		if m := r.messages[send.Message]; m[sim.Execute] != nil && before(m[sim.Reply], c.End) {
			possible++
		}
	}
	asked := len(r.run.Asks[c.Process])
	if asked == 0 {
		asked = len(r.run.Nodes)
	}
	if of, _ := strconv.Atoi(words[2]); of != asked {
		return fmt.Sprintf("it asks %d nodes", asked)
	}
	if (most >= asked/2+1) != (words[3] == "a") {
		return "that is no right quorum"
	}
	if c.Purpose == sim.PurposeAcquire && most > possible {
		return fmt.Sprintf("only %d nodes had answered when the round ended in event %d", possible, c.End)
	}
	return ""
}

// asked holds a question to what was sent.
func (r *truth) asked(c *explain.Claim, process, nodes, key string) string {
	sent := r.sent(c)
	for _, node := range r.nodes(nodes) {
		e := sent[node]
		if e == nil || e.Process != process || e.Kind == sim.Send && e.Key != key {
			return fmt.Sprintf("nothing of %s about %s was sent to %s", process, key, node)
		}
	}
	return ""
}

// holds holds a belief to the event that began or lengthened it.
func (r *truth) holds(e *sim.Event, words []string) string {
	if e.Kind != sim.Acquired && e.Kind != sim.Extended || e.Process != words[1] || e.Resource != words[2] {
		return fmt.Sprintf("event %d is %s of %s by %s", e.Seq, e.Kind, e.Resource, e.Process)
	}
	for _, l := range r.run.Leases {
		if l.ID == e.Lease && words[3] != "" && words[3] != fmt.Sprintf("%.3f", l.Until.Seconds()) {
			return fmt.Sprintf("it is believed until %v", l.Until)
		}
	}
	return ""
}

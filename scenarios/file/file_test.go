package file

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// good is a file without errors; the tests of errors spoil it.
const good = `claim: BA-2
title: A title
source: [D, K]
story: A story.
nodes: { count: 5, persistence: none }
network: { latency: 1ms..4ms, loss: 2.5%, links: [ { from: A, to: n3, latency: 20ms } ] }
lock: { ttl: 10s, rate_error_ppm: 4500, node_timeout: 50ms, retry: { delay: 50ms..150ms, tries: 3 } }
clients:
  A: [ { lock: r }, { hold: 3s }, { write: r, think: 5ms }, { release: r } ]
  B: { start: 0ms..5ms, steps: [ { wait: 200ms }, { repeat: { times: 2, steps: [ { trylock: r }, { release: r } ] } }, crash ] }
faults:
  - name: n3 forgets
    crash: [n3]
    restart_after: 1ms
    when: A acquired
    after: 100ms
seeds: 1-200
subjects:
  SY-0: { expect: { overlap: violated }, broken: [A-VOTE], options: { clock: wall } }
  SY-10 unguarded: { expect: { overlap: violated }, broken: [A-VOTE], runs: some, options: { guard: false } }
liveness:
  - { claim: LV-1, client: B, does: acquire, from: A released, within: ttl + 2*round }
bounds: { virtual: 1m, events: 1000 }
`

func TestGoodFileIsReadWhole(t *testing.T) {
	s, err := Parse("x/BA-2-story.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "BA-2-story" || s.Claim != "BA-2" || s.Title != "A title" || !slices.Equal(s.Source, []string{"D", "K"}) {
		t.Errorf("head: %+v", s)
	}
	if s.Network.Latency != (plan.Span{
		Low: time.Millisecond, High: 4 * time.Millisecond,
	}) || s.Network.LossPPM != 25_000 ||
		s.Network.Links[0] != (plan.Link{
			From: "A", To: "n3", Latency: plan.Span{Low: 20 * time.Millisecond, High: 20 * time.Millisecond},
			LossPPM: 25_000,
		}) {
		t.Errorf("network: %+v", s.Network)
	}
	if s.Lock.TTL != 10*time.Second || s.Lock.Retry.Tries != 3 || s.Lock.Fencing != plan.FencingNone {
		t.Errorf("lock: %+v", s.Lock)
	}
	if len(s.Clients) != 2 || s.Clients[0].Name != "A" || len(s.Clients[0].Steps) != 4 ||
		s.Clients[1].Start.High != 5*time.Millisecond {
		t.Fatalf("clients: %+v", s.Clients)
	}
	if write := s.Clients[0].Steps[2]; write.Kind != plan.StepWrite || !write.Guarded ||
		write.Think.Low != 5*time.Millisecond {
		t.Errorf("write: %+v", write)
	}
	loop := s.Clients[1].Steps[1]
	if loop.Kind != plan.StepRepeat || loop.Times != 2 || len(loop.Steps) != 2 ||
		loop.Steps[0].Kind != plan.StepTryLock {
		t.Errorf("loop: %+v", loop)
	}
	if s.Clients[1].Steps[2].Kind != plan.StepCrash {
		t.Errorf("last step: %+v", s.Clients[1].Steps[2])
	}
	if want := "{name: n3 forgets, crash: n3, restart_after: 1ms, when: A acquired, after: 100ms}"; s.Faults[0].String() != want {
		t.Errorf("fault: %s", s.Faults[0])
	}
	if s.Subjects[0].Option("clock", "boottime") != "wall" || s.Subjects[0].Option("order", "parallel") != "parallel" ||
		s.Subjects[1].Title() != "SY-10 unguarded" || s.Subjects[1].Runs != plan.RunsSome || s.Subjects[0].Runs != plan.RunsAll {
		t.Errorf("subjects: %+v", s.Subjects)
	}
	for _, oracle := range checker.Oracles() {
		want := checker.Holds
		if oracle == checker.OracleOverlap {
			want = checker.Violated
		}
		if s.Subjects[0].Expect[oracle] != want {
			t.Errorf("%s: %s, want %s", oracle, s.Subjects[0].Expect[oracle], want)
		}
	}
	// 2·50 ms + 150 ms on a clock that is 4,500 ppm slow, twice, and the TTL.
	slowRound := time.Duration(math.Ceil(250e6 / (1 - 0.0045)))
	if got, want := s.Liveness[0].Within.Value, 10*time.Second+2*slowRound; got != want {
		t.Errorf("bound: %v, want %v", got, want)
	}
	if s.Seeds != (plan.Seeds{First: 1, Last: 200}) || s.Bounds != (plan.Bounds{Virtual: time.Minute, Events: 1000}) {
		t.Errorf("seeds %v, bounds %v", s.Seeds, s.Bounds)
	}
}

// TestEmptyExpectationSaysThatAllHold: WRITING.md promises it.
func TestEmptyExpectationSaysThatAllHold(t *testing.T) {
	s, err := Parse("BA-2.yaml", []byte(strings.Replace(good, "{ overlap: violated }, broken: [A-VOTE], runs: some,", "{}, broken: [A-VOTE],", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, oracle := range checker.Oracles() {
		if got := s.Subjects[1].Expect[oracle]; got != checker.Holds || s.Subjects[1].Unstated {
			t.Errorf("%s: %s", oracle, got)
		}
	}
}

// Every slip is reported where it stands. The place is found by looking for the
// offending text, counted from the end of what stands before it.
func TestErrorsSayWhereWhatAndWhatIsAllowed(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, new string // the slip
		before   string // the text right before the place that must be named
		field    string
		want     []string
	}{
		{"unknown field", "title:", "titel:", "claim: BA-2\n", "titel", []string{`"titel"`, "nearest: title", "story"}},
		{"unknown field inside", "ttl: 10s", "ttl: 10s, tll: 3s", "ttl: 10s, ", "lock.tll", []string{`"tll"`, "nearest: ttl"}},
		{"doubled field", "title: A title", "title: A title\ntitle: B", "A title\n", "title", []string{"twice"}},
		{"missing field", "title: A title\n", "", "", "title", []string{"found no title"}},
		{"missing field inside", "ttl: 10s, ", "", "lock: ", "lock.ttl", []string{"found no ttl"}},
		{"unknown claim", "claim: BA-2", "claim: BA-12", "claim: ", "claim", []string{`"BA-12"`, "BA-1 to BA-11"}},
		{"another file's claim", "claim: BA-2", "claim: BA-3", "claim: ", "claim", []string{`"BA-3"`, "BA-2.yaml"}},
		{"list where text is meant", "title: A title", "title: [A]", "title: ", "title", []string{"found a list", "text"}},
		{"number where text is meant", "title: A title", "title: 7", "title: ", "title", []string{`"7"`, "text"}},
		{"nothing where text is meant", "title: A title", "title:", "title:", "title", []string{"found nothing", "text"}},
		{"empty text", "title: A title", `title: ""`, "title: ", "title", []string{"empty text"}},
		{"two equal rows", "SY-10 unguarded: { expect: { overlap: violated }, broken: [A-VOTE], runs: some, options: { guard: false } }",
			"SY-10: { expect: { overlap: holds } }\n  SY-10 unguarded: { expect: { overlap: violated } }", "SY-10 unguarded: ", "subjects.SY-10 unguarded",
			[]string{`"SY-10"`, "by default guard: true"}},
		{"two rows that are equal by a default", "SY-10 unguarded:", "SY-10: { expect: any, options: { guard: false, renewal: false } }\n  SY-10 unguarded:", "SY-10 unguarded: ", "subjects.SY-10 unguarded",
			[]string{`"SY-10"`, "other options"}},
		{"unknown source", "[D, K]", "[D, Q]", "[D, ", "source[1]", []string{`"Q"`, "D, S, G, P, X, K, A"}},
		{"text where a list is meant", "[D, K]", "D", "source: ", "source", []string{`"D"`, "a list"}},
		{"too many nodes", "count: 5", "count: 16", "count: ", "nodes.count", []string{`"16"`, "1 to 15"}},
		{"nodes that are no number", "nodes: { count: 5, persistence: none }", "nodes: five", "nodes: ", "nodes", []string{`"five"`, "1 to 15"}},
		{"unknown persistence", "persistence: none", "persistence: aof", "persistence: ", "nodes.persistence", []string{`"aof"`, "aof-always"}},
		{"negative latency", "1ms..4ms", "-1ms..4ms", "latency: ", "network.latency", []string{`"-1ms..4ms"`, "negative"}},
		{"backward range", "1ms..4ms", "4ms..1ms", "latency: ", "network.latency", []string{"not below its beginning"}},
		{"no unit", "ttl: 10s", "ttl: 10", "ttl: ", "lock.ttl", []string{`"10"`, "unit"}},
		{"negative duration", "ttl: 10s", "ttl: -10s", "ttl: ", "lock.ttl", []string{`"-10s"`, "1µs"}},
		{"loss without percent", "2.5%", "0.025", "loss: ", "network.loss", []string{`"0.025"`, "percentage"}},
		{"unknown end of a link", "from: A,", "from: Z,", "from: ", "network.links[0].from", []string{`"Z"`, "A, B, n1"}},
		{"link between clients", "to: n3", "to: B", "to: ", "network.links[0].to", []string{"second client"}},
		{"link between everybody", "from: A, to: n3", "from: all, to: all", "from: all, to: ", "network.links[0].to", []string{"at least one"}},
		{"negative number of extensions", "tries: 3 }", "tries: 3 }, extensions: -1", "extensions: ", "lock.extensions", []string{`"-1"`, "0 to"}},
		{"cancel without a unit", "{ trylock: r }", "{ trylock: r, cancel: 5 }", "cancel: ", "clients.B.steps[1].repeat.steps[0].cancel", []string{`"5"`, "a duration like 20ms"}},
		{"cancel of a release", "{ trylock: r }, { release: r }", "{ trylock: r }, { release: r, cancel: 5ms }", "release: r, ", "clients.B.steps[1].repeat.steps[1].cancel", []string{`"cancel"`}},
		{"unknown each", "does: acquire,", "does: acquire, each: wins,", "each: ", "liveness[0].each", []string{`"wins"`, "returns, succeeds, fails, never, clears, in_time"}},
		{"fencing", "tries: 3 }", "tries: 3 }, fencing: real", "fencing: ", "lock.fencing", []string{`"real"`, "none, ideal, subject"}},
		{"client named like a node", "  A: [", "  n1: [", "clients:\n  ", "clients.n1", []string{`"n1"`, "form of a node"}},
		{"client named any", "  A: [", "  any: [", "clients:\n  ", "clients.any", []string{`"any"`}},
		{"no steps", "[ { lock: r }, { hold: 3s }, { write: r, think: 5ms }, { release: r } ]", "[]", "A: ", "clients.A", []string{"empty list", "steps"}},
		{"unknown step", "{ lock: r }", "{ lokc: r }", "A: [ { ", "clients.A[0].lokc", []string{`"lokc"`, "nearest: lock", "crash"}},
		{"unknown word of a step", "think: 5ms", "thinks: 5ms", "write: r, ", "clients.A[2].thinks", []string{"nearest: think"}},
		{"step that is no mapping", "{ lock: r }", "lock", "A: [ ", "clients.A[0]", []string{`"lock"`, "crash"}},
		{"hold of nothing", "hold: 3s", "hold: 0s", "hold: ", "clients.A[1].hold", []string{`"0s"`, "1ns"}},
		{"hold without a lock", "{ wait: 200ms }", "{ hold: 200ms }", "{ hold: ", "clients.B.steps[0].hold", []string{"before any lock"}},
		{"release without a lock", "{ wait: 200ms }", "{ release: r }", "steps: [ { release: ", "clients.B.steps[0].release", []string{"not locked before"}},
		{"guarded that is no truth value", "think: 5ms", "guarded: yes", "guarded: ", "clients.A[2].guarded", []string{`"yes"`, "true, false"}},
		{"loop without a number", "times: 2, ", "", "{ repeat: ", "clients.B.steps[1].repeat", []string{"neither"}},
		{"loop with both", "times: 2, ", "times: 2, for: 1s, ", "{ repeat: ", "clients.B.steps[1].repeat", []string{"one of the two"}},
		{"loop that cannot end", "times: 2, steps: [ { trylock: r }, { release: r } ]", "for: 2s, steps: [ { hold: 1ms } ]", "{ repeat: ", "clients.B.steps[1].repeat", []string{"never end"}},
		{"steps after crash", "crash ]", "crash, { wait: 1s } ]", "} }, ", "clients.B.steps[2]", []string{"never reached"}},
		{"resource named like a node", "{ lock: r }, { hold", "{ lock: n1 }, { hold", "{ lock: ", "clients.A[0].lock", []string{`"n1"`}},
		{"fault without a kind", "    crash: [n3]\n    restart_after: 1ms\n", "", "  - ", "faults[0]", []string{"no kind", "crash, restart"}},
		{"unknown word of a fault", "restart_after", "restart_afer", "    ", "faults[0].restart_afer", []string{"nearest: restart_after"}},
		{"unknown node in a fault", "[n3]", "[n9]", "crash: ", "faults[0].crash", []string{`"n9"`, "n1, n2"}},
		{"unknown client in a trigger", "when: A acquired", "when: C acquired", "when: ", "faults[0].when", []string{`"C"`, "A, B"}},
		{"trigger that never fires", "when: A acquired", "when: A extended", "when: ", "faults[0].when", []string{"never comes", "extend"}},
		{"negative duration in a fault", "restart_after: 1ms", "restart_after: -1ms", "restart_after: ", "faults[0].restart_after", []string{`"-1ms"`}},
		{"mapping inside a fault", "crash: [n3]", "crash: { node: n3 }", "crash: ", "faults[0].crash", []string{"found a mapping"}},
		{"fault that is no mapping", "  - name: n3 forgets\n    crash: [n3]\n    restart_after: 1ms\n    when: A acquired\n    after: 100ms\n", "  - crash\n", "  - ", "faults[0]", []string{`"crash"`, "a mapping"}},
		{"a subject by its alias", "  SY-0: {", "  textbook: {", "subjects:\n  ", "subjects.textbook", []string{`"textbook"`, "allowed: SY-0"}},
		{"client that knows no node", "B: { start: 0ms..5ms,", "B: { nodes: [], start: 0ms..5ms,", "nodes: ", "clients.B.nodes", []string{"empty list"}},
		{"map without parameters", "seeds: 1-200", "seeds: 1-200\nmap: { x: { x: \"1,2\" }, measure: violated }", "x: { x: ", "map.x.x", []string{`"x"`, "unknown parameter", "allowed: nodes, "}},
		{"too many seeds", "seeds: 1-200", "seeds: 1-4000000000", "seeds: ", "seeds", []string{`"1-4000000000"`, "at most 1000000"}},
		{"every seed that there is", "seeds: 1-200", "seeds: 0-18446744073709551615", "seeds: ", "seeds", []string{"at most 1000000"}},
		{"backward seeds", "seeds: 1-200", "seeds: 9-3", "seeds: ", "seeds", []string{`"9-3"`, "1-200"}},
		{"ending cut short", "restart_after: 1ms", "restart: 1ms", "crash: [n3]\n    ", "faults[0].restart", []string{"a second kind beside crash", "nearest field of crash: restart_after"}},
		{"bound in words", "within: ttl + 2*round", "within: 3 rounds", "within: ", "liveness[0].within", []string{`"3 rounds"; allowed: ttl`, "nearest: round", "a duration with its unit"}},
		{"a row that states nothing", "expect: { overlap: violated }, broken: [A-VOTE], options: { clock: wall }", "options: { clock: wall }", "SY-0: ", "subjects.SY-0.expect", []string{"found no expect", "any"}},
		{"a row with nothing in it", "SY-0: { expect: { overlap: violated }, broken: [A-VOTE], options: { clock: wall } }", "SY-0: {}", "SY-0: ", "subjects.SY-0.expect", []string{"found no expect", "any"}},
		{"unknown subject", "  SY-0: {", "  SY-99: {", "subjects:\n  ", "subjects.SY-99", []string{`"SY-99"`, "SY-0, SY-1, SY-2"}},
		{"bad label", "SY-10 unguarded:", "SY-10 all:", "  SY-0: { expect: { overlap: violated }, broken: [A-VOTE], options: { clock: wall } }\n  ", "subjects.SY-10 all", []string{`"all"`, "one word"}},
		{"unknown oracle", "SY-0: { expect: { overlap: violated", "SY-0: { expect: { overlaps: violated", "SY-0: { expect: { ", "subjects.SY-0.expect.overlaps", []string{"nearest: overlap"}},
		{"inconclusive expected", "SY-0: { expect: { overlap: violated", "SY-0: { expect: { overlap: inconclusive", "overlap: ", "subjects.SY-0.expect.overlap", []string{`"inconclusive"`, "holds, violated"}},
		{"unknown assumption", "[A-VOTE], options: { clock", "[A-VOTES], options: { clock", "broken: [", "subjects.SY-0.broken[0]", []string{"nearest: A-VOTE"}},
		{"unknown option", "clock: wall", "clocks: wall", "options: { ", "subjects.SY-0.options.clocks", []string{"nearest: clock", "order"}},
		{"unknown value of an option", "clock: wall", "clock: sun", "clock: ", "subjects.SY-0.options.clock", []string{`"sun"`, "boottime, monotonic, wall"}},
		{"unknown runs", "runs: some", "runs: few", "runs: ", "subjects.SY-10 unguarded.runs", []string{`"few"`, "all, some"}},
		{"nothing expected, by another word", "SY-0: { expect: { overlap: violated },", "SY-0: { expect: anything,", "SY-0: { expect: ", "subjects.SY-0.expect", []string{`"anything"`, "any, or a mapping"}},
		{"nothing expected, and yet", "SY-0: { expect: { overlap: violated },", "SY-0: { expect: any,", "  SY-0: ", "subjects.SY-0.broken", []string{"nothing is expected"}},
		{"some of nothing", "{ expect: { overlap: violated }, broken: [A-VOTE], runs: some", "{ expect: { overlap: holds }, broken: [], runs: some", "runs: ", "subjects.SY-10 unguarded.runs", []string{"nothing is expected"}},
		{"unknown client of a goal", "client: B", "client: Z", "client: ", "liveness[0].client", []string{`"Z"`, "A, B, any"}},
		{"goal of what nobody does", "does: acquire", "does: extend", "does: ", "liveness[0].does", []string{`"extend"`, "no step of B"}},
		{"goal of extensions that nobody sends", "does: acquire,", "does: extend, each: in_time,", "does: ", "liveness[0].does", []string{`"extend", which no step of B does; allowed: acquire, release`}},
		{"tokens of a lock that has none", "tries: 3 }", "tries: 3 }, fencing: subject", "  SY-0: ", "subjects.SY-0", []string{"no fencing tokens of its own", "ideal"}},
		{"goal with an unknown operation", "does: acquire", "does: lock", "does: ", "liveness[0].does", []string{`"lock"`, "acquire, extend"}},
		{"goal from what never comes", "from: A released", "from: Z released", "from: ", "liveness[0].from", []string{`"Z"`}},
		{"goal from an unknown fault", "from: A released", "from: n4 forgets ended", "from: ", "liveness[0].from", []string{`"n4 forgets"`, "n3 forgets"}},
		{"bound with an unknown quantity", "2*round", "2*rounds", "within: ", "liveness[0].within", []string{`"ttl + 2*rounds"`, "nearest: round"}},
		{"bound with an unquoted comma", "ttl + 2*round", "max(ttl, 1s)", "max(ttl, ", "liveness[0].1s)", []string{`"1s)"`, `inside { }, a text with a comma needs quotes: "a, b"`}},
		{"bound that is a function", "ttl + 2*round", "'max(ttl, 1s)'", "within: ", "liveness[0].within", []string{`"max(ttl, 1s)"; allowed: ttl`, "whole numbers only"}},
		{"bound with a bad factor", "2*round", "2.5*round", "within: ", "liveness[0].within", []string{`"ttl + 2.5*round"`, "whole numbers"}},
		{"bound beyond the run", "ttl + 2*round", "7*ttl", "within: ", "liveness[0].within", []string{"bounds.virtual", "1m0s"}},
		{"alias", "title: A title", "title: &x A\nstory: *x", "story: ", "story", []string{"found an alias"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if strings.Count(good, test.old) == 0 {
				t.Fatalf("the good file does not contain %q", test.old)
			}
			text := strings.Replace(good, test.old, test.new, 1)
			at := strings.Index(text, test.before)
			if at < 0 {
				t.Fatalf("the spoiled file does not contain %q", test.before)
			}
			// The place lies behind the text before it, and, for the fields of
			// faults and goals, in the line that the slip is in.
			if slip := strings.Index(good, test.old); at < slip {
				if later := strings.LastIndex(text[:slip+len(test.new)], test.before); later > at &&
					!strings.Contains(test.before, "\n") && test.new != "" {
					at = later
				}
			}
			line, column := position(text, at+len(test.before))
			_, err := Parse("x/BA-2.yaml", []byte(text))
			var list FileErrors
			if !errors.As(err, &list) {
				t.Fatalf("accepted, or another kind of error: %v", err)
			}
			for _, e := range list {
				if e.Field != test.field || e.Line != line || e.Column != column || e.Path != "x/BA-2.yaml" {
					continue
				}
				for _, want := range test.want {
					if !strings.Contains(e.Message, want) {
						t.Errorf("%q does not say %q", e.Message, want)
					}
				}
				if prefix := fmt.Sprintf("x/BA-2.yaml:%d:%d: %s: found ", line, column, test.field); !strings.HasPrefix(e.Error(), prefix) {
					t.Errorf("%q does not begin with %q", e.Error(), prefix)
				}
				return
			}
			t.Errorf("no error about %q at %d:%d; got\n%v", test.field, line, column, err)
		})
	}
}

// TestPlantedSubjectsAreNotOffered: the laboratory's own bugs can be played, but
// nobody who misspells a subject is sent to them.
func TestPlantedSubjectsAreNotOffered(t *testing.T) {
	err := plan.CheckSubject("SY-99")
	for _, planted := range []string{"canary", "spinner", "waiter"} {
		if strings.Contains(err.Error(), planted) {
			t.Errorf("offered %s: %v", planted, err)
		}
		if err := plan.CheckSubject(planted); err != nil {
			t.Error(err)
		}
	}
}

// position is the line and the column of an offset, from 1.
func position(text string, offset int) (line, column int) {
	before := text[:offset]
	return strings.Count(before, "\n") + 1, offset - strings.LastIndex(before, "\n")
}

func TestAllErrorsComeAtOnceAndInOrder(t *testing.T) {
	text := strings.NewReplacer("ttl: 10s", "ttl: -1s", "[n3]", "[n9]", "seeds: 1-200", "seeds: 9-3", "title:", "titel:").Replace(good)
	_, err := Parse("BA-2.yaml", []byte(text))
	var list FileErrors
	if !errors.As(err, &list) {
		t.Fatal(err)
	}
	var fields []string
	for _, e := range list {
		fields = append(fields, e.Field)
	}
	if want := []string{"title", "titel", "lock.ttl", "faults[0].crash", "seeds"}; !slices.Equal(fields, want) {
		t.Errorf("errors about %q, want %q:\n%v", fields, want, err)
	}
}

// TestEqualErrorsComeOnce: what is wrong with 50 clients alike, or with an empty mapping, is one
// error.
func TestEqualErrorsComeOnce(t *testing.T) {
	for name, text := range map[string]string{
		"clients alike": strings.Replace(good, "  B: {", "  W: { count: 50, nodes: [n9], steps: [ { lock: r } ] }\n  B: {", 1),
		"an empty row":  good[:strings.Index(good, "faults:")] + "subjects: { SY-0: {} }\n",
	} {
		_, err := Parse("BA-2.yaml", []byte(text))
		var list FileErrors
		if !errors.As(err, &list) || len(list) != 1 {
			t.Errorf("%s: want one error, got\n%v", name, err)
		}
	}
}

func TestFilesThatAreNoScenario(t *testing.T) {
	for _, test := range []struct {
		text string
		line int
		want string
	}{
		{"", 1, "empty file"},
		{"# nothing\n", 1, "empty"},
		{"- a\n", 1, "found a list"},
		{"claim: BA-2\n  title: x\n", 2, "no valid YAML"},
		{"claim: [BA-2\n", 1, "no valid YAML"},
		{"claim: BA-2\ntitle: x\nlock: { ttl: 1s\nclients:\n  A: [ crash ]\n", 3, "no valid YAML"},
		{"claim: BA-2\nclients:\n\tA: [ crash ]\n", 3, "no valid YAML"},
		{good + "---\nclaim: BA-3\n", strings.Count(good, "\n") + 1, "second document"},
		{"null\n", 1, "found nothing"},
	} {
		s, err := Parse("BA-2.yaml", []byte(test.text))
		var list FileErrors
		if !errors.As(err, &list) || s != nil {
			t.Errorf("%.30q: %v, %v", test.text, s, err)
			continue
		}
		if list[0].Line < 1 || !strings.Contains(list[0].Message, test.want) {
			t.Errorf("%.30q: %v; want %q", test.text, err, test.want)
		}
		if test.want == "second document" && list[0].Line != test.line {
			t.Errorf("line %d, want %d", list[0].Line, test.line)
		}
	}
}

func TestExpectationsThatCannotComeAbout(t *testing.T) {
	text := strings.Replace(good, "{ write: r, think: 5ms }, ", "", 1)
	text = strings.Replace(text, "{ overlap: violated }", "{ resource_unfenced: violated, fencing_tokens: violated, liveness: violated }", 1)
	text = text[:strings.Index(text, "liveness:\n")]
	_, err := Parse("BA-2.yaml", []byte(text))
	for _, want := range []string{"no liveness goal", "no client reads or writes", "lock.fencing is none"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestLoadAllReadsFilesAndFoldersInTheOrderOfClaims(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("BA-10.yaml", strings.Replace(good, "BA-2", "BA-10", 1))
	write("BA-2.yaml", good)
	write("BA-2-b.yaml", good)
	write("MX-1.yaml", strings.Replace(good, "BA-2", "MX-1", 1))
	write("notes.txt", "no scenario")
	all, err := LoadAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	if want := []string{"MX-1", "BA-2", "BA-2-b", "BA-10"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	bad := write("BA-3.yaml", strings.Replace(good, "ttl: 10s", "ttl: no", 1))
	missing := filepath.Join(dir, "BA-4.yaml")
	all, err = LoadAll(dir, missing)
	if all != nil || err == nil {
		t.Fatalf("half loaded: %v, %v", all, err)
	}
	for _, want := range []string{bad + ":1:8: claim: ", bad + ":7:14: lock.ttl: ", missing + ": cannot be read: "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
	if _, err := Load(missing); err == nil {
		t.Error("a missing file was loaded")
	}
	if _, err := LoadAll(filepath.Join(dir, "BA-2.yaml"), filepath.Join(dir, "BA-2.yaml")); err == nil ||
		!strings.Contains(err.Error(), "second scenario") {
		t.Errorf("two of one name: %v", err)
	}
	if _, err := LoadAll(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no *.yaml") {
		t.Errorf("an empty folder: %v", err)
	}
}

// What a scenario's faults print can be pasted into its file.
func TestFaultLinesArePasteable(t *testing.T) {
	for _, k := range faults.Kinds() {
		if k.Name == "restart" {
			continue // it needs a crash beside it
		}
		start, end := strings.Index(good, "  - name: n3 forgets"), strings.Index(good, "seeds:")
		text := good[:start] + "  - " + k.Example + "\n" + good[end:]
		text = strings.Replace(text, "persistence: none", "persistence: aof-always", 1)   // some disks can fill up
		text = strings.Replace(text, "node_timeout:", "fencing: ideal, node_timeout:", 1) // some resources have a fence
		s, err := Parse("BA-2.yaml", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if got := s.Faults[0].String(); got != k.Example {
			t.Errorf("%s was read as %s", k.Example, got)
		}
	}
}

var update = flag.Bool("update", false, "write schema.json anew")

// schema.json is the schema of the shapes that read the files.
func TestSchemaFileIsTheGoTypes(t *testing.T) {
	want, err := schemaJSON()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("../schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("../schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("schema.json differs from the Go types; write it anew with: go test ./scenarios/file -run TestSchemaFileIsTheGoTypes -update")
	}
}

// The example that teaches the format must be one.
func TestWritingGuideExampleLoads(t *testing.T) {
	guide, err := os.ReadFile("../WRITING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(guide), "```yaml\n")
	example, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatal("WRITING.md has no example")
	}
	if _, err := Parse("BA-2-example.yaml", []byte(example)); err != nil {
		t.Error(err)
	}
	for _, k := range faults.Kinds() {
		if !strings.Contains(string(guide), "`"+k.Name+"`") {
			t.Errorf("WRITING.md does not mention the fault %s", k.Name)
		}
	}
	for _, q := range plan.Quantities() {
		if !strings.Contains(string(guide), "`"+q+"`") {
			t.Errorf("WRITING.md does not mention the quantity %s", q)
		}
	}
}

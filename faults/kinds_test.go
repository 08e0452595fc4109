package faults

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"redlocklab/sim"
)

func TestEveryKindActs(t *testing.T) {
	tried := []string{"restart"} // by TestNodesAreDownAsLongAsAFaultKeepsThemSo
	for _, test := range []struct{ line, begin, end string }{
		{"{name: x, crash: n1 n2, end: power loss, at: 0s}", "[0s x [crash n1 power loss] 0s x [crash n2 power loss]]", "[]"},
		{"{name: x, node_clock_step: n1, by: -3s, at: 0s}", "[0s x [step n1 -3s]]", "[]"},
		{"{name: x, node_clock_rate: n1, ppm: 500, at: 0s, for: 1s}", "[0s x [rate n1 500]]", "[1s x [rate n1 no more]]"},
		{"{name: x, client_clock_step: A, clock: wall, by: 3s, at: 0s}", "[0s x [step A wall 3s]]", "[]"},
		{"{name: x, client_clock_rate: A, clock: monotonic, ppm: -5, at: 0s, for: 1s}", "[0s x [rate A monotonic -5]]", "[1s x [rate A monotonic no more]]"},
		{"{name: x, partition: A, from: n1, at: 0s, for: 1s}", "[0s x [cut]]", "[1s x [heal]]"},
		{"{name: x, lose: 50%, at: 0s, for: 1s}", "[0s x [cut]]", "[1s x [heal]]"},
		{"{name: x, delay: 1ms, at: 0s, for: 1s}", "[0s x [cut]]", "[1s x [heal]]"},
		{"{name: x, pause: A B, at: 0s, for: 1s}", "[0s x [pause A] 0s x [pause B]]", "[1s x [resume A] 1s x [resume B]]"},
		{"{name: x, client_crash: A, at: 0s}", "[0s x [crash A]]", "[]"},
		{"{name: x, suspend: A, at: 0s, for: 1s}", "[0s x [suspend A]]", "[1s x [wake A]]"},
		{"{name: x, operator_delete: n1, keys: r, at: 0s}", "[0s x [operator n1 [DEL r]]]", "[]"},
		{"{name: x, operator_flush: n1, at: 0s}", "[0s x [operator n1 [FLUSHALL]]]", "[]"},
		{"{name: x, reset: A, at: 0s}", "[0s x [reset A n1] 0s x [reset A n2]]", "[]"},
		{"{name: x, reset: all, to: n2, at: 0s}", "[0s x [reset A n2] 0s x [reset B n2]]", "[]"},
		{"{name: x, black_hole: n1, at: 0s, for: 1s}", "[0s x [cut]]", "[1s x [heal]]"},
		{"{name: x, drip: 1ms, at: 0s, for: 1s}", "[0s x [cut]]", "[1s x [heal]]"},
		{"{name: x, slow_node: n1 n2, by: 5ms, at: 0s, for: 1s}", "[0s x [service n1 5ms] 0s x [service n2 5ms]]", "[1s x [service n1 nothing] 1s x [service n2 nothing]]"},
		{"{name: x, slow_disk: n1 n2, by: 5ms, at: 0s, for: 1s}", "[0s x [sync n1 5ms] 0s x [sync n2 5ms]]", "[1s x [sync n1 0s] 1s x [sync n2 0s]]"},
		{"{name: x, stop_node: n1, at: 0s, for: 1s}", "[0s x [stop n1]]", "[1s x [continue n1]]"},
		{"{name: x, refuse: n1, as: read-only, at: 0s, for: 1s}", "[0s x [refuse n1 read-only]]", "[1s x [grant n1 read-only]]"},
		{"{name: x, evict: n1 n2, count: 3, at: 0s}", "[0s x [evict n1 3] 0s x [evict n2 3]]", "[]"},
		{"{name: x, script_flush: n1, at: 0s}", "[0s x [operator n1 [SCRIPT FLUSH]]]", "[]"},
		{"{name: x, failover: n1, lag: 1s, promoted_after: 2s, at: 0s}", "[0s start [replicate n1 1s] 0s x [crash n1 process crash]]", "[2s x [promote n1]]"},
		{"{name: x, demote: n1, lag: 1s, promoted_after: 2s, at: 0s}", "[0s start [replicate n1 1s] 0s x [demote n1]]", "[2s x [promote again n1]]"},
		{"{name: x, crash: n1, timed_by: node clock, restart_after: 2s, at: 0s}", "[0s x [crash n1 process crash]]", "[1s x [restart n1]]"},
		{"{name: x, crash: n1, restart_after: 1s, loading: 2s, at: 0s}", "[0s x [crash n1 process crash]]", "[1s x [restart n1] 1s x [load n1 2s]]"},
		{"{name: x, node_clock_drift: n1, ppm: 1000, period: 16s, for: 9s, at: 0s}", "[0s x [n1 drifts 1s 1000 707 -1000 707]]", "[9s x [n1 drifts no more]]"},
		{"{name: x, client_clock_drift: A, clock: wall, shape: non-ideal, ppm: 3, period: 16s, for: 9s, at: 0s}", "[0s x [A wall drifts 1s -1 1 0 3]]", "[9s x [A wall drifts no more]]"},
		{"{name: x, late_timers: A, by: 5ms, at: 0s, for: 1s}", "[0s x [timers A 5ms]]", "[1s x [timers A in time]]"},
		{"{name: x, move: n1, to: n2, at: 0s, for: 1s}", "[0s x [move n1 n2]]", "[1s x [move back n1]]"},
		{"{name: x, resource_restart: r, at: 0s}", "[0s x [resource_restart r the largest token]]", "[]"},
		{"{name: x, fill_disk: n1 n2, at: 0s, for: 1s}", "[0s x [fill n1] 0s x [fill n2]]", "[1s x [free n1] 1s x [free n2]]"},
		{"{name: x, slow_client: A, by: 5ms, at: 0s, for: 1s}", "[0s x [notice A 5ms]]", "[1s x [notice A nothing]]"},
	} {
		w, s := newFake(), schedule(t, test.line)
		tried = append(tried, KindOf(s[0].Effect))
		InstallOn(w, s)
		w.advance(0)
		begun := len(w.log)
		if got := fmt.Sprint(w.log); got != test.begin {
			t.Errorf("%s begins with %s, want %s", test.line, got, test.begin)
		}
		w.advance(time.Minute)
		if got := fmt.Sprint(w.log[begun:]); got != test.end {
			t.Errorf("%s ends with %s, want %s", test.line, got, test.end)
		}
	}
	for _, k := range kindNames() {
		if !slices.Contains(tried, k) {
			t.Errorf("nobody tries %s", k)
		}
	}
}

func TestRulesJudgeTheRightMessages(t *testing.T) {
	request := sim.Message{Process: "A", Node: "n4", Direction: sim.ToNode, Number: 1}
	reply := sim.Message{Process: "A", Node: "n4", Direction: sim.ToProcess, Number: 1}
	dial := sim.Message{Process: "A", Node: "n4", Direction: sim.ToNode, Dial: true}
	for _, test := range []struct {
		line    string
		message sim.Message
		want    sim.Ruling
	}{
		{"{name: x, partition: A, from: n4 n5, at: 0s}", request, sim.Ruling{Action: sim.Lose}},
		{"{name: x, partition: A, from: n4 n5, at: 0s}", reply, sim.Ruling{Action: sim.Lose}},
		{"{name: x, partition: A, from: n5, at: 0s}", request, sim.Ruling{Action: sim.Pass}},
		{"{name: x, partition: B, from: n4, at: 0s}", request, sim.Ruling{Action: sim.Pass}},
		{"{name: x, partition: all, from: all, at: 0s}", request, sim.Ruling{Action: sim.Lose}},
		{"{name: x, partition: A, from: n4, direction: requests, at: 0s}", request, sim.Ruling{Action: sim.Lose}},
		{"{name: x, partition: A, from: n4, direction: requests, at: 0s}", reply, sim.Ruling{Action: sim.Pass}},
		{"{name: x, partition: A, from: n4, direction: replies, at: 0s}", reply, sim.Ruling{Action: sim.Lose}},
		{"{name: x, partition: A, from: n4, direction: replies, at: 0s}", request, sim.Ruling{Action: sim.Pass}},
		{"{name: x, lose: 100%, nodes: n4, at: 0s}", request, sim.Ruling{Action: sim.Lose}},
		{"{name: x, lose: 100%, nodes: n5, at: 0s}", request, sim.Ruling{Action: sim.Pass}},
		{"{name: x, delay: 7ms, clients: A, at: 0s}", reply, sim.Ruling{Action: sim.Hold, Delay: 7 * time.Millisecond}},
		{"{name: x, delay: 7ms, clients: B, at: 0s}", reply, sim.Ruling{Action: sim.Pass}},
		{"{name: x, black_hole: n4, at: 0s}", request, sim.Ruling{Action: sim.Lose}},
		{"{name: x, black_hole: n4, at: 0s}", dial, sim.Ruling{Action: sim.Pass}},
		{"{name: x, black_hole: n5, at: 0s}", request, sim.Ruling{Action: sim.Pass}},
		{"{name: x, drip: 7ms, at: 0s}", reply, sim.Ruling{Action: sim.Trickle, Delay: 7 * time.Millisecond}},
		{"{name: x, drip: 7ms, at: 0s}", request, sim.Ruling{Action: sim.Pass}},
	} {
		w := newFake()
		InstallOn(w, schedule(t, test.line))
		w.advance(0)
		if got := w.rules[0].Decide(&test.message); got != test.want {
			t.Errorf("%s judges %+v as %+v, want %+v", test.line, test.message, got, test.want)
		}
	}
}

func TestChanceGoesByIdentity(t *testing.T) {
	w := newFake()
	InstallOn(w, schedule(t, "{name: x, lose: 30%, at: 0s}", "{name: y, delay: 1ms..9ms, at: 0s}"))
	w.advance(0)
	const messages = 10_000
	lost, requestsAndRepliesAlike := 0, 0
	for n := range messages {
		request := sim.Message{Process: "A", Node: "n1", Direction: sim.ToNode, Index: uint64(n)}
		reply := sim.Message{Process: "A", Node: "n1", Direction: sim.ToProcess, Index: uint64(n)}
		for _, rule := range w.rules {
			if first, again := rule.Decide(&request), rule.Decide(&request); first != again {
				t.Fatalf("two answers for one message %d", n)
			}
		}
		if w.rules[0].Decide(&request).Action == sim.Lose {
			lost++
		}
		if w.rules[0].Decide(&request) == w.rules[0].Decide(&reply) {
			requestsAndRepliesAlike++
		}
		if d := w.rules[1].Decide(&request).Delay; d < time.Millisecond || d > 9*time.Millisecond {
			t.Fatalf("message %d is held up for %v", n, d)
		}
	}
	// The standard deviation of the count is 46 messages; six of them bound it.
	if lost < 3000-276 || lost > 3000+276 {
		t.Errorf("%d of %d messages were lost, want about 30 %%", lost, messages)
	}
	// Independent draws agree in 0.3² + 0.7² = 58 % of the messages.
	if requestsAndRepliesAlike < 5800-300 || requestsAndRepliesAlike > 5800+300 {
		t.Errorf("request and reply fare alike in %d of %d messages, want about 58 %%", requestsAndRepliesAlike, messages)
	}
}

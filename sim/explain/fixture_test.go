package explain_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/explain"
)

const ms = time.Millisecond

// tape is a hand-cranked world: it knows no lock and no clock, it writes down
// what a test says, in the words of a real trace.
type tape struct {
	run     *explain.Run
	message int
	keys    map[string]map[string]held // node -> key
	pending []sim.Event
}

type held struct {
	value string
	until time.Duration
}

func newTape(processes ...string) *tape {
	return &tape{
		run: &explain.Run{Subject: "SY-0", Seed: 7, Processes: processes, Nodes: []string{"n1", "n2", "n3", "n4", "n5"},
			TTL: 10 * time.Second},
		keys: map[string]map[string]held{"n1": {}, "n2": {}, "n3": {}, "n4": {}, "n5": {}},
	}
}

func (t *tape) put(at time.Duration, kind sim.Kind, set func(*sim.Event)) {
	e := sim.Event{At: at, Kind: kind}
	if set != nil {
		set(&e)
	}
	t.pending = append(t.pending, e)
}

// finish sorts what was written and numbers it.
func (t *tape) finish() *explain.Run {
	slices.SortStableFunc(t.pending, func(a, b sim.Event) int { return cmp.Compare(a.At, b.At) })
	for i := range t.pending {
		t.pending[i].Seq = i + 1
	}
	t.run.Events = t.pending
	return t.run
}

// seq finds the number of the n-th event (from 1) of a kind, after finish.
func (t *tape) seq(kind sim.Kind, name string, n int) int {
	for _, e := range t.run.Events {
		if e.Kind == kind && (e.Process == name || e.Node == name) {
			if n--; n == 0 {
				return e.Seq
			}
		}
	}
	panic(fmt.Sprintf("no %s of %s", kind, name))
}

func (t *tape) client(at time.Duration, kind sim.Kind, process, lease, detail string) {
	t.put(at, kind, func(e *sim.Event) { e.Process, e.Resource, e.Lease, e.Detail = process, "r", lease, detail })
}

// path is how a request travels: to its node, and back.
type path struct {
	out, back time.Duration
	lost      string // "", "request", "reply"
	fault     string
}

// request writes one request with all that follows from it.
func (t *tape) request(at time.Duration, process, node, command, token string, p path) {
	t.message++
	number := t.message
	with := func(e *sim.Event) {
		e.Process, e.Node, e.Message, e.Command = process, node, number, command
	}
	t.put(at, sim.Send, func(e *sim.Event) { with(e); e.Key = "r" })
	if p.lost == "request" {
		t.put(at+p.out, sim.Drop, func(e *sim.Event) { with(e); e.Fault, e.Detail = p.fault, "request lost" })
		return
	}
	at += p.out
	t.put(at, sim.Deliver, with)
	answer := t.execute(at, node, command, token)
	after := t.keys[node]["r"]
	t.put(at, sim.Execute, func(e *sim.Event) {
		with(e)
		e.Key, e.Detail = "r", answer
		if after.until > at {
			e.Value, e.TTL = after.value, after.until-at
		}
	})
	if p.lost == "reply" {
		t.put(at+p.back, sim.Drop, func(e *sim.Event) { with(e); e.Fault, e.Detail = p.fault, "reply lost" })
		return
	}
	t.put(at+p.back, sim.Reply, func(e *sim.Event) { with(e); e.Detail = answer })
}

// execute is the little of Redis that the stories need.
func (t *tape) execute(at time.Duration, node, command, token string) string {
	key, there := t.keys[node]["r"]
	there = there && key.until > at
	switch command {
	case "SET":
		if there {
			return "nil"
		}
		t.keys[node]["r"] = held{token, at + t.run.TTL}
		return "OK"
	case "release":
		if there && key.value == token {
			delete(t.keys[node], "r")
			return "1"
		}
	case "extend":
		if there && key.value == token {
			t.keys[node]["r"] = held{token, at + t.run.TTL}
			return "1"
		}
	}
	return "0"
}

// round sends one command to every node; unreachable nodes lose their dial.
func (t *tape) round(at time.Duration, process, command, token, cut string, unreachable ...string) {
	for i, node := range t.run.Nodes {
		start := at + time.Duration(i)*37*time.Microsecond
		if slices.Contains(unreachable, node) {
			t.put(start, sim.Dial, func(e *sim.Event) { e.Process, e.Node, e.Conn = process, node, 10+i })
			t.put(start+ms, sim.Drop, func(e *sim.Event) {
				e.Process, e.Node, e.Conn, e.Fault, e.Detail = process, node, 10+i, cut, "dial lost"
			})
			continue
		}
		wiggle := time.Duration((int(process[0])*31+i*17)%11) * 113 * time.Microsecond
		t.request(start, process, node, command, token, path{out: ms + wiggle, back: 2*ms - wiggle/2})
	}
}

func (t *tape) expire(at time.Duration, nodes ...string) {
	for i, node := range nodes {
		key := t.keys[node]["r"]
		delete(t.keys[node], "r")
		t.put(at+time.Duration(i)*31*time.Microsecond, sim.Expire, func(e *sim.Event) {
			e.Node, e.Key, e.Value = node, "r", key.value
		})
	}
}

func (t *tape) lease(id string, from, until time.Duration, released bool) {
	t.run.Leases = append(t.run.Leases, explain.Lease{
		ID: id, Client: id[:1], Resource: "r", From: from, Until: until, Released: released,
	})
}

// forgetting is BA-2 as it is told: A holds {n1,n2,n3}, n3 forgets, B takes {n3,n4,n5}.
func forgetting() *explain.Run {
	t := newTape("A", "B")
	t.run.Claim, t.run.Title = "BA-2", "A node that forgets its vote makes two holders"
	t.run.Faults = []explain.Fault{
		{Name: "A is cut off", Words: "A cannot reach n4 and n5", Processes: []string{"A"}, Nodes: []string{"n4", "n5"}},
		{Name: "n3 forgets", Words: "n3 crashes without persistence 100 ms after A acquired, and is up again after 1 ms"},
	}
	t.put(0, sim.Cut, func(e *sim.Event) { e.Fault, e.Detail = "A is cut off", "A | n4 n5" })
	t.client(0, sim.Call, "A", "", "acquire")
	t.round(0, "A", "SET", "token#1", "A is cut off", "n4", "n5")
	t.client(4*ms, sim.Acquired, "A", "A/1", "")
	t.put(104*ms, sim.Crash, func(e *sim.Event) { e.Node, e.Detail, e.Fault = "n3", "process crash", "n3 forgets" })
	t.put(105*ms, sim.Restart, func(e *sim.Event) { e.Node, e.Fault = "n3", "n3 forgets" })
	t.put(105*ms, sim.Forget, func(e *sim.Event) {
		e.Node, e.Key, e.Value, e.TTL, e.Fault = "n3", "r", "token#1", 9896*ms, "n3 forgets"
	})
	delete(t.keys["n3"], "r")
	t.client(200*ms, sim.Call, "B", "", "acquire")
	t.round(200*ms, "B", "SET", "token#2", "")
	t.client(204*ms, sim.Acquired, "B", "B/1", "")
	t.client(1500*ms, sim.Access, "A", "A/1", "write 1")
	t.client(1700*ms, sim.Access, "B", "B/1", "write 2")
	t.client(3204*ms, sim.Call, "B", "B/1", "release")
	t.round(3204*ms, "B", "release", "token#2", "")
	t.client(3208*ms, sim.Released, "B", "B/1", "")
	t.put(3209*ms, sim.Done, func(e *sim.Event) { e.Process = "B" })
	t.client(9898*ms, sim.Lapsed, "A", "A/1", "")
	t.expire(10001*ms, "n1", "n2")
	t.put(10050*ms, sim.Done, func(e *sim.Event) { e.Process = "A" })
	t.lease("A/1", 4*ms, 9898*ms, false)
	t.lease("B/1", 204*ms, 3204*ms, true)
	run := t.finish()
	run.Violations = []explain.Violation{{Oracle: "overlap", Leases: []string{"A/1", "B/1"}, ExplainedBy: []string{"A-VOTE"}}}
	run.Broken = []explain.Broken{{Assumption: "A-VOTE", Event: t.seq(sim.Forget, "n3", 1)}}
	return run
}

// jumping is BA-1: n3's clock jumps past the TTL, and A's vote there runs out early.
func jumping() *explain.Run {
	t := newTape("A", "B")
	t.run.Claim, t.run.Title = "BA-1", "A clock that jumps forward ends a vote early"
	t.run.Faults = []explain.Fault{{Name: "A is cut off", Words: "A cannot reach n4 and n5"}, {Name: "n3 jumps", Words: "n3's clock jumps by 11 s"}}
	t.put(0, sim.Cut, func(e *sim.Event) { e.Fault = "A is cut off" })
	t.client(0, sim.Call, "A", "", "acquire")
	t.round(0, "A", "SET", "token#1", "A is cut off", "n4", "n5")
	t.client(4*ms, sim.Acquired, "A", "A/1", "")
	t.put(20*ms, sim.Heal, func(e *sim.Event) { e.Fault = "A is cut off" })
	t.put(900*ms, sim.ClockStep, func(e *sim.Event) { e.Node, e.Duration, e.Fault = "n3", 11*time.Second, "n3 jumps" })
	t.expire(901*ms, "n3")
	t.client(1000*ms, sim.Call, "B", "", "acquire")
	t.round(1000*ms, "B", "SET", "token#2", "")
	t.client(1004*ms, sim.Acquired, "B", "B/1", "")
	t.put(1500*ms, sim.Crash, func(e *sim.Event) { e.Process = "B" })
	t.put(2000*ms, sim.NodeCall, func(e *sim.Event) { e.Node, e.Command, e.Key = "n1", "DEL", "r" })
	t.put(2000*ms, sim.NodeCall, func(e *sim.Event) {
		e.Node, e.Command, e.Key, e.Value, e.TTL = "n1", sim.Removal, "r", "token#1", 8001*ms
	})
	t.client(9898*ms, sim.Lapsed, "A", "A/1", "")
	t.lease("A/1", 4*ms, 9898*ms, false)
	t.lease("B/1", 1004*ms, 1500*ms, false)
	run := t.finish()
	run.Violations = []explain.Violation{{Oracle: "overlap", Leases: []string{"A/1", "B/1"}, ExplainedBy: []string{"A-STEP"}}}
	run.Broken = []explain.Broken{
		{Assumption: "A-STEP", Event: t.seq(sim.ClockStep, "n3", 1)},
		{Assumption: "A-OWNER", Event: t.seq(sim.NodeCall, "n1", 2)},
	}
	return run
}

// pausing is RS-1: a pause between the look at the lease and the write.
func pausing() *explain.Run {
	t := newTape("A", "B")
	t.run.Claim, t.run.Title = "RS-1", "A pause between the check and the write"
	t.run.Faults = []explain.Fault{{Name: "garbage collection", Words: "A stops for 12 s between its look at the lease and its write"}}
	t.client(0, sim.Call, "A", "", "acquire")
	t.round(0, "A", "SET", "token#1", "")
	t.client(4*ms, sim.Acquired, "A", "A/1", "")
	t.client(50*ms, sim.Call, "A", "A/1", "write")
	t.put(51*ms, sim.Pause, func(e *sim.Event) { e.Process, e.Fault, e.Duration = "A", "garbage collection", 12*time.Second })
	t.client(2000*ms, sim.Call, "B", "", "acquire")
	for i := range 5 {
		start := time.Duration(2000+i*90) * ms
		t.round(start, "B", "SET", fmt.Sprintf("token#%d", i+2), "")
		t.round(start+5*ms, "B", "release", fmt.Sprintf("token#%d", i+2), "")
	}
	t.expire(10001*ms, "n1", "n2", "n3", "n4", "n5")
	t.round(10100*ms, "B", "SET", "token#9", "")
	t.client(10104*ms, sim.Acquired, "B", "B/1", "")
	t.client(10200*ms, sim.Call, "B", "B/1", "write")
	t.client(10202*ms, sim.Access, "B", "B/1", "write 2")
	t.put(12051*ms, sim.Resume, func(e *sim.Event) { e.Process, e.Fault = "A", "garbage collection" })
	t.client(12053*ms, sim.Access, "A", "A/1", "write 1")
	t.client(12060*ms, sim.Lapsed, "A", "A/1", "")
	t.client(13104*ms, sim.Call, "B", "B/1", "release")
	t.round(13104*ms, "B", "release", "token#9", "")
	t.client(13108*ms, sim.Released, "B", "B/1", "")
	t.lease("A/1", 4*ms, 9898*ms, false)
	t.lease("B/1", 10104*ms, 13104*ms, true)
	run := t.finish()
	stale := t.seq(sim.Access, "A", 1)
	run.Violations = []explain.Violation{{Oracle: "unfenced register", Leases: []string{"A/1", "B/1"}, From: 12053 * ms, Until: 12053 * ms,
		Event: stale, ExplainedBy: []string{"A-WORK"}, Words: "A's write is accepted after B has written: the unfenced register is overwritten by a holder whose lease is over"}}
	run.Broken = []explain.Broken{{Assumption: "A-WORK", Event: t.seq(sim.Pause, "A", 1)}}
	return run
}

// cutting is a partition with three contenders: nothing is violated.
func cutting() *explain.Run {
	t := newTape("A", "B", "C")
	t.run.Claim, t.run.Title = "LV-6", "A holder that is cut off blocks the lock for one TTL"
	t.run.Faults = []explain.Fault{{Name: "A is alone", Words: "A cannot reach any node", Processes: []string{"A"}, Nodes: t.run.Nodes}}
	t.client(0, sim.Call, "A", "", "acquire")
	t.round(0, "A", "SET", "token#1", "")
	t.client(4*ms, sim.Acquired, "A", "A/1", "")
	t.put(1000*ms, sim.Cut, func(e *sim.Event) { e.Fault, e.Detail = "A is alone", "A | n1 n2 n3 n4 n5" })
	t.client(2000*ms, sim.Call, "A", "A/1", "release")
	for i, node := range t.run.Nodes {
		t.request(2000*ms+time.Duration(i)*41*time.Microsecond, "A", node, "release", "token#1", path{out: ms, lost: "request", fault: "A is alone"})
	}
	t.client(2050*ms, sim.Failed, "A", "A/1", "release: no quorum")
	for i := range 12 {
		client := []string{"B", "C"}[i%2]
		start := time.Duration(2500+i*600) * ms
		if i < 2 {
			t.client(start, sim.Call, client, "", "acquire")
		}
		t.round(start, client, "SET", fmt.Sprintf("token#%d", i+2), "")
	}
	t.put(9800*ms, sim.Heal, func(e *sim.Event) { e.Fault, e.Detail = "A is alone", "A | n1 n2 n3 n4 n5" })
	t.expire(10001*ms, "n1", "n2", "n3", "n4", "n5")
	t.put(10020*ms, sim.ClockStep, func(e *sim.Event) { e.Node, e.Duration, e.Fault = "n5", -300*ms, "" })
	t.round(10100*ms, "B", "SET", "token#30", "")
	t.client(10104*ms, sim.Acquired, "B", "B/1", "")
	t.round(10101*ms, "C", "SET", "token#31", "")
	t.client(10150*ms, sim.Failed, "C", "", "acquire: contended")
	t.client(10200*ms, sim.Call, "B", "B/1", "extend")
	t.round(10200*ms, "B", "extend", "token#30", "")
	t.client(10204*ms, sim.Extended, "B", "B/1", "")
	t.client(12000*ms, sim.Call, "B", "B/1", "release")
	t.round(12000*ms, "B", "release", "token#30", "")
	t.client(12004*ms, sim.Released, "B", "B/1", "")
	t.lease("A/1", 4*ms, 2000*ms, true)
	t.lease("B/1", 10104*ms, 12000*ms, true)
	return t.finish()
}

// busy is a minute of three contenders with a crash and lost messages.
func busy() *explain.Run {
	t := newTape("A", "B", "C")
	t.run.Claim, t.run.Title = "MX-1", "Three contenders on a lossy network"
	t.run.Faults = []explain.Fault{{Name: "n2 is away", Words: "n2 is down from 20 s to 35 s"}}
	at := 100 * ms
	for i := range 20 {
		client := string(rune('A' + i%3))
		token, lease := fmt.Sprintf("token#%d", i+1), fmt.Sprintf("%s/%d", client, i/3+1)
		var away []string
		if at > 20*time.Second && at < 35*time.Second {
			away = []string{"n2"}
		}
		t.client(at, sim.Call, client, "", "acquire")
		t.round(at, client, "SET", token, "n2 is away", away...)
		other := string(rune('A' + (i+1)%3))
		t.client(at+500*ms, sim.Call, other, "", "acquire")
		t.round(at+500*ms, other, "SET", token+"0", "n2 is away", away...)
		t.client(at+505*ms, sim.Failed, other, "", "acquire: contended")
		t.client(at+4*ms, sim.Acquired, client, lease, "")
		t.client(at+2500*ms, sim.Call, client, lease, "release")
		for j, node := range t.run.Nodes {
			p := path{out: ms, back: 2 * ms}
			if (i+j)%7 == 0 {
				p.lost = "reply"
			}
			t.request(at+2500*ms+time.Duration(j)*41*time.Microsecond, client, node, "release", token, p)
		}
		t.client(at+2504*ms, sim.Released, client, lease, "")
		t.lease(lease, at+4*ms, at+2500*ms, true)
		at += 2800 * ms
	}
	t.put(20*time.Second, sim.Crash, func(e *sim.Event) { e.Node, e.Detail, e.Fault = "n2", "power loss", "n2 is away" })
	t.put(35*time.Second, sim.Restart, func(e *sim.Event) { e.Node, e.Fault = "n2", "n2 is away" })
	return t.finish()
}

// stories are all fixtures, by the name of their golden files.
var stories = []struct {
	name string
	make func() *explain.Run
}{{"forgetting", forgetting}, {"jumping", jumping}, {"pausing", pausing}, {"cutting", cutting}, {"busy", busy}}

package live_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/cmd/simulate/live"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// asPlayer makes this test's program a client's process.
const asPlayer = "REDLOCKLAB_TEST_PLAYER"

func TestMain(m *testing.M) {
	if os.Getenv(asPlayer) != "" {
		if err := live.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func player() *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), asPlayer+"=1")
	return command
}

// needServer skips loudly where redis-server is missing, and fails with CI=true.
func needServer(t *testing.T) {
	t.Helper()
	if _, err := live.FindServer(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("NOT CHECKED: ", err)
		}
		t.Skip("NOT CHECKED: ", err)
	}
}

func planOf(t *testing.T, text, subject string) *plan.Plan {
	t.Helper()
	s, err := file.Parse(strings.Fields(text)[1]+".yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.Plan(subject, 1)
	if err != nil {
		t.Fatal(err)
	}
	plan.World.Drain = 200 * time.Millisecond // by then what was under way has arrived: no message here takes 10 ms
	return plan
}

func playPlan(t *testing.T, plan *plan.Plan) *live.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err := live.Play(ctx, plan, live.Options{Command: player})
	if err != nil {
		t.Fatal(err)
	}
	if result.Outcome != string(sim.Finished) || len(result.Verdict.Problems) > 0 {
		t.Fatalf("%s, problems %v", result.Outcome, result.Verdict.Problems)
	}
	timed(t, result)
	return result
}

// timed holds operations to the times of their events. A fault that an event triggers takes
// milliseconds here: a server is killed before the client goes on.
func timed(t *testing.T, r *live.Result) {
	t.Helper()
	at := map[sim.Kind]map[int64]bool{}
	for _, e := range r.Events {
		if at[e.Kind] == nil {
			at[e.Kind] = map[int64]bool{}
		}
		at[e.Kind][int64(e.At)] = true
	}
	returns := map[checker.Action]sim.Kind{
		checker.ActionAcquire: sim.Acquired, checker.ActionExtend: sim.Extended, checker.ActionRelease: sim.Released,
	}
	for _, op := range r.History.Operations {
		kind, ok := returns[op.Action]
		if !ok {
			continue
		}
		if !at[sim.Call][op.CallNS] {
			t.Errorf("op %s of %s was called at %d; no call in the trace has this time", op.ID, op.Client, op.CallNS)
		}
		if op.Outcome == checker.OutcomeFail {
			kind = sim.Failed
		}
		if op.ReturnNS != nil && !at[kind][*op.ReturnNS] {
			t.Errorf("op %s of %s returned at %d; no %s in the trace has this time", op.ID, op.Client, *op.ReturnNS, kind)
		}
	}
}

// amnesia is BA-2 in short: n2 of three forgets A's vote, or has it on disk.
const amnesia = `claim: BA-2
title: n2 is killed
story: A holds n1 and n2, cannot reach n3. n2 is killed, and B takes n2 and n3.
nodes: { count: 3, persistence: PERSISTENCE }
network: { latency: 1ms..2ms }
lock: { ttl: 4s, node_timeout: 300ms, retry: { delay: 50ms..150ms, tries: 8 } }
clients:
  A: [ { lock: r }, { hold: 2s }, { release: r } ]
  B: [ { wait: 500ms }, { lock: r }, { hold: 100ms }, { release: r } ]
faults:
  - { name: A without n3, partition: A, from: n3, at: 0s, for: 3s }
  - { name: B without n1, partition: B, from: n1, at: 0s, for: 3s }
  - { name: n2 is killed, crash: n2, restart_after: 1ms, when: A acquired, after: 50ms }
seeds: 1
subjects:
  SY-0: { expect: { overlap: holds } }
`

// A real kill -9 forgets votes without persistence, and only then; the same
// checker says so.
func TestARealKill(t *testing.T) {
	needServer(t)
	for persistence, want := range map[string]struct {
		overlap checker.Status
		broken  string
	}{
		"none":       {checker.Violated, "A-VOTE"},
		"aof-always": {checker.Holds, ""},
	} {
		t.Run(persistence, func(t *testing.T) {
			t.Parallel()
			result := playPlan(t, planOf(t, strings.Replace(amnesia, "PERSISTENCE", persistence, 1), "SY-0"))
			if got := result.Verdict.Overlap.Status; got != want.overlap {
				t.Errorf("overlap %s, want %s (the machine stalled for %v)", got, want.overlap, result.Stall)
			}
			if got := strings.Join(result.Verdict.Broken(), " "); got != want.broken {
				t.Errorf("broken %q, want %q", got, want.broken)
			}
			for _, fired := range result.Fired {
				if fired.Began != 1 {
					t.Errorf("%s began %d times", fired.Fault, fired.Began)
				}
			}
		})
	}
}

// paused is RS-1 in short, with clients that are stopped and killed.
const paused = `claim: RS-1
title: A is stopped between its look and its write
story: A is stopped, B takes over and is killed, A writes.
nodes: 3
network: { latency: 1ms..2ms }
lock: { ttl: 800ms, node_timeout: 200ms, retry: { delay: 50ms..150ms }, fencing: ideal }
clients:
  A: [ { lock: r }, { write: r, think: 200ms } ]
  B: [ { wait: 100ms }, { lock: r }, { write: r }, { hold: 10s } ]
faults:
  - { name: A is stopped, pause: A, for: 1800ms, when: A called write, after: 5ms }
  - { name: B is killed, client_crash: B, when: B accessed, after: 20ms }
seeds: 1
subjects:
  SY-0: { expect: { overlap: holds } }
`

func TestAPausedAndAKilledClient(t *testing.T) {
	needServer(t)
	t.Parallel()
	result := playPlan(t, planOf(t, paused, "SY-0"))
	registers := map[checker.Register]checker.Status{}
	for _, r := range result.Verdict.Resource.Registers {
		registers[r.Register] = r.Status
	}
	if registers[checker.RegisterUnfenced] != checker.Violated || registers[checker.RegisterFenced] != checker.Holds {
		t.Errorf("registers %v, want a stale write on the unfenced one only", registers)
	}
	if got := strings.Join(result.Verdict.Broken(), " "); got != "A-WORK" {
		t.Errorf("broken %q", got)
	}
	var kinds []string
	for _, e := range result.Events {
		switch e.Kind {
		case sim.Pause, sim.Resume, sim.Crash:
			kinds = append(kinds, e.Process+" "+string(e.Kind))
		}
	}
	if want := []string{"A pause", "B crash", "A resume"}; !slices.Equal(kinds, want) {
		t.Errorf("events %v, want %v", kinds, want)
	}
}

// hindered has every fault in it that slows or cuts without killing.
const hindered = `claim: MX-1
title: everything that hinders
story: A takes turns with B while nodes stop, swallow, drip and are slow, and connections are cut.
nodes: 5
network: { latency: 1ms..2ms }
lock: { ttl: 4s, node_timeout: 300ms, retry: { delay: 20ms..60ms } }
clients:
  A: [ { repeat: { times: 6, steps: [ { lock: r }, { hold: 30ms }, { release: r } ] } } ]
  B: [ { repeat: { times: 6, steps: [ { lock: r }, { hold: 30ms }, { release: r } ] } } ]
faults:
  - { name: n1 is stopped, stop_node: n1, for: 400ms, when: A acquired }
  - { name: n2 swallows all, black_hole: n2, for: 300ms, when: B acquired }
  - { name: a slow drip, drip: 1ms..2ms, nodes: n3, at: 0s, for: 2s }
  - { name: n4 is slow, slow_node: n4, by: 5ms..10ms, at: 0s, for: 2s }
  - { name: a firewall restarts, reset: all, to: n5, when: A acquired, nth: 2 }
seeds: 1
subjects:
  SY-0: { expect: { overlap: holds } }
`

func TestHindered(t *testing.T) {
	needServer(t)
	t.Parallel()
	result := playPlan(t, planOf(t, hindered, "SY-0"))
	if result.Verdict.Overlap.Status != checker.Holds || len(result.Verdict.Broken()) > 0 {
		t.Errorf("overlap %s, broken %v", result.Verdict.Overlap.Status, result.Verdict.Broken())
	}
	for _, fired := range result.Fired {
		if fired.Began != 1 {
			t.Errorf("%s began %d times", fired.Fault, fired.Began)
		}
	}
	seen := map[string]bool{}
	for _, e := range result.Events {
		seen[string(e.Kind)+" "+e.Node+" "+e.Detail] = true
	}
	for _, want := range []string{"impair n1 stopped", "recover n1 stopped", "impair n4 slow", "delay n3 byte by byte", "reset n5 "} {
		if !seen[want] {
			t.Errorf("no event %q", want)
		}
	}
	acquired := 0
	for _, o := range result.History.Operations {
		if o.Action == checker.ActionAcquire && o.Outcome == checker.OutcomeOK {
			acquired++
		}
	}
	if acquired != 12 {
		t.Errorf("%d acquisitions, want 12", acquired)
	}
}

// What cannot be real is refused, with the reason.
func TestUnplayable(t *testing.T) {
	fault := "  - { name: n2 is killed, crash: n2, restart_after: 1ms, when: A acquired, after: 50ms }\n"
	for line, want := range map[string]string{
		fault: "",
		"  - { name: x, crash: n2, end: power loss, at: 1s }\n":                "",
		"  - { name: x, node_clock_step: n2, by: 1s, at: 1s }\n":               "node_clock_step: ",
		"  - { name: x, suspend: A, for: 1s, at: 1s }\n":                       "suspend: ",
		"  - { name: x, client_clock_rate: A, clock: wall, ppm: 9, at: 1s }\n": "client_clock_rate: ",
	} {
		text := strings.Replace(strings.Replace(amnesia, fault, line, 1), "PERSISTENCE", "none", 1)
		plan := planOf(t, text, "SY-0")
		got := strings.Join(live.Unplayable(plan), "; ")
		if (want == "") != (got == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
		if want != "" {
			if _, err := live.Play(t.Context(), plan, live.Options{Command: player}); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s: played, %v", line, err)
			}
		}
	}
	text := strings.Replace(strings.Replace(amnesia, fault, "  - { name: x, crash: n2, end: power loss, at: 1s }\n", 1), "PERSISTENCE", "aof-everysec", 1)
	if got := live.Unplayable(planOf(t, text, "SY-0")); len(got) != 1 {
		t.Errorf("power loss with everysec: %q", got)
	}
}

func TestWithoutAServer(t *testing.T) {
	t.Setenv("PATH", "")
	if _, err := live.Play(t.Context(), planOf(t, paused, "SY-0"),
		live.Options{Command: player}); !errors.Is(err, live.ErrNoServer) {
		t.Errorf("found %v", err)
	}
}

// again has a client that crashes as a holder and is started again, one that finishes
// and is not, though it is killed later, and a client with its own list of nodes.
const again = `claim: LV-1
title: A is started again
story: A crashes with the lock, and asks again as a new process. B finishes. C knows one node.
nodes: 3
network: { latency: 1ms..2ms }
lock: { ttl: 500ms, node_timeout: 200ms, retry: { delay: 50ms..150ms } }
clients:
  A: { incarnations: { count: 2, after: 20ms..60ms }, steps: [ { lock: r }, { hold: 50ms }, crash ] }
  B: { incarnations: { count: 2, after: 20ms..60ms }, steps: [ { lock: own }, { release: own } ] }
  C: { nodes: [n2], steps: [ { lock: s }, { release: s } ] }
faults:
  - { name: B is killed, client_crash: B, at: 300ms }
seeds: 1
subjects:
  SY-0: { expect: { overlap: holds } }
`

func TestAClientStartedAgain(t *testing.T) {
	needServer(t)
	t.Parallel()
	result := playPlan(t, planOf(t, again, "SY-0"))
	var acquired []string
	for _, e := range result.Events {
		switch {
		case e.Kind == sim.Acquired:
			acquired = append(acquired, e.Process)
		case e.Kind == sim.Send && e.Process == "C" && e.Node != "n2":
			t.Errorf("C sent %s to %s", e.Command, e.Node)
		}
	}
	slices.Sort(acquired)
	if want := []string{"A", "A-2", "B", "C"}; !slices.Equal(acquired, want) {
		t.Errorf("acquired by %v, want %v", acquired, want)
	}
}

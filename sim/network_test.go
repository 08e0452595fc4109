package sim_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"redlocklab/sim"
)

// ruled plays five pings, 100 ms apart and on one connection where that holds,
// under a rule that is there from the second to the third of them.
func ruled(t *testing.T, rule sim.Rule) (*sim.Result, string) {
	t.Helper()
	var outcome []string
	result := played(t, steady("", "A"), func(w *sim.World) {
		p, c := client(w)
		w.At(150*time.Millisecond, func() { w.AddRule(rule) })
		w.At(250*time.Millisecond, func() { w.RemoveRule(rule.Name, "another fault") })
		w.At(350*time.Millisecond, func() { w.RemoveRule(rule.Name, rule.Fault) })
		p.Go(func(ctx context.Context) {
			for i := range 5 {
				_ = p.Sleep(ctx, time.Duration(i+1)*100*time.Millisecond-p.Now(sim.Boottime))
				start := w.Now()
				limited, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
				err := c.Ping(limited).Err()
				cancel()
				switch {
				case errors.Is(err, context.DeadlineExceeded) || err != nil && strings.Contains(err.Error(), "timeout"):
					outcome = append(outcome, "timeout")
				case err != nil:
					outcome = append(outcome, "error")
				case w.Now()-start > 10*time.Millisecond:
					outcome = append(outcome, "late")
				default:
					outcome = append(outcome, "ok")
				}
			}
		})
	})
	if cut, heal := count(result, sim.Cut), count(result, sim.Heal); cut != 1 || heal != 1 {
		t.Errorf("%d cuts, %d heals", cut, heal)
	}
	return result, fmt.Sprint(outcome)
}

func TestRules(t *testing.T) {
	requests := func(v sim.Ruling) func(*sim.Message) sim.Ruling {
		return func(m *sim.Message) sim.Ruling {
			if m.Direction == sim.ToNode && m.Command == "PING" {
				return v
			}
			return sim.Ruling{}
		}
	}
	replies := func(m *sim.Message) sim.Ruling {
		if m.Direction == sim.ToProcess && m.Command == "PING" {
			return sim.Ruling{Action: sim.Lose}
		}
		return sim.Ruling{}
	}
	for _, test := range []struct {
		name   string
		decide func(*sim.Message) sim.Ruling
		want   string
		kind   sim.Kind // that the rule leaves in the trace
		runs   int      // executions
	}{
		{"pass", requests(sim.Ruling{}), "[ok ok ok ok ok]", "", 5},
		{"delay", requests(sim.Ruling{Action: sim.Hold, Delay: 20 * time.Millisecond}), "[ok late late ok ok]", sim.Delay, 5},
		{"drop", requests(sim.Ruling{Action: sim.Lose}), "[ok timeout timeout ok ok]", sim.Drop, 3},
		{"drop replies", replies, "[ok timeout timeout ok ok]", sim.Drop, 5},
	} {
		result, got := ruled(t, sim.Rule{Name: "rule", Fault: "f", Decide: test.decide})
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		runs, named := 0, 0
		for _, e := range result.Events {
			if e.Kind == sim.Execute && e.Command == "PING" {
				runs++
			}
			if e.Kind == test.kind && e.Fault == "f" {
				named++
			}
		}
		if runs != test.runs || test.kind != "" && named != 2 {
			t.Errorf("%s: %d executions, want %d; %d events %s of the fault", test.name, runs, test.runs, named, test.kind)
		}
	}
}

// TestPartitionLosesWhatIsUnderWay: a rule that also decides about arrivals loses a message
// that was sent before it; another rule does not.
func TestPartitionLosesWhatIsUnderWay(t *testing.T) {
	for _, arriving := range []bool{false, true} {
		result := played(t, steady("", "A"), func(w *sim.World) {
			p, c := client(w)
			w.Observe(func(e sim.Event) {
				if e.Kind == sim.Send && e.Command == "ECHO" {
					w.At(e.At+500*time.Microsecond, func() {
						w.AddRule(sim.Rule{
							Name: "cut", Fault: "f", Arriving: arriving, Decide: func(m *sim.Message) sim.Ruling {
								if m.Direction == sim.ToNode {
									return sim.Ruling{Action: sim.Lose}
								}
								return sim.Ruling{}
							},
						})
					})
				}
			})
			p.Go(func(ctx context.Context) { c.Echo(ctx, "hello") })
		})
		if lost := count(result, sim.Drop) > 0; lost != arriving {
			t.Errorf("decides about arrivals %v: lost %v", arriving, lost)
		}
	}
}

// TestConnectionOrder: under wild latencies the requests of one connection
// arrive, and are answered, in the order in which they were sent; after a loss
// nothing more arrives on it.
func TestConnectionOrder(t *testing.T) {
	for _, loss := range []int64{0, 20_000} {
		config := five(7, "A", "B")
		config.Network = sim.NetworkConfig{
			Latency: sim.Latency{Min: time.Microsecond, Max: 50 * time.Millisecond, Shape: "exponential"},
			LossPPM: loss,
		}
		result := played(t, config, func(w *sim.World) {
			for _, p := range w.Processes() {
				for _, c := range clients(w, p) {
					p.Go(func(ctx context.Context) {
						for range 20 {
							pipe := c.Pipeline()
							for range 5 {
								pipe.Incr(ctx, "k")
							}
							_, _ = pipe.Exec(ctx)
						}
					})
				}
			}
		})
		last, lost := map[string]int{}, map[string]bool{}
		arrivals, losses := 0, 0
		for _, e := range result.Events {
			way := string(e.Kind) + fmt.Sprint(e.Conn)
			switch e.Kind {
			case sim.Deliver, sim.Reply:
				arrivals++
				if e.Message <= last[way] {
					t.Fatalf("message %d came after %d", e.Message, last[way])
				}
				last[way] = e.Message
			case sim.Send:
				last["of"+fmt.Sprint(e.Message)] = e.Conn
			case sim.Drop:
				losses++
				if e.Message > 0 && strings.HasPrefix(e.Detail, string(sim.ToNode)) {
					lost[string(sim.Deliver)+fmt.Sprint(last["of"+fmt.Sprint(e.Message)])] = true
				}
			}
			if lost[way] && (e.Kind == sim.Deliver) && e.Message > 0 {
				// What was sent before the loss may still be under way; what was sent after it may not.
				if i := firstLoss(result, e.Conn, last); e.Message > i {
					t.Fatalf("message %d arrived on connection %d after %d was lost", e.Message, e.Conn, i)
				}
			}
		}
		if arrivals < 100 || (losses > 0) != (loss > 0) {
			t.Errorf("loss %d ppm: %d arrivals, %d losses", loss, arrivals, losses)
		}
	}
}

// firstLoss is the number of the first request that was lost on a connection.
func firstLoss(result *sim.Result, connection int, last map[string]int) int {
	for _, e := range result.Events {
		if e.Kind == sim.Drop && e.Message > 0 && strings.HasPrefix(e.Detail, string(sim.ToNode)) &&
			last["of"+fmt.Sprint(e.Message)] == connection {
			return e.Message
		}
	}
	return 0
}

// TestClosedConnection: an answer to a connection that its process closed is dropped.
func TestClosedConnection(t *testing.T) {
	result := played(t, steady("", "A"), func(w *sim.World) {
		p, _ := client(w)
		p.Go(func(ctx context.Context) {
			c, err := p.Dial(ctx, "tcp", w.Node("n1").Address)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = c.Write([]byte("*1\r\n$4\r\nPING\r\n"))
			c.Close()
		})
	})
	if e := first(t, result, sim.Drop); e.Detail != "to process: the connection is closed" {
		t.Error(e.Detail)
	}
}

// TestRefusals: a host whose server crashed refuses, a host without power is silent.
func TestRefusals(t *testing.T) {
	for end, want := range map[sim.End]sim.Kind{sim.ProcessCrash: sim.Refuse, sim.PowerLoss: sim.Drop} {
		result := played(t, steady("", "A"), func(w *sim.World) {
			p, c := client(w)
			w.At(time.Millisecond, func() { w.Node("n1").Crash(end, "f") })
			p.Go(func(ctx context.Context) {
				_ = p.Sleep(ctx, 10*time.Millisecond)
				c.Ping(ctx)
			})
		})
		if count(result, want) == 0 || count(result, sim.Connect) > 0 {
			t.Errorf("%s: %d events %s", end, count(result, want), want)
		}
	}
}

// TestWhatDecides: of all that may happen to a message the first of the
// network's rules that applies decides, whoever carries the message.
func TestWhatDecides(t *testing.T) {
	const latency, late, certain = time.Millisecond, 7 * time.Millisecond, 1_000_000
	for _, test := range []struct {
		name    string
		lossPPM int64
		action  sim.Action
		dial    bool
		stalled bool
		want    string
		arrives time.Duration // 0: never
	}{
		{name: "nothing", arrives: latency},
		{name: "the link", lossPPM: certain, want: "drop to process: lost"},
		{name: "a drop", action: sim.Lose, want: "drop to process: lost f"},
		{name: "a drop before the link", lossPPM: certain, action: sim.Lose, want: "drop to process: lost f"},
		{name: "a delay", action: sim.Hold, want: "delay to process f", arrives: latency + late},
		{name: "a delay before the link", lossPPM: certain, action: sim.Hold, want: "delay to process f", arrives: latency + late},
		{name: "a trickle", action: sim.Trickle, want: "delay byte by byte f", arrives: latency},
		{name: "the link before a trickle", lossPPM: certain, action: sim.Trickle, want: "drop to process: lost"},
		{name: "a stalled wire before all", lossPPM: certain, action: sim.Lose, stalled: true, want: "drop to process: an earlier message on this connection was lost"},
		{name: "a stalled wire is no matter for a reset", stalled: true, dial: true, arrives: latency},
	} {
		t.Run(test.name, func(t *testing.T) {
			var events []string
			config := sim.NetworkConfig{Latency: sim.Latency{Min: latency, Max: latency}, LossPPM: test.lossPPM}
			network := sim.NewNetwork(1, config, func(e sim.Event) {
				events = append(events, strings.TrimSpace(string(e.Kind)+" "+e.Detail+" "+e.Fault))
			})
			wire := network.Wire("A", "n1")
			if test.stalled {
				network.AddRule(sim.Rule{
					Name: "all", Decide: func(*sim.Message) sim.Ruling { return sim.Ruling{Action: sim.Lose} },
				})
				network.Send(&sim.Message{Direction: sim.ToProcess, Wire: wire}, 0)
				network.RemoveRule("all", "")
			}
			network.AddRule(sim.Rule{
				Fault:  "f",
				Decide: func(*sim.Message) sim.Ruling { return sim.Ruling{Action: test.action, Delay: late} },
			})
			events = nil
			const now = time.Second
			at, ok := network.Send(&sim.Message{
				Direction: sim.ToProcess, Dial: test.dial, Reply: []byte(":1\r\n"), Wire: wire,
			}, now)
			if got := strings.Join(events, "; "); got != test.want {
				t.Errorf("events %q, want %q", got, test.want)
			}
			if ok != (test.arrives > 0) || ok && at != now+test.arrives {
				t.Errorf("arrives %v at %v, want %v later than %v", ok, at, test.arrives, now)
			}
		})
	}
}

// TestLinks: the first link that matches a message's process, node and direction
// replaces the network's latency and loss, and each link draws for itself.
func TestLinks(t *testing.T) {
	fixed := func(d time.Duration) sim.Latency { return sim.Latency{Min: d, Max: d} }
	config := sim.NetworkConfig{Latency: fixed(1), Links: []sim.LinkConfig{
		{Process: "A", Node: "n1", Direction: sim.ToNode, Latency: fixed(2)},
		{Process: "A", Latency: fixed(3)},
		{Node: "n2", Latency: fixed(4), LossPPM: 1_000_000},
	}}
	network := sim.NewNetwork(1, config, func(sim.Event) {})
	for _, test := range []struct {
		process, node string
		direction     sim.Direction
		want          time.Duration // 0: lost
	}{
		{"A", "n1", sim.ToNode, 2}, {"A", "n1", sim.ToProcess, 3}, {"A", "n2", sim.ToNode, 3},
		{"B", "n1", sim.ToNode, 1}, {"B", "n2", sim.ToNode, 0}, {"B", "n2", sim.ToProcess, 0},
	} {
		at, ok := network.Send(&sim.Message{Direction: test.direction, Wire: network.Wire(test.process, test.node)}, 0)
		if ok != (test.want > 0) || at != test.want {
			t.Errorf("%s %s %s: %d %v, want %d", test.process, test.node, test.direction, at, ok, test.want)
		}
	}
	config = sim.NetworkConfig{Latency: sim.Latency{Min: 1, Max: time.Hour}}
	alone, mixed := sim.NewNetwork(7, config, nil), sim.NewNetwork(7, config, nil)
	draw := func(n *sim.Network, process string) time.Duration { // a wire of its own for each message
		at, _ := n.Send(&sim.Message{Direction: sim.ToNode, Wire: n.Wire(process, "n1")}, 0)
		return at
	}
	for i := range 10 {
		draw(mixed, "B")
		if a, b := draw(alone, "A"), draw(mixed, "A"); a != b {
			t.Errorf("message %d takes %v, and %v beside the messages of another process", i, a, b)
		}
	}
}

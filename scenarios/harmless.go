package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/faults"
	"redlocklab/sim"
)

// HarmlessFaults draws a schedule of faults from the seed, by identity, that
// breaks no assumption whatever it meets: partitions, losses and delays that
// end, pauses, the crash of one client, and crashes and power losses of a
// minority of nodes, each once. The scenario's nodes must sync every write
// (aof-always), and its clients must not touch a protected resource, or a pause
// would break A-WORK; otherwise it panics. A lock must hold under all of this (MX-1).
func HarmlessFaults(seed uint64, s *Scenario) faults.Schedule {
	if s.Nodes.Persistence != PersistenceAlways {
		panic("scenarios: harmless faults need nodes that sync every write")
	}
	for _, c := range s.Clients {
		walk(c.Steps, func(step Step) {
			if step.access() {
				panic("scenarios: harmless faults need clients that touch no resource")
			}
		})
	}
	d := &harmless{seed: seed, scenario: s, crashable: (s.Nodes.Count - 1) / 2}
	d.nodes = d.shuffled(s.Nodes.Names())
	for _, c := range s.Clients {
		d.clients = append(d.clients, c.Name)
	}
	var schedule faults.Schedule
	for range 2 + d.draw(7) {
		if f, ok := d.fault(len(schedule) + 1); ok {
			schedule = append(schedule, f)
		}
	}
	return schedule
}

// harmless is what is drawn from, and for.
type harmless struct {
	seed, draws    uint64
	scenario       *Scenario
	nodes, clients []string
	crashable      int // nodes, from the front of nodes, that have not crashed yet
	clientCrashed  bool
}

func (d *harmless) word() uint64 {
	d.draws++
	return sim.Random(d.seed, "harmless", d.draws)
}

// draw returns 0 … n-1.
func (d *harmless) draw(n int) int { return int(d.word() % uint64(n)) }

func (d *harmless) between(low, high time.Duration) time.Duration {
	return sim.Between(d.word(), low, high).Truncate(time.Microsecond)
}

func (d *harmless) shuffled(names []string) []string {
	names = slices.Clone(names)
	for i := len(names) - 1; i > 0; i-- {
		j := d.draw(i + 1)
		names[i], names[j] = names[j], names[i]
	}
	return names
}

// some returns one or more names.
func (d *harmless) some(names []string) []string {
	return d.shuffled(names)[:1+d.draw(len(names))]
}

func (d *harmless) client() string { return d.clients[d.draw(len(d.clients))] }

func (d *harmless) direction() faults.Direction {
	return []faults.Direction{faults.Both, faults.Requests, faults.Replies}[d.draw(3)]
}

// fault draws one; false when what was drawn has happened often enough.
func (d *harmless) fault(number int) (faults.Fault, bool) {
	ttl := d.scenario.Lock.TTL
	f := faults.Fault{Begin: d.begin()}
	lasts := d.between(time.Millisecond, 2*ttl)
	switch d.draw(8) {
	case 0, 1:
		f.Effect = &faults.Partition{Clients: d.some(d.clients), Nodes: d.some(d.nodes), Direction: d.direction()}
	case 2:
		f.Effect = &faults.Lose{
			ProbabilityPPM: int64(1+d.draw(50)) * 10_000, Clients: d.some(d.clients), Nodes: d.some(d.nodes), Direction: d.direction(),
		}
	case 3, 4:
		longest := d.between(2*time.Millisecond, 2*ttl)
		f.Effect = &faults.Delay{
			By: Span{Low: time.Millisecond, High: longest}, ProbabilityPPM: int64(1+d.draw(100)) * 10_000,
			Clients: d.some(d.clients), Nodes: d.some(d.nodes), Direction: d.direction(),
		}
	case 5:
		f.Effect = &faults.Pause{Clients: []string{d.client()}}
	case 6:
		if d.clientCrashed {
			return f, false
		}
		d.clientCrashed, lasts = true, 0
		f.Effect = &faults.ClientCrash{Clients: []string{d.client()}}
	case 7:
		if d.crashable == 0 {
			return f, false
		}
		n := 1 + d.draw(d.crashable)
		nodes := d.nodes[d.crashable-n : d.crashable]
		d.crashable -= n
		f.Effect = crash(nodes, []faults.End{faults.ProcessCrash, faults.PowerLoss}[d.draw(2)])
	}
	if lasts > 0 {
		f.End = faults.Ending{Ends: true, For: lasts}
	}
	f.Name = "fault " + strconv.Itoa(number)
	return f, true
}

// begin draws when: at some time, or some time after what some client does.
func (d *harmless) begin() faults.Trigger {
	if d.draw(2) == 0 {
		return faults.Trigger{At: d.between(0, 10*d.scenario.Lock.TTL)}
	}
	word := []string{"called acquire", "acquired", "called release", "failed acquire"}[d.draw(4)]
	pattern, err := faults.ParsePattern(d.client() + " " + word)
	if err != nil {
		panic(fmt.Sprintf("scenarios: %v", err)) // the words are the grammar's
	}
	return faults.Trigger{When: pattern, Nth: 1 + d.draw(4), After: d.between(0, 20*time.Millisecond)}
}

// crash is a crash whose other settings have their defaults.
func crash(nodes []string, how faults.End) faults.Effect {
	f, err := faults.ParseLine(fmt.Sprintf("{name: crash, crash: %s, end: %s, at: 0s}", strings.Join(nodes, " "), how))
	if err != nil {
		panic(fmt.Sprintf("scenarios: %v", err)) // the words are the vocabulary's
	}
	return f.Effect
}

package sim

import (
	"math"
	"slices"
	"time"

	"redlocklab/sim/random"
)

// Action is the effect of a rule on a message.
type Action string

// The actions of a rule.
const (
	Pass Action = ""      // the rule does not apply: the next rule is asked
	Hold Action = "delay" // the message arrives later by Delay
	Lose Action = "drop"  // the message and all that follow it on its connection never arrive
	// Trickle makes a reply arrive byte by byte, Delay apart. It does not apply to
	// other messages: the next rule is asked.
	Trickle Action = "trickle"
)

// Ruling is the decision of a rule about one message.
type Ruling struct {
	Action Action
	Delay  time.Duration // for Hold and Trickle
}

// Rule decides about every message when it is sent. If Arriving is set, it decides
// again when the message arrives, and may drop it: a partition also loses what is
// under way when it begins. The first rule that does not pass a message decides.
type Rule struct {
	Name     string // in plain words, for the trace
	Fault    string // the scheduled fault that it belongs to
	Arriving bool
	Decide   func(*Message) Ruling
}

// Network decides whether and when each message of a run arrives. A [World] has
// one, and so has a cluster of real servers: both follow the same rules. When a
// message is sent, the first of these that applies decides:
//
//  1. An earlier message of the same connection and direction was lost: this one is lost, too.
//  2. A rule loses or delays it.
//  3. The link loses it by chance.
//  4. A rule lets it trickle.
//  5. It arrives after the latency of the link.
//
// Latency and loss depend only on the seed, the process, the node, the direction
// and the number of the message on that link. A Network is not safe for
// concurrent use.
type Network struct {
	seed   uint64
	config NetworkConfig
	emit   func(Event)
	rules  []Rule
	links  map[linkKey]*link
}

// NewNetwork returns a network without rules. It draws from the seed, and calls
// emit with an event for each message that it delays or drops and for each rule
// that comes or goes.
func NewNetwork(seed uint64, config NetworkConfig, emit func(Event)) *Network {
	return &Network{seed: seed, config: config, emit: emit, links: map[linkKey]*link{}}
}

// AddRule appends a rule.
func (n *Network) AddRule(r Rule) {
	n.rules = append(n.rules, r)
	n.emit(Event{Kind: Cut, Detail: r.Name, Fault: r.Fault})
}

// RemoveRule removes the fault's rules of that name. Rules of the same name that
// another fault added stay.
func (n *Network) RemoveRule(name, fault string) {
	before := len(n.rules)
	n.rules = slices.DeleteFunc(n.rules, func(r Rule) bool { return r.Name == name && r.Fault == fault })
	if len(n.rules) < before {
		n.emit(Event{Kind: Heal, Detail: name, Fault: fault})
	}
}

// Wire returns the wire of a new connection between a process and a node.
func (n *Network) Wire(process, node string) *Wire {
	return &Wire{
		toNode:    wireWay{link: n.link(linkKey{process, node, ToNode})},
		toProcess: wireWay{link: n.link(linkKey{process, node, ToProcess})},
	}
}

func (n *Network) link(key linkKey) *link {
	if n.links[key] == nil {
		n.links[key] = newLink(n.seed, &n.config, key)
	}
	return n.links[key]
}

// Send returns the true time at which a message that is sent now arrives. ok is
// false when it is lost.
func (n *Network) Send(m *Message, now time.Duration) (arrival time.Duration, ok bool) {
	way := m.Wire.way(m.Direction)
	m.Index = way.link.index
	latency, lost := way.link.next()
	ruling, fault := n.decide(m, false)
	switch {
	case way.lost && !m.Dial: // a reset overtakes the lost message
		n.drop(m, "an earlier message on this connection was lost", "")
		return 0, false
	case ruling.Action == Lose:
		n.lose(m, fault)
		return 0, false
	case ruling.Action == Hold:
		latency += ruling.Delay
		n.delay(m, ruling.Delay, string(m.Direction), fault)
	case lost:
		n.lose(m, "")
		return 0, false
	case ruling.Action == Trickle:
		m.pace = max(ruling.Delay, 1)
		n.delay(m, m.trickling(), "byte by byte", fault)
	}
	arrival = max(now+latency, way.last+1)
	way.last = arrival + m.trickling()
	return arrival, true
}

// Arrive reports whether a message that is due arrives. Rules with Arriving set may
// still drop it.
func (n *Network) Arrive(m *Message) bool {
	ruling, fault := n.decide(m, true)
	if ruling.Action == Lose {
		n.lose(m, fault)
	}
	return ruling.Action != Lose
}

// Drop records that a message arrived where nobody accepts it.
func (n *Network) Drop(m *Message, why string) { n.drop(m, why, "") }

func (n *Network) decide(m *Message, arriving bool) (v Ruling, fault string) {
	for i := range n.rules {
		if arriving && !n.rules[i].Arriving {
			continue
		}
		if v := n.rules[i].Decide(m); v.Action != Pass && (v.Action != Trickle || len(m.Reply) > 1) {
			return v, n.rules[i].Fault
		}
	}
	return Ruling{}, ""
}

// Lost ends the Detail of the drop of a message that the network lost.
const Lost = "lost"

// lose drops a message and stalls its connection in that direction: TCP never
// skips a message. A loss that TCP repairs in time is a delay, not a loss.
func (n *Network) lose(m *Message, fault string) {
	m.Wire.way(m.Direction).lost = true
	n.drop(m, Lost, fault)
}

func (n *Network) drop(m *Message, why, fault string) {
	e := m.Event(Drop)
	if m.Dial {
		e.Command = "(connect)"
	}
	e.Detail, e.Fault = string(m.Direction)+": "+why, fault
	n.emit(e)
}

func (n *Network) delay(m *Message, d time.Duration, how, fault string) {
	e := m.Event(Delay)
	e.Duration, e.Detail, e.Fault = d, how, fault
	n.emit(e)
}

// link draws the latencies and losses of one direction between a process and a node.
type link struct {
	latency Latency
	lossPPM int64
	base    uint64 // of the stream that the link's random values come from
	index   uint64 // of the next message
}

type linkKey struct {
	process, node string
	direction     Direction
}

func newLink(seed uint64, network *NetworkConfig, key linkKey) *link {
	stream := "link/" + key.process + "/" + key.node + "/" + string(key.direction)
	c := network.Link(key.process, key.node, key.direction)
	return &link{latency: c.Latency, lossPPM: c.LossPPM, base: random.Stream(seed, stream)}
}

// next draws the latency of the link's next message, and whether it is lost.
func (l *link) next() (latency time.Duration, lost bool) {
	drawn := random.Draw(l.base, l.index)
	l.index++
	lost = l.lossPPM > 0 && random.Chance(random.Mix(drawn), l.lossPPM)
	if l.latency.Shape == "exponential" {
		u := float64(drawn>>11+1) / (1 << 53)
		mean := float64(l.latency.Max-l.latency.Min) / 4
		return min(l.latency.Min+time.Duration(-math.Log(u)*mean), l.latency.Max), lost
	}
	return random.Between(drawn, l.latency.Min, l.latency.Max), lost
}

package sim

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Direction is the way of a message.
type Direction string

// The two directions of a link.
const (
	ToNode    Direction = "to node"
	ToProcess Direction = "to process"
)

// Message is one RESP message on its way, or the first packet of a connection.
type Message struct {
	Process   string
	Node      string
	Direction Direction
	Dial      bool          // the first packet of a connection, or the answer to it
	Number    int           // of the request in its run; a reply carries its request's. 0 for Dial.
	Command   string        // of the request
	Key       string        // first key of the request
	Sent      time.Duration // true time

	conn    *conn
	args    []string
	payload []byte
	answer  string // what the trace calls the payload
	action  action
	landed  func()        // for Dial
	pace    time.Duration // of a reply that trickles: between two bytes
}

// Action is what a rule does with a message.
type Action string

// The answers of a rule.
const (
	Pass Action = ""      // nothing: the next rule is asked
	Hold Action = "delay" // the message arrives later by Delay
	Lose Action = "drop"  // the message never arrives, nor does what follows it on its connection: TCP would not skip it
	// Trickle lets a reply arrive byte by byte, Delay apart. To other messages it
	// does nothing: the next rule is asked.
	Trickle Action = "trickle"
)

// Verdict is a rule's answer about one message.
type Verdict struct {
	Action Action
	Delay  time.Duration // for Hold and Trickle
}

// Rule judges every message when it is sent, and once more when it arrives if
// Arriving is set: a partition loses what is under way when it begins. The
// first answer that is not Pass wins.
type Rule struct {
	Name     string // in plain words, for the trace
	Fault    string // the scheduled fault that it belongs to
	Arriving bool
	Judge    func(*Message) Verdict
}

// AddRule puts a rule behind those that are there. Controller context only.
func (w *World) AddRule(r Rule) {
	w.rules = append(w.rules, r)
	w.emit(Event{Kind: Cut, Detail: r.Name, Fault: r.Fault})
}

// RemoveRule takes the fault's rules of that name away; those that another
// fault added under the same name stay. Controller context only.
func (w *World) RemoveRule(name, fault string) {
	before := len(w.rules)
	w.rules = slices.DeleteFunc(w.rules, func(r Rule) bool { return r.Name == name && r.Fault == fault })
	if len(w.rules) < before {
		w.emit(Event{Kind: Heal, Detail: name, Fault: fault})
	}
}

// ResetConnections cuts all connections between a process and a node, one right
// after the other, so that those who had them do not race for new ones; both ends
// learn of it. Controller context only.
func (w *World) ResetConnections(p *Process, n *Node, fault string) {
	for _, c := range p.conns {
		if c.node == n && !c.gone {
			w.At(w.now, func() {
				if !c.gone {
					c.reset(fault)
				}
			})
		}
	}
}

func (w *World) judge(m *Message, arriving bool) (Verdict, string) {
	for i := range w.rules {
		if arriving && !w.rules[i].Arriving {
			continue
		}
		if v := w.rules[i].Judge(m); v.Action != Pass && (v.Action != Trickle || len(m.payload) > 1) {
			return v, w.rules[i].Fault
		}
	}
	return Verdict{}, ""
}

type linkKey struct {
	process, node int
	direction     Direction
}

// link draws the latencies and losses of one direction between a process and a node.
type link struct {
	latency Latency
	lossPPM int64
	stream  uint64
	index   uint64
}

func (w *World) link(p *Process, n *Node, d Direction) *link {
	key := linkKey{p.index, n.index, d}
	if l := w.links[key]; l != nil {
		return l
	}
	l := newLink(&w.config.Network, p.Name, n.Name, d)
	w.links[key] = l
	return l
}

func newLink(network *NetworkConfig, process, node string, d Direction) *link {
	l := &link{
		latency: network.Latency, lossPPM: network.LossPPM,
		stream: hashString("link/" + process + "/" + node + "/" + string(d)),
	}
	for _, c := range network.Links {
		if (c.Process == "" || c.Process == process) && (c.Node == "" || c.Node == node) && (c.Direction == "" || c.Direction == d) {
			l.latency, l.lossPPM = c.Latency, c.LossPPM
			break
		}
	}
	return l
}

// next draws the fate of the link's next message.
func (l *link) next(seed uint64) (latency time.Duration, lost bool) {
	random := mix(mix(seed^l.stream) ^ l.index*0x9e3779b97f4a7c15)
	l.index++
	lost = l.lossPPM > 0 && Chance(mix(random), l.lossPPM)
	switch l.latency.Shape {
	case "exponential":
		u := float64(random>>11+1) / (1 << 53)
		mean := float64(l.latency.Max-l.latency.Min) / 4
		return min(l.latency.Min+time.Duration(-math.Log(u)*mean), l.latency.Max), lost
	default:
		return Between(random, l.latency.Min, l.latency.Max), lost
	}
}

// send takes in one request of a process.
func (w *World) send(c *conn, args []string) {
	w.messages++
	m := &Message{
		Process: c.process.Name, Node: c.node.Name, Direction: ToNode, Number: w.messages,
		Sent: w.now, conn: c, args: args,
	}
	script := w.scriptOf(args)
	m.Command, m.Key = commandName(args, script), firstKey(args)
	if !w.options.Bare {
		w.emit(Event{
			Kind: Send, Process: m.Process, Node: m.Node, Conn: c.number, Message: m.Number,
			Command: m.Command, Key: m.Key, Detail: w.render(args, script),
		})
	}
	w.launch(m, c.process, c.node)
}

// launch decides when and whether a message arrives.
func (w *World) launch(m *Message, p *Process, n *Node) {
	latency, lost := w.link(p, n, m.Direction).next(w.config.Seed)
	verdict, fault := w.judge(m, false)
	c := m.conn
	switch {
	case c != nil && !m.Dial && c.stalled(m.Direction): // a reset waits for nothing
		w.drop(m, "an earlier message on this connection was lost", "")
		return
	case verdict.Action == Lose:
		w.lose(m, "lost", fault)
		return
	case verdict.Action == Hold:
		latency += verdict.Delay
		w.emit(Event{Kind: Delay, Process: m.Process, Node: m.Node, Message: m.Number, Command: m.Command, Key: m.Key, Duration: verdict.Delay, Detail: string(m.Direction), Fault: fault})
	case lost:
		w.lose(m, "lost", "")
		return
	case verdict.Action == Trickle:
		m.pace = max(verdict.Delay, 1)
		w.emit(Event{Kind: Delay, Process: m.Process, Node: m.Node, Message: m.Number, Command: m.Command, Key: m.Key, Duration: m.trickling(), Detail: "byte by byte", Fault: fault})
	}
	at := w.now + latency
	if c != nil {
		// A connection keeps its order.
		at = max(at, c.last(m.Direction)+1)
		c.setLast(m.Direction, at+m.trickling())
	}
	m.action = action{at: at, rank: rankOf(rankMessage, n.index, m.Number), msg: m}
	w.mu.Lock()
	w.schedule(&m.action)
	w.mu.Unlock()
}

// lose drops a message and, as TCP would, everything after it on its connection.
func (w *World) lose(m *Message, why, fault string) {
	if m.conn != nil {
		m.conn.stall(m.Direction)
	}
	w.drop(m, why, fault)
}

func (w *World) drop(m *Message, why, fault string) {
	command := m.Command
	if m.Dial {
		command = "(connect)"
	}
	w.emit(Event{Kind: Drop, Process: m.Process, Node: m.Node, Message: m.Number, Command: command, Key: m.Key, Detail: string(m.Direction) + ": " + why, Fault: fault})
}

// arrive lets a message reach its end.
func (m *Message) arrive() {
	w := m.world()
	if len(w.rules) > 0 {
		if verdict, fault := w.judge(m, true); verdict.Action == Lose {
			w.lose(m, "lost", fault)
			return
		}
	}
	switch {
	case m.Dial:
		m.landed()
	case m.Direction == ToNode:
		m.conn.node.server.receive(m)
	case m.pace > 0 && len(m.payload) > 1:
		m.trickle()
	default:
		m.conn.receive(m)
	}
}

// trickling is the time from a reply's first byte to its last.
func (m *Message) trickling() time.Duration {
	if m.pace == 0 {
		return 0
	}
	return time.Duration(len(m.payload)-1) * m.pace
}

// trickle hands over the first byte of a reply; the others follow, each judged
// as a message of its own. The reply has arrived with its last.
func (m *Message) trickle() {
	c, w := m.conn, m.world()
	first := m.payload[0]
	m.payload = m.payload[1:]
	c.process.arrive(func() {
		c.mu.Lock()
		c.in = append(c.in, first)
		c.signal()
		c.mu.Unlock()
	})
	m.action.at = w.now + m.pace
	w.mu.Lock()
	w.schedule(&m.action)
	w.mu.Unlock()
}

func (m *Message) world() *World { return m.conn.world }

// commandName is what the trace calls a request: the script's name where one is
// registered, the command otherwise.
func commandName(args []string, s *Script) string {
	if s != nil {
		return s.Name
	}
	if len(args) == 0 {
		return ""
	}
	return upper(args[0])
}

func upper(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'a' && c <= 'z' {
			return strings.ToUpper(s)
		}
	}
	return s
}

// firstKey returns the first key that a request names, empty when it names none.
func firstKey(args []string) string {
	if len(args) < 2 {
		return ""
	}
	switch upper(args[0]) {
	case "EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO":
		if len(args) > 3 && args[2] != "0" {
			return args[3]
		}
		return ""
	case "PING", "INFO", "HELLO", "CLIENT", "SCRIPT", "TIME", "SELECT", "AUTH", "COMMAND", "CONFIG", "CLUSTER", "FLUSHALL", "FLUSHDB", "UNWATCH", "MULTI", "EXEC", "DISCARD":
		return ""
	}
	return args[1]
}

// render writes a request on one line, with opaque values by their names.
func (w *World) render(args []string, s *Script) string {
	var b strings.Builder
	size := 0
	for _, a := range args {
		size += 1 + min(len(a), longest)
	}
	b.Grow(size)
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case s != nil && i == 1:
			b.WriteString(s.Name)
		case i == 1 && s == nil && len(args) > 2 && isEval(args[0]):
			b.WriteString("(script)")
		case i == 0 || len(a) < opaqueLength:
			b.WriteString(a)
		case a == firstKey(args):
			b.WriteString(a)
		default:
			b.WriteString(w.recorder.name(a))
		}
	}
	return b.String()
}

func isEval(command string) bool { return strings.HasPrefix(upper(command), "EVAL") }

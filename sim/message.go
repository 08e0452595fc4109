package sim

import "time"

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
	Reply     []byte        // in RESP; empty in the direction ToNode
	Wire      *Wire         // of its connection

	pace time.Duration // between two bytes of a reply that trickles; 0 when it does not

	// Only a World uses these.
	conn   *conn
	args   []string
	answer string // what the trace calls the reply
	action action
	landed func(*Message) // for Dial
}

// Event returns an event about the message.
func (m *Message) Event(kind Kind) Event {
	return Event{Kind: kind, Process: m.Process, Node: m.Node, Message: m.Number, Command: m.Command, Key: m.Key}
}

// NextByte takes the first byte off a reply that trickles, and returns how long
// the next one takes. ok is false when all that is left arrives at once.
func (m *Message) NextByte() (first byte, pause time.Duration, ok bool) {
	if m.pace == 0 || len(m.Reply) < 2 {
		return 0, 0, false
	}
	first, m.Reply = m.Reply[0], m.Reply[1:]
	return first, m.pace, true
}

// trickling is the time from a reply's first byte to its last.
func (m *Message) trickling() time.Duration {
	if m.pace == 0 {
		return 0
	}
	return time.Duration(len(m.Reply)-1) * m.pace
}

// Wire is the two directions of one connection, as the network knows them.
type Wire struct {
	toNode, toProcess wireWay
}

// wireWay is one direction of a wire. TCP keeps the order of what it carries: no
// message overtakes another, and none arrives after one that was lost.
type wireWay struct {
	link *link
	lost bool          // a message was lost
	last time.Duration // when the last message arrives
}

func (w *Wire) way(d Direction) *wireWay {
	if d == ToNode {
		return &w.toNode
	}
	return &w.toProcess
}

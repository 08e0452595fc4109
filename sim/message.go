package sim

import "time"

// Direction is the direction in which a message travels.
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
	Dial      bool          // the first packet of a connection, the answer to it, or a reset
	Number    int           // of the request in its run, also in its reply; 0 when Dial is set
	Index     uint64        // of the message on its link: process, node and direction; from 0, set when it is sent
	Command   string        // of the request
	Key       string        // first key of the request
	Sent      time.Duration // at this true time
	Reply     []byte        // in RESP; empty in requests
	Wire      *Wire         // the connection on which it travels

	pace time.Duration // between two bytes of a reply that trickles; 0 when it does not

	// Used only by a World.
	conn   *conn
	args   []string
	answer string // the reply as the trace shows it
	action action
	landed func(*Message) // called when a message with Dial arrives
}

// Event returns an event of a kind about the message.
func (m *Message) Event(kind Kind) Event {
	return Event{Kind: kind, Process: m.Process, Node: m.Node, Message: m.Number, Command: m.Command, Key: m.Key}
}

// NextByte removes the first byte of a reply that trickles. pause is the time until
// the rest arrives. ok is false when all that is left arrives at once.
func (m *Message) NextByte() (first byte, pause time.Duration, ok bool) {
	if m.pace == 0 || len(m.Reply) < 2 {
		return 0, 0, false
	}
	first, m.Reply = m.Reply[0], m.Reply[1:]
	return first, m.pace, true
}

// trickling returns the time from the first byte of a reply to its last.
func (m *Message) trickling() time.Duration { return time.Duration(len(m.Reply)-1) * m.pace }

// Wire is the state of a connection in the network, for both directions.
type Wire struct {
	toNode, toProcess wireWay
}

// wireWay is one direction of a wire. TCP delivers in order: no message overtakes
// another, and none arrives after one that was lost.
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

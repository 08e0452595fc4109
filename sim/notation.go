package sim

import "time"

// Notation writes the trace of a run that is played elsewhere than in a World,
// by real servers, with the words that a World uses. It is not safe for
// concurrent use.
type Notation struct {
	world World
	links map[string]*link
}

// NewNotation knows these scripts by name and draws what this seed draws.
func NewNotation(seed uint64, network NetworkConfig, scripts []Script) *Notation {
	n := &Notation{links: map[string]*link{}}
	n.world = World{config: Config{Seed: seed, Network: network}, recorder: newRecorder(false, true), scripts: map[string]*Script{}}
	for _, s := range scripts {
		n.world.AddScript(s)
	}
	return n
}

// Add numbers an event, keeps it, and returns it as it is kept.
func (n *Notation) Add(e Event) Event {
	n.world.recorder.add(&e)
	return e
}

// Events is the trace so far.
func (n *Notation) Events() []Event { return n.world.recorder.events }

// Name is what the trace calls a value: itself, or token#k when it is opaque.
func (n *Notation) Name(value string) string { return n.world.recorder.name(value) }

// Request renders one request: its command or script, its keys, all of it.
func (n *Notation) Request(args []string) (command string, keys []string, text string) {
	script := n.world.scriptOf(args)
	if key := firstKey(args); key != "" {
		keys = append([]string{key}, namedKeys(args)...)
	}
	return commandName(args, script), keys, n.world.render(args, script)
}

// Answer renders one RESP answer.
func (n *Notation) Answer(b []byte) string { return describeReply(b, n.Name) }

// Fate draws the latency of the next message of a link, and whether it is lost.
func (n *Notation) Fate(process, node string, d Direction) (latency time.Duration, lost bool) {
	key := process + "/" + node + "/" + string(d)
	l := n.links[key]
	if l == nil {
		l = newLink(&n.world.config.Network, process, node, d)
		n.links[key] = l
	}
	return l.next(n.world.config.Seed)
}

// CutCommand takes the first complete command off b. It returns how many bytes
// it took; 0 when the command is not complete yet.
func CutCommand(b []byte) (args []string, size int, err error) { return cutCommand(b) }

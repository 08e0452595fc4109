package sim

// Notation writes the trace of a run that is played elsewhere than in a World,
// by real servers, with the words that a World uses. It is not safe for
// concurrent use.
type Notation struct {
	recorder *recorder
	scripts  scripts
}

// NewNotation returns an empty trace. Requests that run one of these scripts
// appear under its name.
func NewNotation(known []Script) *Notation {
	n := &Notation{recorder: newRecorder(false, true), scripts: scripts{}}
	for _, s := range known {
		n.scripts.add(s)
	}
	return n
}

// Add numbers an event, keeps it, and returns it as it is kept.
func (n *Notation) Add(e Event) Event {
	n.recorder.add(&e)
	return e
}

// Events is the trace so far.
func (n *Notation) Events() []Event { return n.recorder.events }

// Name is what the trace calls a value: itself, or token#k when it is opaque.
func (n *Notation) Name(value string) string { return n.recorder.name(value) }

// Request renders one request: its command or script, its keys, all of it.
func (n *Notation) Request(args []string) (command string, keys []string, text string) {
	script := n.scripts.of(args)
	if key := firstKey(args); key != "" {
		keys = append([]string{key}, namedKeys(args)...)
	}
	return commandName(args, script), keys, n.recorder.render(args, script)
}

// Reply renders one reply in RESP.
func (n *Notation) Reply(b []byte) string { return describeReply(b, n.Name) }

// CutCommand takes the first complete command off b. It returns how many bytes
// it took; 0 when the command is not complete yet.
func CutCommand(b []byte) (args []string, size int, err error) { return cutCommand(b) }

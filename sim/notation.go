package sim

// Notation writes the trace of a run that is played by real servers in the same
// form as a [World] does. It is not safe for concurrent use.
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

// Add numbers an event, appends it to the trace, and returns it with its number.
func (n *Notation) Add(e Event) Event {
	n.recorder.add(&e)
	return e
}

// Events returns the trace so far.
func (n *Notation) Events() []Event { return n.recorder.events }

// Name returns a value as the trace shows it: itself, or token#k when it is opaque.
func (n *Notation) Name(value string) string { return n.recorder.name(value) }

// Request returns the command or script name of a request, its keys, and all of it
// on one line.
func (n *Notation) Request(args []string) (command string, keys []string, text string) {
	script := n.scripts.of(args)
	if key := firstKey(args); key != "" {
		keys = append([]string{key}, namedKeys(args)...)
	}
	return commandName(args, script), keys, n.recorder.render(args, script)
}

// Reply returns a RESP reply on one line.
func (n *Notation) Reply(b []byte) string { return describeReply(b, n.Name) }

// CutCommand parses the first command in b. size is its length in bytes, or 0 when
// the command is not complete yet. The error says that b is no RESP command.
func CutCommand(b []byte) (args []string, size int, err error) { return cutCommand(b) }

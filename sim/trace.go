package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strconv"
	"strings"
	"sync"

	"redlocklab/sim/resp"
)

// TraceVersion is the version of the trace's format: the fields of [Event], their
// units, and their order in JSON. Hashes of different versions cannot be compared.
const TraceVersion = 1

// Notation writes a trace: one totally ordered list of events and their running hash. A
// [World] has one, and so has a run that is played by real servers. It is not safe for
// concurrent use.
type Notation struct {
	keep   bool // keep the events, not only their hash
	events []Event
	loan   *[]Event // the buffer that events use
	count  int
	bytes  int64 // of the trace as NDJSON, but for those in buffer
	hash   hash.Hash
	buffer []byte
	names  map[string]string // opaque value → token#k

	scripts scripts // requests that run one of these appear under its name
}

// NewNotation returns an empty trace. Requests that run one of these scripts
// appear under its name.
func NewNotation(known []Script) *Notation {
	n := newNotation(true)
	for _, s := range known {
		n.scripts.add(s)
	}
	return n
}

func newNotation(keep bool) *Notation {
	n := &Notation{keep: keep, hash: sha256.New(), names: map[string]string{}, scripts: scripts{}}
	if keep {
		n.loan = buffers.Get().(*[]Event)
		n.events = (*n.loan)[:0]
	}
	return n
}

// buffers lets a run reuse the memory of an earlier one.
var buffers = sync.Pool{New: func() any { return new([]Event) }}

// kept returns the events of the run and releases the buffer.
func (n *Notation) kept() []Event {
	if n.loan == nil {
		return nil
	}
	events := slices.Clone(n.events)
	clear(n.events)
	*n.loan = n.events
	buffers.Put(n.loan)
	n.loan, n.events = nil, events
	return events
}

// flushAt is the number of bytes of NDJSON that are hashed at once.
const flushAt = 8 << 10

// Events returns the trace so far.
func (n *Notation) Events() []Event { return n.events }

// Request returns the command or script name of a request, its keys, and all of it
// on one line.
func (n *Notation) Request(args []string) (command string, keys []string, text string) {
	script := n.scripts.of(args)
	if key := resp.FirstKey(args); key != "" {
		keys = append([]string{key}, resp.FurtherKeys(args)...)
	}
	return commandName(args, script), keys, n.render(args, script)
}

// Reply returns a RESP reply on one line.
func (n *Notation) Reply(b []byte) string { return resp.Describe(b, n.Name) }

// Add numbers an event, appends it to the trace, and returns it with its number.
func (n *Notation) Add(e Event) Event {
	n.count++
	e.Seq = n.count
	n.buffer = append(e.AppendJSON(n.buffer), '\n')
	if len(n.buffer) >= flushAt {
		n.hash.Write(n.buffer)
		n.bytes += int64(len(n.buffer))
		n.buffer = n.buffer[:0]
	}
	if n.keep {
		n.events = append(n.events, e)
	}
	return e
}

// sum ends the trace and returns its hash: the SHA-256 of the NDJSON, in hex.
func (n *Notation) sum() string {
	n.hash.Write(n.buffer)
	n.buffer = nil
	return hex.EncodeToString(n.hash.Sum(nil))
}

// opaqueLength is the least length, in bytes, of values that count as opaque, as
// random tokens. A lock may draw its tokens from crypto/rand: the trace numbers
// them by first appearance, so that it is the same in every run.
const opaqueLength = 16

// textLength is the greatest length of a token. Longer values are texts, such as the
// answer to INFO; the trace shows only their length.
const textLength = 100

// Name returns a value as the trace shows it: itself, or token#k when it is opaque.
func (n *Notation) Name(value string) string {
	switch {
	case len(value) < opaqueLength:
		return value
	case len(value) > textLength:
		return "(" + strconv.Itoa(len(value)) + " bytes)"
	}
	if known, ok := n.names[value]; ok {
		return known
	}
	alias := "token#" + strconv.Itoa(len(n.names)+1)
	n.names[value] = alias
	return alias
}

// render writes a request on one line. Opaque values appear as token#k.
func (n *Notation) render(args []string, s *Script) string {
	var b strings.Builder
	size := 0
	for _, a := range args {
		size += 1 + min(len(a), resp.Longest)
	}
	b.Grow(size)
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case s != nil && i == 1:
			b.WriteString(s.Name)
		case i == 1 && s == nil && len(args) > 2 && resp.IsEval(args[0]):
			b.WriteString("(script)")
		case i == 0 || len(a) < opaqueLength || a == resp.FirstKey(args):
			b.WriteString(a)
		default:
			b.WriteString(n.Name(a))
		}
	}
	return b.String()
}

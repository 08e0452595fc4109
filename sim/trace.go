package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strconv"
	"sync"
)

// TraceVersion is the version of the trace's format: the fields of [Event], their
// units, and their order in JSON. Hashes of different versions cannot be compared.
const TraceVersion = 1

// recorder writes the trace: one totally ordered list of events and their
// running hash.
type recorder struct {
	off    bool // record nothing, for benchmarks of the controller alone
	keep   bool // keep the events, not only their hash
	events []Event
	loan   *[]Event // the buffer that events use
	count  int
	hash   hash.Hash
	buffer []byte
	names  map[string]string // opaque value → token#k
}

func newRecorder(off, keep bool) *recorder {
	r := &recorder{off: off, keep: keep, hash: sha256.New(), names: map[string]string{}}
	if keep && !off {
		r.loan = buffers.Get().(*[]Event)
		r.events = (*r.loan)[:0]
	}
	return r
}

// buffers lets a run reuse the memory of an earlier one.
var buffers = sync.Pool{New: func() any { return new([]Event) }}

// kept returns the events of the run and releases the buffer.
func (r *recorder) kept() []Event {
	if r.loan == nil {
		return nil
	}
	events := slices.Clone(r.events)
	clear(r.events)
	*r.loan = r.events
	buffers.Put(r.loan)
	r.loan, r.events = nil, events
	return events
}

// flushAt is the number of bytes of NDJSON that are hashed at once.
const flushAt = 8 << 10

func (r *recorder) add(e *Event) {
	r.count++
	e.Seq = r.count
	if r.off {
		return
	}
	r.buffer = append(e.AppendJSON(r.buffer), '\n')
	if len(r.buffer) >= flushAt {
		r.hash.Write(r.buffer)
		r.buffer = r.buffer[:0]
	}
	if r.keep {
		r.events = append(r.events, *e)
	}
}

// sum ends the trace and returns its hash: the SHA-256 of the NDJSON, in hex.
func (r *recorder) sum() string {
	r.hash.Write(r.buffer)
	r.buffer = nil
	return hex.EncodeToString(r.hash.Sum(nil))
}

// opaqueLength is the least length, in bytes, of values that count as opaque, as
// random tokens. A lock may draw its tokens from crypto/rand: the trace numbers
// them by first appearance, so that it is the same in every run.
const opaqueLength = 16

// textLength is the greatest length of a token. Longer values are texts, such as the
// answer to INFO; the trace shows only their length.
const textLength = 100

// name returns a value as the trace shows it.
func (r *recorder) name(value string) string {
	switch {
	case len(value) < opaqueLength:
		return value
	case len(value) > textLength:
		return "(" + strconv.Itoa(len(value)) + " bytes)"
	}
	if known, ok := r.names[value]; ok {
		return known
	}
	if r.off {
		return ""
	}
	alias := "token#" + strconv.Itoa(len(r.names)+1)
	r.names[value] = alias
	return alias
}

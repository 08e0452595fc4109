package sim

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// Kind says what happened in an [Event]. The set is closed: stories, the ledger
// of assumptions and the triggers of faults depend on these words.
type Kind string

// Kinds of events of the network and of nodes, recorded by the controller.
const (
	Dial    Kind = "dial"    // a process asks a node for a connection; Detail is the node asked, if that one moved
	Connect Kind = "connect" // the connection is established, and the process knows it
	Refuse  Kind = "refuse"  // the host of a node that is down refused a connection
	Send    Kind = "send"    // a request left a process; Message is its number
	Deliver Kind = "deliver" // a request arrived at its node
	// Execute: a node executed a request. Detail is the answer, or "also" for a further key.
	// Key, Value and TTL are a key afterwards.
	Execute  Kind = "execute"
	Reply    Kind = "reply"    // an answer arrived at its process; Message is the number of the request
	Drop     Kind = "drop"     // a message was lost, or its connection no longer existed; Detail says why
	Delay    Kind = "delay"    // a fault delays a message by Duration
	Reset    Kind = "reset"    // a connection was cut, and both ends know it
	Expire   Kind = "expire"   // a key expired by the node's clock; Value is its last value
	Timer    Kind = "timer"    // a timer of a process's own clock fired
	Close    Kind = "close"    // a process closed a connection
	NodeCall Kind = "operator" // somebody other than a client changed a node's keys; Command says how
)

// Kinds of faults, recorded by the controller when it applies one.
const (
	Crash     Kind = "crash"      // a node or a process ended; Detail is its [End]
	Restart   Kind = "restart"    // a node is up again; Detail: [Promoted] by a failover, [PromotedAgain] if demoted before
	Forget    Kind = "forget"     // a restart lost a key, its value or its deadline; Value and TTL are the lost ones
	Revive    Kind = "revive"     // a restart brought back a key or a value that had been deleted or replaced
	ClockStep Kind = "clock_step" // a clock was stepped by Duration; Detail names the clock
	ClockRate Kind = "clock_rate" // a clock's rate error changed to PPM; Detail names the clock
	Pause     Kind = "pause"      // a process stopped, as by a garbage collection; its clocks go on
	Resume    Kind = "resume"     // a paused process continues
	Cut       Kind = "cut"        // a rule on messages began; Detail is its name
	Heal      Kind = "heal"       // the rule ended
	Impair    Kind = "impair"     // a node or a process became impaired; Detail says how
	Recover   Kind = "recover"    // the impairment ended
	// Moved: from now on the address of Node leads new connections to the server that Detail
	// names, or to Node again when it is empty.
	Moved Kind = "move"
	// ResourceRestart: the protected Resource restarted; Detail says what it forgot.
	ResourceRestart Kind = "resource_restart"
)

// Kinds of events of clients, recorded through [Process.Record].
const (
	Call     Kind = "call"     // an operation began; Detail names it
	Acquired Kind = "acquired" // a lease began
	Failed   Kind = "failed"   // an operation failed; Detail is "operation: class of error"
	Extended Kind = "extended" // an extension succeeded
	Released Kind = "released" // a release returned
	Lapsed   Kind = "lapsed"   // a holder noticed that its lease had ended
	Access   Kind = "access"   // an access arrived at the protected resource
	Done     Kind = "done"     // a client has done all of its steps
)

// Event is one line of a trace. A trace is totally ordered: Seq counts from 1
// without gaps, and At never decreases.
type Event struct {
	Seq      int           `json:"seq"`
	At       time.Duration `json:"at_ns"` // true time since the start of the run
	Kind     Kind          `json:"kind"`
	Process  string        `json:"process,omitempty"`
	Node     string        `json:"node,omitempty"`
	Conn     int           `json:"connection,omitempty"` // number of the connection in its run, from 1
	Message  int           `json:"message,omitempty"`    // number of the request in its run, from 1
	Command  string        `json:"command,omitempty"`    // name of the command or registered script
	Key      string        `json:"key,omitempty"`
	Value    string        `json:"value,omitempty"`       // opaque values appear as token#k, numbered by first appearance
	TTL      time.Duration `json:"ttl_ns,omitempty"`      // what remains of Key by the node's clock; -1 without a TTL
	Resource string        `json:"resource,omitempty"`    // the name of the lock, in events of clients
	Lease    string        `json:"lease,omitempty"`       // "A/1": the first lease of client A
	Duration time.Duration `json:"duration_ns,omitempty"` // of a step, a delay, a pause
	PPM      int64         `json:"ppm,omitempty"`
	Detail   string        `json:"detail,omitempty"`
	Fault    string        `json:"fault,omitempty"` // name of the scheduled fault that caused this event
}

// AppendJSON appends the event to b as one JSON object without a newline. It
// writes the same bytes as encoding/json but without reflection, because every
// event of every run is written to compute the hash of the trace.
func (e *Event) AppendJSON(b []byte) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, int64(e.Seq), 10)
	b = append(b, `,"at_ns":`...)
	b = strconv.AppendInt(b, int64(e.At), 10)
	b = appendQuoted(append(b, `,"kind":`...), string(e.Kind))
	b = appendString(b, `,"process":`, e.Process)
	b = appendString(b, `,"node":`, e.Node)
	b = appendInt(b, `,"connection":`, int64(e.Conn))
	b = appendInt(b, `,"message":`, int64(e.Message))
	b = appendString(b, `,"command":`, e.Command)
	b = appendString(b, `,"key":`, e.Key)
	b = appendString(b, `,"value":`, e.Value)
	b = appendInt(b, `,"ttl_ns":`, int64(e.TTL))
	b = appendString(b, `,"resource":`, e.Resource)
	b = appendString(b, `,"lease":`, e.Lease)
	b = appendInt(b, `,"duration_ns":`, int64(e.Duration))
	b = appendInt(b, `,"ppm":`, e.PPM)
	b = appendString(b, `,"detail":`, e.Detail)
	b = appendString(b, `,"fault":`, e.Fault)
	return append(b, '}')
}

func appendInt(b []byte, name string, v int64) []byte {
	if v == 0 {
		return b
	}
	return strconv.AppendInt(append(b, name...), v, 10)
}

func appendString(b []byte, name, v string) []byte {
	if v == "" {
		return b
	}
	return appendQuoted(append(b, name...), v)
}

// appendQuoted appends v as a JSON string, as encoding/json does. Nearly all strings have
// nothing to escape.
func appendQuoted(b []byte, v string) []byte {
	for i := range len(v) {
		if c := v[i]; c < 0x20 || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(v) // a string never makes it fail
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, v...)
	return append(b, '"')
}

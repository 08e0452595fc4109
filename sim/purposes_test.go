package sim

import (
	"testing"
	"time"
)

// TestPurposesByEffect: a script is for what it does to its key. Before that, it is for the open operation or
// for the lease that its process holds. An EVALSHA that a node does not know is for nothing.
func TestPurposesByEffect(t *testing.T) {
	const ttl = time.Second
	var p Purposes
	at, message := time.Duration(0), 0
	check := func(e Event, want Purpose) {
		t.Helper()
		at += time.Millisecond
		e.At, e.Process = at, "A"
		if e.Kind != Call && e.Kind != Acquired {
			e.Node, e.Message, e.Key = "n1", message, "r"
		}
		if got := p.Apply(&e); got != want {
			t.Errorf("%s %s %s: %q, want %q", e.Kind, e.Command, e.Detail, got, want)
		}
	}
	script := func(command, detail, answer, value string, left time.Duration, sent, executed Purpose) {
		t.Helper()
		message++
		check(Event{Kind: Send, Command: command, Detail: command + detail}, sent)
		check(Event{Kind: Execute, Command: command, Detail: answer, Value: value, TTL: left}, executed)
		check(Event{Kind: Reply, Command: command}, executed)
	}
	check(Event{Kind: Call, Detail: "acquire", Resource: "r"}, PurposeUnknown)
	script("EVALSHA", " (script) 1 r token 1000", "NOSCRIPT No matching script.", "", 0, PurposeUnknown, PurposeUnknown)
	script("EVAL", " (script) 1 r token 1000", "1", "token", ttl, PurposeAcquire, PurposeAcquire)
	check(Event{Kind: Acquired, Resource: "r", Lease: "A#1", Value: "token", Duration: ttl}, PurposeUnknown)
	at += ttl / 2
	script("EVALSHA", " (script) 1 r token 1000", "1", "token", ttl, PurposeExtend, PurposeExtend)
	script("EVALSHA", " (script) 1 r token", "NOSCRIPT No matching script.", "token", ttl-2*time.Millisecond, PurposeUnknown, PurposeUnknown)
	script("EVAL", " (script) 1 r token", "1", "", 0, PurposeExtend, PurposeRelease)
	script("GET", " r", "(nil)", "", 0, PurposeRead, PurposeRead)
}

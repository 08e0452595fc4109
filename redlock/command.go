package redlock

import (
	"strconv"
	"time"
)

// command is what a round asks of every node: the same bytes to each.
type command struct {
	operation Operation
	keys      []string
	token     string
	giver     string // of an adopted lock: the token that it replaced
	ttl       time.Duration
	counters  []string // the fencing counters of the keys; nil without fencing
	fence     int64    // the fencing token to write back
}

// form is the wire form of a command. Which one a node gets depends on what its
// server was seen to understand; the answers mean the same in all of them.
type form uint8

const (
	// formPlain is one ordinary command: fastest on the server.
	formPlain form = iota
	// formDigest is EVALSHA.
	formDigest
	// formSource is EVAL: the answer to NOSCRIPT, sent once per server start.
	formSource
	formCount
)

// script returns the script that does what the command means.
func (c *command) script() *Script {
	switch c.operation {
	case OperationAcquire:
		if c.counters != nil {
			return acquireFencedScript
		}
		return acquireScript
	case OperationExtend:
		return extendScript
	case OperationAdopt:
		if c.counters != nil {
			return adoptFencedScript
		}
		return adoptScript
	case OperationFence:
		return fenceScript
	default:
		return releaseScript
	}
}

// arguments returns the command's words in a form. Plain forms exist for
// commands on one key only; see lane.formOf.
func (c *command) arguments(f form) []any {
	milliseconds := strconv.FormatInt(c.ttl.Milliseconds(), 10)
	if f == formPlain {
		switch c.operation {
		case OperationCheck:
			return []any{"PING"}
		case OperationAcquire:
			// NX with GET answers nil when the key was free and is ours now,
			// and otherwise the holder: one command whose answer is proof.
			return []any{"SET", c.keys[0], c.token, "NX", "GET", "PX", milliseconds}
		default:
			return []any{"DELEX", c.keys[0], "IFEQ", c.token}
		}
	}
	words := make([]any, 0, 6+len(c.keys)+len(c.counters))
	if f == formDigest {
		words = append(words, "EVALSHA", c.script().SHA1)
	} else {
		words = append(words, "EVAL", c.script().Source)
	}
	words = append(words, strconv.Itoa(len(c.keys)+len(c.counters)))
	for _, key := range c.keys {
		words = append(words, key)
	}
	for _, key := range c.counters {
		words = append(words, key)
	}
	words = append(words, c.token)
	switch c.operation {
	case OperationRelease:
	case OperationFence:
		words = append(words, strconv.FormatInt(c.fence, 10))
	default:
		words = append(words, milliseconds)
	}
	if c.giver != "" && c.operation != OperationFence {
		words = append(words, c.giver)
	}
	return words
}

// reads reports whether the answer to the command is a counter.
func (c *command) reads() bool { return c.counters != nil && c.operation != OperationFence }

// outcome reads what a server's answer proves.
func (c *command) outcome(f form, answer *reply) (Outcome, error) {
	switch answer.kind {
	case replyError:
		return OutcomeServer, answer.serverError()
	case replyText:
		if c.operation == OperationCheck {
			return OutcomeGranted, nil
		}
	}
	switch answer.kind {
	case replyNil, replyText:
		if f == formPlain && c.operation == OperationAcquire {
			return c.outcomeOfHolder(answer), nil
		}
	case replyInteger:
		if f != formPlain || c.operation == OperationRelease {
			return c.outcomeOfInteger(f, answer.integer), nil
		}
	}
	return OutcomeServer, answer.unexpected()
}

// outcomeOfHolder reads the answer of SET … NX GET: who held the key.
func (c *command) outcomeOfHolder(answer *reply) Outcome {
	if answer.kind == replyNil || answer.is(c.token) {
		return OutcomeGranted
	}
	return OutcomeHeldByOther
}

// counterNotLower is what fence.lua answers when a counter was not lower than the
// fencing token.
const counterNotLower = -2

func (c *command) outcomeOfInteger(f form, value int64) Outcome {
	switch {
	case c.reads() && value >= 0:
		return OutcomeGranted
	case c.reads() && value == -1:
		return OutcomeHeldByOther
	case value > 0:
		return OutcomeGranted
	case value < 0:
		return OutcomeMissing
	case f == formPlain:
		// DELEX answers 0 both for a missing key and for another's.
		return OutcomeMissing
	default:
		return OutcomeHeldByOther
	}
}

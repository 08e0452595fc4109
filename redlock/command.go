package redlock

import (
	"errors"
	"strings"
	"time"
)

// command is the command of a round. Every node gets the same bytes.
type command struct {
	operation Operation
	keys      []string
	token     string
	ttl       time.Duration
	counters  []string      // the fencing counters of the keys; nil without fencing
	fence     int64         // the fencing token to write back
	retention time.Duration // how long counters stay after their last change; 0: for ever
	restore   bool          // an extension that sets missing keys
	anyKey    bool          // a check whose keys need not be permitted
}

func (c *command) sets() bool { return c.operation == OperationAcquire || c.restore }

// form is the wire form of a command. Each node gets the form that its server is known
// to support. The replies prove the same in every form.
type form uint8

const (
	// formPlain is one ordinary command, the fastest form on the server.
	formPlain form = iota
	// formDelifeq and formDelex delete a key that carries a token, as one ordinary command; see
	// deletionOf.
	formDelifeq
	formDelex
	// formDigest is EVALSHA.
	formDigest
	// formSource is EVAL. It follows NOSCRIPT, once per start of a server.
	formSource
	formCount
)

func (c *command) script() *Script {
	if c.operation == OperationAcquire && c.counters != nil {
		return acquireFencedScript
	}
	return scriptOf[c.operation]
}

// scriptOf has the script of each operation; an acquisition with fencing has another.
var scriptOf = [...]*Script{
	OperationAcquire: acquireScript, OperationExtend: extendScript, OperationRelease: releaseScript,
	OperationFence: fenceScript, OperationCheck: checkScript, OperationHolder: holderScript,
}

// arguments returns the command's words in a form. Only acquisitions and releases of one key have
// forms without a script; see nodeQueue.formOf.
func (c *command) arguments(f form) []any {
	milliseconds := c.ttl.Milliseconds()
	switch f {
	case formDelifeq:
		return []any{"DELIFEQ", c.keys[0], c.token}
	case formDelex:
		return []any{"DELEX", c.keys[0], "IFEQ", c.token}
	case formPlain:
		// With NX and GET the reply is nil if the key was free and is ours now, and the
		// holder's token otherwise. Both are proof.
		return []any{"SET", c.keys[0], c.token, "NX", "GET", "PX", milliseconds}
	}
	words := make([]any, 0, 6+len(c.keys)+len(c.counters))
	if f == formDigest {
		words = append(words, "EVALSHA", c.script().SHA1)
	} else {
		words = append(words, "EVAL", c.script().Source)
	}
	words = append(words, len(c.keys)+len(c.counters))
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
		words = append(words, c.fence, c.retention.Milliseconds())
	case OperationExtend:
		mode := "keep"
		if c.restore {
			mode = "restore"
		}
		words = append(words, milliseconds, mode)
	default:
		words = append(words, milliseconds)
	}
	return words
}

func (c *command) returnsCounter() bool { return c.counters != nil && c.operation != OperationFence }

func (c *command) outcome(f form, answer *reply) (NodeOutcome, error) {
	textOrNil := answer.kind == replyText || answer.kind == replyNil
	switch {
	case answer.kind == replyError && c.anyKey && refusesKeyAlone(string(answer.text)):
		return OutcomeGranted, nil
	case answer.kind == replyError:
		return OutcomeServer, serverError(withoutToken(string(answer.text), c.token))
	case textOrNil && c.operation == OperationAcquire && f == formPlain:
		// The reply to SET … NX GET is the token that held the key.
		if answer.kind == replyNil || answer.is(c.token) {
			return OutcomeGranted, nil
		}
		return OutcomeHeldByOther, nil
	case answer.kind == replyNil && c.operation == OperationHolder:
		return OutcomeMissing, nil
	case answer.kind == replyText && answer.text != nil && c.operation == OperationHolder:
		return OutcomeGranted, nil
	case f.deletes() && answer.kind == replyInteger && answer.integer == 0:
		return OutcomeMissing, nil // or with another: nodeQueue.resendForm lets the script tell
	case answer.kind == replyInteger && f != formPlain:
		return c.outcomeOfInteger(answer.integer), nil
	default:
		return OutcomeServer, errors.New("server returned an unexpected type of reply")
	}
}

func (c *command) outcomeOfInteger(value int64) NodeOutcome {
	switch {
	case c.returnsCounter() && value >= 0:
		return OutcomeGranted
	case c.returnsCounter() && value == -1:
		return OutcomeHeldByOther
	case value > 0:
		return OutcomeGranted
	case value < 0:
		return OutcomeMissing
	default:
		return OutcomeHeldByOther
	}
}

// refusesKeyAlone reports whether an error says that the user may run a command, but not with
// this key. Servers look at the command first.
func refusesKeyAlone(text string) bool {
	return strings.HasPrefix(text, "NOPERM") && strings.Contains(text, "key") && strings.Contains(text, "access")
}

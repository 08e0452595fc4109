package redlock

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/redis/go-redis/v9"
)

type replyKind uint8

const (
	replyOther replyKind = iota // none yet, or of a kind that proves nothing
	replyNil
	replyText
	replyInteger
	replyError
)

// replyCapacity is enough for every reply that proves something: a token with an owner and how
// long it lives, an integer, the start of an error. A longer text is cut, and never equals a token.
const replyCapacity = 160

// reply receives one reply as raw RESP bytes. So nil, a granted vote, does not become an
// error value in the driver, which costs 14 allocations each; TestAllocations holds that.
type reply struct {
	kind    replyKind
	length  int // bytes received, including those beyond the capacity
	integer int64
	raw     [replyCapacity]byte
	text    []byte // of a text or an error; a part of raw if it was read as raw bytes
}

// Write implements io.Writer for the driver.
func (r *reply) Write(p []byte) (int, error) {
	if r.length < replyCapacity {
		copy(r.raw[r.length:], p)
	}
	r.length += len(p)
	return len(p), nil
}

func (r *reply) reset() {
	r.kind, r.length, r.integer, r.text = replyOther, 0, 0, nil
}

// parse reads the raw bytes of one RESP2 or RESP3 reply.
func (r *reply) parse() {
	seen := r.raw[:min(r.length, replyCapacity)]
	line, rest, complete := bytes.Cut(seen, []byte("\r\n"))
	if len(line) == 0 {
		return
	}
	switch line[0] {
	case '-':
		r.kind, r.text = replyError, line[1:]
	case '+':
		r.kind, r.text = replyText, line[1:]
	case '_':
		r.kind = replyNil
	case ':':
		value, err := strconv.ParseInt(string(line[1:]), 10, 64)
		if err == nil && complete {
			r.kind, r.integer = replyInteger, value
		}
	case '$':
		size, err := strconv.Atoi(string(line[1:]))
		switch {
		case err != nil || !complete:
		case size < 0:
			r.kind = replyNil
		default:
			// A text that was cut is shorter than its size.
			r.kind, r.text = replyText, rest[:min(size, len(rest))]
			if size > len(rest) {
				r.text = nil
			}
		}
	}
}

// parseValue takes a reply that the driver has parsed. It returns the driver's error,
// unless that is nil or an error reply of the server.
func (r *reply) parseValue(value any, err error) error {
	switch {
	case errors.Is(err, redis.Nil):
		r.kind = replyNil
		return nil
	case err != nil && isReply(err):
		r.kind, r.text = replyError, []byte(err.Error())
		return nil
	case err != nil:
		return err
	}
	switch typed := value.(type) {
	case string:
		r.kind, r.text = replyText, []byte(typed)
	case int64:
		r.kind, r.integer = replyInteger, typed
	}
	return nil
}

func (r *reply) is(text string) bool { return r.kind == replyText && string(r.text) == text }

func (r *reply) hasErrorPrefix(prefix string) bool {
	return r.kind == replyError && bytes.HasPrefix(r.text, []byte(prefix))
}

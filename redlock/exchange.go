package redlock

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

// wire is what a carrier talks to the driver through, used again for every batch.
type wire struct {
	commands []redis.Cmder
	pipeline redis.Pipeliner // nil before the first
	hold     hold
	now      time.Duration // when the batch was handed over, on the Clock
}

// exchange sends a batch as one command or one pipeline and reads the answers
// into the calls. Where the server's identity is to be seen, INFO goes first, in
// the same pipeline. It blocks until the driver returns; the driver's own time
// limits bound that, and nobody waits for it (see flight.wait).
func (l *lane) exchange(w *wire, batch []*call) {
	ctx := l.locker.lifetime
	commands := w.commands[:0]
	var info *redis.Cmd
	dials := l.witness.dials.Load()
	if l.tells && l.witness.stale(l.locker.settings.guardTTL > 0) {
		info = redis.NewCmd(ctx, "INFO", "server")
		commands = append(commands, info)
	}
	for _, c := range batch {
		arguments := c.flight.arguments(c.form)
		c.reply.reset()
		if l.raw {
			commands = append(commands, redis.NewRawWriteToCmd(ctx, &c.reply, arguments...))
		} else {
			commands = append(commands, redis.NewCmd(ctx, arguments...))
		}
	}
	w.commands = commands
	l.process(w)
	seen := info != nil && l.identify(info, dials)
	for i, c := range batch {
		c.verified = seen && l.sameWay
		switch typed := commands[len(commands)-len(batch)+i].(type) {
		case *redis.RawWriteToCmd:
			if c.err = typed.Err(); c.err == nil {
				c.reply.parse()
			}
		case *redis.Cmd:
			value, err := typed.Result()
			c.err = c.reply.parseValue(value, err)
		}
	}
	clear(commands)
}

// process runs one command or one pipeline. Where connections are not kept, an
// ordinary client is given single commands as pipelines too: go-redis keeps a
// pool of connections for pipelines apart, and one kind is enough. Errors are read
// from the commands: an asynchronous face returns before the answers are there.
func (l *lane) process(w *wire) {
	ctx := l.locker.lifetime
	switch {
	case len(w.commands) == 0:
	case l.keeper != nil:
		w.hold.process(ctx, l.keeper, w.now, w.commands)
	case len(w.commands) == 1 && !l.sameWay:
		_ = l.node.Client.Process(ctx, w.commands[0])
	case !l.sameWay: // of a client in a type of the user's own who knows whether its pipelines can be used again
		pipeline := l.node.Client.Pipeline()
		_ = pipeline.BatchProcess(ctx, w.commands...)
		_, _ = pipeline.Exec(ctx)
	default:
		if w.pipeline == nil {
			w.pipeline = l.node.Client.Pipeline()
		}
		_ = w.pipeline.BatchProcess(ctx, w.commands...)
		_, _ = w.pipeline.Exec(ctx)
	}
}

// identify reads the answer to INFO that was sent when the counter of dials was
// at dials. It reports whether the server's identity is known by it.
func (l *lane) identify(info *redis.Cmd, dials uint64) bool {
	text, err := info.Text()
	var answered redis.Error
	if err != nil {
		if errors.As(err, &answered) {
			l.witness.refused(err)
		}
		return false
	}
	seen, err := parseIdentity(text)
	if err != nil {
		l.witness.refused(err)
		return false
	}
	if clash := l.locker.registry.record(l.index, seen.runID, l.locker.lanes); clash != nil {
		l.locker.clashed.Store(true)
	}
	l.withDelex.Store(seen.hasDelex())
	settings := &l.locker.settings
	quarantine := settings.guardTTL + settings.allowance(settings.guardTTL)
	now := settings.clock.Now()
	until, restarted := l.witness.learn(seen, dials, now, settings.guardTTL, quarantine)
	if restarted && settings.guardTTL > 0 {
		l.locker.emit(l.locker.lifetime, Event{Kind: EventQuarantine, Node: l.node.Name, Validity: until - now})
	}
	return true
}

// formOf chooses the wire form that this node's server is believed to know. An
// extension is always a script: SET … IFEQ (Redis 8.4) would also shorten, so
// that one that is delayed on its way could undo a later, longer one.
func (l *lane) formOf(c *command) form {
	if c.operation == OperationCheck {
		return formPlain
	}
	if len(c.keys) != 1 || c.counters != nil || c.giver != "" {
		return formDigest
	}
	switch c.operation {
	case OperationAcquire:
		if !l.withoutSetGet.Load() {
			return formPlain
		}
	case OperationRelease:
		if l.withDelex.Load() {
			return formPlain
		}
	}
	return formDigest
}

// refusedPlain reports whether the server does not know a plain command's form,
// and remembers it. Redis before 7.0 refuses SET with both NX and GET.
func (l *lane) refusedPlain(c *call) bool {
	unknown := c.reply.hasErrorPrefix("ERR syntax") || c.reply.hasErrorPrefix("ERR unknown command")
	if !unknown {
		return false
	}
	if c.flight.command.operation == OperationAcquire {
		l.withoutSetGet.Store(true)
	} else {
		l.withDelex.Store(false)
	}
	return true
}

// brokenConnection reports whether an error means that an established
// connection failed, so that a second sending over another one makes sense. A
// failed dial and a time limit do not: the driver has had its time.
func brokenConnection(err error) bool {
	switch {
	case neverSent(err), errors.Is(err, context.Canceled), errors.Is(err, redis.ErrClosed):
		return false
	default:
		return outcomeOfError(err) == OutcomeTransport
	}
}

// neverSent reports whether an error means that there was no connection to send
// anything over: none in the pool, and the dial failed.
func neverSent(err error) bool {
	var operation *net.OpError
	return (errors.As(err, &operation) && operation.Op == "dial") ||
		errors.Is(err, redis.ErrPoolExhausted) || errors.Is(err, redis.ErrPoolTimeout)
}

// outcomeOfError tells a node that took too long from a connection that failed.
func outcomeOfError(err error) Outcome {
	var timed interface{ Timeout() bool }
	if errors.As(err, &timed) && timed.Timeout() || errors.Is(err, redis.ErrPoolTimeout) {
		return OutcomeTimeout
	}
	return OutcomeTransport
}

package redlock

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"
)

// exchange sends a batch as one command or one pipeline and reads the replies into the
// requests. If the server's identity is needed, INFO goes first in the same pipeline.
// exchange blocks until the driver returns, within the driver's own timeouts. Callers do
// not wait for that; see fanout.wait.
func (q *nodeQueue) exchange(s *sender, batch []*request) {
	ctx := q.locker.commandContext
	commands := s.commands[:0]
	var info *redis.Cmd
	dials := q.server.dials.Load()
	if q.single && q.server.needsInfo(q.locker.settings.guardTTL > 0) {
		info = redis.NewCmd(ctx, "INFO", "server")
		commands = append(commands, info)
	}
	for _, r := range batch {
		arguments := r.fanout.arguments(r.form)
		r.reply.reset()
		if q.rawReplies {
			commands = append(commands, redis.NewRawWriteToCmd(ctx, &r.reply, arguments...))
		} else {
			commands = append(commands, redis.NewCmd(ctx, arguments...))
		}
	}
	s.commands = commands
	if len(commands) > 0 {
		s.transport.exchange(ctx, s.sentAt, commands)
	}
	identified := info != nil && q.identify(info, dials)
	for i, r := range batch {
		r.verified = identified
		switch typed := commands[len(commands)-len(batch)+i].(type) {
		case *redis.RawWriteToCmd:
			if r.err = typed.Err(); r.err == nil {
				r.reply.parse()
			}
		case *redis.Cmd:
			value, err := typed.Result()
			r.err = r.reply.parseValue(value, err)
		}
	}
	clear(commands)
}

// identify reads the reply to INFO, which was sent when the count of dials was dials. It
// reports whether the reply gives the server's identity.
func (q *nodeQueue) identify(command *redis.Cmd, dials uint64) bool {
	text, err := command.Text()
	var answered redis.Error
	if err != nil {
		if errors.As(err, &answered) {
			q.server.recordRefusal(err)
		}
		return false
	}
	server, err := parseServerInfo(text)
	if err != nil {
		q.server.recordRefusal(err)
		return false
	}
	if clash := q.locker.servers.record(q.index, server.runID, q.locker.queues); clash != nil {
		q.locker.sameServer.Store(true)
	}
	settings := &q.locker.settings
	quarantine := settings.guardTTL + settings.allowance(settings.guardTTL)
	now := settings.clock.Now()
	until, restarted := q.server.update(server, dials, now, settings.guardTTL, quarantine)
	if restarted && settings.guardTTL > 0 {
		q.locker.emit(q.locker.commandContext, Event{Kind: EventQuarantine, Node: q.node.Name, Validity: until - now})
	}
	return true
}

// formOf returns the form of a command that this node's server is believed to support.
// An extension is always a script. SET … IFEQ (Redis 8.4) can also shorten: delayed on
// its way, it could undo a later, longer extension.
func (q *nodeQueue) formOf(c *command) form {
	if c.operation == OperationCheck {
		return formPlain
	}
	if c.operation == OperationAcquire && len(c.keys) == 1 && c.counters == nil && !q.lacksSetGet.Load() {
		return formPlain
	}
	return formDigest
}

// refusedPlain reports whether the server refused a plain command because it does not
// support it, and records that. Redis before 7.0 refuses SET with both NX and GET.
func (q *nodeQueue) refusedPlain(r *request) bool {
	unknown := r.reply.hasErrorPrefix("ERR syntax") || r.reply.hasErrorPrefix("ERR unknown command")
	if !unknown {
		return false
	}
	q.lacksSetGet.Store(true)
	return true
}

// brokenConnection reports whether an established connection failed, so that it makes
// sense to send again over another one. After a failed dial or a timeout it does not:
// the driver has used its time.
func brokenConnection(err error) bool {
	switch {
	case neverSent(err), errors.Is(err, context.Canceled), errors.Is(err, redis.ErrClosed):
		return false
	default:
		return outcomeOfError(err) == OutcomeTransport
	}
}

// neverSent reports whether there was no connection to send on: the pool had none, or
// the dial failed.
func neverSent(err error) bool {
	var operation *net.OpError
	return (errors.As(err, &operation) && operation.Op == "dial") ||
		errors.Is(err, redis.ErrPoolExhausted) || errors.Is(err, redis.ErrPoolTimeout)
}

// outcomeOfError tells a timeout from a connection that failed.
func outcomeOfError(err error) NodeOutcome {
	var timed interface{ Timeout() bool }
	if errors.As(err, &timed) && timed.Timeout() || errors.Is(err, redis.ErrPoolTimeout) {
		return OutcomeTimeout
	}
	return OutcomeTransport
}

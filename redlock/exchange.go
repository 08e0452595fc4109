package redlock

import (
	"cmp"
	"context"
	"errors"
	"net"
	"slices"

	"github.com/redis/go-redis/v9"
)

// exchange sends a batch as one command or one pipeline and reads the replies into the
// requests. If the server's run id is needed, INFO server goes first in the same pipeline.
// With the restart guard INFO replication goes last: what it shows was so when the votes were
// cast, or was new to the Locker within the round, which starts a quarantine. exchange blocks
// until the driver returns, within the driver's own timeouts. Callers do not wait for that; see
// fanout.wait.
func (q *nodeQueue) exchange(s *sender, batch []*request) {
	ctx := &batch[0].fanout.context // of several callers, the first
	commands := s.commands[:0]
	var info, replication *redis.Cmd
	known := s.transport.open(s.sentAt)
	if q.needsInfo(known.runID, batch) {
		info = redis.NewCmd(ctx, "INFO", "server")
		commands = append(commands, info)
	}
	for _, r := range batch {
		wire := r.nextWire()
		arguments := r.fanout.arguments(r.form)
		r.reply.reset()
		if q.rawReplies {
			wire.Cmder = redis.NewRawWriteToCmd(ctx, &r.reply, arguments...)
		} else {
			wire.Cmder = redis.NewCmd(ctx, arguments...)
		}
		commands = append(commands, wire)
	}
	if q.locker.settings.guardTTL > 0 && (info != nil || slices.ContainsFunc(batch, isVote)) {
		replication = redis.NewCmd(ctx, "INFO", "replication")
		commands = append(commands, replication)
	}
	s.commands = commands
	refused := s.transport.exchange(ctx, commands)
	if info != nil || replication != nil {
		known = q.identify(known, info, replication)
		s.transport.identify(known)
	}
	for _, r := range batch {
		r.server = known
		switch typed := r.wire.Cmder.(type) {
		case *redis.RawWriteToCmd:
			if r.err = typed.Err(); r.err == nil {
				r.reply.parse()
			}
		case *redis.Cmd:
			r.err = r.reply.parseValue(typed.Result())
		}
		r.err = cmp.Or(refused, r.err)
		r.conclude()
	}
	clear(commands)
}

// needsInfo reports whether a batch over a connection should ask for the server's run id:
// until its identity is settled, while two nodes seem to be one server, for a check, and
// with the restart guard whenever the connection has not reported it.
func (q *nodeQueue) needsInfo(runID string, batch []*request) bool {
	if !q.single {
		return false
	}
	return !q.server.settled.Load() || q.locker.servers.clashError() != nil || slices.ContainsFunc(batch, isCheck) ||
		(q.locker.settings.guardTTL > 0 && runID == "")
}

// isCheck reports whether a request is one of [Locker.Check].
func isCheck(r *request) bool { return r.fanout.command.operation == OperationCheck }

// isVote reports whether the restart guard judges the reply to a request.
func isVote(r *request) bool { return r.fanout.command.operation.votes() }

// identify reads the answers to INFO, of which one may not have been asked for, and adds them to
// what the connection has reported before. It returns the zero value if an answer is missing.
func (q *nodeQueue) identify(known serverInfo, info, replication *redis.Cmd) serverInfo {
	for section, command := range [...]*redis.Cmd{info, replication} {
		if command == nil {
			continue
		}
		text, err := command.Text()
		if err != nil && !isReply(err) {
			// Another server may answer next time, and this one under another name.
			q.server.settled.Store(false)
			q.locker.servers.record(q.index, "", q.locker.queues)
			return serverInfo{}
		}
		if err == nil && section == 0 {
			known, err = parseServerInfo(text)
		} else if err == nil {
			err = known.parseReplication(text)
		}
		if err != nil {
			q.server.recordRefusal(err)
			return serverInfo{}
		}
	}
	q.locker.servers.record(q.index, known.runID, q.locker.queues)
	settings := &q.locker.settings
	quarantine := settings.guardTTL + settings.allowance(settings.guardTTL)
	now := settings.clock.Now()
	until, restarted := q.server.update(known, info != nil, now, settings.guardTTL, quarantine)
	if restarted && settings.guardTTL > 0 {
		q.locker.emit(q.locker.commandContext, Event{Kind: EventQuarantine, Node: q.node.Name, Validity: until - now})
	}
	return known
}

// formOf returns the form of a command that this node's server is believed to support.
// An extension is always a script. SET … IFEQ (Redis 8.4) can also shorten: delayed on
// its way, it could undo a later, longer extension.
func (q *nodeQueue) formOf(c *command) form {
	if c.operation == OperationAcquire && len(c.keys) == 1 && c.counters == nil && !q.lacksSetGet.Load() {
		return formPlain
	}
	deletion := form(q.server.deletion.Load())
	if deletion.deletes() && c.operation == OperationRelease && len(c.keys) == 1 {
		return deletion
	}
	return formDigest
}

// refusedPlain reports whether the server refused a plain command because it does not
// support it, and records that. Redis before 7.0 refuses SET with both NX and GET.
func (q *nodeQueue) refusedPlain(r *request) bool {
	refused := r.reply.hasErrorPrefix("ERR syntax") || r.reply.hasErrorPrefix("ERR unknown command")
	if refused {
		q.lacksSetGet.Store(true)
	}
	return refused
}

// brokenConnection reports whether an established connection failed, so that it makes
// sense to send again over another one. After a failed dial or a timeout it does not:
// the driver has used its time.
func brokenConnection(err error) bool {
	ended := errors.Is(err, context.Canceled) || errors.Is(err, redis.ErrClosed)
	outcome, _ := outcomeOfError(err)
	return !ended && !neverSent(err) && outcome == OutcomeTransport
}

// neverSent reports whether there was no connection to send on: the pool had none, or
// the dial failed.
func neverSent(err error) bool {
	var operation *net.OpError
	return (errors.As(err, &operation) && operation.Op == "dial") ||
		errors.Is(err, redis.ErrPoolExhausted) || errors.Is(err, redis.ErrPoolTimeout)
}

// outcomeOfError returns the outcome of a request without a reply, and its cause.
func outcomeOfError(err error) (NodeOutcome, error) {
	var timed interface{ Timeout() bool }
	switch {
	case isReply(err): // the server refused the connection
		return OutcomeServer, serverError(err.Error())
	case errors.As(err, &timed) && timed.Timeout() || errors.Is(err, redis.ErrPoolTimeout):
		return OutcomeTimeout, err
	}
	return OutcomeTransport, err
}

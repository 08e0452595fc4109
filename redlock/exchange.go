package redlock

import (
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// exchange sends a batch as one command or one pipeline and reads the answers
// into the calls. It blocks until the driver returns; the driver's own time
// limits bound that, and nobody waits for it (see flight.wait).
func (l *lane) exchange(batch []*call) {
	commands := make([]redis.Cmder, len(batch))
	ctx := l.locker.lifetime
	for i, c := range batch {
		arguments := c.flight.arguments(c.form)
		c.reply.reset()
		if l.raw {
			commands[i] = redis.NewRawWriteToCmd(ctx, &c.reply, arguments...)
		} else {
			commands[i] = redis.NewCmd(ctx, arguments...)
		}
	}
	if len(commands) == 1 {
		// Errors are read from the command: an asynchronous face returns from
		// Process before the answer is there.
		_ = l.node.Client.Process(ctx, commands[0])
	} else {
		pipeline := l.node.Client.Pipeline()
		for _, single := range commands {
			_ = pipeline.Process(ctx, single)
		}
		_, _ = pipeline.Exec(ctx)
	}
	for i, c := range batch {
		switch typed := commands[i].(type) {
		case *redis.RawWriteToCmd:
			if c.err = typed.Err(); c.err == nil {
				c.reply.parse()
			}
		case *redis.Cmd:
			value, err := typed.Result()
			c.err = c.reply.parseValue(value, err)
		}
	}
}

// formOf chooses the wire form that this node's server is believed to know.
func (l *lane) formOf(c *command) form {
	if len(c.keys) != 1 {
		return formDigest
	}
	switch c.operation {
	case OperationAcquire:
		if !l.withoutSetGet.Load() {
			return formPlain
		}
	case OperationExtend, OperationRelease:
		if l.withConditional.Load() {
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
		l.withConditional.Store(false)
	}
	return true
}

// brokenConnection reports whether an error means that an established
// connection failed, so that a second sending over another one makes sense. A
// failed dial and a time limit do not: the driver has had its time.
func brokenConnection(err error) bool {
	var operation *net.OpError
	if errors.As(err, &operation) && operation.Op == "dial" {
		return false
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed)
}

// outcomeOfError tells a node that took too long from a connection that failed.
func outcomeOfError(err error) Outcome {
	var timed interface{ Timeout() bool }
	if errors.As(err, &timed) && timed.Timeout() || errors.Is(err, redis.ErrPoolTimeout) {
		return OutcomeTimeout
	}
	return OutcomeTransport
}

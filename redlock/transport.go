package redlock

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// transport is how one sender reaches the server of its node. It takes a connection from the
// driver's pool and keeps it for keepTime, because taking one for each batch would cost a
// system call and a tenth of the client's processor time for a lock. A cluster client, which
// follows redirections, is used as it is.
type transport struct {
	node redis.UniversalClient
	pool *redis.Client // of a single server; nil for a cluster client

	connection *redis.Conn   // nil: none is kept
	server     serverInfo    // that the server has reported over the connection
	until      time.Duration // on the Clock; from then on the connection goes back
	warm       bool          // no connection has failed since the sender's first
}

// keepTime is how long a sender keeps a connection, busy or idle. So Lockers and the rest of
// the program can share a small pool: whoever waits for a turn gets it soon.
const keepTime = 20 * time.Millisecond

func newTransport(client redis.UniversalClient) transport {
	single, _ := client.(*redis.Client)
	return transport{node: client, pool: single}
}

// open prepares an exchange at now. It returns what the server has reported over the same
// connection, or the zero value. A *redis.Conn never changes its connection: after a failure it
// only fails. So one reported run id stands for all later replies.
func (t *transport) open(now time.Duration) serverInfo {
	t.expire(now)
	if t.connection == nil && t.pool != nil {
		t.connection, t.until = t.pool.Conn(), now
		// go-redis polls the socket of a connection that was never in its pool for push
		// messages at every command. So a sender's first connection goes there at once.
		if t.warm {
			t.until += keepTime
		}
		t.warm = true
	}
	return t.server
}

// exchange sends commands, several as one pipeline over one connection, and returns when each
// has its reply or its error. It returns the error of a pipeline that none of its commands has:
// so the driver reports a server that refuses a new connection, as with WRONGPASS.
func (t *transport) exchange(ctx context.Context, commands []redis.Cmder) (refused error) {
	var client processor = t.node
	if t.connection != nil {
		client = t.connection
	}
	if len(commands) == 1 {
		_ = client.Process(ctx, commands[0])
	} else {
		pipeline := client.Pipeline()
		_ = pipeline.BatchProcess(ctx, commands...)
		_, refused = pipeline.Exec(ctx)
		if slices.ContainsFunc(commands, func(c redis.Cmder) bool { return c.Err() != nil }) {
			refused = nil
		}
	}
	// The last command has the error of a connection that broke anywhere.
	if err := commands[len(commands)-1].Err(); refused != nil || err != nil && !isReply(err) {
		t.putBack()
		t.warm = false
	}
	return refused
}

func isReply(err error) bool {
	var answered redis.Error
	return errors.As(err, &answered)
}

type processor interface {
	Process(ctx context.Context, command redis.Cmder) error
	Pipeline() redis.Pipeliner
}

func (t *transport) expire(now time.Duration) {
	if now >= t.until {
		t.putBack()
	}
}

func (t *transport) identify(server serverInfo) {
	if t.connection != nil {
		t.server = server
	}
}

// putBack returns a kept connection to the pool, which closes it if it failed. It does not
// wait for the network.
func (t *transport) putBack() {
	if t.connection != nil {
		_ = t.connection.Close()
		t.connection, t.server = nil, serverInfo{}
	}
}

// returnConnections puts the connections of idle senders back whose time is over, in the
// order of the senders. The caller holds the mutex.
//
// A sender calls it before it takes a connection, and a timer calls it, too. So it does not
// depend on which of them comes first who gets which connection.
func (q *nodeQueue) returnConnections(now time.Duration) (next time.Duration, kept bool) {
	for _, s := range q.idle {
		s.transport.expire(now)
		if s.transport.connection != nil && (!kept || s.transport.until < next) {
			next, kept = s.transport.until, true
		}
	}
	return next, kept
}

// returnLater is the body of a goroutine that puts the connections of idle senders back.
func (q *nodeQueue) returnLater(wait time.Duration) {
	for kept := true; kept; {
		if _, err := q.locker.pause(context.Background(), wait, nil); err != nil {
			return
		}
		now := q.locker.settings.clock.Now()
		q.mu.Lock()
		var next time.Duration
		next, kept = q.returnConnections(now)
		q.returning = kept
		q.mu.Unlock()
		wait = next - now
	}
}

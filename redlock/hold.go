package redlock

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// holdTime is for how long a carrier uses a connection; the next batch after that
// gives it back first. It is short enough that the pool's own care of a connection
// in use (health, lifetime, new credentials, maintenance) is not noticeably later.
const holdTime = time.Second

// hold is a connection that a carrier keeps between its batches instead of taking
// one from the driver's pool for each and giving it back. That saves a system
// call that looks at the connection's health, and a tenth of the processor time
// of a lock on its client. A carrier on a connection of its own also never races
// another one for it. The zero hold keeps nothing yet.
type hold struct {
	connection *redis.Conn // nil: none
	pipeline   redis.Pipeliner
	until      time.Duration // on the Clock: from then on the pool looks at it first
	settled    bool          // the last connection was good
}

// keeper returns the client when carriers may keep connections of it: an ordinary
// one whose pool still has some for its other users then. Otherwise nil.
func keeper(client redis.UniversalClient, mostCarriers int) *redis.Client {
	if !readsRaw(client) {
		return nil
	}
	plain := client.(*redis.Client)
	options := plain.Options()
	if options.PoolSize <= mostCarriers || (options.MaxActiveConns > 0 && options.MaxActiveConns <= mostCarriers) {
		return nil
	}
	return plain
}

// process runs commands as one pipeline, or one command as itself, over the kept
// connection. Errors are read from the commands.
func (h *hold) process(ctx context.Context, client *redis.Client, now time.Duration, commands []redis.Cmder) {
	if h.connection != nil && now >= h.until {
		h.giveBack()
	}
	if h.connection == nil {
		h.connection = client.Conn()
		h.pipeline = h.connection.Pipeline()
		h.until = now
		// go-redis asks the socket of a connection that was never in its pool for
		// pushed messages at every command: a first connection goes there soon.
		if h.settled {
			h.until += holdTime
		}
		h.settled = true
	}
	var err error
	if len(commands) == 1 {
		err = h.connection.Process(ctx, commands[0])
	} else {
		_ = h.pipeline.BatchProcess(ctx, commands...)
		_, err = h.pipeline.Exec(ctx)
	}
	if err != nil {
		h.settled = false
		h.giveBack()
	}
}

// giveBack returns the connection to the pool, which drops it if it failed.
func (h *hold) giveBack() {
	if h.connection != nil {
		_ = h.connection.Close()
		h.connection, h.pipeline = nil, nil
	}
}

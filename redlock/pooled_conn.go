package redlock

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// connReuseTime is how long a sender uses a connection before the next batch puts it
// back first. It is short, so that the pool's own checks (health, lifetime, new
// credentials, maintenance) come hardly later than without reuse.
const connReuseTime = time.Second

// pooledConn is a connection from the driver's pool that a sender keeps between its
// batches. Taking one from the pool for each batch would cost a system call that checks
// the connection's health, and a tenth of the client's processor time for a lock. Two
// senders that keep their connections also never race for one.
type pooledConn struct {
	client        *redis.Client
	connection    *redis.Conn // nil: none
	pipeline      redis.Pipeliner
	until         time.Duration // on the Clock; a batch from then on puts it back first
	lastSucceeded bool          // no command has failed on it
}

func (p *pooledConn) exchange(ctx context.Context, now time.Duration, commands []redis.Cmder) {
	if p.connection != nil && now >= p.until {
		p.putBack()
	}
	if p.connection == nil {
		p.connection = p.client.Conn()
		p.pipeline = p.connection.Pipeline()
		p.until = now
		// go-redis polls the socket of a connection that was never in its pool for
		// push messages at every command. The next batch puts a first connection
		// there.
		if p.lastSucceeded {
			p.until += connReuseTime
		}
		p.lastSucceeded = true
	}
	var err error
	if len(commands) == 1 {
		err = p.connection.Process(ctx, commands[0])
	} else {
		_ = p.pipeline.BatchProcess(ctx, commands...)
		_, err = p.pipeline.Exec(ctx)
	}
	if err != nil {
		p.lastSucceeded = false
		p.putBack()
	}
}

// putBack returns the connection to the pool, which closes it if it failed.
func (p *pooledConn) putBack() {
	if p.connection != nil {
		_ = p.connection.Close()
		p.connection, p.pipeline = nil, nil
	}
}

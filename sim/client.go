package sim

import (
	"context"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

// Timeouts are the driver's own. They are all different, so that no two
// deadlines fall on one instant.
type Timeouts struct {
	Dial, Read, Write time.Duration
}

// poolSize is larger than the number of failed dials to one node in any sensible
// run: after that many, go-redis starts a prober that dials once a second, and
// its dials race those of the commands. Every place costs a new client time.
const poolSize = 256

// leastBackoff is what go-redis waits before it sends again, where it may: with no
// more between the two limits it draws nothing, and with none it would arm a timer
// that is due at once (see Process.Sleep).
const leastBackoff = time.Nanosecond

// RedisOptions returns options for an unmodified go-redis client of this
// process for one node: its dialer is the world's network, and everything in the
// driver that is random, periodic or reaches outside is off.
func (p *Process) RedisOptions(n *Node, t Timeouts) *redis.Options {
	return DriverOptions(n.Address, p.Dial, t)
}

// DriverOptions are the same for any address and dialer. The driver's own log is off.
func DriverOptions(address string, dial func(ctx context.Context, network, address string) (net.Conn, error), t Timeouts) *redis.Options {
	silence()
	return &redis.Options{
		Addr:                     address,
		Dialer:                   dial,
		Protocol:                 2,
		DisableIdentity:          true,
		MaxRetries:               -1,
		MinRetryBackoff:          leastBackoff,
		MaxRetryBackoff:          leastBackoff,
		DialerRetries:            1,
		DialTimeout:              t.Dial,
		ReadTimeout:              t.Read,
		WriteTimeout:             t.Write,
		ContextTimeoutEnabled:    true,
		PoolSize:                 poolSize,
		PipelinePoolSize:         poolSize,
		PoolTimeout:              time.Hour, // never reached: more connections than commands in flight
		ConnMaxIdleTime:          -1,
		ReadBufferSize:           1 << 10,
		WriteBufferSize:          1 << 10,
		PipelineReadBufferSize:   1 << 10,
		PipelineWriteBufferSize:  1 << 10,
		MaintNotificationsConfig: noMaintenance(),
	}
}

// OnEnd registers what must be closed when the run is over, so that every
// goroutine of the process ends: clients, lockers. Functions run in the bubble.
func (p *Process) OnEnd(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onEnd = append(p.onEnd, f)
}

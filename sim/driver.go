package sim

import (
	"cmp"
	"context"
	"net"
	"runtime"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Timeouts are the time limits of the driver, go-redis. All should be different,
// so that no two deadlines fall on one instant.
type Timeouts struct {
	Dial, Read, Write time.Duration
}

// poolSize is larger than the number of failed dials to one node in any sensible
// run. After that many failures go-redis starts to dial once a second by itself,
// and these dials race those of the commands. A larger pool makes new clients slower.
const poolSize = 256

// leastBackoff is both limits of the time that go-redis waits before it sends a
// command again. Equal limits leave nothing to draw at random. A limit of 0 would
// arm a timer that is due at once (see [Process.Sleep]).
const leastBackoff = time.Nanosecond

// Dialer connects a driver to the address of a node, as [net.Dialer.DialContext] does.
type Dialer = func(ctx context.Context, network, address string) (net.Conn, error)

// DriverOptions returns options for an unmodified go-redis client of one node, whose
// dialer is the world's network or stands for it. Everything in the driver that is
// random, periodic, or leaves the world is off, and so is its log.
func DriverOptions(address string, dial Dialer, t Timeouts) *redis.Options {
	silence()
	return &redis.Options{
		Addr:                    address,
		Dialer:                  dial,
		Protocol:                2,
		DisableIdentity:         true,
		MaxRetries:              -1,
		MinRetryBackoff:         leastBackoff,
		MaxRetryBackoff:         leastBackoff,
		DialerRetries:           1,
		DialTimeout:             t.Dial,
		ReadTimeout:             t.Read,
		WriteTimeout:            t.Write,
		ContextTimeoutEnabled:   true,
		PoolSize:                poolSize,
		PipelinePoolSize:        poolSize,
		PoolTimeout:             time.Hour, // never reached: the pool is larger than the number of commands in flight
		ConnMaxIdleTime:         -1,
		ReadBufferSize:          1 << 10,
		WriteBufferSize:         1 << 10,
		PipelineReadBufferSize:  1 << 10,
		PipelineWriteBufferSize: 1 << 10,
		// Without this, go-redis resolves host names outside of the bubble.
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}

// silent discards the log of go-redis, which would show every fault.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// silence turns the global logger of go-redis off. It acts once, when the first
// world begins: a program that wants the log sets its own logger afterwards.
var silence = sync.OnceFunc(func() { redis.SetLogger(silent{}) })

// resolves lets package net read the configuration of DNS once outside of a bubble. The first look-up
// of a program makes a channel that all later ones use. Made in the bubble of one run, it ends
// the program in the next one: "send on synctest channel from outside bubble".
var resolves = sync.OnceFunc(func() {
	nobody := func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }
	_, _ = (&net.Resolver{PreferGo: true, Dial: nobody}).LookupHost(context.Background(), "n1")
})

// route is a process and a node, by their indexes.
type route struct{ process, node int }

// opened counts a connection that a process dials. One that the process closes is
// subtracted; one that it gave up stays, so that the count may be too high.
//
// A goroutine that waits for a turn in a full pool of go-redis holds back no connection:
// as many connections are open or being dialled as the pool has turns.
func (w *World) opened(p *Process, n *Node) {
	at := route{p.index, n.index}
	w.open[at]++
	w.crowded = w.crowded || w.open[at] >= cmp.Or(w.options.Pool, poolSize)
}

// forgetTimers empties the process-wide sync.Pool of timers that go-redis keeps for those
// who wait for a connection (internal/semaphore.go). A timer of one bubble that another
// one arms is a fatal error: "select on synctest channel from outside bubble". A sync.Pool
// gives its values up in two collections. It costs a few milliseconds, and only runs pay
// it that may have exhausted a pool.
//
// Runs that exhaust a pool must not be played at the same time in one program.
func forgetTimers() {
	runtime.GC()
	runtime.GC()
}

package redlock

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// transport is how one sender reaches the server of its node.
type transport interface {
	// exchange sends commands, several as one pipeline, and returns when each has its
	// reply or its error. now is the Clock's reading just before.
	exchange(ctx context.Context, now time.Duration, commands []redis.Cmder)
	// putBack returns what the transport keeps between exchanges.
	putBack()
}

// newTransport returns the transport for a node's client.
func newTransport(client redis.UniversalClient, maximumSenders int) transport {
	single, ok := client.(*redis.Client)
	switch {
	case !ok:
		return &anyClient{client}
	case readsRaw(client) && hasRoom(single.Options(), maximumSenders):
		return &pooledConn{client: single}
	default:
		return &onePipeline{single.Pipeline()}
	}
}

// readsRaw reports whether the replies of a client may be read as raw bytes. A cluster
// client must parse them to follow redirections, and a Sentinel client to notice a
// demoted master.
func readsRaw(client redis.UniversalClient) bool {
	single, ok := client.(*redis.Client)
	return ok && single.Options().Addr != sentinelAddress
}

// sentinelAddress is the address in the options of a Sentinel client of go-redis.
const sentinelAddress = "FailoverClient"

// hasRoom reports whether a pool has more connections than a node has senders.
func hasRoom(options *redis.Options, maximumSenders int) bool {
	return options.PoolSize > maximumSenders && (options.MaxActiveConns == 0 || options.MaxActiveConns > maximumSenders)
}

// onePipeline sends everything as a pipeline of a *redis.Client, single commands too:
// go-redis has a separate pool for pipelines, and using one pool is enough.
type onePipeline struct{ pipeline redis.Pipeliner }

func (p *onePipeline) exchange(ctx context.Context, _ time.Duration, commands []redis.Cmder) {
	_ = p.pipeline.BatchProcess(ctx, commands...)
	_, _ = p.pipeline.Exec(ctx)
}

func (*onePipeline) putBack() {}

// anyClient sends through a client of which nothing else is known. Its pipelines may not
// be reusable.
type anyClient struct{ client redis.UniversalClient }

func (c *anyClient) exchange(ctx context.Context, _ time.Duration, commands []redis.Cmder) {
	if len(commands) == 1 {
		_ = c.client.Process(ctx, commands[0])
		return
	}
	pipeline := c.client.Pipeline()
	_ = pipeline.BatchProcess(ctx, commands...)
	_, _ = pipeline.Exec(ctx)
}

func (*anyClient) putBack() {}

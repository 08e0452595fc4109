package redlock

import (
	"context"
	"strings"
	"time"

	"redlocklab/redlock/round"
)

// WithFencing gives every lease a fencing token: a number larger than that of any earlier
// lease of the same resource. The resource itself must check it (package fence, claim
// RP-5). Fencing costs a second round per acquisition. The default is no fencing.
//
// Let A and B be leases of one resource, both with fencing, where B was asked for after A
// was returned. Then A.Fence() < B.Fence(), whatever the clocks do. No two leases of a
// resource have the same number, but numbers may be skipped. This needs durable counters
// (assumption A-COUNTER): a node that acknowledged a raised counter must not lose it in a
// restart, by eviction, in a failover, or to an operator (claim RS-4). [WithRestartGuard]
// does not prevent that.
//
// The acquisition reads each node's counter while it sets the key. A second round raises
// the counters to one more than the highest of a majority. A node takes the number only if
// the key still carries this lease's token and the counter is lower. So the majority that
// took A's number and the majority that B read share a node where A came first.
//
// The counters stay under [FenceKey], one small key per resource, for as long as
// [WithFenceRetention] says.
func WithFencing() LockOption {
	return lockOption(func(s *lockSettings) error {
		s.fencing = true
		return nil
	})
}

// WithFenceRetention sets how long a fencing counter stays on the nodes after the last
// acquisition with fencing: at least 24 hours, in whole milliseconds. It must be longer than
// any lease and than any access may be delayed. The numbers of a resource begin again at 1
// when its counters have expired: remove the resource's high-water mark (package fence)
// before, or the resource refuses every new lease. The default is 0, for ever.
func WithFenceRetention(retention time.Duration) LockOption {
	return lockOption(func(s *lockSettings) error {
		s.fenceRetention = retention
		if retention != 0 && retention < 24*time.Hour || retention%time.Millisecond != 0 {
			return invalid("WithFenceRetention: %v; want 0 or at least 24h, in whole milliseconds", retention)
		}
		return nil
	})
}

const fenceSuffix = ":fence"

// FenceKey returns the key of a resource's fencing counter. It is in the hash slot of the
// resource, so that one script can use both keys on a node backed by Cluster. The exception
// is a name with a "}" but no hash tag: do not use such names with fencing on a cluster.
// With [WithKeyPrefix] give it the prefix and the name. A resource whose key is the counter's of
// another cannot be locked: [ErrInvalidArgument]. The resources x and {x} share one counter.
func FenceKey(resource string) string {
	if hashTag(resource) != resource {
		return resource + fenceSuffix
	}
	return "{" + resource + "}" + fenceSuffix
}

// counterOf returns the resource whose fencing counter has this key, if there can be one.
func counterOf(key string) (resource string, ok bool) {
	whole, _ := strings.CutSuffix(key, fenceSuffix)
	inner := strings.TrimSuffix(strings.TrimPrefix(whole, "{"), "}")
	for _, name := range []string{inner, whole} {
		if name != "" && FenceKey(name) == key {
			return name, true
		}
	}
	return "", false
}

// raiseFence writes the fencing token of a new lease to a majority, within the validity of
// the lease. It returns the result and the fanout of that round.
func (l *Locker) raiseFence(
	ctx context.Context, acquired *fanout, counter int64, until time.Duration,
) (roundResult, *fanout) {
	c := acquired.command
	c.operation, c.fence = OperationFence, counter+1
	start := l.settings.clock.Now()
	f := l.newFanout(ctx, acquired.tokenState, c, start, until-start, min(acquired.timeout, max(until-start, 1)))
	f.sendAll()
	result := f.wait(ctx, f.timeout)
	if result.state == round.Granted && result.endedAt >= until {
		result.state, result.loss = round.Lost, round.Late
	}
	return result, f
}

// Fence returns the lease's fencing token, which is at least 1, or 0 without [WithFencing]. While
// the counters are durable (assumption A-COUNTER), it is larger than that of every earlier lease of
// the resource; numbers may be skipped. Extending the lease does not change it.
func (l *Lease) Fence() uint64 { return l.fence }

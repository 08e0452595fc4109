package redlock

import (
	"context"
	"strings"
	"time"

	"redlocklab/redlock/round"
)

// WithFencing gives every lease a fencing token: a number that is larger than
// that of any earlier lease of the same resource, for the resource itself to
// check (package fence, claim RP-5). It costs a second round per acquisition.
//
// Precisely: let A and B be leases of one resource, both with fencing, A handed
// out before B was asked for. Then A.Fence() < B.Fence(), whatever the clocks do,
// as long as the counters are durable (assumption A-COUNTER): a node that
// acknowledged a raised counter must not lose it in a restart, by eviction, by a
// failover, or by an operator. With counters that can go back the numbers can go
// back too (claim RS-4); the restart guard does not help. Under the same assumption
// no two leases of a resource have the same number. Numbers may skip. A lease that
// lapses before its number is confirmed is not handed out.
//
// How: the acquisition reads each node's counter while it sets the key. One more
// than the highest of a majority is then written back, on each node only where
// the key still carries this lease's token and the counter is lower. The lease is
// handed out when a majority has taken it. Because a node takes A's number only
// while A has its vote, and B reads the counter only once B has it, the majority
// that A wrote to and the majority that B read from share a node where A came
// first. A maximum without the write-back would not be monotonic.
//
// Counters are kept for ever under FenceKey; they need no more than one small
// key per resource. Default: no fencing.
func WithFencing() LockOption {
	return lockOption(func(s *lockSettings) error {
		s.fencing = true
		return nil
	})
}

// FenceKey is the key of a resource's counter: in the hash slot of the resource,
// so that one script may use both on a Cluster-backed node. (A name that has a
// "}" but no hash tag of its own ends up in another slot; do not use such names
// with fencing on a cluster.)
func FenceKey(resource string) string {
	if _, rest, found := strings.Cut(resource, "{"); found && strings.Index(rest, "}") > 0 {
		return resource + ":fence"
	}
	return "{" + resource + "}:fence"
}

// fenceKeys are the counters of several resources.
func fenceKeys(resources []string) []string {
	keys := make([]string, len(resources))
	for i, resource := range resources {
		keys[i] = FenceKey(resource)
	}
	return keys
}

// raiseFence writes the fencing token of a new lease to a majority, within the
// validity that the lease has.
func (l *Locker) raiseFence(ctx context.Context, won *flight, until time.Duration) (result, *flight) {
	c := won.command
	c.operation, c.fence = OperationFence, won.highestCounter()+1
	start := l.settings.clock.Now()
	f := l.newFlight(won.tenure, c, start, until-start, won.timeout)
	f.launch()
	end := f.wait(ctx, f.timeout)
	if end.state == round.Granted && end.end >= until {
		end.state, end.loss = round.Lost, round.Late
	}
	return end, f
}

// Fence is the lease's fencing token, 1 or more; 0 without WithFencing. It does
// not change when the lease is extended.
func (l *Lease) Fence() uint64 { return l.fence }

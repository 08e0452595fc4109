package redlock

import "time"

const (
	// circuitFailures opens a circuit.
	circuitFailures = 3
	// circuitPause is the time between two probes through an open circuit.
	circuitPause = time.Second
)

// circuit is a circuit breaker with two states:
//
//	closed  fewer than circuitFailures in a row: every round asks the node
//	open    as many or more: one command per circuitPause goes out as a probe
//
// recordFailure opens it, recordSuccess closes it. A failure is a batch without an answer
// within the per-node timeout, or whose connection failed. A node that is not asked votes
// neither for nor against. An open circuit never makes a lock unavailable by itself (see
// fanout.sendAll) and never holds back a release. The mutex of its nodeQueue guards it.
type circuit struct {
	failures  int           // in a row
	lastProbe time.Duration // when the circuit opened or last let a probe through
}

// skips reports whether the circuit is open at now and lets no probe through.
func (c *circuit) skips(now time.Duration) bool {
	if c.failures < circuitFailures {
		return false
	}
	if now-c.lastProbe < circuitPause {
		return true
	}
	c.lastProbe = now
	return false
}

func (c *circuit) recordFailure(now time.Duration) {
	c.failures++
	if c.failures == circuitFailures {
		c.lastProbe = now
	}
}

func (c *circuit) recordSuccess() { c.failures = 0 }

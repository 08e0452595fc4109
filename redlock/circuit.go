package redlock

import (
	"cmp"
	"time"
)

// circuit is a circuit breaker: it opens after failures in a row, and an open circuit
// keeps rounds from asking the node. The node then votes neither for nor against. An
// open circuit never makes a lock unavailable by itself (see fanout.sendAll) and never
// holds back a release. The mutex of its nodeQueue guards it.
type circuit struct {
	failures  int           // in a row
	lastProbe time.Duration // when the circuit opened or last let a probe through
}

func (c *circuit) open(threshold int) bool { return threshold > 0 && c.failures >= threshold }

// allowProbe reports whether an open circuit lets one command through now. If so, it
// starts the next pause.
func (c *circuit) allowProbe(now, pause time.Duration) bool {
	if now-c.lastProbe < pause {
		return false
	}
	c.lastProbe = now
	return true
}

// recordFailure counts a failure. If that opens the circuit, the first pause starts.
func (c *circuit) recordFailure(now time.Duration, threshold int) {
	c.failures++
	if c.failures == threshold {
		c.lastProbe = now
	}
}

func (c *circuit) recordSuccess() { c.failures = 0 }

// WithCircuit sets the circuit breaker of each node. Rounds skip a node after this
// many failures in a row; 0 means that they never skip it. A failure is a batch of
// commands without an answer within the per-node timeout, or whose connection failed.
// Once per pause one command goes to the node to see whether it is back.
//
// A node is skipped only while the other nodes can make a quorum. Releases are never
// skipped. The default is 3 failures and a pause of one second.
func WithCircuit(failures int, pause time.Duration) Option {
	return lockerOption(func(s *settings) error {
		s.circuitFailures, s.circuitPause = failures, pause
		return cmp.Or(atLeast("failures of WithCircuit", failures, 0), atLeast("pause of WithCircuit", pause, 0))
	})
}

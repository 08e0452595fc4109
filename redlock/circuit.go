package redlock

import "time"

// circuit decides whether a node that failed repeatedly is asked at all. An open
// circuit is no vote, neither for nor against. It never makes a lock
// unavailable by itself (see flight.launch), and it never holds back a release.
//
// It is plain data under its lane's mutex: no timer and no goroutine. A node
// that swallows everything is noticed when the next command is about to be sent
// while earlier ones are overdue.
type circuit struct {
	failures int           // in a row
	tried    time.Duration // when the last probe was let through
}

// open reports whether the node is to be skipped.
func (c *circuit) open(threshold int) bool { return threshold > 0 && c.failures >= threshold }

// probe reports whether an open circuit lets one command through now, and counts
// it as the probe if so.
func (c *circuit) probe(now, pause time.Duration) bool {
	if now-c.tried < pause {
		return false
	}
	c.tried = now
	return true
}

// failed records a failure, and when the circuit opens by it, the start of its
// first pause.
func (c *circuit) failed(now time.Duration, threshold int) {
	c.failures++
	if c.failures == threshold {
		c.tried = now
	}
}

// succeeded closes the circuit.
func (c *circuit) succeeded() { c.failures = 0 }

// WithCircuit skips a node after so many failures in a row (commands that got no
// answer within the per-node timeout, or whose connection failed), and lets one
// command through per pause to see whether it is back. Nodes are skipped only
// while the others can still make a quorum, and releases are never skipped. 0
// failures: never skip. Default: 3 and one second.
func WithCircuit(failures int, pause time.Duration) Option {
	return lockerOption(func(s *settings) error {
		if failures < 0 || pause < 0 {
			return invalid("WithCircuit: %d failures and a pause of %v; neither may be negative", failures, pause)
		}
		s.circuitFailures, s.circuitPause = failures, pause
		return nil
	})
}

// Package redlockotel reports the events of a redlock.Locker as OpenTelemetry traces and
// metrics.
//
//	observer, err := redlockotel.New(tracerProvider, meterProvider)
//	locker, err := redlock.New(nodes, redlock.WithObserver(observer))
//
// Each round is one span, such as "redlock acquire", with one span event per node. It is a
// child of the span in the caller's context; renewals have no caller. The metrics are
//
//	redlock.round.duration   histogram, seconds   by operation and result
//	redlock.node.outcomes    counter              by node, operation and outcome
//	redlock.lock.wait        histogram, seconds   how long calls waited, by result
//	redlock.lease.held       histogram, seconds   how long leases were held, by reason of
//	                                              their end
//	redlock.quarantines      counter              quarantines of the restart guard,
//	                                              by node
//
// Resource names appear on spans and never on metrics, where each name would be a time
// series of its own. Only the first characters of tokens appear.
package redlockotel

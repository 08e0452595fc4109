// Package redlockotel reports what a redlock.Locker does as OpenTelemetry traces
// and metrics.
//
//	observer, err := redlockotel.New(tracerProvider, meterProvider)
//	locker, err := redlock.New(nodes, redlock.WithObserver(observer))
//
// Each round is one span, "redlock acquire" and so on, a child of the span in the
// caller's context, with one span event per node. The metrics are
//
//	redlock.round.duration   histogram, seconds   by operation and result
//	redlock.node.outcomes    counter              by node, operation and outcome
//	redlock.leases.ended     counter              leases that ended unreleased, by reason
//	redlock.circuits.open    up-down counter      by node
//	redlock.quarantines      counter              nodes whose votes the guard held back, restarted or too young at first contact, by node
//
// Resource names are on spans and never on metrics, where each name would be a
// time series of its own. Tokens appear as their first characters only.
package redlockotel

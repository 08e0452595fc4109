package redlockotel

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"redlocklab/redlock"
)

const instrumentation = "redlocklab/redlock/redlockotel"

type observer struct {
	tracer                  trace.Tracer
	durations, waits, holds metric.Float64Histogram
	outcomes, quarantines   metric.Int64Counter
}

// New returns an Observer that reports to the providers. It fails if the meter provider
// refuses an instrument.
func New(tracers trace.TracerProvider, meters metric.MeterProvider) (redlock.Observer, error) {
	meter := meters.Meter(instrumentation)
	o := &observer{tracer: tracers.Tracer(instrumentation)}
	var errs [5]error
	o.durations, errs[0] = meter.Float64Histogram("redlock.round.duration", metric.WithUnit("s"),
		metric.WithDescription("Time from just before the first send to the end of a round."))
	o.waits, errs[1] = meter.Float64Histogram("redlock.lock.wait", metric.WithUnit("s"),
		metric.WithDescription("Time from a call of Lock, TryLock or Do to its lease or its error."))
	o.holds, errs[2] = meter.Float64Histogram("redlock.lease.held", metric.WithUnit("s"),
		metric.WithDescription("Time from just before the first send of an acquisition to the end of its lease."))
	o.outcomes, errs[3] = meter.Int64Counter("redlock.node.outcomes",
		metric.WithDescription("What nodes answered in rounds."))
	o.quarantines, errs[4] = meter.Int64Counter("redlock.quarantines",
		metric.WithDescription("Quarantines of the restart guard: the node restarted, or was too young when it was first reached."))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	return o, nil
}

// Observe implements redlock.Observer.
func (o *observer) Observe(ctx context.Context, event redlock.Event) {
	switch event.Kind {
	case redlock.EventRound:
		o.span(ctx, event)
		o.measure(ctx, event)
	case redlock.EventLeaseEnded:
		o.holds.Record(ctx, event.Elapsed.Seconds(), metric.WithAttributes(attribute.String("redlock.reason", resultOf(event.Err))))
	case redlock.EventAcquired:
		o.waits.Record(ctx, event.Elapsed.Seconds(), metric.WithAttributes(attribute.String("redlock.result", resultOf(event.Err))))
	case redlock.EventQuarantine:
		o.quarantines.Add(ctx, 1, metric.WithAttributes(attribute.String("redlock.node", event.Node)))
	}
}

// span records a round that has ended. Traces use the wall clock and the round another
// one, so the span ends now and begins the round's duration earlier.
func (o *observer) span(ctx context.Context, event redlock.Event) {
	end := time.Now()
	begin := end.Add(-event.Elapsed)
	_, span := o.tracer.Start(ctx, "redlock "+event.Operation.String(),
		trace.WithTimestamp(begin), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(
			attribute.StringSlice("redlock.resources", event.Resources),
			attribute.String("redlock.token", event.TokenPrefix),
			attribute.String("redlock.result", resultOf(event.Err)),
			attribute.Int64("redlock.validity_ms", event.Validity.Milliseconds()),
		))
	for _, node := range event.Nodes {
		span.AddEvent(node.Node, trace.WithTimestamp(begin.Add(node.Latency)),
			trace.WithAttributes(attribute.String("redlock.outcome", node.Outcome.String())))
	}
	// Contention is an ordinary result, not an error.
	if event.Err != nil && !errors.Is(event.Err, redlock.ErrContended) {
		span.RecordError(event.Err, trace.WithTimestamp(end))
		span.SetStatus(codes.Error, resultOf(event.Err))
	}
	span.End(trace.WithTimestamp(end))
}

// measure records the metrics of a round.
func (o *observer) measure(ctx context.Context, event redlock.Event) {
	operation := attribute.String("redlock.operation", event.Operation.String())
	o.durations.Record(ctx, event.Elapsed.Seconds(),
		metric.WithAttributes(operation, attribute.String("redlock.result", resultOf(event.Err))))
	for _, node := range event.Nodes {
		o.outcomes.Add(ctx, 1, metric.WithAttributes(operation,
			attribute.String("redlock.node", node.Node),
			attribute.String("redlock.outcome", node.Outcome.String())))
	}
}

// results are the values of a "result" attribute: a fixed word per error. The first that
// applies counts.
var results = []struct {
	err  error
	word string
}{
	{redlock.ErrContended, "contended"},
	{redlock.ErrLate, "late"},
	{redlock.ErrLapsed, "lapsed"},
	{redlock.ErrNotHeld, "not held"},
	{redlock.ErrReleased, "released"},
	{redlock.ErrClosed, "closed"},
	{redlock.ErrSameServer, "same server"},
	{context.Canceled, "cancelled"},
	{context.DeadlineExceeded, "deadline exceeded"},
	{redlock.ErrNoQuorum, "no quorum"},
}

// resultOf returns the word for an error.
func resultOf(err error) string {
	if err == nil {
		return "granted"
	}
	for _, known := range results {
		if errors.Is(err, known.err) {
			return known.word
		}
	}
	return "other"
}

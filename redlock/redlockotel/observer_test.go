package redlockotel_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"redlocklab/redlock"
	"redlocklab/redlock/redlockotel"
)

// record passes events to an observer. It returns the spans, and the sums of the counters by
// name and by name and attribute value.
func record(t *testing.T, events ...redlock.Event) ([]trace.ReadOnlySpan, map[string]int64) {
	t.Helper()
	spans := tracetest.NewSpanRecorder()
	reader := metric.NewManualReader()
	observer, err := redlockotel.New(trace.NewTracerProvider(trace.WithSpanProcessor(spans)),
		metric.NewMeterProvider(metric.WithReader(reader)))
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range events {
		observer.Observe(t.Context(), event)
	}
	var collected metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &collected); err != nil {
		t.Fatal(err)
	}
	sums := map[string]int64{}
	for _, scope := range collected.ScopeMetrics {
		for _, instrument := range scope.Metrics {
			switch data := instrument.Data.(type) {
			case metricdata.Sum[int64]:
				for _, point := range data.DataPoints {
					sums[instrument.Name] += point.Value
					for _, attribute := range point.Attributes.ToSlice() {
						sums[instrument.Name+" "+attribute.Value.String()] += point.Value
					}
				}
			case metricdata.Histogram[float64]:
				for _, point := range data.DataPoints {
					sums[instrument.Name] += int64(point.Count)
				}
			}
		}
	}
	return spans.Ended(), sums
}

func TestRoundBecomesASpanAndMetrics(t *testing.T) {
	spans, sums := record(t,
		redlock.Event{
			Kind: redlock.EventRound, Operation: redlock.OperationAcquire, Resources: []string{"res"},
			Elapsed: 3 * time.Millisecond, Nodes: []redlock.NodeReport{
				{Node: "n1", Outcome: redlock.OutcomeGranted, Latency: time.Millisecond},
				{Node: "n2", Outcome: redlock.OutcomeTimeout, Latency: 3 * time.Millisecond},
			},
		},
		redlock.Event{Kind: redlock.EventRound, Operation: redlock.OperationAcquire, Err: redlock.ErrContended},
		redlock.Event{Kind: redlock.EventRound, Operation: redlock.OperationExtend, Err: redlock.ErrNoQuorum},
	)
	if len(spans) != 3 {
		t.Fatalf("%d spans", len(spans))
	}
	first := spans[0]
	if first.Name() != "redlock acquire" || len(first.Events()) != 2 || first.EndTime().Sub(first.StartTime()) != 3*time.Millisecond {
		t.Errorf("span %s with %d events over %v", first.Name(), len(first.Events()), first.EndTime().Sub(first.StartTime()))
	}
	if spans[1].Status().Code == codes.Error || spans[2].Status().Code != codes.Error {
		t.Error("contention is no error, a missing quorum is one")
	}
	if sums["redlock.round.duration"] != 3 {
		t.Errorf("durations: %v", sums)
	}
	if sums["redlock.node.outcomes"] != 2 || sums["redlock.node.outcomes timeout"] != 1 || sums["redlock.node.outcomes n1"] != 1 {
		t.Errorf("outcomes: %v", sums)
	}
}

func TestOtherEventsAreCounted(t *testing.T) {
	_, sums := record(t,
		redlock.Event{Kind: redlock.EventLeaseEnded, Err: redlock.ErrLapsed, Elapsed: time.Second},
		redlock.Event{Kind: redlock.EventLeaseEnded, Err: redlock.ErrReleased, Elapsed: time.Second},
		redlock.Event{Kind: redlock.EventAcquired, Elapsed: time.Second},
		redlock.Event{Kind: redlock.EventQuarantine, Node: "n1"},
	)
	want := map[string]int64{
		"redlock.lease.held": 2, "redlock.lock.wait": 1,
		"redlock.quarantines": 1, "redlock.quarantines n1": 1,
	}
	if fmt.Sprint(sums) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", sums, want)
	}
}

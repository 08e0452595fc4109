package checker

import (
	"testing"
)

// TestLapsedMargin: a handover by release is no close call with time.
func TestLapsedMargin(t *testing.T) {
	history := &History{
		Header: headerFor(1000),
		Leases: []Lease{released(held("A#1", 10, 100), 50), released(held("B#1", 52, 90), 95), held("A#2", 99, 130)},
	}
	margin := Judge(history, Options{}).Overlap.Margins[0]
	if *margin.MarginNS != 2 || margin.LapsedMarginNS == nil || *margin.LapsedMarginNS != 9 {
		t.Errorf("margin %v, behind what lapsed %v; wanted 2 and 9", *margin.MarginNS, text(margin.LapsedMarginNS))
	}
	history.Leases[1].ReleasedNS = At(80)
	if margin = Judge(history, Options{}).Overlap.Margins[0]; margin.LapsedMarginNS != nil {
		t.Errorf("nobody lapsed, and the margin behind it is %d", *margin.LapsedMarginNS)
	}
}

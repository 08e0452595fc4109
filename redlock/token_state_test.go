package redlock

import (
	"slices"
	"testing"
)

// A lane that found a call wanted, just before its token is released, must not
// send it after the release was sent to the nodes that are known: nobody would
// look after it (claim MX-3).
func TestNothingIsSentOnceTheReleaseHasChosenItsNodes(t *testing.T) {
	tenure := newTokenState([]string{"res"}, "token", 2)
	set := &fanout{tokenState: tenure, command: command{operation: OperationAcquire}}
	release := &fanout{tokenState: tenure, command: command{operation: OperationRelease}}
	if !set.recordSend(0) {
		t.Fatal("the token is not being released yet")
	}
	tenure.stopSetting()
	if chosen := tenure.nodesToRelease(); !slices.Equal(chosen, []bool{true, false}) {
		t.Fatalf("release to %v", chosen)
	}
	if set.recordSend(1) || tenure.nodes[1].mayCarry {
		t.Error("a SET goes to a node that gets no release")
	}
	if !release.recordSend(0) {
		t.Error("a release was held back")
	}
}

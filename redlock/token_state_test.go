package redlock

import (
	"slices"
	"testing"
)

// A request that was still wanted just before the release of its token must not be sent
// after the release has chosen its nodes: nothing would release the token there (claim
// MX-3).
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

package redlock

import (
	"context"
	"time"
)

// repayPause is how long an owed release waits if the node answers nothing meanwhile.
const repayPause = time.Second

// releaseOwed sends the release that a node is owed, unless the keys have expired.
func (q *nodeQueue) releaseOwed(state *tokenState, now time.Duration) {
	if !state.claimRelease(q.index, now) {
		return
	}
	l := q.locker
	l.newReleaseFanout(l.commandContext, state, now, l.settings.closeTimeout()).sendTo(q.index, now)
}

// oweRelease records that a release for this node failed. It is sent again when the node
// is back, and otherwise after repayPause, until the keys have expired.
func (q *nodeQueue) oweRelease(state *tokenState) {
	q.mu.Lock()
	if q.locker.closed.Load() || len(q.owed) >= maximumQueue {
		q.dropped++
		q.mu.Unlock()
		return
	}
	q.owed = append(q.owed, state)
	start := !q.repaying
	q.repaying = true
	q.mu.Unlock()
	if start {
		go q.repayLater()
	}
}

// repayLater is the body of a goroutine that sends the owed releases after a pause.
func (q *nodeQueue) repayLater() {
	_, _ = q.locker.pause(context.Background(), repayPause, nil)
	q.mu.Lock()
	q.repaying = false
	q.mu.Unlock()
	q.repay(q.locker.settings.clock.Now())
}

func (q *nodeQueue) repay(now time.Duration) {
	q.mu.Lock()
	owed := q.owed
	q.owed = nil
	q.mu.Unlock()
	for _, state := range owed {
		q.releaseOwed(state, now)
	}
}

// pause waits for d on the Clock, or until enough says so, the context ends or the Locker is
// closed. It reports whether enough did.
func (l *Locker) pause(ctx context.Context, d time.Duration, enough <-chan struct{}) (bool, error) {
	timer := l.settings.clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-enough:
		return true, nil
	case <-timer.C():
		return false, nil
	case <-ctx.Done():
		return false, contextError(ctx)
	case <-l.closing:
		return false, ErrClosed
	}
}

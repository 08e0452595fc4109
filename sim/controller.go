package sim

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// loop is the controller. It waits until every goroutine rests, processes what the
// processes did meanwhile, and then does the one next action. Every action has an
// instant of its own.
//
// Timers of the bubble that are due at the controller's own instant fire before
// the controller's timer. The Wait after that timer lets everything that they
// woke come to rest before the action. Without it, their order would be chance.
func (w *World) loop() Outcome {
	idleSince := time.Duration(-1)
	for {
		synctest.Wait()
		if w.takeIn() {
			continue
		}
		if bound := w.expired.Load(); bound != nil {
			return *bound
		}
		if w.recorder.count >= w.config.Bounds.Events {
			return EventBound
		}
		if w.recorder.bytes >= cmp.Or(w.config.Bounds.Bytes, DefaultBytes) {
			return ByteBound
		}
		if slices.ContainsFunc(w.processes, (*Process).busy) {
			idleSince = -1
		} else if idleSince < 0 {
			idleSince = w.now
		}
		limit, ending := w.config.Bounds.Virtual, VirtualBound
		if idleSince >= 0 && idleSince+w.config.Drain < limit {
			limit, ending = idleSince+w.config.Drain, Finished
		}
		w.mu.Lock()
		next := w.queue.peek()
		at := limit
		if next != nil {
			at = min(limit, max(next.at, w.now+1))
		}
		now := w.Now()
		if now >= at {
			if next == nil || max(next.at, w.now+1) > limit || at == limit {
				w.mu.Unlock()
				w.now = max(w.now, limit)
				return ending
			}
			w.queue.remove(0)
			w.mu.Unlock()
			w.now = now
			if next.msg != nil {
				next.msg.arrive()
			} else {
				next.do()
			}
			continue
		}
		w.mu.Unlock()
		w.wakes.Store(int64(at))
		w.timer.Reset(at - now)
		<-w.timer.C
		w.wakes.Store(0)
	}
}

// nudge wakes the controller because there is something to process. It does
// nothing at an instant at which the controller wakes anyway: a timer that is due
// at once must not be armed (see [Process.Sleep]).
func (w *World) nudge() {
	if at := w.wakes.Load(); at != 0 && int64(w.Now()) < at && w.wakes.CompareAndSwap(at, 0) {
		w.timer.Reset(0)
	}
}

// bubble runs f in virtual time and returns when f and every goroutine that it
// started have ended. It works in a plain binary as well as under go test. It
// returns an error if a goroutine stays blocked for ever; such goroutines leak.
//
// The documentation of synctest.Test does not promise that it accepts a zero
// testing.T. TestBubble checks that it does.
func bubble(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("sim: %v", r)
		}
	}()
	synctest.Test(new(testing.T), func(*testing.T) { f() })
	return nil
}

package redlock_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

// wordsHook reads the words of every command before and after its exchange, as hooks that
// trace or log do, and from another goroutine that outlives both.
type wordsHook struct {
	again func(command redis.Cmder, read func()) // reads them after the exchange; may be nil
}

func (h wordsHook) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h wordsHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		_ = command.Args()
		err := next(ctx, command)
		h.readAgain(command)
		return err
	}
}

func (h wordsHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		for _, command := range commands {
			_ = command.Args()
		}
		err := next(ctx, commands)
		for _, command := range commands {
			h.readAgain(command)
		}
		return err
	}
}

func (h wordsHook) readAgain(command redis.Cmder) {
	read := func() { _ = command.Args() }
	if h.again != nil {
		h.again(command, read)
	} else {
		read()
	}
	go read()
}

// A hook may read the words of a command when it would be too late to send it. That does
// not take back a vote.
func TestAHookThatReadsWordsLateLosesNoVote(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		w.list[0].Client.AddHook(wordsHook{again: func(_ redis.Cmder, read func()) {
			w.clock.extra.Add(int64(time.Hour)) // nobody else reads the clock now
			read()
			w.clock.extra.Add(-int64(time.Hour))
		}})
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", time.Second, redlock.WithFencing())
		if err != nil {
			t.Fatal(err)
		}
		if err := lease.Extend(t.Context(), time.Second); err != nil {
			t.Error(err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A SET lands while its lease is being released. A hook that reads its words only then does
// not hide it: the node gets its release.
func TestAHookThatReadsWordsLateHidesNoSet(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		released := make(chan struct{})
		for i, node := range w.list {
			hook := wordsHook{}
			if i == 2 {
				hook.again = func(command redis.Cmder, read func()) {
					if command.Name() == "set" {
						<-released
					}
					read()
				}
			}
			node.Client.AddHook(hook)
		}
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		if got := w.holders("res", lease.Token()); got != 3 {
			t.Fatalf("%d keys", got)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Error(err)
		}
		close(released)
		time.Sleep(10 * time.Millisecond)
		if got := w.holders("res", lease.Token()); got != 0 {
			t.Errorf("%d keys after the release", got)
		}
	})
}

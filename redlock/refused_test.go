package redlock_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

// Lock waits for servers that will answer, not for those that refuse for good: three of five
// refusals end it, two do not, and an error that passes ends nothing.
func TestLockEndsWhereAQuorumRefuses(t *testing.T) {
	const passes = 2 * time.Second // then the errors end
	for text, lasts := range map[string]bool{
		"NOPERM User locker has no permissions to run the 'set' command": true,
		"NOAUTH Authentication required.":                                true,
		"WRONGPASS invalid username-password pair or user is disabled.":  true,
		"WRONGTYPE Operation against a key holding the wrong kind":       true,
		"ERR max number of clients reached":                              false,
		"LOADING Redis is loading the dataset in memory":                 false,
		"OOM command not allowed when used memory > 'maxmemory'.":        false,
		"READONLY You can't write against a read only replica.":          false,
	} {
		for refusals := 2; refusals <= 3; refusals++ {
			t.Run(fmt.Sprintf("%s by %d", text, refusals), func(t *testing.T) {
				inBubble(t, 5, func(t *testing.T, w *world) {
					for _, node := range w.nodes[:refusals] {
						node.set(func(n *fakeNode) { n.setError = text })
					}
					timer := time.AfterFunc(passes, func() {
						for _, node := range w.nodes {
							node.set(func(n *fakeNode) { n.setError = "" })
						}
					})
					defer timer.Stop()
					l := w.locker(1)
					defer w.close(l)
					ctx, cancel := context.WithTimeout(t.Context(), 2*passes)
					defer cancel()
					begin := time.Now()
					_, err := l.Lock(ctx, "r", time.Minute)
					switch took := time.Since(begin); {
					case lasts && refusals == 3:
						if !errors.Is(err, redlock.ErrNoQuorum) || took > passes/2 {
							t.Errorf("%v after %v, want ErrNoQuorum at once", err, took)
						}
					case err != nil || (took < passes) != (refusals == 2):
						t.Errorf("%v after %v", err, took)
					}
				})
			})
		}
	}
}

// A server that refuses new connections for good refuses the commands too: Open and Lock say so at
// once, also where a hook reads the words of each command. The driver reports it for a pipeline and
// for one command in different ways.
func TestIntegrationWrongPassword(t *testing.T) {
	addresses := realServers(t, 3)
	for _, test := range []struct {
		wrong  int
		hooked bool
	}{{1, false}, {2, false}, {2, true}} {
		wrong := test.wrong
		nodes := realNodes(t, addresses, nil)
		copy(nodes, realNodes(t, addresses[:wrong], func(o *redis.Options) {
			o.Username, o.Password = "locker", "wrong"
		}))
		if test.hooked {
			for _, node := range nodes {
				node.Client.AddHook(wordsHook{again: func(_ redis.Cmder, read func()) { read() }})
			}
		}
		refused := wrong == 2
		opened, err := redlock.Open(t.Context(), nodes)
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "WRONGPASS") {
			t.Errorf("Open with %d wrong passwords: %v", wrong, err)
		}
		if opened != nil {
			_ = opened.Close()
		}
		l, err := redlock.New(nodes)
		if err != nil {
			t.Fatal(err)
		}
		fencing := redlock.WithFencing()
		for i, option := range []redlock.LockOption{redlock.WithMaximumExtensions(1), fencing, fencing} {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			_, err = l.Lock(ctx, fmt.Sprint("r", test, i), time.Minute, option)
			if errors.Is(err, redlock.ErrNoQuorum) != refused || ctx.Err() != nil {
				t.Errorf("Lock %d with %d wrong passwords: %v", i, wrong, err)
			}
			cancel()
		}
		_ = l.Close()
	}
}

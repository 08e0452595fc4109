package sim

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
)

// silent discards what go-redis logs: in a world full of faults it would log every one.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// silence turns go-redis' process-wide logger off. It is called when the first
// world begins; a program that wants the log back sets its own afterwards.
var silence = sync.OnceFunc(func() { redis.SetLogger(silent{}) })

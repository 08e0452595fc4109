package subjects

import (
	"context"
	"sync"
	"time"

	"redlocklab/redlock"
)

// renewals tells the client of every renewal that the package's watchdog made by
// itself. It is the package's observer, and knows leases by the start of their token.
type renewals struct {
	mu     sync.Mutex
	leases map[string]renewed // by digest of the token
}

type renewed struct {
	lease *redlock.Lease
	tell  func(until time.Duration)
}

// askedFor marks the context of an extension that the client called itself.
type askedFor struct{}

// Observe implements redlock.Observer.
func (r *renewals) Observe(ctx context.Context, event redlock.Event) {
	if event.Kind != redlock.EventRound || event.Operation != redlock.OperationExtend || event.Err != nil || ctx.Value(askedFor{}) != nil {
		return
	}
	r.mu.Lock()
	watched, ok := r.leases[event.TokenPrefix]
	r.mu.Unlock()
	if ok {
		watched.tell(watched.lease.Until())
	}
}

// digestBytes is how much of a token the package shows its observer.
const digestBytes = 6

func (r *renewals) watch(lease *redlock.Lease, tell func(until time.Duration)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leases[lease.Token()[:digestBytes]+"…"] = renewed{lease, tell}
}

package subjects

import (
	"context"
	"sync"
	"time"

	"redlocklab/redlock"
)

// renewals is a redlock.Observer that reports to the client each renewal that the package
// made by itself. It finds leases by the prefix of their token.
type renewals struct {
	mu     sync.Mutex
	leases map[string]renewedLease // by Event.TokenPrefix
}

type renewedLease struct {
	lease     *redlock.Lease
	onRenewal func(until time.Duration)
}

// extendedByClient is the context key of an extension that the client itself called.
type extendedByClient struct{}

// Observe implements redlock.Observer.
func (r *renewals) Observe(ctx context.Context, event redlock.Event) {
	if event.Kind != redlock.EventRound || event.Operation != redlock.OperationExtend || event.Err != nil || ctx.Value(extendedByClient{}) != nil {
		return
	}
	r.mu.Lock()
	watched, ok := r.leases[event.TokenPrefix]
	r.mu.Unlock()
	if ok {
		watched.onRenewal(watched.lease.Until())
	}
}

// tokenPrefixBytes is the length of the token in redlock.Event.TokenPrefix.
const tokenPrefixBytes = 6

func (r *renewals) watch(lease *redlock.Lease, onRenewal func(until time.Duration)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leases[lease.Token()[:tokenPrefixBytes]+"…"] = renewedLease{lease, onRenewal}
}

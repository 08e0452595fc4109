package redlock

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Handover lets another process adopt a lock with [Locker.Adopt]. It contains the token:
// send it over a channel that you trust.
type Handover struct {
	resources []string
	token     string
}

// handoverText is the JSON of a Handover.
type handoverText struct {
	Version   int      `json:"redlock_handover"`
	Resources [][]byte `json:"resources"` // base64: names may be any bytes
	Token     string   `json:"token"`
}

// handoverVersion is the version of the JSON.
const handoverVersion = 1

// Handover ends this lease and returns what [Locker.Adopt] needs. From the call on, the
// lease is not valid and can be neither extended nor released. The keys stay until another
// process adopts them or their time to live ends. Handover fails with [ErrReleased],
// [ErrLapsed] or [ErrNotHeld] if the lease had ended.
func (l *Lease) Handover() (Handover, error) {
	if l.locker.settings.clock.Now() >= l.Until() {
		l.conclude(ErrLapsed)
	}
	if !l.conclude(errHandedOver) {
		return Handover{}, l.ended()
	}
	l.tokenState.stopSetting()
	return Handover{resources: l.tokenState.keys, token: l.tokenState.token}, nil
}

// MarshalText returns the handover as one line of JSON, which contains the token.
func (h Handover) MarshalText() ([]byte, error) {
	text := handoverText{Version: handoverVersion, Token: h.token}
	for _, resource := range h.resources {
		text.Resources = append(text.Resources, []byte(resource))
	}
	return json.Marshal(text)
}

// UnmarshalText reads what MarshalText returned. It fails with [ErrInvalidArgument] for
// anything else.
func (h *Handover) UnmarshalText(text []byte) error {
	var parsed handoverText
	if err := json.Unmarshal(text, &parsed); err != nil {
		return fmt.Errorf("%w: handover: %w", ErrInvalidArgument, err)
	}
	if parsed.Version != handoverVersion || parsed.Token == "" || len(parsed.Token) > replyCapacity/2 {
		return invalid("handover: unknown version or malformed token")
	}
	names := make([]string, len(parsed.Resources))
	for i, resource := range parsed.Resources {
		names[i] = string(resource)
	}
	keys, err := checkResources(names)
	if err != nil {
		return err
	}
	h.resources, h.token = keys, parsed.Token
	return nil
}

// String returns the resources and only the first characters of the token.
func (h Handover) String() string {
	return fmt.Sprintf("handover of %q (token %s)", h.resources, tokenPrefix(h.token))
}

// GoString returns the same as String, so that %#v does not show the token.
func (h Handover) GoString() string { return h.String() }

// Adopt takes over a lock that another process handed over. On every node it replaces the
// giver's token with a fresh one by compare-and-set. It succeeds when a majority still
// carried the giver's token; of several adopters at most one does. The new lease is valid
// for ttl minus the allowance from just before the first send, on this Locker's clock.
// The giver's validity does not carry over.
//
// Adopt fails as [Locker.TryLock] does. [ErrContended] means that the lock had lapsed, was
// released, or was adopted by another. After a failure the package releases what this
// attempt took, and the rest expires. Another attempt can succeed while a majority still
// carries the giver's token, for example after [ErrNoQuorum].
func (l *Locker) Adopt(ctx context.Context, handover Handover, ttl time.Duration, options ...LockOption) (*Lease, error) {
	keys, settings, err := l.checkArguments(handover.resources, ttl, options)
	if err != nil {
		return nil, err
	}
	if err := l.enter(ctx); err != nil {
		return nil, err
	}
	defer l.leave()
	token, err := newToken(l.settings.random)
	if err != nil {
		return nil, err
	}
	return l.acquire(ctx, newTokenState(keys, token, len(l.queues)), command{
		operation: OperationAdopt, keys: keys, token: token, giverToken: handover.token, ttl: ttl,
	}, settings)
}

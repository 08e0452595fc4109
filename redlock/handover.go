package redlock

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Handover is what a holder gives to another process, which adopts the lock with
// it. It contains the token: send it over a channel that you trust.
type Handover struct {
	resources []string
	token     string
}

// handoverText is the text form of a Handover.
type handoverText struct {
	Version   int      `json:"redlock_handover"`
	Resources [][]byte `json:"resources"` // base64: names may be any bytes
	Token     string   `json:"token"`
}

// handoverVersion is the version of the text form.
const handoverVersion = 1

// Handover closes this handle and returns what Adopt needs. From the moment of
// the call this lease is not valid, is not extended or renewed and cannot be
// released; the keys stay until somebody adopts them or their time to live ends.
// It fails with ErrReleased, ErrLapsed or ErrNotHeld when there is nothing to
// give.
func (l *Lease) Handover() (Handover, error) {
	if l.locker.settings.clock.Now() >= l.Until() {
		l.finish(ErrLapsed)
	}
	if !l.finish(errHandedOver) {
		return Handover{}, l.err()
	}
	l.tenure.end()
	return Handover{resources: l.tenure.keys, token: l.tenure.token}, nil
}

// MarshalText writes the handover as one line of JSON.
func (h Handover) MarshalText() ([]byte, error) {
	text := handoverText{Version: handoverVersion, Token: h.token}
	for _, resource := range h.resources {
		text.Resources = append(text.Resources, []byte(resource))
	}
	return json.Marshal(text)
}

// UnmarshalText reads what MarshalText wrote; anything else is
// ErrInvalidArgument.
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

// String shows the resources and not the token.
func (h Handover) String() string {
	return fmt.Sprintf("handover of %q (token %s)", h.resources, digestOfToken(h.token))
}

// GoString keeps the token out of %#v.
func (h Handover) GoString() string { return h.String() }

// Adopt takes a handed-over lock: it replaces the giver's token by a fresh one,
// by compare-and-set on every node, and succeeds when a majority still carried
// the giver's. The lease that it returns is valid by that round alone, on this
// Locker's clock, for ttl minus the allowance; nothing of the giver's validity is
// carried over. Of several adopters at most one succeeds.
//
// Errors are those of TryLock; ErrContended means that the lock had lapsed,
// was released, or was adopted by another. After a failure what this attempt took
// is released, and the rest lapses unless it is adopted: another attempt can
// succeed while a majority still carries the giver's token, as after ErrNoQuorum.
func (l *Locker) Adopt(ctx context.Context, handover Handover, ttl time.Duration, options ...LockOption) (*Lease, error) {
	keys, limits, err := l.check(handover.resources, ttl, options)
	if err != nil {
		return nil, err
	}
	if err := l.begin(ctx); err != nil {
		return nil, err
	}
	defer l.finish()
	token, err := newToken(l.settings.random)
	if err != nil {
		return nil, err
	}
	return l.win(ctx, newTenure(keys, token, len(l.lanes)), command{
		operation: OperationAdopt, keys: keys, token: token, giver: handover.token, ttl: ttl,
	}, limits)
}

package subjects

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// SY-4 and SY-5 are the locks of the SETNX page (source S), on one instance. The value is
// the time at which the lock ends, on the clock of its writer, and the key has no TTL
// (SETNX is SET NX on the wire). A client that reads a time in the past takes the lock.
//
// SY-4 takes it with DEL and another SETNX, the page's example of what not to do: C2 and C3
// read the same old time, C2 deletes and sets, C3 deletes what C2 set, and sets. SY-5 takes
// it with GETSET, whose old value shows who was first. By then the second client's GETSET
// has moved the first one's time, by as much as it was late.
//
// As on the page, the time is "now + timeout + 1 s"; that second is all the slack there is.
// The holder counts without it: it believes until now + timeout, and SY-5 checks that
// before its DEL. Times are in milliseconds, so that short timeouts can be played.

const timestampSlack = time.Second

func init() {
	for _, t := range []struct {
		name, alias, doc string
		commands         []string
		take             takeOver
		careful          bool
	}{
		{"SY-4", "setnx-timestamp", "one instance: SETNX with the time of its end, expired locks removed with DEL", []string{"SET", "GET", "DEL"}, takeByDelete, false},
		{"SY-5", "setnx-getset", "one instance: SETNX with the time of its end, expired locks taken with GETSET", []string{"SET", "GET", "GETSET", "DEL"}, takeByGetSet, true},
	} {
		lock.Register(plan.SubjectDeclaration{
			Name: t.name, Alias: t.alias, Doc: t.doc, Options: []plan.OptionDeclaration{driverOption},
			Abilities: plan.Abilities{OneNode: true, Timeless: true, WritesDates: true, Commands: t.commands},
		}, lock.Implementation{
			Clock: reads(sim.Wall),
			New: func(e lock.Environment) (lock.Locker, error) {
				return &timestamp{env: e, node: e.Redis[0], take: t.take, careful: t.careful}, nil
			},
		})
	}
}

// takeOver takes a lock whose time is in the past.
type takeOver func(ctx context.Context, t *timestamp, resource string) (lock.Lease, error)

type timestamp struct {
	env     lock.Environment
	node    *redis.Client
	take    takeOver
	careful bool // checks its validity before it deletes
}

// now is the client's time of day.
func (t *timestamp) now() time.Duration { return t.env.Now(sim.Wall) }

// lease is a lease that begins now, and the value of its key.
func (t *timestamp) lease(resource string) (l *timestampLease, value string) {
	l = &timestampLease{t, ending{t.now() + t.env.Lock.TTL}, resource}
	return l, strconv.FormatInt((l.until + timestampSlack).Milliseconds(), 10)
}

// expired reports whether the time in a key's value is in the past.
func (t *timestamp) expired(value string) bool {
	end, err := strconv.ParseInt(value, 10, 64)
	return err == nil && time.Duration(end)*time.Millisecond < t.now()
}

// TryLock implements Locker.
func (t *timestamp) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	within, cancel := t.env.NodeContext(ctx)
	defer cancel()
	lease, value := t.lease(resource)
	free, err := t.node.SetNX(within, resource, value, 0).Result()
	if err != nil {
		return nil, err
	}
	if free {
		return lease, ctx.Err()
	}
	end, err := t.node.Get(within, resource).Result()
	switch {
	case errors.Is(err, redis.Nil) || err == nil && !t.expired(end):
		return nil, lock.ErrContended
	case err != nil:
		return nil, err
	}
	return t.take(within, t, resource)
}

func takeByDelete(ctx context.Context, t *timestamp, resource string) (lock.Lease, error) {
	if err := t.node.Del(ctx, resource).Err(); err != nil {
		return nil, err
	}
	lease, value := t.lease(resource)
	free, err := t.node.SetNX(ctx, resource, value, 0).Result()
	switch {
	case err != nil:
		return nil, err
	case !free:
		return nil, lock.ErrContended
	}
	return lease, nil
}

func takeByGetSet(ctx context.Context, t *timestamp, resource string) (lock.Lease, error) {
	lease, value := t.lease(resource)
	//nolint:staticcheck // deprecated; the page says GETSET, whose successor is another command on the wire
	old, err := t.node.GetSet(ctx, resource, value).Result()
	switch {
	case errors.Is(err, redis.Nil): // the holder has released it since
	case err != nil:
		return nil, err
	case !t.expired(old):
		return nil, lock.ErrContended
	}
	return lease, nil
}

// Lock implements Locker.
func (t *timestamp) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return t.env.Retry(ctx, func() (lock.Lease, error) { return t.TryLock(ctx, resource) })
}

type timestampLease struct {
	*timestamp
	ending
	resource string
}

// Release implements Lease.
func (l *timestampLease) Release(ctx context.Context) error {
	within, cancel := l.env.NodeContext(ctx)
	defer cancel()
	if l.careful && l.now() >= l.until {
		return lock.ErrNotHeld
	}
	return l.node.Del(within, l.resource).Err()
}

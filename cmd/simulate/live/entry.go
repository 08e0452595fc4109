package live

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/sim"
)

// openAdmin returns the cluster's own client of a server.
func openAdmin(s *server) *redis.Client {
	timeouts := sim.Timeouts{Dial: answerLimit, Read: answerLimit, Write: answerLimit}
	return redis.NewClient(sim.DriverOptions(s.name, s.dial, timeouts))
}

// readEntry reads one key, and how long it has to live, -1 for ever; found is false when there is none.
func readEntry(
	admin *redis.Client, key string, now func() time.Duration,
) (e sim.Entry, ttl time.Duration, found bool, err error) {
	ctx := context.Background() // the client's timeouts bound each command
	e = sim.Entry{Key: key, Deadline: sim.Forever}
	e.Value, err = admin.Get(ctx, key).Result()
	if err != nil && strings.HasPrefix(err.Error(), "WRONGTYPE") {
		var fields map[string]string
		fields, err = admin.HGetAll(ctx, key).Result()
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			e.Fields = append(e.Fields, name, fields[name])
		}
	}
	switch {
	case errors.Is(err, redis.Nil):
		return e, 0, false, nil
	case err != nil:
		return e, 0, false, err
	}
	switch ttl, err = admin.PTTL(ctx, key).Result(); ttl {
	case -2: // it expired between the two questions
		return e, 0, false, err
	case -1:
	default:
		ttl = max(ttl, 1) // less than a millisecond reads 0, which a trace would take for no end
		e.Deadline = now() + ttl
	}
	return e, ttl, err == nil, err
}

// readMemory reads all keys, in the order of their names.
func readMemory(admin *redis.Client, now func() time.Duration) (all []sim.Entry, err error) {
	keys, err := admin.Keys(context.Background(), "*").Result()
	if err != nil {
		return nil, err
	}
	slices.Sort(keys)
	for _, key := range keys {
		e, _, found, err := readEntry(admin, key, now)
		if err != nil {
			return nil, err
		}
		if found {
			all = append(all, e)
		}
	}
	return all, nil
}

// left is how long a key has to live; -1 for ever, and not less than the least time.
func left(e sim.Entry, now, least time.Duration) time.Duration {
	if e.Deadline == sim.Forever {
		return -1
	}
	return max(e.Deadline-now, least)
}

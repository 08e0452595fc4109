package live

import (
	"context"
	"errors"
	"maps"
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

// entry is one key of a server. Locks use strings and hashes only.
type entry struct {
	value  string
	fields map[string]string // of a hash
	ttl    time.Duration     // -1 for ever
	ends   time.Duration     // true time, or sim.Forever
}

// readEntry reads one key; found is false when there is none.
func readEntry(admin *redis.Client, key string, now func() time.Duration) (e entry, found bool, err error) {
	ctx := context.Background() // the client's timeouts bound each command
	e.value, err = admin.Get(ctx, key).Result()
	if err != nil && strings.HasPrefix(err.Error(), "WRONGTYPE") {
		e.fields, err = admin.HGetAll(ctx, key).Result()
	}
	switch {
	case errors.Is(err, redis.Nil):
		return e, false, nil
	case err != nil:
		return e, false, err
	}
	switch e.ttl, err = admin.PTTL(ctx, key).Result(); e.ttl {
	case -2: // it expired between the two questions
		return e, false, err
	case -1:
		e.ends = sim.Forever
	default:
		e.ttl = max(e.ttl, 1) // less than a millisecond reads 0, which a trace would take for no end
		e.ends = now() + e.ttl
	}
	return e, err == nil, err
}

// readMemory reads all keys.
func readMemory(admin *redis.Client, now func() time.Duration) (map[string]entry, error) {
	keys, err := admin.Keys(context.Background(), "*").Result()
	if err != nil {
		return nil, err
	}
	all := map[string]entry{}
	for _, key := range keys {
		e, found, err := readEntry(admin, key, now)
		if err != nil {
			return nil, err
		}
		if found {
			all[key] = e
		}
	}
	return all, nil
}

// shown is the value as the simulator shows it.
func (e entry) shown() string {
	if e.fields != nil {
		return "(hash)"
	}
	return e.value
}

func (e entry) sameValue(other entry) bool {
	return e.value == other.value && maps.Equal(e.fields, other.fields)
}

// left is how long the key has to live; -1 for ever, 0 when it has expired.
func (e entry) left(now time.Duration) time.Duration {
	if e.ends == sim.Forever {
		return -1
	}
	return max(e.ends-now, 0)
}

package fence

import (
	"context"
	_ "embed" // the Lua source
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// AdmitLua is the beginning of a Lua script. It checks and raises the mark. If the token is
// too small, it ends the script with an error that starts with STALE. Its first line names
// its keys and arguments; those of your script follow them.
//
//go:embed admit.lua
var AdmitLua string

var (
	getScript = redis.NewScript(AdmitLua + "return redis.call('GET', KEYS[1])\n")
	setScript = redis.NewScript(AdmitLua + "return redis.call('SET', KEYS[1], ARGV[2])\n")
)

// MarkKey returns the key in which [Get] and [Set] keep the mark of a key. In a cluster it is
// in the same hash slot, unless the key has a "}" but no hash tag.
func MarkKey(key string) string {
	if _, rest, found := strings.Cut(key, "{"); found && strings.Index(rest, "}") > 0 {
		return key + ":mark"
	}
	return "{" + key + "}:mark"
}

// Get raises the mark and returns the value of a key. found is false if the key does not
// exist. Get fails with [ErrStale], [ErrInvalidToken] or the driver's error.
func Get(ctx context.Context, client redis.Scripter, key string, token uint64) (value string, found bool, err error) {
	if token == 0 {
		return "", false, ErrInvalidToken
	}
	value, err = getScript.Run(ctx, client, keysOf(key), strconv.FormatUint(token, 10)).Text()
	if errors.Is(err, redis.Nil) {
		return "", false, nil
	}
	return value, err == nil, wrapStale(err)
}

// Set raises the mark and sets the value of a key. It fails with [ErrStale],
// [ErrInvalidToken] or the driver's error.
func Set(ctx context.Context, client redis.Scripter, key string, token uint64, value string) error {
	if token == 0 {
		return ErrInvalidToken
	}
	return wrapStale(setScript.Run(ctx, client, keysOf(key), strconv.FormatUint(token, 10), value).Err())
}

func keysOf(key string) []string { return []string{key, MarkKey(key)} }

// wrapStale makes the script's refusal an ErrStale.
func wrapStale(err error) error {
	if err != nil && redis.HasErrorPrefix(err, "STALE") {
		return fmt.Errorf("%w: %w", ErrStale, err)
	}
	return err
}

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

// AdmitLua is a Lua text to begin a script with: it checks and raises the mark,
// and ends the script with an error that starts with STALE when the token is too
// small. Its first line names keys and arguments; yours follow them.
//
//go:embed admit.lua
var AdmitLua string

var (
	getScript = redis.NewScript(AdmitLua + "return redis.call('GET', KEYS[1])\n")
	setScript = redis.NewScript(AdmitLua + "return redis.call('SET', KEYS[1], ARGV[2])\n")
)

// MarkKey is where Get and Set keep the mark of a key: in the same hash slot of
// a cluster, unless the key has a "}" without a hash tag.
func MarkKey(key string) string {
	if _, rest, found := strings.Cut(key, "{"); found && strings.Index(rest, "}") > 0 {
		return key + ":mark"
	}
	return "{" + key + "}:mark"
}

// Get reads a key under a fencing token and raises the mark. found is false when
// the key does not exist. Errors: ErrStale, ErrInvalidToken, or the driver's.
func Get(ctx context.Context, client redis.Scripter, key string, token uint64) (value string, found bool, err error) {
	if token == 0 {
		return "", false, ErrInvalidToken
	}
	value, err = getScript.Run(ctx, client, keysOf(key), strconv.FormatUint(token, 10)).Text()
	if errors.Is(err, redis.Nil) {
		return "", false, nil
	}
	return value, err == nil, stale(err)
}

// Set writes a key under a fencing token and raises the mark. Errors: ErrStale,
// ErrInvalidToken, or the driver's.
func Set(ctx context.Context, client redis.Scripter, key string, token uint64, value string) error {
	if token == 0 {
		return ErrInvalidToken
	}
	return stale(setScript.Run(ctx, client, keysOf(key), strconv.FormatUint(token, 10), value).Err())
}

func keysOf(key string) []string { return []string{key, MarkKey(key)} }

// stale turns the script's refusal into ErrStale.
func stale(err error) error {
	if err != nil && redis.HasErrorPrefix(err, "STALE") {
		return fmt.Errorf("%w: %w", ErrStale, err)
	}
	return err
}

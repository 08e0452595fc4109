package subjects

import (
	"context"

	"github.com/redis/go-redis/v9"

	"redlocklab/sim"
)

// The Lua scripts of the distlock page, which most subjects use.

const compareDeleteSource = `if redis.call("get",KEYS[1]) == ARGV[1] then
    return redis.call("del",KEYS[1])
else
    return 0
end`

const compareExpireSource = `if redis.call("get",KEYS[1]) == ARGV[1] then
    return redis.call("pexpire",KEYS[1],ARGV[2])
else
    return 0
end`

// topUpSource also sets a key that is missing. Its answer is then no vote.
const topUpSource = `local holder = redis.call("get",KEYS[1])
if holder == ARGV[1] then
    return redis.call("pexpire",KEYS[1],ARGV[2])
elseif not holder then
    redis.call("set",KEYS[1],ARGV[1],"PX",ARGV[2])
end
return 0`

var (
	compareDelete = redis.NewScript(compareDeleteSource)
	compareExpire = redis.NewScript(compareExpireSource)
	topUp         = redis.NewScript(topUpSource)
)

var (
	releaseScript   = sim.Script{Name: "release", Source: compareDeleteSource, Native: nativeCompareDelete}
	textbookScripts = []sim.Script{
		releaseScript,
		{Name: "extend", Source: compareExpireSource, Native: nativeCompareExpire},
		{Name: "extend", Source: topUpSource, Native: nativeTopUp},
	}
)

// deleteOwned deletes the key of a resource if it carries the token, and reports
// whether it did.
func deleteOwned(ctx context.Context, node *redis.Client, resource, token string) (bool, error) {
	n, err := compareDelete.Run(ctx, node, []string{resource}, token).Int()
	return n == 1, err
}

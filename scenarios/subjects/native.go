package subjects

import (
	"slices"
	"strconv"
	"time"

	"redlocklab/sim"
)

// Go implementations of the subjects' Lua scripts. TestNativeScripts compares each with
// its script on random keyspaces.

// wrongType is the interpreter's error when GET finds a key that is not a string.
const wrongType = "WRONGTYPE Operation against a key holding the wrong kind of value"

// none is no answer yet: the script goes on.
const none sim.Answer = ""

// firstObstacle is the answer for the first key that does not carry the token: 0 for another
// token, an error for a key that is no string, and missing, which may be none, for no key.
func firstObstacle(k sim.Keyspace, keys []string, token string, missing sim.Answer) sim.Answer {
	for _, key := range keys {
		switch holder, ok, wrong := k.Get(key); {
		case wrong:
			return sim.Failure(wrongType)
		case ok && holder != token:
			return sim.Integer(0)
		case !ok && missing != none:
			return missing
		}
	}
	return none
}

// ifOwned answers 0 unless the first key carries the first argument. Then it calls f and
// answers 1.
func ifOwned(k sim.Keyspace, keys, args []string, f func()) sim.Answer {
	if answer := firstObstacle(k, keys[:1], args[0], sim.Integer(0)); answer != none {
		return answer
	}
	f()
	return sim.Integer(1)
}

// nativeCompareDelete is the release of the distlock page.
func nativeCompareDelete(k sim.Keyspace, keys, args []string) sim.Answer {
	return ifOwned(k, keys, args, func() { k.Del(keys[0]) })
}

// nativeCompareDeleteOrMissing is redsync's release. It distinguishes a missing key from
// one that carries another token.
func nativeCompareDeleteOrMissing(k sim.Keyspace, keys, args []string) sim.Answer {
	if _, ok, wrong := k.Get(keys[0]); !ok && !wrong {
		return sim.Integer(-1)
	}
	return nativeCompareDelete(k, keys, args)
}

// nativeObtain is redislock's acquisition. A holder whose value begins with the same token
// acquires again.
func nativeObtain(k sim.Keyspace, keys, args []string) sim.Answer {
	value, ok, wrong := k.Get(keys[0])
	offset, _ := strconv.Atoi(args[1]) // the library formatted it
	switch {
	case milliseconds(args[2]) <= 0: // a TTL below 1 ms
		return sim.Failure("ERR invalid expire time in set")
	case wrong:
		return sim.Failure(wrongType)
	case ok && value[:min(offset, len(value))] != args[0][:min(offset, len(args[0]))]:
		return sim.Nil
	}
	k.Set(keys[0], args[0], milliseconds(args[2]))
	return sim.Status("OK")
}

// nativeCompareExpire is the extension of the distlock page.
func nativeCompareExpire(k sim.Keyspace, keys, args []string) sim.Answer {
	return ifOwned(k, keys, args, func() { k.Expire(keys[0], milliseconds(args[1])) })
}

// nativeTopUp is the extension that also sets a missing key.
func nativeTopUp(k sim.Keyspace, keys, args []string) sim.Answer {
	if _, ok, wrong := k.Get(keys[0]); !ok && !wrong {
		k.Set(keys[0], args[0], milliseconds(args[1]))
		return sim.Integer(0)
	}
	return nativeCompareExpire(k, keys, args)
}

func milliseconds(text string) time.Duration {
	n, _ := strconv.ParseInt(text, 10, 64) // the subject formatted it
	return time.Duration(n) * time.Millisecond
}

// nativeRelease is release.lua of package redlock.
func nativeRelease(k sim.Keyspace, keys, args []string) sim.Answer {
	deleted, other := 0, false
	for _, key := range keys {
		holder, ok, wrong := k.Get(key)
		switch {
		case wrong:
			return sim.Failure(wrongType)
		case ok && holder == args[0]:
			k.Del(key)
			deleted++
		case ok:
			other = true
		}
	}
	switch {
	case other:
		return sim.Integer(0)
	case deleted == len(keys):
		return sim.Integer(1)
	}
	return sim.Integer(-1)
}

// nativeExtend is extend.lua of package redlock.
func nativeExtend(k sim.Keyspace, keys, args []string) sim.Answer {
	if answer := firstObstacle(k, keys, args[0], none); answer != none {
		return answer
	}
	missing := slices.ContainsFunc(keys, func(key string) bool { return !k.Exists(key) })
	if missing && args[2] != "restore" {
		return sim.Integer(-2)
	}
	ttl := milliseconds(args[1])
	for _, key := range keys {
		if !k.Exists(key) || k.TTL(key) < ttl {
			k.Set(key, args[0], ttl)
		}
	}
	if missing {
		return sim.Integer(-1)
	}
	return sim.Integer(1)
}

// nativeAcquire is acquire.lua of package redlock.
func nativeAcquire(k sim.Keyspace, keys, args []string) sim.Answer {
	if answer := firstObstacle(k, keys, args[0], none); answer != none {
		return answer
	}
	for _, key := range keys {
		if !k.Exists(key) {
			k.Set(key, args[0], milliseconds(args[1]))
		}
	}
	return sim.Integer(1)
}

// counterOf reads a counter. plain is false when the key does not hold a plain number;
// the script must then be interpreted.
func counterOf(k sim.Keyspace, key string) (count int64, plain bool) {
	value, ok, wrong := k.Get(key)
	if wrong || !ok {
		return 0, !wrong
	}
	n, err := strconv.ParseUint(value, 10, 53) // Lua's numbers are exact up to here
	return int64(n), err == nil
}

// highestCounter reads all counters.
func highestCounter(k sim.Keyspace, counters []string) (highest int64, plain bool) {
	for _, key := range counters {
		count, plain := counterOf(k, key)
		if !plain {
			return 0, false
		}
		highest = max(highest, count)
	}
	return highest, true
}

// nativeAcquireFenced is acquire_fenced.lua of package redlock.
func nativeAcquireFenced(k sim.Keyspace, keys, args []string) sim.Answer {
	highest, plain := highestCounter(k, keys[len(keys)/2:])
	if !plain {
		return sim.Interpret
	}
	switch answer := nativeAcquire(k, keys[:len(keys)/2], args); answer {
	case sim.Integer(0):
		return sim.Integer(-1)
	case sim.Integer(1):
		return sim.Integer(highest)
	default:
		return answer
	}
}

// nativeFence is fence.lua of package redlock.
func nativeFence(k sim.Keyspace, keys, args []string) sim.Answer {
	keys, counters := keys[:len(keys)/2], keys[len(keys)/2:]
	fence, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return sim.Interpret
	}
	if answer := firstObstacle(k, keys, args[0], sim.Integer(-1)); answer != none {
		return answer
	}
	for _, key := range counters {
		switch count, plain := counterOf(k, key); {
		case !plain:
			return sim.Interpret
		case count >= fence:
			return sim.Integer(-2)
		}
	}
	for _, key := range counters {
		k.Set(key, args[1], milliseconds(args[2]))
	}
	return sim.Integer(1)
}

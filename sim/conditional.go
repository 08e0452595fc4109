package sim

import "redlocklab/sim/resp"

// Commands that compare before they write, which the engine lacks: SET … IFEQ of Redis 8.4 and
// Valkey 8.1, and DELIFEQ of Valkey 9. Each is a script for the engine, so that it works
// in a transaction, too. Scripts that call them themselves are not played; see package fidelity.
const (
	setIfEqual = `local old = redis.pcall('get', KEYS[1])
if type(old) == 'table' then return old end
local get = ARGV[2] == 'get'
if old == ARGV[1] then
  local done = redis.pcall('set', KEYS[1], unpack(ARGV, 3))
  if done.err or not get then return done end
end
return get and old`
	deleteIfEqual = `local old = redis.pcall('get', KEYS[1])
if type(old) == 'table' then return old end
return old == ARGV[1] and redis.call('del', KEYS[1]) or 0`
)

// conditional returns a request as the engine plays it, or the error of the answer.
func conditional(command string, args []string) (played []string, wrong string) {
	switch command {
	case "DELIFEQ":
		if len(args) != 3 {
			return nil, "ERR wrong number of arguments for 'delifeq' command"
		}
		return []string{"EVAL", deleteIfEqual, "1", args[1], args[2]}, ""
	case "SET":
		expected, get, rest, wrong := resp.CutIfEqual(args)
		if wrong != "" || expected == nil {
			return args, wrong
		}
		if wrong := resp.BadNumber("SET", rest[1:]); wrong != "" {
			return nil, wrong
		}
		rest = resp.LastOfEach("SET", rest)
		answer := map[bool]string{true: "get", false: "set"}[get]
		return append([]string{"EVAL", setIfEqual, "1", args[1], *expected, answer}, rest[2:]...), ""
	}
	return args, ""
}

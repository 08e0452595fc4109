package sim

import (
	"bufio"
	"crypto/sha1"
	"encoding/hex"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// Script is a Lua script that the trace shows by its name. Native, when it is set,
// does the same in Go, about 200 times as fast; a test must compare it with
// Source. Without Native, or with Options.Lua, the engine interprets Source.
type Script struct {
	Name   string
	Source string
	Native func(k Keyspace, keys, args []string) Answer
}

// SHA1 returns the digest of a script that EVALSHA takes.
func SHA1(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
}

// AddScript registers a script with all nodes.
func (w *World) AddScript(s Script) { w.recorder.scripts.add(s) }

// scripts are registered scripts by SHA-1.
type scripts map[string]*Script

func (all scripts) add(s Script) { all[SHA1(s.Source)] = &s }

// of returns the registered script that a request runs, or nil.
func (all scripts) of(args []string) *Script {
	if len(args) < 3 || len(all) == 0 {
		return nil
	}
	switch strings.ToUpper(args[0]) {
	case "EVALSHA", "EVALSHA_RO":
		return all[args[1]]
	case "EVAL", "EVAL_RO":
		return all[SHA1(args[1])]
	}
	return nil
}

// commandName is the name of a request in the trace: that of the registered script, or
// else the command.
func commandName(args []string, s *Script) string {
	if s != nil {
		return s.Name
	}
	return strings.ToUpper(args[0])
}

// runScript runs a registered script natively. It returns false when the engine
// must run the request.
func (n *Node) runScript(c *conn, command string, args []string) bool {
	s := n.world.recorder.scripts.of(args)
	if s == nil || s.Native == nil || n.world.options.Lua {
		return false
	}
	sha, bySource := args[1], !strings.HasPrefix(command, "EVALSHA")
	if bySource {
		sha = SHA1(args[1])
	}
	if c.transaction {
		// The engine runs it at EXEC, and must know it by then.
		n.tellScripts()
		return false
	}
	count, err := strconv.Atoi(args[2])
	if err != nil || count < 0 || 3+count > len(args) {
		return false // the engine answers with the error
	}
	if len(n.refusals) > 0 { // the engine must run it: each command that it calls may be refused
		if bySource {
			n.cached[sha] = true
		}
		n.tellScripts()
		return false
	}
	if !bySource && !n.cached[sha] {
		c.peer.WriteError("NOSCRIPT No matching script. Please use EVAL.")
		return true
	}
	n.cached[sha] = true
	answer := s.Native(Keyspace{n.engine}, args[3:3+count], args[3+count:])
	if answer == Interpret {
		n.tellScripts()
		return false
	}
	if answer == Nil {
		c.peer.WriteNull() // RESP 3 has another one
	} else {
		c.peer.WriteRaw(string(answer))
	}
	return true
}

// beforeScript keeps two caches of scripts consistent: that of the engine, and that
// of scripts that ran natively, which the engine has never seen.
func (n *Node) beforeScript(args []string) {
	if len(args) < 2 {
		return
	}
	switch strings.ToUpper(args[1]) {
	case "LOAD":
		if len(args) == 3 {
			n.cached[SHA1(args[2])] = true
		}
	case "FLUSH":
		clear(n.cached)
	case "EXISTS":
		n.tellScripts()
	}
}

// tellScripts loads scripts that ran natively into the engine.
func (n *Node) tellScripts() {
	aside := server.NewPeer(bufio.NewWriter(io.Discard))
	for _, sha := range slices.Sorted(maps.Keys(n.cached)) {
		if s := n.world.recorder.scripts[sha]; s != nil {
			n.engine.Server().Dispatch(aside, []string{"SCRIPT", "LOAD", s.Source})
		}
	}
}

// Answer is the RESP answer of a native script.
type Answer string

// Interpret makes the engine run the Lua instead. A native script that returns it
// must not have changed anything.
const Interpret Answer = ""

// Nil is the answer for false and nil in Lua.
const Nil Answer = "$-1\r\n"

// Integer is the answer for a number in Lua.
func Integer(v int64) Answer { return Answer(":" + strconv.FormatInt(v, 10) + "\r\n") }

// Status is the answer for {ok = s} in Lua.
func Status(s string) Answer { return Answer("+" + s + "\r\n") }

// Failure is the answer for {err = s} in Lua.
func Failure(s string) Answer { return Answer("-" + s + "\r\n") }

// Keyspace gives a native script access to the keys of its node.
type Keyspace struct{ engine *miniredis.Miniredis }

// NewKeyspace returns the keyspace of an engine outside of any world. Tests use it to
// compare native scripts with their Lua.
func NewKeyspace(engine *miniredis.Miniredis) Keyspace { return Keyspace{engine} }

// Get is GET. ok is false without such a key; wrongType is true when it holds no string.
func (k Keyspace) Get(key string) (value string, ok, wrongType bool) {
	value, err := k.engine.Get(key)
	if err == nil {
		return value, true, false
	}
	return "", false, k.engine.Exists(key)
}

// Set is SET key value PX ttl, or without PX when ttl is 0.
func (k Keyspace) Set(key, value string, ttl time.Duration) {
	k.engine.Del(key)
	_ = k.engine.Set(key, value) // only a key of another type makes it fail
	if ttl > 0 {
		k.engine.SetTTL(key, ttl)
	}
}

// Del is DEL of one key.
func (k Keyspace) Del(key string) bool { return k.engine.Del(key) }

// Exists is EXISTS of one key.
func (k Keyspace) Exists(key string) bool { return k.engine.Exists(key) }

// TTL is PTTL, but 0 when the key has none or does not exist.
func (k Keyspace) TTL(key string) time.Duration { return k.engine.TTL(key) }

// Expire is PEXPIRE of a key that exists: without a positive TTL it deletes the key.
func (k Keyspace) Expire(key string, ttl time.Duration) {
	if ttl <= 0 {
		k.engine.Del(key)
		return
	}
	k.engine.SetTTL(key, ttl)
}

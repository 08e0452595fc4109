package sim

import (
	"bufio"
	"crypto/sha1"
	"encoding/hex"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// Script is a Lua script that the nodes know by name. Native, when it is set,
// does in Go what Source does in Lua, 200 times faster; a differential test
// must hold the two together. Without it, and under Options.Lua, the engine
// interprets Source.
type Script struct {
	Name   string
	Source string
	Native func(k Keyspace, keys, args []string) Answer
}

// SHA1 is the name of a script for EVALSHA.
func SHA1(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
}

// AddScript registers a script with every node.
func (w *World) AddScript(s Script) { w.scripts.add(s) }

// scripts are registered scripts by SHA-1.
type scripts map[string]*Script

func (all scripts) add(s Script) { all[SHA1(s.Source)] = &s }

// of returns the registered script that a request runs, nil when it runs none.
func (all scripts) of(args []string) *Script {
	if len(args) < 3 || len(all) == 0 {
		return nil
	}
	switch upper(args[0]) {
	case "EVALSHA", "EVALSHA_RO":
		return all[args[1]]
	case "EVAL", "EVAL_RO":
		return all[SHA1(args[1])]
	}
	return nil
}

// runScript runs a registered script natively. It returns false when the engine
// must do it.
func (n *Node) runScript(c *conn, command string, args []string) bool {
	s := n.world.scripts.of(args)
	if s == nil || s.Native == nil || n.world.options.Lua {
		return false
	}
	sha, bySource := args[1], !strings.HasPrefix(command, "EVALSHA")
	if bySource {
		sha = SHA1(args[1])
	}
	if c.transaction {
		// It will run at EXEC, in the engine: that must know it then.
		n.tellScripts()
		return false
	}
	count, err := strconv.Atoi(args[2])
	if err != nil || count < 0 || 3+count > len(args) {
		return false // the engine words the error
	}
	if len(n.refusals) > 0 { // each command that the script calls may be refused: the engine must run it
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
	c.peer.WriteRaw(string(answer))
	return true
}

// beforeScript keeps the two caches of scripts together: the engine's, and that
// of the scripts that ran natively, of which the engine knows nothing.
func (n *Node) beforeScript(args []string) {
	if len(args) < 2 {
		return
	}
	switch upper(args[1]) {
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

// tellScripts loads what ran natively into the engine.
func (n *Node) tellScripts() {
	aside := server.NewPeer(bufio.NewWriter(io.Discard))
	for _, sha := range sortedKeys(n.cached) {
		if s := n.world.scripts[sha]; s != nil {
			n.engine.Server().Dispatch(aside, []string{"SCRIPT", "LOAD", s.Source})
		}
	}
}

// Answer is a RESP answer of a native script.
type Answer string

// Interpret leaves it to the engine to run the Lua. A native script that answers
// so must have changed nothing.
const Interpret Answer = ""

// Nil is Lua's false and nil.
const Nil Answer = "$-1\r\n"

// Integer is a Lua number.
func Integer(v int64) Answer { return Answer(":" + strconv.FormatInt(v, 10) + "\r\n") }

// Status is what {ok = ...} becomes.
func Status(s string) Answer { return Answer("+" + s + "\r\n") }

// Failure is an error reply.
func Failure(s string) Answer { return Answer("-" + s + "\r\n") }

// Keyspace is what a native script sees of its node.
type Keyspace struct{ engine *miniredis.Miniredis }

// NewKeyspace is the keyspace of an engine outside any world, for the tests that
// hold native scripts to their Lua.
func NewKeyspace(engine *miniredis.Miniredis) Keyspace { return Keyspace{engine} }

// Get is GET; ok is false when there is no such key, wrongType when it holds no string.
func (k Keyspace) Get(key string) (value string, ok, wrongType bool) {
	value, err := k.engine.Get(key)
	if err == nil {
		return value, true, false
	}
	return "", false, k.engine.Exists(key)
}

// Set is SET key value PX ttl; without PX when ttl is 0.
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

// TTL is PTTL: 0 when the key has none or does not exist.
func (k Keyspace) TTL(key string) time.Duration { return k.engine.TTL(key) }

// Expire is PEXPIRE of a key that exists.
func (k Keyspace) Expire(key string, ttl time.Duration) { k.engine.SetTTL(key, ttl) }

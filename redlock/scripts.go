package redlock

import (
	"crypto/sha1"
	"embed"
	"encoding/hex"
)

// Script is a Lua script that the package runs on the nodes.
type Script struct {
	// Name is the name of its file without the suffix.
	Name string
	// Source is the Lua text. Its first line names keys, arguments and results.
	Source string
	// SHA1 is the digest for EVALSHA, in 40 hexadecimal digits.
	SHA1 string
}

var (
	//go:embed *.lua
	sources embed.FS

	acquireScript       = newScript("acquire")
	extendScript        = newScript("extend")
	releaseScript       = newScript("release")
	acquireFencedScript = newScript("acquire_fenced")
	fenceScript         = newScript("fence")
	checkScript         = newScript("check")
	holderScript        = newScript("holder")
)

func newScript(name string) *Script {
	source, err := sources.ReadFile(name + ".lua")
	if err != nil {
		panic(err) // it was built in
	}
	digest := sha1.Sum(source)
	return &Script{Name: name, Source: string(source), SHA1: hex.EncodeToString(digest[:])}
}

// Scripts returns every script that a [Locker] may run, in a fixed order. It is for tools
// that preload or audit the scripts, or replace them with native code.
func Scripts() []Script {
	return []Script{
		*acquireScript, *extendScript, *releaseScript, *acquireFencedScript, *fenceScript, *checkScript, *holderScript,
	}
}

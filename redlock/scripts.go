package redlock

import (
	"crypto/sha1"
	_ "embed" // the Lua sources
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
	//go:embed acquire.lua
	acquireSource string
	//go:embed extend.lua
	extendSource string
	//go:embed release.lua
	releaseSource string
	//go:embed acquire_fenced.lua
	acquireFencedSource string
	//go:embed fence.lua
	fenceSource string

	acquireScript = newScript("acquire", acquireSource)
	extendScript  = newScript("extend", extendSource)
	releaseScript = newScript("release", releaseSource)

	acquireFencedScript = newScript("acquire_fenced", acquireFencedSource)
	fenceScript         = newScript("fence", fenceSource)
)

func newScript(name, source string) *Script {
	digest := sha1.Sum([]byte(source))
	return &Script{Name: name, Source: source, SHA1: hex.EncodeToString(digest[:])}
}

// Scripts returns every script that a [Locker] may run, in a fixed order. It is for tools
// that preload or audit the scripts, or replace them with native code.
func Scripts() []Script {
	return []Script{
		*acquireScript, *extendScript, *releaseScript, *acquireFencedScript, *fenceScript,
	}
}

package explain

import (
	"slices"
	"strings"
)

// purpose is what a request is for, as a reader would say it.
type purpose int

const (
	other   purpose = iota // anything that is not about a lock
	ask                    // wants the lock
	renew                  // wants more time for a lock that it has
	give                   // gives the lock back, or cleans up after a failed attempt
	inspect                // asks a node about itself
)

// aboutLock reports whether requests with this purpose make up the rounds of a lock.
func (p purpose) aboutLock() bool { return p == ask || p == renew || p == give }

// purposeWords holds, per purpose, the words that commands and registered
// scripts carry in their names. First match wins: "releaseIfOwner" must not be
// taken for anything but a release.
var purposeWords = []struct {
	purpose purpose
	words   []string
}{
	{give, []string{"release", "unlock", "del", "unlink"}},
	{renew, []string{"extend", "renew", "touch", "expire", "refresh"}},
	{inspect, []string{"info", "ping", "time", "hello", "client", "script"}},
	{ask, []string{"acquire", "lock", "set", "obtain", "take", "adopt"}},
}

// notLocks are commands that look at keys or count, in locks that do so in
// between: they are neither a vote nor a release, whatever operation is open.
var notLocks = []string{"get", "exists", "ttl", "pttl", "watch", "unwatch", "multi", "exec", "incr", "incrby", "decr", "decrby", "fence"}

// purposeOf names the purpose of a command. A command that says nothing by its
// name, such as EVALSHA, has the purpose of the operation that is open; so has
// SET, which some locks extend with.
func purposeOf(command, key, operation string) purpose {
	name := strings.ToLower(command)
	if slices.Contains(notLocks, name) {
		return other
	}
	if open := operationPurpose(operation); name == "set" && open == renew {
		return open
	}
	for _, p := range purposeWords {
		for _, word := range p.words {
			if strings.Contains(name, word) {
				return p.purpose
			}
		}
	}
	if key == "" {
		return other
	}
	return operationPurpose(operation)
}

// operationPurpose is the purpose of the requests of an operation.
func operationPurpose(operation string) purpose {
	switch name := strings.ToLower(operation); {
	case strings.Contains(name, "release"), strings.Contains(name, "unlock"):
		return give
	case strings.Contains(name, "extend"), strings.Contains(name, "renew"):
		return renew
	case strings.Contains(name, "lock"), strings.Contains(name, "acquire"):
		return ask
	}
	return other
}

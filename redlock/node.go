package redlock

import (
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Node is one of the independent Redis servers that vote.
type Node struct {
	// Name identifies the node in errors, reports and metrics. It must be unique
	// and not empty.
	Name string
	// Client reaches the server: a *redis.Client (for a single server or through
	// Sentinel) or a *redis.ClusterClient. [New] refuses every other type, and a client
	// without a ReadTimeout or WriteTimeout. The Locker never closes it. A node behind
	// Sentinel or Cluster replicates asynchronously: see assumption A-DISTINCT in the
	// package documentation.
	Client redis.UniversalClient
}

func (n Node) check() error {
	if n.Client == nil || n.Client == (*redis.Client)(nil) || n.Client == (*redis.ClusterClient)(nil) {
		return invalid("node %q: client is nil", n.Name)
	}
	var read, write time.Duration
	switch client := n.Client.(type) {
	case *redis.Client:
		read, write = client.Options().ReadTimeout, client.Options().WriteTimeout
	case *redis.ClusterClient:
		read, write = client.Options().ReadTimeout, client.Options().WriteTimeout
	case *redis.Ring:
		return invalid("node %q: a *redis.Ring moves keys to another server when one fails, so two locks can get the same vote; want a *redis.Client or a *redis.ClusterClient", n.Name)
	default:
		return invalid("node %q: client is a %T, whose servers and retries are not known; want a *redis.Client or a *redis.ClusterClient (add hooks in place of a wrapper)", n.Name, n.Client)
	}
	if read <= 0 || write <= 0 {
		return invalid("node %q: client without ReadTimeout or WriteTimeout would wait for ever for a server that answers nothing; want both more than 0", n.Name)
	}
	return nil
}

// readsRaw reports whether the replies of a client may be read as raw bytes. A cluster
// client must parse them to follow redirections, and a Sentinel client to notice a
// demoted master.
func readsRaw(client redis.UniversalClient) bool {
	single, ok := client.(*redis.Client)
	return ok && single.Options().Addr != sentinelAddress
}

// sentinelAddress is the address in the options of a Sentinel client of go-redis.
const sentinelAddress = "FailoverClient"

// hashTag returns the part of a key that a Redis Cluster hashes.
func hashTag(key string) string {
	if _, rest, found := strings.Cut(key, "{"); found {
		if end := strings.Index(rest, "}"); end > 0 {
			return rest[:end]
		}
	}
	return key
}

// checkSlots refuses keys that a node backed by Cluster may keep on different servers.
func (l *Locker) checkSlots(keys []string, fencing bool) error {
	if !l.clustered {
		return nil
	}
	all := keys
	if fencing {
		all = slices.Concat(keys, mapped(keys, FenceKey))
	}
	for _, key := range all {
		if hashTag(key) != hashTag(keys[0]) {
			return invalid("keys %q and %q can be on different servers of a cluster; want one hash tag, as in {tag}:name",
				keys[0], key)
		}
	}
	return nil
}

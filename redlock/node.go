package redlock

import "github.com/redis/go-redis/v9"

// Node is one of the independent Redis servers whose majority decides.
type Node struct {
	// Name identifies the node in errors, reports and metrics. It must be
	// unique and not empty.
	Name string
	// Client talks to it: a *redis.Client (single server or Sentinel), a
	// *redis.ClusterClient, or an auto-pipelining face of one. The Locker never
	// closes it. A Sentinel- or Cluster-backed node is an asynchronously
	// replicated pair; see assumption A-DISTINCT in the package documentation.
	Client redis.UniversalClient
}

// readsRaw reports whether answers of this client can be read as raw bytes. A
// cluster client must parse them itself to follow redirections, a Sentinel
// client to notice a demoted master, and what an auto-pipelining face wraps
// cannot be seen.
func readsRaw(client redis.UniversalClient) bool {
	plain, ok := client.(*redis.Client)
	return ok && plain.Options().Addr != sentinelAddress
}

// sentinelAddress is what go-redis puts in the place of an address in the
// options of a Sentinel-backed client.
const sentinelAddress = "FailoverClient"

package redlock

import "github.com/redis/go-redis/v9"

// Node is one of the independent Redis servers that vote.
type Node struct {
	// Name identifies the node in errors, reports and metrics. It must be unique
	// and not empty.
	Name string
	// Client reaches the server: a *redis.Client (for a single server or through
	// Sentinel), a *redis.ClusterClient, or a *redis.AutoPipeliner over one. The
	// Locker never closes it. A node behind Sentinel or Cluster replicates
	// asynchronously; see assumption A-DISTINCT in the package documentation.
	Client redis.UniversalClient
}

// readsRaw reports whether the replies of a client may be read as raw bytes. A cluster
// client must parse them to follow redirections, and a Sentinel client to notice a
// demoted master. What an AutoPipeliner wraps cannot be seen.
func readsRaw(client redis.UniversalClient) bool {
	plain, ok := client.(*redis.Client)
	return ok && plain.Options().Addr != sentinelAddress
}

// sentinelAddress is the address in the options of a Sentinel client of go-redis.
const sentinelAddress = "FailoverClient"

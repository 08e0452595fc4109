package redlock

import "github.com/redis/go-redis/v9"

// Node is one of the independent Redis servers that vote.
type Node struct {
	// Name identifies the node in errors, reports and metrics. It must be unique
	// and not empty.
	Name string
	// Client reaches the server: a *redis.Client (for a single server or through
	// Sentinel) or a *redis.ClusterClient. The Locker never closes it. A node behind
	// Sentinel or Cluster replicates asynchronously; see assumption A-DISTINCT in the
	// package documentation.
	Client redis.UniversalClient
}

package fence_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
	"redlocklab/redlock/fence"
)

// The resource refuses a holder whose lease ended before it knew.
func Example() {
	server, err := miniredis.Run() // in production: three or five servers
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1})
	defer func() { _ = client.Close() }()
	locker, err := redlock.New([]redlock.Node{{Name: "n1", Client: client}})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = locker.Close() }()

	ctx := context.Background()
	var stock fence.Table // beside the resource, and as durable
	take := func(who string, lease *redlock.Lease) {
		err := stock.Access("stock", lease.Fence(), func() error {
			fmt.Println(who, "takes one")
			return nil
		})
		fmt.Println(who, "is stale:", errors.Is(err, fence.ErrStale))
	}
	var leases []*redlock.Lease
	for range 2 {
		lease, err := locker.Lock(ctx, "stock", 10*time.Second, redlock.WithFencing())
		if err != nil {
			log.Fatal(err)
		}
		leases = append(leases, lease)
		_ = lease.Release(ctx) // or it has lapsed, while its holder was paused
	}
	take("the second", leases[1])
	take("the first", leases[0])
	// Output:
	// the second takes one
	// the second is stale: false
	// the first is stale: true
}

package sim_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/sim"
)

// TestExhaustedPools plays runs that exhaust a connection pool in one process, one after
// the other. go-redis keeps the timers of those who waited for all of the process;
// without forgetTimers the second run ends the program.
func TestExhaustedPools(t *testing.T) {
	for range 3 {
		result, err := sim.Run(steady("", "A"), sim.Options{Pool: 2}, func(w *sim.World) error {
			p := w.Process("A")
			options := sim.DriverOptions(w.Node("n1").Address, p.Dial, timeouts)
			options.PoolSize = 2
			c := redis.NewClient(options)
			p.OnEnd(func() { _ = c.Close() })
			p.Go(func(ctx context.Context) {
				var all sync.WaitGroup
				for i := range 6 {
					all.Go(func() {
						patient, cancel := context.WithTimeout(ctx, time.Duration(i+1)*2500*time.Microsecond)
						defer cancel()
						_ = c.Set(patient, fmt.Sprint("k", i), "v", 0).Err() // some give up while they wait
					})
				}
				all.Wait()
			})
			return nil
		})
		if err != nil || result.Outcome != sim.Finished {
			t.Fatal(result, err)
		}
	}
}

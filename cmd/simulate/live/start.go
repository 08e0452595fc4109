package live

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sync/errgroup"

	"redlocklab/scenarios/lock"
	"redlocklab/sim"
)

// startServers starts the plan's servers. For a lock that leaves young servers out
// it waits until they are old enough.
func (cl *cluster) startServers(ctx context.Context, folder string) error {
	for _, n := range cl.plan.World.Nodes {
		s, err := newServer(cl, n, folder)
		if err != nil {
			return err
		}
		cl.servers = append(cl.servers, s)
	}
	var starting errgroup.Group
	for _, s := range cl.servers {
		starting.Go(s.start)
	}
	if err := starting.Wait(); err != nil {
		return err
	}
	for _, s := range cl.servers {
		s.up = true
	}
	if !lock.Guards(cl.plan.Subject) {
		return nil
	}
	// Redis tells its age in whole seconds; the guard asks for the largest TTL, the clock error and one second.
	age := cl.plan.Lock.TTL + cl.plan.Lock.TTL/20 + 3*time.Second
	select {
	case <-time.After(age):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readyLimit is how long the clients' processes may take to be ready.
const readyLimit = 30 * time.Second

// startClients starts the clients' processes. They begin together when the last of
// them is ready: true time counts from then.
func (cl *cluster) startClients(command func() *exec.Cmd) error {
	for _, own := range cl.plan.Clients {
		c := &client{cluster: cl, name: own.Name}
		cl.clients = append(cl.clients, c)
		var addresses []string
		for _, s := range cl.servers {
			address, err := c.listenFor(s)
			if err != nil {
				return err
			}
			addresses = append(addresses, address)
		}
		if err := c.start(command(), addresses); err != nil {
			return err
		}
	}
	limit := time.After(readyLimit)
	for _, c := range cl.clients {
		for !c.ready {
			select {
			case call := <-cl.calls:
				cl.take(call)
			case <-limit:
				return fmt.Errorf("client %s was not ready after %v", c.name, readyLimit)
			}
			if cl.failure != nil {
				return cl.failure
			}
		}
	}
	cl.origin = clock.Now()
	for i, n := range cl.plan.World.Nodes {
		if n.Persistence == sim.RDB && n.SnapshotEvery > 0 {
			cl.servers[i].saveEvery(n.SnapshotEvery)
		}
	}
	for i, own := range cl.plan.Clients {
		if own.Follows == "" {
			cl.clients[i].begin()
		}
	}
	return nil
}

// end ends every process of the run.
func (cl *cluster) end() {
	select {
	case <-cl.over:
	default: // the loop never began
		close(cl.over)
	}
	cl.restarts.Wait() // no server outlives the run
	for _, c := range cl.clients {
		c.kill()
	}
	for _, s := range cl.servers {
		for _, c := range s.connections {
			_ = c.toServer.Close()
		}
		s.kill(os.Kill)
	}
}

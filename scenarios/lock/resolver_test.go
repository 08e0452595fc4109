package lock

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/plan"
)

// TestResolver: nodes have addresses that Dial takes, and nobody else has one.
func TestResolver(t *testing.T) {
	for name, want := range map[string]string{
		"n1": "127.77.0.1", "n5": "127.77.0.5", "n250": "127.77.0.250", "N3.cluster.example": "127.77.0.3",
		"n0": "", "n251": "", "node1": "", "redis.example": "",
	} {
		found, err := Resolver().LookupHost(context.Background(), name)
		var missing *net.DNSError
		unknown := errors.As(err, &missing) && missing.IsNotFound
		if want == "" && !unknown || want != "" && fmt.Sprint(found) != "["+want+"]" {
			t.Errorf("%s: %v, %v; want %q", name, found, err, want)
		}
	}
	p := &fakeProcess{}
	e := p.environment(plan.Lock{})
	e.Nodes = []string{"n1", "n3"}
	for _, address := range []string{"10.0.0.1:6379", "10.0.0.3:6379"} {
		client := redis.NewClient(&redis.Options{Addr: address})
		defer client.Close()
		e.Redis = append(e.Redis, client)
	}
	if _, err := e.Dial(context.Background(), "tcp", "127.77.0.3:77"); err == nil || p.dialed != "10.0.0.3:6379" {
		t.Errorf("the address of n3 leads to %q, %v", p.dialed, err)
	}
}

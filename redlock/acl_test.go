package redlock_test

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

// documentedACL returns the words of each ACL command in the package documentation.
func documentedACL(t *testing.T) (commands [][]any) {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range regexp.MustCompile(`(?m)^//\s+(ACL SETUSER .*)$`).FindAllSubmatch(text, -1) {
		var words []any
		for _, word := range strings.Fields(string(line[1])) {
			words = append(words, word)
		}
		commands = append(commands, words)
	}
	if len(commands) == 0 {
		t.Fatal("no ACL command in doc.go")
	}
	return commands
}

func TestIntegrationLeastPrivilege(t *testing.T) {
	addresses := realServers(t, 3)
	for _, address := range addresses {
		for _, command := range documentedACL(t) {
			if err := administrator(t, address).Do(t.Context(), command...).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	nodes := realNodes(t, addresses, func(o *redis.Options) { o.Username, o.Password = "locker", "password" })
	// No restart guard: these servers are too young for it. Other tests have it on.
	l, err := redlock.Open(t.Context(), nodes, redlock.WithFencing(), redlock.WithNodeTimeout(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := l.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	lease, err := l.TryLockAll(t.Context(), []string{"lock:a", "lock:b"}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Extend(t.Context(), 2*time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The privilege is the least: outside the pattern nothing is allowed.
	_, err = l.TryLock(t.Context(), "other:a", time.Minute)
	if !errors.Is(err, redlock.ErrNoQuorum) || !strings.Contains(err.Error(), "NOPERM") {
		t.Fatalf("outside the pattern: %v", err)
	}
	if err := nodes[0].Client.Do(t.Context(), "CONFIG", "GET", "*").Err(); err == nil || !strings.Contains(err.Error(), "NOPERM") {
		t.Fatalf("CONFIG is allowed: %v", err)
	}
}

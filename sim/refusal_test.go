package sim_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/sim"
)

// answers plays commands of one connection against a node, and tells what came.
// "refuse WHY", "grant WHY" and "sleep" are done to the node and by the client.
func answers(t *testing.T, config sim.Config, prepare func(w *sim.World), script ...string) []string {
	t.Helper()
	var got []string
	played(t, config, func(w *sim.World) {
		if prepare != nil {
			prepare(w)
		}
		p, c := client(w)
		p.Go(func(ctx context.Context) {
			one := c.Conn()
			defer func() { _ = one.Close() }()
			for _, line := range script {
				word, rest, _ := strings.Cut(line, " ")
				switch word {
				case "refuse":
					_ = p.Remote(time.Microsecond, time.Microsecond, func() { w.Node("n1").Refuse(rest, "f") })
				case "grant":
					_ = p.Remote(time.Microsecond, time.Microsecond, func() { w.Node("n1").Grant(rest, "f") })
				default:
					got = append(got, class(one.Do(ctx, words(line)...)))
				}
			}
		})
	})
	return got
}

func words(line string) []any {
	var list []any
	for _, word := range strings.Fields(line) {
		list = append(list, word)
	}
	return list
}

// class is an answer, or the first word of an error.
func class(c *redis.Cmd) string {
	switch v, err := c.Result(); {
	case err == redis.Nil:
		return "nil"
	case err != nil:
		word, _, _ := strings.Cut(err.Error(), " ")
		return word
	default:
		return fmt.Sprint(v)
	}
}

// TestRefusingNode: what a node refuses, and that it grants it again. The texts are
// held to a real server by the fidelity suite.
func TestRefusingNode(t *testing.T) {
	for _, test := range []struct {
		why  string
		want string // PING, GET, SET, DEL
	}{
		{sim.MemoryFull, "[PONG nil OOM 0]"},
		{sim.DiskError, "[MISCONF nil MISCONF MISCONF]"},
		{sim.Loading, "[LOADING LOADING LOADING LOADING]"},
	} {
		asked := []string{"PING", "GET k", "SET k v", "DEL l"}
		got := answers(t, steady("", "A"), nil,
			append(append([]string{"refuse " + test.why}, asked...), append([]string{"grant " + test.why}, asked...)...)...)
		if len(got) != 8 || fmt.Sprint(got[:4]) != test.want || fmt.Sprint(got[4:]) != "[PONG nil OK 0]" {
			t.Errorf("%s: %v", test.why, got)
		}
	}
}

// TestRefusedExec: a transaction runs as a whole or not at all, whenever the refusal begins and ends.
func TestRefusedExec(t *testing.T) {
	const refuse, grant = "refuse " + sim.MemoryFull, "grant " + sim.MemoryFull
	for _, test := range []struct {
		name   string
		script []string
		want   string
	}{
		{"between MULTI and EXEC", []string{"MULTI", "SET k v", refuse, "EXEC", "GET k"}, "[OK QUEUED EXECABORT nil]"},
		{"… of what needs no memory", []string{"SET k v", "MULTI", "DEL k", refuse, "EXEC", "GET k"}, "[OK OK QUEUED [1] nil]"},
		{"while it is queued", []string{"MULTI", refuse, "SET k v", grant, "EXEC", "GET k"}, "[OK OOM EXECABORT nil]"},
		{"while a reader is queued", []string{"MULTI", refuse, "GET k", grant, "EXEC"}, "[OK OOM EXECABORT]"},
		{"and again, after it was discarded", []string{"MULTI", refuse, "SET k v", grant, "DISCARD", "MULTI", "SET k v", "EXEC"}, "[OK OOM OK OK QUEUED [OK]]"},
		{"and again, after it was aborted", []string{"MULTI", "SET k v", refuse, "EXEC", grant, "MULTI", "GET k", "EXEC"}, "[OK QUEUED EXECABORT OK QUEUED [<nil>]]"},
	} {
		if got := fmt.Sprint(answers(t, steady("", "A"), nil, test.script...)); got != test.want {
			t.Errorf("refused %s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestRefusalsOverlap: a node refuses until the last reason is gone, and an end
// of the node cuts only its loading short.
func TestRefusalsOverlap(t *testing.T) {
	got := answers(t, steady("", "A"), nil, "refuse "+sim.MemoryFull, "refuse "+sim.DiskError, "grant "+sim.DiskError,
		"SET k v", "grant "+sim.MemoryFull, "SET k v")
	if fmt.Sprint(got) != "[OOM OK]" {
		t.Errorf("%v", got)
	}
	result := played(t, steady(sim.AOFAlways, "A"), func(w *sim.World) {
		n := w.Node("n1")
		w.At(second, func() { n.Crash(sim.ProcessCrash, "f"); n.Restart("f"); n.LoadFor(time.Minute, "f") })
		w.At(2*second, func() { n.Crash(sim.ProcessCrash, "f"); n.Restart("f") })
		w.Process("A").Go(func(ctx context.Context) { _ = w.Process("A").Sleep(ctx, 3*second) })
	})
	if at := first(t, result, sim.Recover).At; !near(at, 2*second) {
		t.Errorf("the loading was over at %v, want the second crash", at)
	}
}

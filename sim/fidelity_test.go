package sim_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/sim"
	"redlocklab/sim/fidelity"
)

// The fidelity suite plays the body of each row against a node of the world and
// against a real redis-server process, and compares the answers. No expected answer
// is stated here. The clocks of both servers stand still and move only when the body
// says so; the real server runs under libfaketime. So no row depends on the speed of
// the machine.

// server is what a row is played against.
type server interface {
	client() *redis.Client
	dial() (net.Conn, error) // a connection without a driver
	advance(d time.Duration) // time passes on the server's clock
	step(d time.Duration)    // somebody sets the server's clock
	snapshot()               // the RDB snapshot of this moment, if anything was written since the last
	rewrite()                // the append-only file of this moment is rewritten
	end(how sim.End)         // process crash is kill -9, clean shutdown is SHUTDOWN
	start()                  // again, with what is on disk; connections are new
	slowDisk()               // a sync begins, and lasts beyond the end of the process
	held()                   // a write has waited for the sync as long as one may

	refuse(why string) // commands, until grant
	grant(why string)
	fillDisk()               // the append-only file has no room for the next write
	tried()                  // the server has tried to write what waited for a sync
	freeDisk()               // it has room again, and the server has noticed
	startLoading()           // as start, but the server reads its data until grant(sim.Loading)
	evictAll()               // every key, for want of memory
	operator(command string) // on another connection than the row's
	replicate()              // an asynchronous replica joins; nothing was written yet
	fallBehind()             // it knows all that was written so far and hears of nothing more
	promote()                // the master ends, the replica takes its place; connections are new
	demote()                 // the replica is promoted without having heard of the last writes, the master copies it
	promoteAgain()           // the master is the master again, in the same process
}

// conversation is one row being played; it writes down what the server answers.
type conversation struct {
	server
	ctx      context.Context
	protocol int // of RESP: 2 or 3
	lines    []string
}

func (p *conversation) note(step, answer string) { p.lines = append(p.lines, step+" => "+answer) }

// do sends commands, one per line, and notes each answer.
func (p *conversation) do(commands ...string) {
	for _, c := range commands {
		p.note(c, p.ask(p.client(), strings.Fields(c)...))
	}
}

// doer is a client or one sticky connection of it.
type doer interface {
	Do(ctx context.Context, args ...any) *redis.Cmd
}

func (p *conversation) ask(c doer, args ...string) string {
	words := make([]any, len(args))
	for i, a := range args {
		words[i] = a
	}
	return reply(c.Do(p.ctx, words...).Result())
}

// reply writes an answer as text: errors by their class, the first word.
func reply(v any, err error) string {
	switch e := err.(type) {
	case nil:
	case redis.Error:
		if err == redis.Nil {
			return "nil"
		}
		class, _, _ := strings.Cut(e.Error(), " ")
		return "-" + class
	default:
		return "broken connection"
	}
	switch v := v.(type) {
	case nil:
		return "nil"
	case error:
		return reply(nil, v)
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = reply(v[i], nil)
		}
		return "[" + strings.Join(parts, " ") + "]"
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}

// row is one subject of comparison.
type row struct {
	name        string
	persistence sim.Persistence
	protocol    int  // of RESP; 0: 2
	newer       bool // the real server is Valkey, which has newer commands
	body        func(p *conversation)
}

// bothProtocols are rows over RESP 2, which the simulator's drivers speak, and over RESP 3,
// which go-redis speaks by default.
func bothProtocols(list []row) []row {
	var both []row
	for _, r := range list {
		r.protocol = 2
		both = append(both, r)
		r.name, r.protocol = r.name+", RESP 3", 3
		both = append(both, r)
	}
	return both
}

// explains reports whether a known difference turns the one answer into the other.
func explains(d fidelity.Difference, row, want, got string) bool {
	step, answer, _ := strings.Cut(want, " => ")
	return strings.HasPrefix(row, d.Row) && strings.HasPrefix(step, d.Step) &&
		step+" => "+strings.Replace(answer, d.Redis, d.World, 1) == got
}

// The table that reports render names exactly the rows that are played.
func TestFidelityTableIsTheSuite(t *testing.T) {
	table, played := map[string]bool{}, map[string]bool{}
	for _, r := range fidelity.Rows() {
		if _, twice := table[r.Name]; twice || r.Compared == "" || r.Tried != (r.Why == "") {
			t.Errorf("%q stands twice, or lacks what is compared or why it is not tried", r.Name)
		}
		table[r.Name] = r.Tried
	}
	for _, r := range rows() {
		name, _, _ := strings.Cut(r.name, ":")
		played[name] = true
		if !table[name] {
			t.Errorf("the table does not say that %q is tried", name)
		}
	}
	for name, tried := range table {
		if tried && !played[name] {
			t.Errorf("the table says that %q is tried, and no row does", name)
		}
	}
}

// TestFidelity plays every row that is tried, and compares answer by answer.
func TestFidelity(t *testing.T) {
	tools := findTools(t)
	accepted := fidelity.Differences()
	shown := make([]bool, len(accepted))
	compared := map[string]bool{}
	for _, r := range bothProtocols(rows()) {
		t.Run(r.name, func(t *testing.T) {
			want := playReal(t, tools, r)
			got := playWorld(t, r)
			if len(got) != len(want) || len(want) == 0 {
				t.Fatalf("%d steps in the world, %d on redis-server", len(got), len(want))
			}
			for i := range want {
				if got[i] == want[i] {
					continue
				}
				known := slices.IndexFunc(accepted, func(d fidelity.Difference) bool {
					return explains(d, r.name, want[i], got[i])
				})
				if known >= 0 {
					shown[known] = true
					continue
				}
				t.Errorf("step %d\nredis-server: %s\nthe world:    %s", i+1, want[i], got[i])
			}
			compared[r.name] = true
		})
	}
	for i, d := range accepted {
		missing := slices.ContainsFunc(rows(), func(r row) bool {
			return strings.HasPrefix(r.name, d.Row) && !compared[r.name]
		})
		if !shown[i] && !missing && !d.Sometimes {
			t.Errorf("%s: %s: redis-server and the world agree; remove this difference from fidelity.Differences", d.Row, d.Step)
		}
	}
}

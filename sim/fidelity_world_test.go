package sim_test

import (
	"context"
	"math"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/sim"
)

// standing is the rate of a clock that stands still.
const standing = -1_000_000

// worldServer is one node of a world as a row sees it. Its clock stands still
// but for what the row asks.
type worldServer struct {
	world   *sim.World
	process *sim.Process
	node    *sim.Node
	current *redis.Client
	resp    int
	ctx     context.Context
}

const snapshotEvery = time.Hour

// playWorld plays a row in virtual time and returns what was answered.
func playWorld(t *testing.T, r row) []string {
	t.Helper()
	config := sim.Config{
		Seed:      1,
		Nodes:     []sim.NodeConfig{{Name: "n1", Persistence: r.persistence, SnapshotEvery: snapshotEvery, RatePPM: standing, Offset: clockOffset}},
		Processes: []sim.ProcessConfig{{Name: "A"}},
		Network:   sim.NetworkConfig{Latency: sim.Latency{Min: time.Millisecond, Max: 2 * time.Millisecond}},
		Bounds:    sim.Bounds{Events: 1_000_000, Virtual: 100 * time.Hour},
	}
	var lines []string
	result, err := sim.Run(config, sim.Options{}, func(w *sim.World) error {
		p := w.Process("A")
		p.Go(func(ctx context.Context) {
			s := &worldServer{world: w, process: p, node: w.Node("n1"), resp: r.protocol, ctx: ctx}
			s.connect()
			c := &conversation{server: s, ctx: ctx, protocol: r.protocol}
			r.body(c)
			lines = c.lines
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Outcome != sim.Finished {
		t.Fatalf("the world's run ended with: %s", result.Outcome)
	}
	return lines
}

func (s *worldServer) connect() {
	options := sim.DriverOptions(s.node.Address, s.process.Dial, timeouts)
	options.Protocol = s.resp
	c := redis.NewClient(options)
	s.process.OnEnd(func() { _ = c.Close() })
	s.current = c
}

func (s *worldServer) client() *redis.Client { return s.current }

func (s *worldServer) dial() (net.Conn, error) { return s.process.Dial(s.ctx, "tcp", s.node.Address) }

// control runs something as the controller and waits for it.
func (s *worldServer) control(f func()) {
	_ = s.process.Remote(time.Microsecond, time.Microsecond, f) // an error is the end of the run
}

// advance lets the node's clock run for exactly d of true time.
func (s *worldServer) advance(d time.Duration) {
	s.control(func() {
		s.node.Clock().SetRate(0, "")
		s.world.At(s.world.Now()+d, func() { s.node.Clock().SetRate(standing, "") })
	})
	_ = s.process.Sleep(s.ctx, d+time.Millisecond)
}

func (s *worldServer) step(d time.Duration) { s.control(func() { s.node.Clock().Step(d, "") }) }

// snapshot waits for the next one; nothing else happens meanwhile, and the node's clock stands.
func (s *worldServer) snapshot() {
	_ = s.process.Sleep(s.ctx, snapshotEvery-s.world.Now()%snapshotEvery+time.Millisecond)
}

// rewrite does nothing: the world's file is never longer than the memory.
func (s *worldServer) rewrite() {}

func (s *worldServer) end(how sim.End) {
	s.control(func() { s.node.Crash(how, "") })
	_ = s.process.Sleep(s.ctx, 10*time.Millisecond) // the kernel tells the client
}

func (s *worldServer) start() {
	s.control(func() { s.node.Restart("") })
	s.connect()
}

func (s *worldServer) slowDisk() {
	s.control(func() { s.node.SlowDisk(time.Minute, "") })
	s.advance(time.Second)
}

func (s *worldServer) held() {}

func (s *worldServer) refuse(why string) { s.control(func() { s.node.Refuse(why, "") }) }
func (s *worldServer) grant(why string)  { s.control(func() { s.node.Grant(why, "") }) }

func (s *worldServer) fillDisk() { s.control(func() { s.node.FillDisk("") }) }

func (s *worldServer) tried() {}

func (s *worldServer) freeDisk() {
	s.control(func() { s.node.FreeDisk("") })
	_ = s.process.Sleep(s.ctx, 1100*time.Millisecond)
}

func (s *worldServer) startLoading() {
	s.control(func() {
		s.node.Restart("")
		s.node.Refuse(sim.Loading, "")
	})
	s.connect()
}

func (s *worldServer) evictAll() { s.control(func() { s.node.Evict(math.MaxInt, "") }) }

func (s *worldServer) operator(command string) {
	s.control(func() { s.node.Operator("", strings.Fields(command)...) })
}

const replicaLag = time.Minute

func (s *worldServer) replicate() { s.control(func() { s.node.Replicate(replicaLag) }) }

// fallBehind lets true time pass, for lag is measured in it; the node's clock stands.
func (s *worldServer) fallBehind() { _ = s.process.Sleep(s.ctx, 2*replicaLag) }

func (s *worldServer) demote()       { s.control(func() { s.node.Demote("") }) }
func (s *worldServer) promoteAgain() { s.control(func() { s.node.PromoteAgain("") }) }

func (s *worldServer) promote() {
	s.end(sim.ProcessCrash)
	s.control(func() { s.node.Promote("") })
	s.connect()
}

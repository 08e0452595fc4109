package sim

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"redlocklab/sim/shared"
)

// End is how a node or a process ends.
type End string

// The ends. After a process crash the host refuses connections, and everything
// that the process wrote survives. After a power loss the host is silent, and
// only what was synced survives. A clean shutdown saves a last snapshot or the
// rest of the append-only file first, if the node persists anything.
const (
	ProcessCrash End = "process crash"
	PowerLoss    End = "power loss"
	Shutdown     End = "clean shutdown"
)

// epoch is the date of a wall clock that reads 0. It is what time.Now returns at the start
// of a run (see testing/synctest), so that true time and wall clocks agree on the date.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Node is one Redis server: a miniredis engine, a clock that drives its TTLs, a
// disk, and its connections. Only the controller may use it.
type Node struct {
	Name    string
	Address string // host and port

	world   *World
	server  *Node // the node itself, or the earlier node whose second address this is
	index   int
	config  NodeConfig
	clock   *Clock
	engine  *miniredis.Miniredis
	up      bool
	dark    bool          // the host has lost its power
	life    int           // number of this life of the server, from 1
	started time.Duration // reading of the clock at the start of this life
	first   time.Duration // reading of the clock at the start of the first life
	conns   []*conn
	cached  map[string]bool // scripts by SHA-1
	keys    map[string]shownKey
	expiry  action
	waits   []*clockWait
	disk    disk
	out     bytes.Buffer
	writer  *bufio.Writer
	Workload[*Message]

	refusals  []refused
	inScript  bool              // the engine runs a script
	nested    string            // error with which a command of the running script was refused
	evictions map[string]uint64 // by fault
	drifts    shared.Value[*bool]
	replica   replica
	moves     shared.Value[string] // names of the nodes that the address leads to
}

func newNode(w *World, index int, c NodeConfig) *Node {
	n := &Node{
		Name: c.Name, Address: fmt.Sprintf("10.0.0.%d:6379", index+1),
		world: w, index: index, config: c, clock: newClock(c.Offset, c.RatePPM), disk: newDisk(c),
		evictions: map[string]uint64{},
	}
	n.server = n
	if c.SameAs != "" {
		n.server = w.Node(c.SameAs)
		return n
	}
	n.writer = bufio.NewWriter(&n.out)
	n.expiry.index = -1
	n.Workload = Workload[*Message]{
		Node: n.Name, Emit: w.emit, Execute: n.perform, Halt: func(bool) {},
		After:   func(d time.Duration, f func()) { w.At(w.now+d, f) },
		Message: func(m *Message) *Message { return m },
	}
	n.boot()
	n.first = n.clock.Read(0) - c.Age
	n.started = n.first
	return n
}

// boot starts an empty engine.
func (n *Node) boot() {
	if n.engine != nil {
		n.engine.Close()
	}
	n.engine = newEngine()
	n.cached = map[string]bool{}
	n.keys = map[string]shownKey{}
	n.up, n.dark, n.disk.failed = true, false, false
	n.life++
	n.started = n.clock.Read(n.world.now)
	n.tick()
	n.engine.ClockTTL(true)
	n.engine.Server().SetPreHook(n.beforeNested)
}

// newEngine starts a miniredis without a listener and without goroutines: the
// controller dispatches commands into it.
//
// Each engine has a sync.WaitGroup. Go 1.26 leaks a record for each one that comes
// to rest in a bubble, so a program that plays many runs grows. Campaigns replace
// their worker processes after some thousand runs.
func newEngine() *miniredis.Miniredis {
	engine := miniredis.NewMiniRedis()
	c, err := engine.Dial() // the only exported way to start an engine without a listener
	if err != nil {
		panic(fmt.Sprintf("sim: miniredis: %v", err)) // it cannot fail without a listener
	}
	c.Close()
	return engine
}

// Up reports whether the node is up.
func (n *Node) Up() bool { return n.up }

// Clock returns the node's clock, for observers.
func (n *Node) Clock() *Clock { return n.clock }

// tick sets the engine's time to that of the node's clock. The engine reduces its
// TTLs with the next command.
func (n *Node) tick() { n.engine.SetTime(epoch.Add(n.clock.Read(n.world.now))) }

// settle is tick, but reduces the TTLs at once.
func (n *Node) settle() {
	n.tick()
	n.engine.Exists("")
}

func (n *Node) accept(c *conn) {
	c.peer = server.NewPeer(n.writer)
	n.greet(c)
	n.conns = append(n.conns, c)
}

func (n *Node) forgetConn(c *conn) {
	n.conns = slices.DeleteFunc(n.conns, func(o *conn) bool { return o == c })
}

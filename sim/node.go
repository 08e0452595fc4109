package sim

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// End is how a node or a process ends.
type End string

// The ends. After a process crash the host refuses connections, and everything
// that the process wrote survives. After a power loss the host is silent, and
// only synced data survives. A clean shutdown saves a last snapshot or the
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
// disk, and its connections. Only the controller may use it. It has three states:
//
//	up       the engine holds the memory; keys are those that the trace has shown
//	down     conns and keys are empty; disk.kept is the data of the next start
//	dark     as down, and the host is silent: it refuses no connection
//
//	up → down          Crash by a process crash or a shutdown
//	up → dark          Crash by a power loss
//	down, dark → up    Restart from the disk; Promote from the replica's memory
type Node struct {
	Name    string
	Address string // host and port

	world   *World
	server  *Node // the node itself, or the earlier node whose second address this is
	index   int
	config  NodeConfig
	clock   *Clock
	engine  *miniredis.Miniredis
	ticked  time.Duration // true time of the last tick
	reading time.Duration // of the clock at the last tick: what the engine holds is as old as that
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
	Moves

	refusals  []refused
	inScript  bool              // the engine runs a script
	nested    string            // error with which a command of the running script was refused
	evictions map[string]uint64 // by fault
	replica   replica
	identity  replicationIdentity
}

func newNode(w *World, index int, c NodeConfig) *Node {
	n := &Node{
		Name: c.Name, Address: fmt.Sprintf("10.0.0.%d:6379", index+1),
		world: w, index: index, config: c, clock: newClock(c.Offset, c.RatePPM), disk: newDisk(c),
		evictions: map[string]uint64{}, Moves: Moves{Node: c.Name, Emit: w.Emit},
	}
	n.server = n
	if c.SameAs != "" {
		n.server = w.Node(c.SameAs)
		return n
	}
	n.clock.host = clockHost{
		world: w, event: Event{Node: n.Name, Detail: string(Wall)},
		before: n.settle, stepped: n.stepEngine, changed: n.rewatch,
	}
	n.writer = bufio.NewWriter(&n.out)
	n.expiry.index = -1
	n.Workload = Workload[*Message]{
		Node: n.Name, Emit: w.Emit, Execute: n.perform, Halt: n.halt,
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
	n.life++
	n.identity.second = ""
	n.newReplicationID()
	n.started = n.clock.Read(n.world.now)
	n.tick()
	n.up, n.dark, n.disk.failed = true, false, false
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

// Clock returns the node's clock, for observers and faults.
func (n *Node) Clock() *Clock { return n.clock }

func (n *Node) accept(c *conn) {
	c.peer = server.NewPeer(n.writer)
	n.greet(c)
	n.conns = append(n.conns, c)
}

func (n *Node) forgetConn(c *conn) {
	n.conns = slices.DeleteFunc(n.conns, func(o *conn) bool { return o == c })
}

// info returns the answer to INFO server, which miniredis lacks. As in Redis, the
// uptime comes from the wall clock: a step of the clock changes it.
func (n *Node) info() string {
	uptime := seconds(n.clock.Read(n.world.now)) - seconds(n.started)
	return "# Server\r\nredis_version:7.4.0\r\nredis_mode:standalone\r\nrun_id:" + n.randomID("run id", uint64(n.life)) +
		"\r\nuptime_in_seconds:" + strconv.FormatInt(uptime, 10) + "\r\n"
}

// randomID returns an id as Redis makes it, of 40 hexadecimal digits.
func (n *Node) randomID(stream string, index uint64) string {
	part := func(i uint64) uint64 { return n.world.Random(stream+"/"+n.Name, index*3+i) }
	return fmt.Sprintf("%016x%016x%08x", part(0), part(1), uint32(part(2)))
}

// seconds returns a reading in whole seconds, rounded down, as Redis keeps it. An
// uptime, the difference of two, may be almost a second too long.
func seconds(reading time.Duration) int64 {
	return epoch.Add(reading).Unix()
}

// destination is the node whose server a connection to this address reaches.
func (n *Node) destination() *Node {
	if to := n.LeadsTo(); to != "" {
		return n.world.Node(to)
	}
	return n
}

// Moves are the faults that make the address of a server, simulated or real, lead new
// connections to another one. Connections that exist stay. The latest fault applies.
type Moves struct {
	Node string
	Emit func(Event)

	to contributions[string] // names of nodes
}

// Move makes the address lead to another node. Controller context only.
func (m *Moves) Move(to, fault string) {
	m.to.put(fault, to, to == "")
	m.Emit(Event{Kind: Moved, Node: m.Node, Detail: m.LeadsTo(), Fault: fault})
}

// MoveBack ends a fault's part in a move. Controller context only.
func (m *Moves) MoveBack(fault string) { m.Move("", fault) }

// LeadsTo is the name of the node that new connections reach; empty: the address's own.
func (m *Moves) LeadsTo() string {
	if len(m.to) == 0 {
		return ""
	}
	return m.to[len(m.to)-1].value
}

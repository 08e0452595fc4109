package sim

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// End is how a node or a process ends.
type End string

// The ends. After a process crash the host is still there: it refuses
// connections, and what the process wrote survives. Power loss takes what was
// not synced, and the host does not answer at all. A clean shutdown saves first
// what is ever saved: a snapshot, or the rest of the append-only file.
const (
	ProcessCrash End = "process crash"
	PowerLoss    End = "power loss"
	Shutdown     End = "clean shutdown"
)

// epoch is what a node's clock shows as a date when it reads 0.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Node is one Redis server: a miniredis engine, a clock of its own that drives
// its TTLs, a disk, and its connections. Only the controller touches it.
type Node struct {
	Name    string
	Address string // of the one port that it listens on

	world   *World
	server  *Node // whose address this is: its own, or an earlier node's
	index   int
	config  NodeConfig
	clock   *Clock
	engine  *miniredis.Miniredis
	up      bool
	dark    bool          // the host is off
	life    int           // incarnations so far
	started time.Duration // reading of the clock at the start of this life
	first   time.Duration // … of the one that the run found
	conns   []*conn
	cached  map[string]bool // scripts by SHA-1
	keys    map[string]keyState
	expiry  action
	waits   []*clockWait
	disk    disk
	out     bytes.Buffer
	writer  *bufio.Writer
	workload

	refusals  []refusal
	nested    string // what a command of the script under way was refused with
	evictions uint64
	drifts    caused[*bool]
	replica   replica
}

// keyState is what the trace last showed of a key.
type keyState struct {
	value    string
	deadline time.Duration // on the node's clock; Forever without a TTL
}

func newNode(w *World, index int, c NodeConfig) *Node {
	n := &Node{
		Name: c.Name, Address: fmt.Sprintf("10.0.0.%d:6379", index+1),
		world: w, index: index, config: c, clock: newClock(c.Offset, c.RatePPM),
	}
	n.server = n
	if c.SameAs != "" {
		n.server = w.Node(c.SameAs)
		return n
	}
	n.writer = bufio.NewWriter(&n.out)
	n.expiry.index = -1
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
	n.keys = map[string]keyState{}
	n.up, n.dark = true, false
	n.backlog, n.busy = nil, false
	n.life++
	n.started = n.clock.Read(n.world.now)
	n.tick()
	n.engine.ClockTTL(true)
	if len(n.refusals) > 0 {
		n.engine.Server().SetPreHook(n.beforeNested)
	}
}

// newEngine starts a miniredis that serves no listener and no goroutine:
// commands are dispatched into it.
func newEngine() *miniredis.Miniredis {
	engine := miniredis.NewMiniRedis()
	c, err := engine.Dial() // the only public way to start one without a listener
	if err != nil {
		panic(fmt.Sprintf("sim: miniredis: %v", err)) // it cannot fail without a listener
	}
	c.Close()
	return engine
}

// Up reports whether the node is up.
func (n *Node) Up() bool { return n.up }

// Clock returns the node's clock, to be read by oracles.
func (n *Node) Clock() *Clock { return n.clock }

// tick shows the engine the node's present time. The engine counts its TTLs down
// when it is used next.
func (n *Node) tick() { n.engine.SetTime(epoch.Add(n.clock.Read(n.world.now))) }

// settle is tick, with the TTLs counted down now.
func (n *Node) settle() {
	n.tick()
	n.engine.Exists("")
}

func (n *Node) accept(c *conn) {
	c.peer = server.NewPeer(n.writer)
	n.conns = append(n.conns, c)
}

func (n *Node) forgetConn(c *conn) {
	n.conns = slices.DeleteFunc(n.conns, func(o *conn) bool { return o == c })
}

// receive takes an arriving request in.
func (n *Node) receive(m *Message) {
	w, c := n.world, m.conn
	if !n.up || c.gone {
		why := "the node is down"
		if n.up {
			why = "the node no longer knows this connection"
		}
		w.network.Drop(m, why)
		if !n.dark { // the host's kernel answers in the server's place
			n.tellReset(c, "")
		}
		return
	}
	if w.options.Bare {
		w.recorder.count += 3
	} else {
		e := m.Event(Deliver)
		e.Conn = c.number
		w.emit(e)
		if c.gone { // an observer crashed the node, or cut the connection
			return
		}
	}
	if len(n.stops)+len(n.service)+len(n.backlog) > 0 {
		n.backlog = append(n.backlog, m)
		n.serve()
		return
	}
	n.perform(m)
}

// perform executes a request and sends the answer back.
func (n *Node) perform(m *Message) {
	w, c := n.world, m.conn
	answer, shown := n.execute(c, m.args), ""
	if !w.options.Bare {
		shown = describeReply(answer, w.recorder.name)
		n.recordExecution(m, shown)
	}
	if c.gone {
		return
	}
	back := c.message(ToProcess)
	back.Number, back.Command, back.Key = m.Number, m.Command, m.Key
	back.Reply, back.answer = answer, shown
	back.launch()
}

// execute runs one request in the engine and returns the RESP answer.
func (n *Node) execute(c *conn, args []string) []byte {
	w := n.world
	if w.options.Respond != nil {
		return w.options.Respond(args)
	}
	n.tick()
	n.disk.beforeWrite(n)
	n.replica.beforeWrite(n)
	n.out.Reset()
	command := upper(args[0])
	switch {
	case (len(n.refusals) > 0 || c.doomed) && n.refuse(c, command):
	case command == "INFO" && (len(args) == 1 || strings.EqualFold(args[1], "server")):
		c.peer.WriteBulk(n.info())
	case isEval(command) && n.runScript(c, command, args):
	default:
		n.beforeDispatch(c, command, args)
		n.engine.Server().Dispatch(c.peer, args)
	}
	c.peer.Flush()
	if n.nested != "" {
		// The interpreter rewords the error of the command that its script called, if the script did not catch it.
		if answer := n.out.Bytes(); answer[0] == '-' && bytes.Contains(answer, []byte(n.nested)) {
			n.out.Reset()
			c.peer.WriteError(n.nested)
			c.peer.Flush()
		}
		n.nested = ""
	}
	return bytes.Clone(n.out.Bytes())
}

// beforeDispatch keeps what the world itself must know of a connection and of
// the engine's keys.
func (n *Node) beforeDispatch(c *conn, command string, args []string) {
	switch {
	case command == "MULTI":
		c.transaction = true
	case command == "EXEC", command == "DISCARD":
		c.transaction, c.commands = false, nil
	case c.transaction:
		c.commands = append(c.commands, command)
	case command == "SCRIPT":
		n.beforeScript(args)
	case command == "FLUSHALL", command == "FLUSHDB":
		for _, key := range n.engine.Keys() { // the engine's FLUSHALL is not seen by those who WATCH
			n.engine.Del(key)
		}
	}
}

// runID names this life of the server.
func (n *Node) runID() string {
	stream := "run id/" + n.Name
	return fmt.Sprintf("%016x%016x%08x",
		n.world.Random(stream, uint64(n.life)*3), n.world.Random(stream, uint64(n.life)*3+1), uint32(n.world.Random(stream, uint64(n.life)*3+2)))
}

// info is INFO server, which miniredis does not have. Redis derives the uptime
// from its wall clock: a step lies about it.
func (n *Node) info() string {
	uptime := seconds(n.clock.Read(n.world.now)) - seconds(n.started)
	return "# Server\r\nredis_version:7.4.0\r\nredis_mode:standalone\r\nrun_id:" + n.runID() +
		"\r\nuptime_in_seconds:" + strconv.FormatInt(uptime, 10) + "\r\n"
}

// seconds is a reading as Redis keeps it, in whole seconds rounded down: the
// difference of two makes an uptime that is up to a second too long.
func seconds(reading time.Duration) int64 {
	return epoch.Add(reading).Unix()
}

// recordExecution writes what the request did, with the state of every key that
// it named, and keeps watch over the keys' ends.
func (n *Node) recordExecution(m *Message, answer string) {
	w := n.world
	further := n.furtherKeys(m)
	e := Event{
		Kind: Execute, Process: m.Process, Node: n.Name, Conn: m.conn.number, Message: m.Number,
		Command: m.Command, Key: m.Key, Detail: answer,
	}
	if m.Key != "" {
		e.Value, e.TTL = n.look(m.Key)
	}
	w.emit(e)
	for _, key := range further {
		if m.conn.gone { // an observer crashed the node: nothing is left to look at
			return
		}
		e.Key, e.Detail = key, "also"
		e.Value, e.TTL = n.look(key)
		w.emit(e)
	}
	if !m.conn.gone {
		n.watchExpiry()
	}
}

// look returns a key as the trace shows it, and remembers when it ends.
func (n *Node) look(key string) (value string, ttl time.Duration) {
	value, err := n.engine.Get(key)
	if err != nil && !n.engine.Exists(key) {
		delete(n.keys, key)
		return "", 0
	}
	if err != nil {
		value = "(" + n.engine.Type(key) + ")"
	}
	ttl = n.engine.TTL(key)
	state := keyState{value: n.world.recorder.name(value), deadline: Forever}
	if ttl > 0 {
		state.deadline = n.clock.Read(n.world.now) + ttl
	} else {
		ttl = -1
	}
	n.keys[key] = state
	return state.value, ttl
}

// watchExpiry schedules the next look at the keys' ends.
func (n *Node) watchExpiry() {
	next := Forever
	for _, k := range n.keys { // the least of all: the order cannot be seen
		next = min(next, k.deadline)
	}
	w := n.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if next == Forever {
		return
	}
	at, ok := n.clock.WhenReads(next, w.now)
	if !ok || (n.expiry.index >= 0 && n.expiry.at <= at) {
		return // frozen, or there will be a look in time
	}
	if n.expiry.index >= 0 {
		w.queue.remove(n.expiry.index)
	}
	n.expiry = action{at: at, rank: rankOf(rankNode, n.index, 0), do: n.expireKeys}
	w.schedule(&n.expiry)
}

// expireKeys writes down which keys have ended.
func (n *Node) expireKeys() {
	if !n.up {
		return
	}
	n.tick()
	reading, life := n.clock.Read(n.world.now), n.life
	for _, key := range sortedKeys(n.keys) {
		state := n.keys[key]
		switch {
		case state.deadline > reading:
		case n.engine.Exists(key):
			n.look(key)
		default:
			delete(n.keys, key)
			n.world.emit(Event{Kind: Expire, Node: n.Name, Key: key, Value: state.value})
			if n.life != life || !n.up { // an observer crashed it
				return
			}
		}
	}
	n.watchExpiry()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// furtherKeys are the keys, but for the request's own, that it may have changed:
// the rest of those that it names, the keys of a transaction that it ran, and
// every key that it emptied the node of.
func (n *Node) furtherKeys(m *Message) []string {
	switch upper(m.args[0]) {
	case "EXEC", "DISCARD":
		keys := m.conn.queued
		m.conn.queued = nil
		slices.Sort(keys)
		return slices.Compact(keys)
	case "FLUSHALL", "FLUSHDB":
		return sortedKeys(n.keys)
	}
	further := namedKeys(m.args)
	if m.conn.transaction && m.Key != "" {
		m.conn.queued = append(append(m.conn.queued, m.Key), further...)
	}
	return further
}

// namedKeys are the keys after the first of a request that names several.
func namedKeys(args []string) []string {
	if len(args) < 3 {
		return nil
	}
	switch upper(args[0]) {
	case "DEL", "UNLINK":
		return args[2:]
	case "EVAL", "EVALSHA":
		if count, err := strconv.Atoi(args[2]); err == nil && count > 1 && len(args) >= 3+count {
			return args[4 : 3+count]
		}
	}
	return nil
}

// Operator runs a command as somebody who is no client: DEL, FLUSHALL. It
// returns the RESP answer. Controller context only.
func (n *Node) Operator(fault string, args ...string) string {
	if !n.up {
		return "-ERR node is down\r\n"
	}
	before := n.image()
	c := &conn{world: n.world, node: n}
	c.peer = server.NewPeer(n.writer)
	answer := string(n.execute(c, args))
	n.world.emit(Event{Kind: NodeCall, Node: n.Name, Command: upper(args[0]), Key: firstKey(args), Detail: strings.Join(args, " "), Fault: fault})
	for _, was := range before {
		value, _ := n.look(was.key)
		if value == "" {
			n.removed(was, fault)
		}
	}
	return answer
}

// StepClock steps the node's clock. Redis keeps absolute deadlines: forwards,
// keys end early; backwards, they live longer. Controller context only.
func (n *Node) StepClock(by time.Duration, fault string) {
	n.settle()
	n.clock.step(n.world.now, by)
	n.tick()
	if by < 0 {
		n.engine.FastForward(by) // the engine takes a step back for no time at all
	}
	n.world.emit(Event{Kind: ClockStep, Node: n.Name, Duration: by, Detail: string(Wall), Fault: fault})
	n.rewatch()
}

// SetClockRate sets the rate error of the node's clock on behalf of a fault, as
// [Process.SetClockRate] does. Controller context only.
func (n *Node) SetClockRate(ppm int64, fault string) {
	n.tick()
	n.rateHolds(n.clock.setRate(n.world.now, ppm, fault), fault)
}

// EndClockRate takes the rate error back that a fault had set, as
// [Process.EndClockRate] does. Controller context only.
func (n *Node) EndClockRate(fault string) {
	n.tick()
	n.rateHolds(n.clock.endRate(n.world.now, fault), fault)
}

func (n *Node) rateHolds(now int64, fault string) {
	n.world.emit(Event{Kind: ClockRate, Node: n.Name, PPM: now, Detail: string(Wall), Fault: fault})
	n.rewatch()
}

// rewatch forgets when keys were thought to end, and when the clock was thought
// to show what is waited for.
func (n *Node) rewatch() {
	n.world.mu.Lock()
	if n.expiry.index >= 0 {
		n.world.queue.remove(n.expiry.index)
	}
	n.world.mu.Unlock()
	n.watchExpiry()
	n.waits = slices.DeleteFunc(n.waits, func(wait *clockWait) bool { return wait.done })
	for _, wait := range n.waits {
		n.arm(wait)
	}
}

// nodeAt returns the node that listens at an address.
func (w *World) nodeAt(address string) *Node {
	for _, n := range w.nodes {
		if n.Address == address {
			return n
		}
	}
	return nil
}

func (w *World) addresses() string {
	var all []string
	for _, n := range w.nodes {
		all = append(all, n.Address)
	}
	return strings.Join(all, ", ")
}

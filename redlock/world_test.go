package redlock_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

// world is a cluster in virtual time, for tests inside a synctest bubble: miniredis engines
// behind pipes whose faults a test sets.
type world struct {
	t     testing.TB
	nodes []*fakeNode
	list  []redlock.Node
	clock *virtualClock
}

// fakeNode is one engine and its faults.
type fakeNode struct {
	name   string
	engine *miniredis.Miniredis

	mu          sync.Mutex
	latency     time.Duration
	refuse      bool // dials fail
	refuseDials int  // this many dials fail
	dialTime    time.Duration
	swallow     bool   // requests vanish
	muteReplies int    // this many replies vanish
	cutReplies  int    // this many replies are replaced by a reset connection
	runID       string // "": INFO is refused
	infoError   string // INFO is answered with this error
	era         int    // counts promotions of the same process
	replica     bool   // INFO tells of a replica; writes are accepted
	version     string // of redis_version: 7.0.15
	refuses     string // the command that it does not know
	setError    string // SET is answered with this error
	repeats     bool   // SET is refused with an error that repeats its arguments
	follows     bool   // keys expire in virtual time
	started     time.Time
	commands    []string
	dials       int
	connections []net.Conn
}

// newWorld builds n nodes. Call it inside the bubble.
func newWorld(t testing.TB, n int) *world {
	w := &world{t: t, clock: &virtualClock{start: time.Now()}}
	for i := range n {
		node := &fakeNode{
			name:    fmt.Sprintf("n%d", i+1),
			engine:  miniredis.NewMiniRedis(),
			latency: time.Millisecond + time.Duration(i+1)*7*time.Microsecond,
			runID:   fmt.Sprintf("run-%d-0", i+1),
			version: "7.0.15",
			started: time.Now().Add(-time.Hour),
		}
		first, err := node.engine.Dial() // starts the engine
		if err != nil {
			t.Fatal(err)
		}
		_ = first.Close()
		node.engine.Server().SetPreHook(node.before)
		client := redis.NewClient(&redis.Options{
			Addr:     fmt.Sprintf("10.0.0.%d:6379", i+1),
			Protocol: 2, DisableIdentity: true, MaxRetries: -1, DialerRetries: 1, PoolSize: 64,
			ReadTimeout: 3 * time.Second, WriteTimeout: 3 * time.Second,
			Dialer: node.dial,
		})
		w.nodes = append(w.nodes, node)
		w.list = append(w.list, redlock.Node{Name: node.name, Client: client})
	}
	return w
}

// locker returns a Locker on virtual time and seeded randomness.
func (w *world) locker(seed uint64, options ...redlock.Option) *redlock.Locker {
	w.t.Helper()
	options = append([]redlock.Option{
		redlock.WithClock(w.clock), redlock.WithRandom(&seededRandom{seed: seed}),
		redlock.WithNodeTimeout(50 * time.Millisecond),
	}, options...)
	l, err := redlock.New(w.list, options...)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

// setLatency sets the latency of every node, each way.
func (w *world) setLatency(latency time.Duration) {
	for _, node := range w.nodes {
		node.set(func(n *fakeNode) { n.latency = latency })
	}
}

// close ends all goroutines, so that the bubble can end.
func (w *world) close(lockers ...*redlock.Locker) {
	for _, l := range lockers {
		_ = l.Close()
	}
	for i, node := range w.nodes {
		_ = w.list[i].Client.Close()
		node.cut()
		node.engine.Close()
	}
	time.Sleep(10 * time.Second) // until the driver's dial loops end
}

// advance lets virtual time pass, and ages the keys.
func (w *world) advance(d time.Duration) {
	time.Sleep(d)
	for _, node := range w.nodes {
		node.engine.FastForward(d)
	}
}

// holders counts the nodes on which the key carries the token.
func (w *world) holders(key, token string) int {
	count := 0
	for _, node := range w.nodes {
		if value, err := node.engine.Get(key); err == nil && value == token {
			count++
		}
	}
	return count
}

// set changes the faults of a node.
func (n *fakeNode) set(change func(*fakeNode)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(n)
}

// restart crashes the node without persistence and starts it at once.
func (n *fakeNode) restart() {
	n.cut()
	n.engine.FlushAll()
	n.set(func(n *fakeNode) {
		n.runID += "+"
		n.started = time.Now()
	})
}

// cut resets all connections.
func (n *fakeNode) cut() {
	n.mu.Lock()
	connections := n.connections
	n.connections = nil
	n.mu.Unlock()
	for _, connection := range connections {
		_ = connection.Close()
	}
}

// executed counts the executed commands that begin with what: a command word, for scripts
// followed by the script's name.
func (n *fakeNode) executed(what string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	count := 0
	for _, command := range n.commands {
		if strings.HasPrefix(command, what) {
			count++
		}
	}
	return count
}

// before logs each command and answers INFO.
func (n *fakeNode) before(peer *server.Peer, command string, arguments ...string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	name := command
	if strings.HasPrefix(command, "EVAL") {
		for _, script := range redlock.Scripts() {
			if arguments[0] == script.SHA1 || arguments[0] == script.Source {
				name += " " + script.Name
			}
		}
	}
	if command == "INFO" {
		name += " " + arguments[0]
	}
	n.commands = append(n.commands, name)
	if n.repeats && command == "SET" {
		peer.WriteError("ERR not here: " + strings.Join(arguments, " "))
		return true
	}
	if n.refuses == command {
		peer.WriteError(fmt.Sprintf("ERR unknown command '%s', with args beginning with: ", command))
		return true
	}
	if n.setError != "" && command == "SET" {
		peer.WriteError(n.setError)
		return true
	}
	if command == "INFO" && n.infoError != "" {
		peer.WriteError(n.infoError)
		return true
	}
	if command != "INFO" || n.runID == "" {
		return false
	}
	if arguments[0] == "replication" {
		role := "master"
		if n.replica {
			role = "slave"
		}
		id := func(era int) string {
			if era < 0 {
				return strings.Repeat("0", 40)
			}
			return fmt.Sprintf("%s-%d", n.runID, era)
		}
		peer.WriteBulk(fmt.Sprintf("# Replication\r\nrole:%s\r\nmaster_replid:%s\r\nmaster_replid2:%s\r\n", role, id(n.era), id(n.era-1)))
		return true
	}
	peer.WriteBulk(fmt.Sprintf("# Server\r\nredis_version:%s\r\nrun_id:%s\r\nuptime_in_seconds:%d\r\n",
		n.version, n.runID, int(time.Since(n.started).Round(time.Second)/time.Second)))
	return true
}

// dial is the dialer of the node's client.
func (n *fakeNode) dial(context.Context, string, string) (net.Conn, error) {
	n.mu.Lock()
	n.dials++
	refuse, dialTime := n.refuse || n.refuseDials > 0, n.dialTime
	if n.refuseDials > 0 {
		n.refuseDials--
	}
	n.mu.Unlock()
	time.Sleep(dialTime)
	if refuse {
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	}
	inner, err := n.engine.Dial()
	if err != nil {
		return nil, err
	}
	connection := &faultyConnection{
		Conn: inner, node: n, sent: make(chan []byte, 1024), closed: make(chan struct{}),
	}
	go connection.pump()
	n.mu.Lock()
	n.connections = append(n.connections, inner)
	n.mu.Unlock()
	return connection, nil
}

// faultyConnection applies a node's faults. It has room for what the engine has not read: an
// engine that waits until its reply is read reads no more of a long pipeline.
type faultyConnection struct {
	net.Conn
	node   *fakeNode
	mute   atomic.Bool
	sent   chan []byte
	closed chan struct{}
	once   sync.Once
}

func (c *faultyConnection) pump() {
	for {
		select {
		case p := <-c.sent:
			_, _ = c.Conn.Write(p)
		case <-c.closed:
			return
		}
	}
}

func (c *faultyConnection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

func (c *faultyConnection) Write(p []byte) (int, error) {
	c.node.mu.Lock()
	latency, swallow, follows := c.node.latency, c.node.swallow, c.node.follows
	c.node.mu.Unlock()
	time.Sleep(latency)
	if follows {
		// The engine's hook also runs inside scripts, so this is not done there.
		c.node.engine.SetTime(time.Now())
	}
	if swallow {
		c.mute.Store(true)
		return len(p), nil
	}
	select {
	case c.sent <- bytes.Clone(p):
		return len(p), nil
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

func (c *faultyConnection) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil {
			return n, err
		}
		c.node.mu.Lock()
		mute, cut := c.node.muteReplies > 0, c.node.cutReplies > 0
		if mute {
			c.node.muteReplies--
		}
		if cut {
			c.node.cutReplies--
		}
		c.node.mu.Unlock()
		if cut {
			_ = c.Close()
			return 0, io.EOF
		}
		if !mute {
			return n, nil
		}
	}
}

// virtualClock reads the bubble's time plus the suspensions that a test adds.
type virtualClock struct {
	start time.Time
	extra atomic.Int64
}

func (c *virtualClock) Now() time.Duration {
	return time.Since(c.start) + time.Duration(c.extra.Load())
}
func (c *virtualClock) NewTimer(d time.Duration) redlock.Timer {
	return virtualTimer{time.NewTimer(d)}
}

type virtualTimer struct{ timer *time.Timer }

func (t virtualTimer) C() <-chan time.Time        { return t.timer.C }
func (t virtualTimer) Stop() bool                 { return t.timer.Stop() }
func (t virtualTimer) Reset(d time.Duration) bool { return t.timer.Reset(d) }

// seededRandom is a reproducible source of randomness.
type seededRandom struct {
	seed uint64
	used atomic.Uint64
}

func (r *seededRandom) Read(p []byte) (int, error) {
	for i := 0; i < len(p); i += sha256.Size {
		var block [16]byte
		binary.LittleEndian.PutUint64(block[:], r.seed)
		binary.LittleEndian.PutUint64(block[8:], r.used.Add(1))
		sum := sha256.Sum256(block[:])
		copy(p[i:], sum[:])
	}
	return len(p), nil
}

// TestMain silences the driver about the dial errors that tests provoke.
func TestMain(m *testing.M) {
	redis.SetLogger(silent{})
	os.Exit(m.Run())
}

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

package redlock_test

import (
	"bufio"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"redlocklab/redlock"
)

// floor measures the least that a Redlock round can cost on these servers. It writes the
// same commands as raw bytes to one connection per node and returns at the quorum. It has
// no timeout, no clean-up, no error handling and no safety. Like the package, it writes
// everything that waits at once.
type floor struct {
	nodes   []*floorNode
	release string // digest of the release script
}

// floorNode is one raw connection, whose replies arrive in the order of the commands.
type floorNode struct {
	connection net.Conn
	mu         sync.Mutex
	wake       *sync.Cond
	buffer     []byte
	spare      []byte
	waiting    []chan struct{}
	closed     bool
}

func newFloor(t testing.TB, addresses []string) *floor {
	t.Helper()
	f := &floor{}
	for _, script := range redlock.Scripts() {
		if script.Name == "release" {
			f.release = script.SHA1
		}
	}
	for _, address := range addresses {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		node := &floorNode{connection: connection}
		node.wake = sync.NewCond(&node.mu)
		go node.write()
		go node.read()
		f.nodes = append(f.nodes, node)
		for _, script := range redlock.Scripts() {
			if err := administrator(t, address).ScriptLoad(t.Context(), script.Source).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Cleanup(func() {
		for _, node := range f.nodes {
			node.mu.Lock()
			node.closed = true
			node.mu.Unlock()
			node.wake.Signal()
			_ = node.connection.Close()
		}
	})
	return f
}

// write sends everything that waits.
func (n *floorNode) write() {
	for {
		n.mu.Lock()
		for len(n.buffer) == 0 && !n.closed {
			n.wake.Wait()
		}
		if n.closed {
			n.mu.Unlock()
			return
		}
		batch := n.buffer
		n.buffer, n.spare = n.spare[:0], nil
		n.mu.Unlock()
		if _, err := n.connection.Write(batch); err != nil {
			return
		}
		n.mu.Lock()
		n.spare = batch[:0]
		n.mu.Unlock()
	}
}

// read expects one line per reply ($-1, :1), which is all that uncontended rounds get.
func (n *floorNode) read() {
	reader := bufio.NewReader(n.connection)
	for {
		if _, err := reader.ReadSlice('\n'); err != nil {
			return
		}
		n.mu.Lock()
		done := n.waiting[0]
		n.waiting = n.waiting[1:]
		n.mu.Unlock()
		done <- struct{}{}
	}
}

// round sends a command to all nodes and returns at the quorum-th reply.
func (f *floor) round(command []byte) {
	done := make(chan struct{}, len(f.nodes))
	for _, node := range f.nodes {
		node.mu.Lock()
		node.buffer = append(node.buffer, command...)
		node.waiting = append(node.waiting, done)
		node.mu.Unlock()
		node.wake.Signal()
	}
	for range len(f.nodes)/2 + 1 {
		<-done
	}
}

func resp(words ...string) []byte {
	text := append(strconv.AppendInt([]byte{'*'}, int64(len(words)), 10), "\r\n"...)
	for _, word := range words {
		text = append(strconv.AppendInt(append(text, '$'), int64(len(word)), 10), "\r\n"...)
		text = append(append(text, word...), "\r\n"...)
	}
	return text
}

const floorToken = "0123456789012345678901234567890123456789"

func (f *floor) lock(resource string, ttl time.Duration) {
	f.round(resp("SET", resource, floorToken, "NX", "GET", "PX", strconv.FormatInt(ttl.Milliseconds(), 10)))
}

func (f *floor) unlock(resource string) {
	f.round(resp("EVALSHA", f.release, "1", resource, floorToken))
}

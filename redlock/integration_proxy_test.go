package redlock_test

import (
	"net"
	"sync"
	"testing"
)

// proxy forwards connections to a server. While it is a black hole it forwards nothing and
// closes nothing. Afterwards it forwards what it held back, as TCP does after a partition.
type proxy struct {
	network  string // of target, as in net.Dial
	target   string
	listener net.Listener

	mu      sync.Mutex
	open    *sync.Cond
	hole    bool
	over    bool
	moving  int           // chunks on their way to the other side
	cut     chan struct{} // closed when the proxy leads to another server
	resting *sync.Cond
}

func newProxy(t testing.TB, network, target string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{network: network, target: target, listener: listener, cut: make(chan struct{})}
	p.open, p.resting = sync.NewCond(&p.mu), sync.NewCond(&p.mu)
	t.Cleanup(func() {
		_ = listener.Close()
		p.mu.Lock()
		p.over = true
		p.mu.Unlock()
		p.open.Broadcast()
	})
	go p.accept()
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// swallow makes the proxy a black hole. It returns when nothing is being forwarded.
func (p *proxy) swallow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hole = true
	for p.moving > 0 {
		p.resting.Wait()
	}
}

// heal ends the black hole.
func (p *proxy) heal() {
	p.mu.Lock()
	p.hole = false
	p.mu.Unlock()
	p.open.Broadcast()
}

// lead makes the proxy lead to another server, and cuts its connections.
func (p *proxy) lead(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
	close(p.cut)
	p.cut = make(chan struct{})
}

// pass waits while the proxy is a black hole. It returns false when the test is over.
func (p *proxy) pass() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.hole && !p.over {
		p.open.Wait()
	}
	p.moving++
	return !p.over
}

func (p *proxy) passed() {
	p.mu.Lock()
	p.moving--
	p.mu.Unlock()
	p.resting.Broadcast()
}

func (p *proxy) accept() {
	for {
		front, err := p.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			ok := p.pass()
			p.passed()
			if !ok {
				_ = front.Close()
				return
			}
			p.mu.Lock()
			target, cut := p.target, p.cut
			p.mu.Unlock()
			back, err := net.Dial(p.network, target)
			if err != nil { // as the host of a killed server does
				_ = front.Close()
				return
			}
			ended := make(chan struct{})
			go func() {
				select {
				case <-cut:
					_ = front.Close()
				case <-ended:
				}
			}()
			go p.carry(front, back)
			p.carry(back, front)
			close(ended)
		}()
	}
}

// carry forwards what one side sends to the other.
func (p *proxy) carry(from, to net.Conn) {
	defer func() {
		_ = from.Close()
		_ = to.Close()
	}()
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if !p.pass() {
			p.passed()
			return
		}
		_, err = to.Write(buffer[:n])
		p.passed()
		if err != nil {
			return
		}
	}
}

package live

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/faults"
	"redlocklab/sim"
)

// answerLimit is how long the cluster waits for a server's answer, its start or its
// end. A server of the same machine that takes longer is broken.
const answerLimit = 10 * time.Second

// unplayable is what Unplayable refuses, and is never called.
type unplayable struct{ faults.NodeHandle }

// server is one redis-server process. The cluster does not wait for a stopped one
// (SIGSTOP): what arrives for it waits in its workload until it goes on.
type server struct {
	unplayable

	cluster *cluster
	name    string
	mode    sim.Persistence
	folder  string
	process *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	admin   *redis.Client // the cluster's own

	sim.Workload[*message]
	sim.Moves
	refusals      []refusal
	snapshotsFail bool // a fault needs a snapshot that failed

	up, starting bool
	dark         bool // the host is off
	connections  []*connection
	lost         []sim.Entry // the memory at the last crash
}

// persistence are the arguments that make a server write what the plan says. It
// takes a snapshot only when it is told to: the condition here never comes true.
func persistence(mode sim.Persistence) []string {
	switch mode {
	case sim.RDB:
		return []string{"--save", "100000000 1", "--appendonly", "no"}
	case sim.AOFEverySec:
		return []string{"--save", "", "--appendonly", "yes", "--appendfsync", "everysec"}
	case sim.AOFAlways:
		return []string{"--save", "", "--appendonly", "yes", "--appendfsync", "always"}
	default:
		return []string{"--save", "", "--appendonly", "no"}
	}
}

// newServer makes a server that does not run yet.
func newServer(cl *cluster, n sim.NodeConfig, folder string) (*server, error) {
	s := &server{
		cluster: cl, name: n.Name, mode: n.Persistence, folder: filepath.Join(folder, n.Name),
		snapshotsFail: snapshotsFail(cl.plan, n.Name), Moves: sim.Moves{Node: n.Name, Emit: cl.Emit},
	}
	s.Workload = sim.Workload[*message]{
		Node: n.Name, Emit: cl.Emit, After: cl.after, Execute: s.execute, Halt: s.halt,
		Message: func(m *message) *sim.Message { return &m.Message },
	}
	return s, os.Mkdir(s.folder, 0o700)
}

// socket is where the server listens: a Unix socket, for a port that is free now may
// belong to somebody else's server when this one starts.
func (s *server) socket() string { return filepath.Join(s.folder, "socket") }

// dial opens a connection to the server.
func (s *server) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: answerLimit}
	return dialer.DialContext(ctx, "unix", s.socket())
}

// start starts the process and waits until it answers with its data loaded.
func (s *server) start() error {
	arguments := []string{
		"--port", "0", "--unixsocket", s.socket(), "--dir", s.folder, "--loglevel", "warning",
		"--logfile", filepath.Join(s.folder, "log"), "--maxmemory-policy", "noeviction",
	}
	command := exec.Command("redis-server", append(arguments, persistence(s.mode)...)...)
	inOwnGroup(command)
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait() // the error says that it was killed
		close(ended)
	}()
	s.process, s.ended, s.admin = command, ended, openAdmin(s)
	limit := time.Now().Add(answerLimit)
	for {
		if s.answers() {
			if s.snapshotsFail {
				return s.failSnapshot()
			}
			return nil
		}
		select {
		case <-ended:
			log, _ := os.ReadFile(filepath.Join(s.folder, "log"))
			return fmt.Errorf("redis-server of %s ended at its start: %s", s.name, log)
		case <-time.After(2 * time.Millisecond):
		}
		if time.Now().After(limit) {
			return fmt.Errorf("redis-server of %s does not answer", s.name)
		}
	}
}

// answers reports whether the server has loaded its data. The admin client dials only
// a server that listens: it waits a second after many failed dials.
func (s *server) answers() bool {
	ctx := context.Background()
	c, err := s.dial(ctx, "", "")
	if err != nil {
		return false
	}
	_ = c.Close()
	return s.admin.Ping(ctx).Err() == nil
}

// halt stops the process, or lets it continue.
func (s *server) halt(stopped bool) {
	if !s.up {
		return
	}
	signal := stopSignal
	if !stopped {
		signal = continueSignal
		s.rewatch()
	}
	_ = s.process.Process.Signal(signal) // a process that is gone shows at its next answer
}

// kill ends the process, if there is one, and waits for its end.
func (s *server) kill(how os.Signal) {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Signal(how)
	select {
	case <-s.ended:
	case <-time.After(answerLimit):
		_ = s.process.Process.Kill()
		<-s.ended
	}
	_ = s.admin.Close()
}

// accept connects a client's connection to the server.
func (s *server) accept(c *connection) error {
	toServer, err := s.dial(context.Background(), "", "")
	if err != nil {
		return err
	}
	c.toServer, c.replies = toServer, bufio.NewReader(toServer)
	s.connections = append(s.connections, c)
	return nil
}

// forget closes the server's half of a connection.
func (s *server) forget(c *connection) {
	c.serverClosed = true
	if c.toServer != nil {
		_ = c.toServer.Close()
	}
	s.connections = slices.DeleteFunc(s.connections, func(o *connection) bool { return o == c })
}

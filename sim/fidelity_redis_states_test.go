package sim_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"redlocklab/sim"
)

// config sets a value of the server's configuration.
func (s *realServer) config(name, value string) {
	s.t.Helper()
	if err := s.current.ConfigSet(context.Background(), name, value).Err(); err != nil {
		s.t.Fatalf("CONFIG SET %s %s: %v", name, value, err)
	}
}

// info waits until INFO shows all of the lines.
func (s *realServer) info(section string, lines ...string) {
	s.t.Helper()
	s.eventually(fmt.Sprint("INFO ", section, " shows ", lines), func() bool {
		text := s.current.Info(context.Background(), section).Val()
		return !slices.ContainsFunc(lines, func(line string) bool { return !strings.Contains(text, "\n"+line+"\r\n") })
	})
}

// refuse brings the server into the state in which it refuses commands for a reason.
func (s *realServer) refuse(why string) {
	switch why {
	case sim.MemoryFull:
		s.config("maxmemory", "1") // with maxmemory-policy noeviction, the default
	case sim.ReadOnly:
		s.command("REPLICAOF", "127.0.0.1", s.nobody())
	case sim.DiskError:
		// A snapshot cannot be renamed to a directory.
		snapshot := filepath.Join(s.folder, "dump.rdb")
		if err := errors.Join(os.RemoveAll(snapshot), os.Mkdir(snapshot, 0o700)); err != nil {
			s.t.Fatal(err)
		}
		s.command("BGSAVE")
		s.info("persistence", "rdb_last_bgsave_status:err")
	case sim.Busy:
		s.config("busy-reply-threshold", "1")
		s.busy = s.send("EVAL 'while true do end' 0")
		s.eventually("a script is found to be slow", func() bool { return strings.HasPrefix(s.ask("PING"), "-BUSY") })
	case sim.MasterDown:
		s.config("replica-serve-stale-data", "no")
		s.command("REPLICAOF", "127.0.0.1", s.nobody())
	case sim.Forbidden:
		s.command("ACL", "SETUSER", "default", "-@write")
	case sim.Password:
		s.config("requirepass", "secret")
	case sim.Crowded:
		s.config("maxclients", "1")
	default:
		s.t.Fatalf("found the reason %q; allowed: those that refuse can cause", why)
	}
}

func (s *realServer) grant(why string) {
	switch why {
	case sim.MemoryFull:
		s.config("maxmemory", "0")
	case sim.ReadOnly:
		s.command("REPLICAOF", "NO", "ONE")
	case sim.DiskError:
		if err := os.Remove(filepath.Join(s.folder, "dump.rdb")); err != nil {
			s.t.Fatal(err)
		}
		s.command("BGSAVE")
		s.info("persistence", "rdb_last_bgsave_status:ok")
	case sim.Busy:
		if answer := s.ask("SCRIPT KILL"); answer != "+OK" {
			s.t.Fatalf("SCRIPT KILL: %s", answer)
		}
		_, _ = bufio.NewReader(s.busy).ReadString('\n')
		_ = s.busy.Close()
	case sim.MasterDown:
		s.command("REPLICAOF", "NO", "ONE")
	case sim.Forbidden:
		s.command("ACL", "SETUSER", "default", "+@write")
	case sim.Password:
		s.config("requirepass", "")
	case sim.Crowded:
		s.config("maxclients", "1000")
	case sim.Loading:
		s.config("key-load-delay", "0")
		s.info("persistence", "loading:0")
	}
}

// written waits until the append-only file has everything. While a sync is under way, the
// server may put off what it writes.
func (s *realServer) written() {
	s.info("persistence", "aof_buffer_length:0", "aof_pending_bio_fsync:0")
}

// fillDisk forbids the process to let files grow beyond the size that the append-only file
// has. The error is then "File too large", where a full disk has "No space left on device".
func (s *realServer) fillDisk() {
	s.written()
	files, err := filepath.Glob(filepath.Join(s.folder, "appendonlydir", "*.incr.aof"))
	if err != nil || len(files) != 1 {
		s.t.Fatalf("found the append-only files %v (%v); allowed: one", files, err)
	}
	file, err := os.Stat(files[0])
	if err != nil {
		s.t.Fatal(err)
	}
	s.full = true
	s.limitFiles(fmt.Sprint(file.Size()))
}

func (s *realServer) tried() {
	if slices.Contains(s.arguments, "everysec") {
		s.info("persistence", "aof_pending_bio_fsync:0", "aof_last_write_status:err")
	}
}

func (s *realServer) freeDisk() {
	s.full = false
	if !s.hasEnded() {
		s.limitFiles("unlimited")
		s.info("persistence", "aof_last_write_status:ok")
	}
}

func (s *realServer) limitFiles(size string) {
	output, err := exec.Command(s.tools.limit, "--pid", fmt.Sprint(s.process.Process.Pid), "--fsize="+size+":unlimited").CombinedOutput()
	if err != nil {
		s.t.Fatalf("prlimit: %v: %s", err, output)
	}
}

// command sends something that must succeed.
func (s *realServer) command(words ...any) {
	s.t.Helper()
	if err := s.current.Do(context.Background(), words...).Err(); err != nil {
		s.t.Fatalf("%v: %v", words, err)
	}
}

// nobody returns a port at which nobody answers until the test ends.
func (s *realServer) nobody() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = listener.Close() })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

// listen makes the server also listen at a TCP port: replicas cannot use a Unix socket.
func (s *realServer) listen() (port string) {
	s.eventually("redis-server finds a free port", func() bool {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return false
		}
		_, port, _ = net.SplitHostPort(listener.Addr().String())
		_ = listener.Close()
		return s.current.ConfigSet(context.Background(), "port", port).Err() == nil
	})
	return port
}

// startLoading starts the server with a snapshot that takes up to 8 s to read. The
// server sleeps after each key and serves its clients after each kilobyte.
func (s *realServer) startLoading() {
	arguments := s.arguments
	s.arguments = append(slices.Clone(arguments), "--rdbcompression", "no")
	s.addBallast()
	s.arguments = slices.Concat(arguments, []string{"--key-load-delay", "2000", "--loading-process-events-interval-bytes", "1024"})
	s.begin()
	s.arguments = arguments
	s.info("persistence", "loading:1")
}

// addBallast starts the server, adds keys that no row asks for, and shuts it down.
func (s *realServer) addBallast() {
	s.start()
	pipe := s.current.Pipeline()
	for i := range 4000 {
		pipe.Set(context.Background(), fmt.Sprintf("ballast%d", i), strings.Repeat("x", 1100), 0)
	}
	if _, err := pipe.Exec(context.Background()); err != nil {
		s.t.Fatal(err)
	}
	s.end(sim.Shutdown)
}

// evictAll sets a limit of memory that the server cannot keep: it evicts every key.
func (s *realServer) evictAll() {
	s.config("maxmemory-policy", "allkeys-random")
	s.config("maxmemory", "1")
	s.eventually("all is evicted", func() bool { return s.current.DBSize(context.Background()).Val() == 0 })
	s.config("maxmemory", "0")
}

func (s *realServer) operator(command string) {
	if answer := s.ask(command); strings.HasPrefix(answer, "-") {
		s.t.Fatalf("%s: %q", command, answer)
	}
}

// ask sends a command on a connection of its own and returns the first line of the answer.
func (s *realServer) ask(command string) string {
	connection := s.send(command)
	defer func() { _ = connection.Close() }()
	answer, err := bufio.NewReader(connection).ReadString('\n')
	if err != nil {
		s.t.Fatalf("%s: %v", command, err)
	}
	return strings.TrimSpace(answer)
}

// send sends a command on a connection of its own.
func (s *realServer) send(command string) net.Conn {
	connection, err := s.dial()
	if err != nil {
		s.t.Fatal(err)
	}
	fmt.Fprintf(connection, "%s\r\n", command)
	return connection
}

// replicate starts a second server that copies the first, at the same reading of the clock.
func (s *realServer) replicate() {
	s.config("repl-diskless-sync-delay", "0")
	s.replica = newRealServer(s.t, s.tools, s.arguments)
	s.replica.clock = s.clock
	s.replica.start()
	s.replica.command("REPLICAOF", "127.0.0.1", s.listen())
	s.replica.info("replication", "master_link_status:up")
}

// fallBehind waits until the replica has every write, and then gives it a master that
// never answers.
func (s *realServer) fallBehind() {
	ctx := context.Background()
	s.eventually("the replica has all", func() bool {
		_, written, _ := strings.Cut(s.current.Info(ctx, "replication").Val(), "master_repl_offset:")
		written, _, _ = strings.Cut(written, "\r\n")
		return written != "" && strings.Contains(s.replica.current.Info(ctx, "replication").Val(), "slave_repl_offset:"+written+"\r\n")
	})
	s.replica.command("REPLICAOF", "127.0.0.1", s.nobody())
}

// demote makes the replica the master. The server copies its memory in full, as it has writes
// that the replica lacks.
func (s *realServer) demote() {
	s.replica.command("REPLICAOF", "NO", "ONE")
	s.replica.config("repl-diskless-sync-delay", "0")
	s.command("REPLICAOF", "127.0.0.1", s.replica.listen())
	s.info("replication", "master_link_status:up")
}

func (s *realServer) promoteAgain() { s.command("REPLICAOF", "NO", "ONE") }

func (s *realServer) promote() {
	s.kill()
	s.replica.command("REPLICAOF", "NO", "ONE")
	r := s.replica
	s.folder, s.socket, s.process, s.output = r.folder, r.socket, r.process, r.output
	s.ended, s.current, s.replica = r.ended, r.current, nil
}

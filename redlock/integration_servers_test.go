package redlock_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

// persistenceModes are the ways in which a real server can persist. The snapshot mode saves
// at the first write after a second.
var persistenceModes = []struct {
	name      string
	arguments []string
	keeps     bool // data survives kill -9
}{
	{"none", []string{"--save", "", "--appendonly", "no"}, false},
	{"rdb", []string{"--save", "1 1", "--appendonly", "no"}, false},
	{"aof-everysec", []string{"--save", "", "--appendonly", "yes", "--appendfsync", "everysec"}, true},
	{"aof-always", []string{"--save", "", "--appendonly", "yes", "--appendfsync", "always"}, true},
}

// realCluster is a set of real servers that a test can kill, stop and start again, each
// behind a proxy.
type realCluster struct {
	t         testing.TB
	program   string // redis-server, or Valkey's
	arguments []string
	secure    *security // nil: no TLS
	servers   []*realServer
}

// realServer is one redis-server process and its proxy. It listens at a Unix socket in a
// folder of its own. A free TCP port would not do: another process may take it before the
// server starts, or while it is down, and the test would then talk to that process.
type realServer struct {
	cluster *realCluster
	folder  string // for data
	socket  string // a path, which must be short: a socket's address holds 108 bytes
	process *exec.Cmd
	ended   chan struct{}
	proxy   *proxy
}

// newRealCluster starts n servers; they end with the test.
func newRealCluster(t testing.TB, n int, arguments []string, secure *security) *realCluster {
	t.Helper()
	needRedis(t)
	return startCluster(t, "redis-server", n, arguments, secure)
}

func startCluster(t testing.TB, program string, n int, arguments []string, secure *security) *realCluster {
	t.Helper()
	c := &realCluster{t: t, program: program, arguments: arguments, secure: secure}
	for range n {
		sockets, err := os.MkdirTemp("", "redis")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(sockets) })
		s := &realServer{cluster: c, folder: t.TempDir(), socket: filepath.Join(sockets, "socket")}
		c.servers = append(c.servers, s)
		s.start()
		t.Cleanup(s.kill)
	}
	for _, s := range c.servers {
		s.await()
		network, address := "unix", s.socket
		if secure != nil { // Redis speaks TLS on TCP only
			network, address = "tcp", s.listen("tls-port")
		}
		s.proxy = newProxy(t, network, address)
	}
	return c
}

// start starts the process. It does not wait until the server answers; see await.
func (s *realServer) start() {
	arguments := []string{
		"--port", "0", "--bind", "127.0.0.1", "--unixsocket", s.socket, "--dir", s.folder,
		"--loglevel", "warning", "--logfile", filepath.Join(s.folder, "log"),
	}
	if secure := s.cluster.secure; secure != nil {
		arguments = append(arguments, "--tls-auth-clients", "yes", "--tls-cert-file", secure.certificate,
			"--tls-key-file", secure.key, "--tls-ca-cert-file", secure.certificate)
	}
	command := exec.Command(s.cluster.program, append(arguments, s.cluster.arguments...)...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		s.cluster.t.Error(err)
		return
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(ended)
	}()
	s.process, s.ended = command, ended
}

// await returns when the server has loaded its data and answers, and is the process that
// start started.
func (s *realServer) await() {
	s.cluster.t.Helper()
	eventually(s.cluster.t, "redis-server listens at "+s.socket, func() bool {
		connection, err := net.Dial("unix", s.socket)
		return err == nil && connection.Close() == nil
	})
	console := s.console()
	defer func() { _ = console.Close() }()
	own := fmt.Sprintf("process_id:%d\r", s.process.Process.Pid)
	eventually(s.cluster.t, "redis-server answers on "+s.socket, func() bool {
		return strings.Contains(console.Info(context.Background(), "server").Val(), own) &&
			console.Ping(context.Background()).Err() == nil
	})
}

// listen makes the server also listen at a free TCP port, which it takes itself. The port is
// set by the configuration parameter of that name. It returns the address.
func (s *realServer) listen(parameter string) (address string) {
	s.cluster.t.Helper()
	console := s.console()
	defer func() { _ = console.Close() }()
	eventually(s.cluster.t, "redis-server finds a free port", func() bool {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return false
		}
		address = listener.Addr().String()
		_ = listener.Close()
		_, port, _ := net.SplitHostPort(address)
		return console.ConfigSet(context.Background(), parameter, port).Err() == nil
	})
	return address
}

// kill kills the process with SIGKILL, and its child that may be writing a snapshot: it would
// go on to write into a folder that the next server, or the end of the test, takes over.
func (s *realServer) kill() {
	group := -s.process.Process.Pid
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-s.ended
	for end := time.Now().Add(time.Second); syscall.Kill(group, 0) == nil && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// awaitWritten returns when the server has written what it acknowledged. With everysec it
// can keep that in its own memory for up to two seconds, while an fsync is under way.
func (s *realServer) awaitWritten() {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		info := s.console().Info(context.Background(), "persistence").Val()
		if strings.Contains(info, "aof_enabled:0\r") || strings.Contains(info, "aof_buffer_length:0\r") {
			return
		}
	}
	s.cluster.t.Errorf("the server at %s has not written what it acknowledged", s.socket)
}

// freeze sends SIGSTOP and thaw sends SIGCONT.
func (s *realServer) freeze() { _ = s.process.Process.Signal(syscall.SIGSTOP) }
func (s *realServer) thaw()   { _ = s.process.Process.Signal(syscall.SIGCONT) }

// nodes connects new clients through the proxies. They are closed with the test.
func (c *realCluster) nodes(adjust func(*redis.Options)) []redlock.Node {
	c.t.Helper()
	nodes := make([]redlock.Node, len(c.servers))
	for i, s := range c.servers {
		options := &redis.Options{Addr: s.proxy.address(), MaintNotificationsConfig: noMaintenance()}
		if c.secure != nil {
			options.TLSConfig = c.secure.client
		}
		if adjust != nil {
			adjust(options)
		}
		client := redis.NewClient(options)
		c.t.Cleanup(func() { _ = client.Close() })
		nodes[i] = redlock.Node{Name: fmt.Sprintf("n%d", i+1), Client: client}
	}
	return nodes
}

// console returns a client of the server that bypasses the proxy.
func (s *realServer) console() *redis.Client {
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: s.socket, MaintNotificationsConfig: noMaintenance()})
	s.cluster.t.Cleanup(func() { _ = client.Close() })
	return client
}

// security is a self-signed certificate that servers and clients share.
type security struct {
	certificate, key string // files
	client           *tls.Config
}

func newSecurity(t testing.TB) *security {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "redlock's test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificateText := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	keyText := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: key})
	folder := t.TempDir()
	s := &security{certificate: filepath.Join(folder, "certificate"), key: filepath.Join(folder, "key")}
	for path, text := range map[string][]byte{s.certificate: certificateText, s.key: keyText} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pair, err := tls.X509KeyPair(certificateText, keyText)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(certificateText)
	s.client = &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: trusted, MinVersion: tls.VersionTLS12}
	return s
}

package sim_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	resp "github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"redlocklab/sim"
)

// The layers of BenchmarkLayers, from the bottom. Each does the ten commands of
// one uncontended attempt; what a layer adds is the difference to the one before.
// Run it with -cpu 1: attempts are per core.
//
//	dispatch  the engines alone: the commands, dispatched by a plain loop
//	wire      the driver alone: go-redis over a connection that answers at once
//	whole     everything, with trace and engines
func BenchmarkLayers(b *testing.B) {
	for _, layer := range []struct {
		name string
		play func(t testing.TB, count int)
	}{
		{"dispatch", dispatchAttempts},
		{"wire", wireAttempts},
		{"whole", func(t testing.TB, count int) { attempts(t, sim.Options{}, count) }},
	} {
		b.Run(layer.name, func(b *testing.B) {
			b.ReportAllocs()
			layer.play(b, b.N)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "attempts/s")
		})
	}
}

// attemptCommands are what one node is asked in one attempt.
func attemptCommands() [2][]string {
	return [2][]string{{"SET", "r", "0123456789abcdef", "NX", "PX", "10000"}, {"DEL", "r"}}
}

func dispatchAttempts(t testing.TB, count int) {
	commands := attemptCommands()
	var out bytes.Buffer
	peer := resp.NewPeer(bufio.NewWriter(&out))
	var engines []*miniredis.Miniredis
	for range 5 {
		engine := miniredis.NewMiniRedis()
		c, err := engine.Dial() // starts it
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		defer engine.Close()
		engines = append(engines, engine)
	}
	for range count {
		for _, command := range commands {
			for _, engine := range engines {
				out.Reset()
				engine.Server().Dispatch(peer, command)
				peer.Flush()
				if out.Len() == 0 || out.Bytes()[0] == '-' {
					t.Fatalf("%v: %q", command, out.String())
				}
			}
		}
	}
}

func wireAttempts(t testing.TB, count int) {
	ctx := context.Background()
	commands := attemptCommands()
	var nodes []*redis.Client
	for range 5 {
		client := redis.NewClient(&redis.Options{
			Addr: "10.0.0.1:6379", Protocol: 2, DisableIdentity: true, PoolSize: 1,
			Dialer: func(context.Context, string, string) (net.Conn, error) { return newEcho(), nil },
		})
		defer client.Close()
		nodes = append(nodes, client)
	}
	for range count {
		for _, command := range commands {
			for _, client := range nodes {
				arguments := make([]any, len(command))
				for i, a := range command {
					arguments[i] = a
				}
				if err := client.Do(ctx, arguments...).Err(); err != nil && !errors.Is(err, redis.Nil) {
					t.Fatal(err)
				}
			}
		}
	}
}

// echo is a connection whose other end answers every request at once.
type echo struct {
	net.Conn
	asked, answers bytes.Buffer
	requests       *bufio.Reader // of asked
}

func newEcho() *echo {
	e := &echo{}
	e.requests = bufio.NewReader(&e.asked)
	return e
}

// Write implements net.Conn.
func (e *echo) Write(b []byte) (int, error) {
	e.asked.Write(b)
	for {
		args, err := readCommand(e.requests)
		if errors.Is(err, io.EOF) {
			return len(b), nil
		}
		if err != nil {
			return 0, err
		}
		e.answers.Write(canned(args))
	}
}

// readCommand reads one request; the driver writes whole ones.
func readCommand(r *bufio.Reader) ([]string, error) {
	number := func() (int, error) {
		line, err := r.ReadString('\n')
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(strings.TrimSpace(line)[1:])
	}
	count, err := number()
	if err != nil {
		return nil, err
	}
	args := make([]string, count)
	for i := range args {
		length, err := number()
		if err != nil {
			return nil, err
		}
		text := make([]byte, length+2)
		if _, err := io.ReadFull(r, text); err != nil {
			return nil, err
		}
		args[i] = string(text[:length])
	}
	return args, nil
}

// Read implements net.Conn.
func (e *echo) Read(b []byte) (int, error)       { return e.answers.Read(b) }
func (e *echo) Close() error                     { return nil }
func (e *echo) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (e *echo) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (e *echo) SetDeadline(time.Time) error      { return nil }
func (e *echo) SetReadDeadline(time.Time) error  { return nil }
func (e *echo) SetWriteDeadline(time.Time) error { return nil }

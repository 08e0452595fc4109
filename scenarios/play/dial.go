package play

import (
	"context"
	"net"
	"syscall"
	"time"
)

// dialer connects to an address.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// withoutBreaker hides failed dials from go-redis' pool until it uses the connection. The pool
// counts them: after as many in a row as it has connections, everybody who waits for one fails
// at one instant, and the pool dials once a second by itself. What of this came first would be
// left to chance. So everybody dials instead, one after another, as with a larger pool.
func withoutBreaker(dial dialer) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := dial(ctx, network, address)
		if err != nil {
			return failedDial{inFirstUse{err}}, nil
		}
		return connection, nil
	}
}

// failedDial is a connection that was never made: whatever is done with it has the error of
// the dial. A pool that finds it among its idle ones takes it for broken.
type failedDial struct{ err error }

func (f failedDial) Read([]byte) (int, error)              { return 0, f.err }
func (f failedDial) Write([]byte) (int, error)             { return 0, f.err }
func (f failedDial) SyscallConn() (syscall.RawConn, error) { return nil, f.err }
func (failedDial) Close() error                            { return nil }
func (failedDial) LocalAddr() net.Addr                     { return &net.TCPAddr{} }
func (failedDial) RemoteAddr() net.Addr                    { return &net.TCPAddr{} }
func (failedDial) SetDeadline(time.Time) error             { return nil }
func (failedDial) SetReadDeadline(time.Time) error         { return nil }
func (failedDial) SetWriteDeadline(time.Time) error        { return nil }

// inFirstUse wraps the error of a dial, because go-redis unwraps that of a connection's first
// use. So its user gets the error of the dial.
type inFirstUse struct{ error }

func (e inFirstUse) Unwrap() error { return e.error }

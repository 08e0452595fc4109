package fence

import (
	"errors"
	"fmt"
	"sync"
)

// ErrStale means that an access carried a smaller token than an earlier one. Its holder has
// lost the lock and must stop.
var ErrStale = errors.New("fence: fencing token is stale")

// ErrInvalidToken means that an access carried a number that is not a fencing token. It is
// 0 for a lease without redlock.WithFencing.
var ErrInvalidToken = errors.New("fence: not a fencing token")

// Table keeps the high-water marks of resources in memory. The zero Table is ready to use.
// A Table is safe for concurrent use.
type Table struct {
	mu    sync.Mutex // of marks, not of accesses
	marks map[string]*mark
}

type mark struct {
	mu    sync.Mutex
	token uint64
}

// Access raises the resource's mark to token and calls access, if token is at least as large
// as the mark. Otherwise it returns [ErrStale] or [ErrInvalidToken] and does not call access.
// The accesses to one resource run one at a time, so no stale access runs beside a newer
// one. Accesses to other resources do not wait for them.
// The mark stays raised if access fails; Access returns that error.
func (t *Table) Access(resource string, token uint64, access func() error) error {
	if token == 0 {
		return ErrInvalidToken
	}
	m := t.mark(resource)
	m.mu.Lock()
	defer m.mu.Unlock()
	if token < m.token {
		return fmt.Errorf("%w: %d after %d on %q", ErrStale, token, m.token, resource)
	}
	m.token = token
	return access()
}

// Mark returns the largest token seen for a resource, or 0 if there was none. It waits for
// an access to the resource that is under way.
func (t *Table) Mark(resource string) uint64 {
	m := t.mark(resource)
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.token
}

func (t *Table) mark(resource string) *mark {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.marks == nil {
		t.marks = map[string]*mark{}
	}
	m := t.marks[resource]
	if m == nil {
		m = &mark{}
		t.marks[resource] = m
	}
	return m
}

package fence

import (
	"errors"
	"fmt"
	"sync"
)

// ErrStale: an access carried a smaller token than one that was seen before. Its
// holder lost the lock meanwhile and must stop.
var ErrStale = errors.New("fence: fencing token is stale")

// ErrInvalidToken: an access carried the token 0, which is no fencing token: the
// lease was taken without redlock.WithFencing.
var ErrInvalidToken = errors.New("fence: 0 is no fencing token")

// Table keeps the high-water marks of resources in memory. The zero Table is
// ready to use. It is safe for concurrent use.
type Table struct {
	mu    sync.Mutex
	marks map[string]uint64
}

// Access runs access under the resource's protection when the token is at least
// as large as any before, and raises the mark first. Accesses of one Table run
// one after another, so that none runs beside a newer one. Otherwise it returns
// ErrStale or ErrInvalidToken without running it. The mark stays raised when
// access fails.
func (t *Table) Access(resource string, token uint64, access func() error) error {
	if token == 0 {
		return ErrInvalidToken
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if mark := t.marks[resource]; token < mark {
		return fmt.Errorf("%w: %d after %d on %q", ErrStale, token, mark, resource)
	}
	if t.marks == nil {
		t.marks = map[string]uint64{}
	}
	t.marks[resource] = token
	return access()
}

// Mark is the largest token seen for a resource; 0 if none.
func (t *Table) Mark(resource string) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.marks[resource]
}

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
	mu    sync.Mutex
	marks map[string]uint64
}

// Access raises the resource's mark to token and calls access, if token is at least as large
// as the mark. Otherwise it returns [ErrStale] or [ErrInvalidToken] and does not call access.
// The accesses of a Table run one at a time, so no stale access runs beside a newer one.
// The mark stays raised if access fails; Access returns that error.
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

// Mark returns the largest token seen for a resource, or 0 if there was none.
func (t *Table) Mark(resource string) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.marks[resource]
}

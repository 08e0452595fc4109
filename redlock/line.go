package redlock

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// lines lets calls of one Locker that want the same resources make their attempts one after
// another, in the order in which they came. So they do not contend with each other on the
// nodes: one of them asks, and the others wait without sending anything.
type lines struct {
	mu    sync.Mutex
	named map[string]*line
}

// line is the calls that want the same resources. The first makes attempts.
type line struct {
	places []*place
	passed int   // how often in a row the first was told of a release
	last   error // of the last attempt, whoever made it
}

// place is where one call stands.
type place struct {
	turn   chan struct{} // closed when the call is the first
	behind bool          // the call before it has acquired; set before turn is closed
	freed  chan struct{} // has a value when a lease of the Locker was released since; capacity 1
}

// maximumPassed bounds how often in a row the calls of one Locker pass the resources on to each
// other without a pause. Then the calls of other Lockers have a chance.
const maximumPassed = 16

// lineOf returns the name of the line for keys.
func lineOf(keys []string) string {
	if len(keys) == 1 {
		return keys[0]
	}
	return fmt.Sprintf("%q", keys)
}

// join puts a call at the end of a line.
func (l *lines) join(name string) *place {
	p := &place{turn: make(chan struct{}), freed: make(chan struct{}, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.named == nil {
		l.named = map[string]*line{}
	}
	waiting := l.named[name]
	if waiting == nil {
		waiting = &line{}
		l.named[name] = waiting
		close(p.turn)
	}
	waiting.places = append(waiting.places, p)
	return p
}

// leave takes a call out of a line. The next is the first now, if the call was.
func (l *lines) leave(name string, p *place, acquired bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting := l.named[name]
	at := slices.Index(waiting.places, p)
	waiting.places = slices.Delete(waiting.places, at, at+1)
	switch {
	case len(waiting.places) == 0:
		delete(l.named, name)
	case at == 0:
		waiting.places[0].behind = acquired
		close(waiting.places[0].turn)
	}
}

// fail records the error of an attempt of the first in a line.
func (l *lines) fail(name string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.named[name].last = err
}

// because adds the error of the last attempt in a line, if there was one, to what ended a call.
func (l *lines) because(name string, ended error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return because(ended, l.named[name].last)
}

// free tells the first in a line that a lease was released, but not too often in a row.
func (l *lines) free(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting := l.named[name]
	if waiting == nil {
		return
	}
	if waiting.passed++; waiting.passed > maximumPassed {
		waiting.passed = 0
		return
	}
	select {
	case waiting.places[0].freed <- struct{}{}:
	default: // it was told before
	}
}

// waitForTurn waits until a call is the first in its line, its context ends, or the Locker is
// closed.
func (l *Locker) waitForTurn(ctx context.Context, p *place) error {
	select {
	case <-p.turn: // also when the context has ended, which the attempt reports
		return nil
	default:
	}
	select {
	case <-p.turn:
		return nil
	case <-ctx.Done():
		return contextError(ctx)
	case <-l.closing:
		return ErrClosed
	}
}

package conform

import (
	"fmt"
	"strings"
	"time"

	"redlocklab/scenarios/lock"
	"redlocklab/sim"
	"redlocklab/tla"
)

// phase is the state of a client, as far as the trace shows it. A client is resting until its
// attempt starts, acquiring until it is granted or given up, and holding until its lease
// is released.
type phase uint8

const (
	resting phase = iota
	acquiring
	holding
)

// client is a client of the specification, which has one attempt or lease at a time. A
// process that asks again while its lease still runs is another client from then on:
// the specification knows leases, and nothing that two leases of a process share.
type client struct {
	name, process string
	phase         phase
	attempt       int            // number of the current attempt, from 1
	attempts      map[string]int // token → attempt
	unbound       bool           // no SET of the current attempt was sent yet
	called        time.Duration  // when the acquisition was called
	until         time.Duration  // the lease is over by then, whatever its clock shows
	extending     bool
	round         time.Duration         // when the watchdog's running extension began; 0: the client's own
	ended         map[int]time.Duration // attempt → when it was over
	released      map[released]bool
}

// released is a node and an attempt whose release was sent to it.
type released struct {
	node    string
	attempt int
}

// place is a process and a node.
type place struct{ process, node string }

// bind notes the token of the current attempt.
func (c *client) bind(token string) { c.attempts[token], c.unbound = c.attempt, false }

// last is the client that the last attempt of a process belongs to; nil: it had none.
func (t *translator) last(process string) *client {
	var last *client
	for _, c := range t.clients {
		if c.process == process && (last == nil || c.called >= last.called) {
			last = c
		}
	}
	return last
}

// sender is the client that a command with a token belongs to.
func (t *translator) sender(process, token string) *client {
	for _, c := range t.clients {
		if _, known := c.attempts[token]; known && c.process == process {
			return c
		}
	}
	if c := t.last(process); c != nil {
		return c
	}
	return t.free(0, process)
}

// free is a client of a process that has no lease which still runs.
func (t *translator) free(at time.Duration, process string) *client {
	if c := t.last(process); c != nil && c.phase == acquiring {
		return c
	}
	number := 1
	for _, c := range t.clients {
		if c.process != process {
			continue
		}
		if c.phase != holding || c.until < at {
			return c
		}
		number++
	}
	c := &client{
		name: process, process: process,
		attempts: map[string]int{}, ended: map[int]time.Duration{}, released: map[released]bool{},
	}
	if number > 1 {
		c.name = fmt.Sprintf("%s lease %d", process, number)
	}
	t.clients = append(t.clients, c)
	return c
}

// start begins an attempt of a process.
func (t *translator) start(at time.Duration, process string) *client {
	c := t.free(at, process)
	t.rest(at, c)
	c.attempt++
	c.phase, c.unbound, c.called = acquiring, true, at
	t.add(at, tla.EventStart, c.name, "").Attempt = c.attempt
	return c
}

// rest ends a client's attempt or lease.
func (t *translator) rest(at time.Duration, c *client) {
	switch c.phase {
	case acquiring:
		t.add(at, tla.EventGivenUp, c.name, "")
	case holding:
		t.add(at, tla.EventReleased, c.name, "")
	}
	if c.phase != resting {
		c.ended[c.attempt] = at
	}
	c.phase, c.extending = resting, false
}

// renew begins a round of a watchdog with its first request. A round that has taken
// longer than the timeout has failed.
func (t *translator) renew(at time.Duration, c *client) {
	if !t.watchdog || c.phase != holding || c.extending && at-c.round <= t.timeout {
		return
	}
	if c.extending {
		t.add(at, tla.EventExtendFailed, c.name, "")
	}
	t.add(at, tla.EventExtendStart, c.name, "")
	c.extending, c.round = true, at
}

// client translates the calls of a client, and their returns.
func (t *translator) client(step *sim.Step) {
	e, purpose := step.Event, sim.PurposeUnknown
	if step.Operation != nil {
		purpose = step.Operation.Purpose
	}
	if e.Kind == sim.Call && purpose == sim.PurposeAcquire {
		t.start(e.At, e.Process)
		return
	}
	c := t.leases[step.Lease]
	if c == nil {
		c = t.last(e.Process)
	}
	if c == nil {
		return
	}
	switch {
	case e.Kind == sim.Call && purpose == sim.PurposeRelease && c.phase == holding:
		t.rest(e.At, c)
	case e.Kind == sim.Call && purpose == sim.PurposeExtend && c.phase == holding:
		t.add(e.At, tla.EventExtendStart, c.name, "")
		c.extending = true
	case e.Kind == sim.Acquired:
		t.add(e.At, tla.EventGranted, c.name, "").Left = e.Duration
		c.phase, c.until = holding, e.At+t.longest
		t.leases[step.Lease] = c
	case e.Kind == sim.Failed && purpose == sim.PurposeAcquire && c.phase == acquiring:
		t.rest(e.At, c)
	case e.Kind == sim.Extended:
		t.add(e.At, tla.EventExtended, c.name, "").Left = e.Duration
		c.extending, c.until = false, e.At+t.longest
	case e.Kind == sim.Failed && purpose == sim.PurposeExtend && c.extending:
		t.add(e.At, tla.EventExtendFailed, c.name, "")
		c.extending = false
		if strings.HasSuffix(e.Detail, ": "+lock.ClassNotHeld) { // belief ends, and clean-ups leave
			t.rest(e.At, c)
		}
	}
}

package subjects

import "sync"

// crew runs functions at the same time, as the go statement does. A goroutine
// that is done waits for the next function: growing its stack anew for every
// message would cost more than the message.
type crew struct {
	mu   sync.Mutex
	idle []chan func()
	over bool
}

// Go runs f and does not wait for it.
func (c *crew) Go(f func()) {
	c.mu.Lock()
	var hand chan func()
	if last := len(c.idle) - 1; last >= 0 {
		hand, c.idle = c.idle[last], c.idle[:last]
	}
	c.mu.Unlock()
	if hand != nil {
		hand <- f
		return
	}
	hand = make(chan func(), 1)
	go func() {
		for f != nil {
			f()
			if !c.rest(hand) {
				return
			}
			f = <-hand
		}
	}()
}

// rest puts a goroutine among those that wait; false when there will be no more.
func (c *crew) rest(hand chan func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.idle = append(c.idle, hand)
	}
	return !c.over
}

// Close ends the goroutines that wait, and those at work when they are done.
func (c *crew) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for _, hand := range c.idle {
		close(hand)
	}
	c.idle = nil
}

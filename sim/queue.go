package sim

import "time"

// action is something that the controller will do at an instant.
type action struct {
	at    time.Duration
	rank  uint64 // breaks ties by identity, not by order of insertion; see rankOf
	do    func()
	msg   *Message // set instead of do for the arrival of a message, the most frequent action
	index int      // position in the queue; -1 when it is not in the queue
}

// Ranks order actions that are due at one instant: by a class, then by an identity
// within the class that does not depend on racing goroutines.
const (
	rankScheduled uint64 = iota << 56
	rankNode
	rankMessage
	rankTimer
)

func rankOf(class uint64, owner, number int) uint64 {
	return class | uint64(owner)<<40 | uint64(number)&(1<<40-1)
}

// queue is a binary heap of actions by (at, rank).
type queue []*action

func (q queue) less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].rank < q[j].rank
}

func (q queue) swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *queue) push(a *action) {
	a.index = len(*q)
	*q = append(*q, a)
	q.up(a.index)
}

func (q queue) peek() *action {
	if len(q) == 0 {
		return nil
	}
	return q[0]
}

// remove removes the action at position i.
func (q *queue) remove(i int) *action {
	old := *q
	last := len(old) - 1
	a := old[i]
	old.swap(i, last)
	old[last] = nil
	*q = old[:last]
	if i < last {
		q.down(i)
		q.up(i)
	}
	a.index = -1
	return a
}

func (q queue) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !q.less(i, parent) {
			return
		}
		q.swap(i, parent)
		i = parent
	}
}

func (q queue) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(q) {
			return
		}
		if right := child + 1; right < len(q) && q.less(right, child) {
			child = right
		}
		if !q.less(child, i) {
			return
		}
		q.swap(i, child)
		i = child
	}
}

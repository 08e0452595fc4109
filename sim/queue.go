package sim

import (
	"container/heap"
	"time"
)

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
	rankPacket
	rankMessage
	rankTimer
)

func rankOf(class uint64, owner, number int) uint64 {
	return class | uint64(owner)<<40 | uint64(number)&(1<<40-1)
}

// queue is a heap of actions by (at, rank).
type queue []*action

// Len implements heap.Interface.
func (q queue) Len() int { return len(q) }

// Less implements heap.Interface.
func (q queue) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].rank < q[j].rank
}

// Swap implements heap.Interface.
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push implements heap.Interface.
func (q *queue) Push(x any) {
	a := x.(*action)
	a.index = len(*q)
	*q = append(*q, a)
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := len(*q) - 1
	a := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	a.index = -1
	return a
}

func (q *queue) push(a *action) { heap.Push(q, a) }

func (q queue) peek() *action {
	if len(q) == 0 {
		return nil
	}
	return q[0]
}

// drop removes an action if it is in the queue.
func (q *queue) drop(a *action) {
	if a.index >= 0 {
		q.remove(a.index)
	}
}

// remove removes the action at position i.
func (q *queue) remove(i int) *action { return heap.Remove(q, i).(*action) }

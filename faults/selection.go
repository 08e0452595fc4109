package faults

import (
	"slices"
	"strconv"
)

// Selections are words for nodes that each run draws from its seed: how many
// nodes they are is the same in every run, which nodes is not. A whole number from 1 is a
// selection, too: of so many nodes.
const (
	Majority = "majority" // the smallest majority
	Minority = "minority" // the largest set whose loss leaves a majority
	One      = "one"      // one node
)

// Selections lists the words.
func Selections() []string { return []string{Majority, Minority, One} }

// IsSelection reports whether a name stands for nodes that are still to be drawn.
func IsSelection(name string) bool { return IsCount(name) || slices.Contains(Selections(), name) }

// IsCount reports whether a name is a number of nodes.
func IsCount(name string) bool {
	count, err := strconv.Atoi(name)
	return err == nil && count > 0
}

// selected is how many of n nodes a selection stands for, 0 for another word and for more than
// there are.
func selected(word string, n int) int {
	if count, err := strconv.Atoi(word); err == nil && count <= n {
		return count
	}
	switch word {
	case Majority:
		return n/2 + 1
	case Minority:
		return (n - 1) / 2
	case One:
		return 1
	}
	return 0
}

// Select returns the schedule with drawn nodes in the place of each selection.
// random is a value by its identity. The schedule must have passed Validate.
func (s Schedule) Select(nodes []string, random func(stream string, index uint64) uint64) Schedule {
	result := slices.Clone(s)
	for i, f := range s {
		words := NodesOf(f.Effect)
		if len(words) != 1 || !IsSelection(words[0]) {
			continue
		}
		copied, problems := Parse(f.Fields())
		if len(problems) > 0 {
			continue // it has not passed Validate
		}
		draw := func(k int) uint64 { return random("fault/"+f.Name+"/nodes", uint64(k)) }
		for _, p := range copied.Effect.definition().parameters {
			if p.Unit == UnitNodes {
				*p.names = choose(nodes, selected(words[0], len(nodes)), draw)
			}
		}
		result[i] = copied
	}
	return result
}

// choose draws count of the names and keeps their order.
func choose(names []string, count int, random func(k int) uint64) []string {
	chosen := make([]string, 0, count)
	for k, name := range names {
		missing, left := count-len(chosen), len(names)-k
		if random(k)%uint64(left) < uint64(missing) {
			chosen = append(chosen, name)
		}
	}
	return chosen
}

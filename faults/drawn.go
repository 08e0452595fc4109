package faults

import "slices"

// Words for nodes that each run draws from its seed: which nodes they are differs
// from run to run, how many does not.
const (
	Majority = "majority" // the smallest majority
	Minority = "minority" // the largest minority: one less than what would leave no majority
	One      = "one"      // one node
)

// DrawnWords lists them.
func DrawnWords() []string { return []string{Majority, Minority, One} }

// howMany is how many of n nodes a word stands for; false when it is no such word.
func howMany(word string, n int) (int, bool) {
	switch word {
	case Majority:
		return n/2 + 1, true
	case Minority:
		return (n - 1) / 2, true
	case One:
		return 1, true
	}
	return 0, false
}

// Drawn is the schedule with nodes in the place of the words that stand for drawn
// ones. random is a value by its identity. The schedule must have passed Validate.
func (s Schedule) Drawn(nodes []string, random func(stream string, index uint64) uint64) Schedule {
	result := slices.Clone(s)
	for i, f := range s {
		for n, p := range f.Effect.parameters() {
			if p.refers != nodeNames || len(*p.list) != 1 {
				continue
			}
			count, drawn := howMany((*p.list)[0], len(nodes))
			if !drawn {
				continue
			}
			copied, problems := Parse(f.Fields())
			if len(problems) > 0 {
				continue // it has not passed Validate
			}
			*copied.Effect.parameters()[n].list = choose(nodes, count, func(k int) uint64 { return random("fault/"+f.Name+"/nodes", uint64(k)) })
			result[i] = copied
		}
	}
	return result
}

// choose draws so many of the names and keeps their order.
func choose(names []string, count int, random func(k int) uint64) []string {
	left := count
	chosen := make([]string, 0, count)
	for k, name := range names {
		if random(k)%uint64(len(names)-k) < uint64(left) { // the chance that fills what is still missing
			chosen = append(chosen, name)
			left--
		}
	}
	return chosen
}

package faults

import (
	"slices"
	"strings"
	"testing"

	"redlocklab/sim/random"
)

var sevenNodes = []string{"n1", "n2", "n3", "n4", "n5", "n6", "n7"}

// drawnFrom draws the nodes of a partition that is written with a word.
func drawnFrom(t *testing.T, word string, nodes []string, seed uint64) []string {
	t.Helper()
	f, err := ParseLine("{name: cut, partition: A, from: " + word + ", at: 0s}")
	if err != nil {
		t.Fatal(err)
	}
	s := Schedule{f}
	drawn := s.Select(nodes, func(stream string, index uint64) uint64 { return random.Value(seed, stream, index) })
	if got := s[0].Effect.(*Partition).Nodes; strings.Join(got, " ") != word {
		t.Fatalf("the schedule that was drawn from has become %v", got)
	}
	return drawn[0].Effect.(*Partition).Nodes
}

// A word stands for as many nodes as it says, each seed for its own, all of them for all nodes.
func TestDrawnNodes(t *testing.T) {
	for _, test := range []struct {
		word  string
		nodes int
		want  int
	}{
		{Majority, 1, 1}, {Majority, 4, 3}, {Majority, 5, 3}, {Majority, 7, 4},
		{Minority, 3, 1}, {Minority, 4, 1}, {Minority, 5, 2}, {Minority, 7, 3}, {One, 1, 1}, {One, 7, 1},
	} {
		nodes := sevenNodes[:test.nodes]
		seen := map[string]int{}
		for seed := range uint64(300) {
			got := drawnFrom(t, test.word, nodes, seed)
			if len(got) != test.want || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
				t.Fatalf("%s of %d nodes: %v, want %d of them", test.word, test.nodes, got, test.want)
			}
			for _, n := range got {
				seen[n]++
			}
		}
		for _, n := range nodes { // expected: 300·want/nodes, at least 42
			if seen[n] < 300*test.want/test.nodes*6/10 {
				t.Errorf("%s of %d nodes: %s in %d of 300 runs", test.word, test.nodes, n, seen[n])
			}
		}
	}
	if got := drawnFrom(t, "n2 n5", sevenNodes, 1); len(got) != 2 {
		t.Errorf("nodes that are named became %v", got)
	}
}

func TestDrawnNodesMustBeThere(t *testing.T) {
	topology := Topology{Nodes: sevenNodes[:2], Clients: []string{"A"}}
	cut, err := ParseLine("{name: cut, partition: A, from: minority, at: 0s}")
	if err != nil {
		t.Fatal(err)
	}
	minority := Schedule{cut}
	if err := minority.Validate(topology); err == nil || !strings.Contains(err.Error(), "3 nodes") {
		t.Errorf("a minority of two: %v", err)
	}
	topology.Nodes = sevenNodes
	if err := minority.Validate(topology); err != nil {
		t.Error(err)
	}
	topology.Selected = true
	if err := minority.Validate(topology); err == nil {
		t.Error("a word was left in a plan, and nobody said so")
	}
	for _, line := range []string{
		"{name: cut, partition: A, from: minority n1, at: 0s}",
		"{name: up, restart: one, at: 0s}",
	} {
		if _, err := ParseLine(line); err == nil {
			t.Errorf("%s was read", line)
		}
	}
}

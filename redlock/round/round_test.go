package round_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"redlocklab/redlock/round"
)

type answer struct {
	node    int
	vote    round.Vote
	elapsed time.Duration
}

// naive decides a round from all its answers, recounted after each one. It is
// written from the claims, not from the code. It returns the index of the deciding
// answer.
func naive(nodes int, limit time.Duration, answers []answer) (state round.State, at int) {
	majority := 0
	for 2*majority <= nodes {
		majority++
	}
	for at = range answers {
		first := map[int]round.Vote{}
		for _, earlier := range answers[:at+1] {
			if _, answered := first[earlier.node]; !answered {
				first[earlier.node] = earlier.vote
			}
		}
		votes := 0
		for _, vote := range first {
			if vote == round.For {
				votes++
			}
		}
		possible := votes + nodes - len(first)
		elapsed := answers[at].elapsed
		inTime := limit == round.NoLimit || (0 <= elapsed && elapsed < limit)
		switch {
		case !inTime:
			return round.Lost, at
		case votes >= majority:
			return round.Granted, at
		case possible < majority:
			return round.Lost, at
		}
	}
	return round.Undecided, len(answers)
}

func drawAnswers(t *rapid.T, nodes int) []answer {
	count := rapid.IntRange(0, nodes).Draw(t, "answers")
	order := rapid.Permutation(upTo(nodes)).Draw(t, "order")[:count]
	answers := make([]answer, 0, count)
	elapsed := time.Duration(0)
	for _, node := range order {
		elapsed += time.Duration(rapid.IntRange(0, 40).Draw(t, "gap"))
		vote := round.Vote(rapid.IntRange(0, 2).Draw(t, "vote"))
		answers = append(answers, answer{node: node, vote: vote, elapsed: elapsed})
	}
	return answers
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestRoundAgreesWithTheNaiveOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 9).Draw(t, "nodes")
		limit := time.Duration(rapid.IntRange(-1, 200).Draw(t, "limit"))
		if rapid.Bool().Draw(t, "unlimited") {
			limit = round.NoLimit
		}
		answers := drawAnswers(t, nodes)
		want, at := naive(nodes, limit, answers)
		r := round.New(nodes, limit)
		for i, a := range answers {
			got := r.Add(a.node, a.vote, a.elapsed)
			if i < at && got != round.Undecided {
				t.Fatalf("decided %v at answer %d, oracle at %d", got, i, at)
			}
			if i >= at && got != want {
				t.Fatalf("state %v at answer %d, oracle %v", got, i, want)
			}
		}
		if r.State() != want {
			t.Fatalf("state %v, oracle %v", r.State(), want)
		}
	})
}

// Two majorities share a node, and a node votes for only one of two contenders. This is why
// Redlock gives mutual exclusion.
func TestTwoRoundsOverOneVotePerNodeAreNeverBothGranted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, round.MaximumNodes).Draw(t, "nodes")
		a, b := round.New(nodes, round.NoLimit), round.New(nodes, round.NoLimit)
		for _, node := range rapid.Permutation(upTo(nodes)).Draw(t, "order") {
			votes := [2]round.Vote{round.For, round.Against}
			if rapid.Bool().Draw(t, "for b") {
				votes[0], votes[1] = votes[1], votes[0]
			}
			a.Add(node, votes[0], 0)
			b.Add(node, votes[1], 0)
		}
		if a.State() == round.Granted && b.State() == round.Granted {
			t.Fatal("both granted")
		}
		if a.State() == round.Undecided || b.State() == round.Undecided {
			t.Fatal("all nodes answered, and still undecided")
		}
	})
}

func TestRepeatedAndForeignAnswersDoNotCount(t *testing.T) {
	r := round.New(3, time.Second)
	for range 5 {
		r.Add(0, round.For, 0)
		r.Add(-1, round.For, 0)
		r.Add(3, round.For, 0)
	}
	if r.State() != round.Undecided {
		t.Fatalf("one node decided a round of three: %v", r.State())
	}
	if state := r.Add(1, round.For, 0); state != round.Granted {
		t.Fatalf("two of three nodes voted for, and the round is %v", state)
	}
}

func TestReasonsOfLoss(t *testing.T) {
	const f, a, u = round.For, round.Against, round.Unknown
	tests := []struct {
		name    string
		votes   []round.Vote
		elapsed time.Duration
		loss    round.Loss
		refuted bool
	}{
		{"all against", []round.Vote{a, a, a, a, a}, 0, round.Contended, true},
		{"a majority against, the rest silent", []round.Vote{a, a, a}, 0, round.Contended, true},
		{"split vote", []round.Vote{f, f, a, a, u}, 0, round.Contended, false},
		{"one against, two silent", []round.Vote{a, u, u}, 0, round.Contended, false},
		{"three silent", []round.Vote{f, f, u, u, u}, 0, round.NoQuorum, false},
		{"all silent", []round.Vote{u, u, u}, 0, round.NoQuorum, false},
		{"late", []round.Vote{f, f, f}, time.Second, round.Late, false},
		{"clock went backwards", []round.Vote{f}, -1, round.Late, false},
	}
	for _, test := range tests {
		r := round.New(5, time.Second)
		for node, vote := range test.votes {
			r.Add(node, vote, test.elapsed)
		}
		if r.State() != round.Lost || r.Loss() != test.loss || r.Refuted() != test.refuted {
			t.Errorf("%s: state %v, loss %v, refuted %v", test.name, r.State(), r.Loss(), r.Refuted())
		}
	}
}

func TestExpireDecides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 9).Draw(t, "nodes")
		r := round.New(nodes, time.Second)
		for _, a := range drawAnswers(t, nodes) {
			r.Add(a.node, a.vote, a.elapsed)
		}
		before := r.State()
		after := r.Expire(time.Millisecond)
		if before != round.Undecided && after != before {
			t.Fatalf("a decision changed from %v to %v", before, after)
		}
		if before == round.Undecided && after != round.Lost {
			t.Fatalf("expired undecided round became %v", after)
		}
	})
}

func TestQuorum(t *testing.T) {
	for nodes, want := range map[int]int{-1: 0, 0: 0, 1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 4, 64: 33} {
		if got := round.Quorum(nodes); got != want {
			t.Errorf("Quorum(%d) = %d, want %d", nodes, got, want)
		}
	}
	for _, nodes := range []int{0, round.MaximumNodes + 1} {
		if r := round.New(nodes, time.Second); r.State() != round.Lost {
			t.Errorf("a round over %d nodes is %v", nodes, r.State())
		}
	}
	if r := round.New(1, round.NoLimit); r.Add(0, round.For, time.Hour) != round.Granted {
		t.Error("a round without limit aged")
	}
}

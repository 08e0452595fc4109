package checker

import (
	"fmt"
	"slices"
	"strings"
)

// Status is the outcome of an oracle.
type Status string

// The outcomes. Inconclusive never counts as success.
const (
	Holds        Status = "holds"
	Violated     Status = "violated"
	Inconclusive Status = "inconclusive"
)

// Answer is what one oracle says of one history, without the evidence.
type Answer struct {
	Oracle Oracle `json:"oracle"`
	Status Status `json:"status"`
	// Reason says why the status is inconclusive.
	Reason string `json:"reason,omitempty"`
	// ExplainedBy lists the broken assumptions that explain at least one finding,
	// in the order of [Assumptions]. It is empty unless the status is violated.
	ExplainedBy []string `json:"explained_by,omitempty"`
	// Bug reports that no broken assumption explains at least one finding: that
	// finding is a bug in the lock.
	Bug bool `json:"bug,omitempty"`
}

// String says the answer in words, such as "overlap is violated, explained by
// A-VOTE" or "liveness is inconclusive: the run ended before the deadline".
func (answer Answer) String() string {
	switch {
	case answer.Status == Inconclusive:
		return fmt.Sprintf("%s is inconclusive: %s", answer.Oracle, answer.Reason)
	case answer.Status == Holds:
		return fmt.Sprintf("%s holds", answer.Oracle)
	case answer.Bug:
		return fmt.Sprintf("%s is violated, and no broken assumption explains it", answer.Oracle)
	}
	return fmt.Sprintf("%s is violated, explained by %s", answer.Oracle, strings.Join(answer.ExplainedBy, ", "))
}

// explanation lists what explains a violation: "A-VOTE", "A-VOTE, bug" or "bug".
func (answer Answer) explanation() string {
	words := answer.ExplainedBy
	if answer.Bug {
		words = append(slices.Clone(words), "bug")
	}
	return strings.Join(words, ", ")
}

// Answers are the answers about one history, in the order of [Oracles].
type Answers []Answer

// Violated lists the oracles that are violated.
func (answers Answers) Violated() []Oracle {
	return answers.where(func(answer Answer) bool { return answer.Status == Violated })
}

// Bugs lists the violated oracles with a finding that nothing explains.
func (answers Answers) Bugs() []Oracle {
	return answers.where(func(answer Answer) bool { return answer.Bug })
}

// Inconclusive lists the oracles that have no answer.
func (answers Answers) Inconclusive() []Oracle {
	return answers.where(func(answer Answer) bool { return answer.Status == Inconclusive })
}

func (answers Answers) where(condition func(Answer) bool) []Oracle {
	var oracles []Oracle
	for _, answer := range answers {
		if condition(answer) {
			oracles = append(oracles, answer.Oracle)
		}
	}
	return oracles
}

// String says all answers on one line; see [Headline].
func (answers Answers) String() string {
	return Headline(answers.Violated(), answers.Inconclusive())
}

// Explained says all answers on one line with what explains each violation, such
// as "violated: overlap (A-VOTE), linearizability (A-VOTE, bug)".
func (answers Answers) Explained() string {
	var violated []Oracle
	for _, answer := range answers {
		if answer.Status == Violated {
			violated = append(violated, Oracle(fmt.Sprintf("%s (%s)", answer.Oracle, answer.explanation())))
		}
	}
	return Headline(violated, answers.Inconclusive())
}

// Headline says on one line what is violated and what is inconclusive, such as
// "violated: overlap; inconclusive: liveness". It is "holds" when both are empty.
func Headline[Name ~string](violated, inconclusive []Name) string {
	var parts []string
	if len(violated) > 0 {
		parts = append(parts, "violated: "+Join(violated))
	}
	if len(inconclusive) > 0 {
		parts = append(parts, "inconclusive: "+Join(inconclusive))
	}
	if len(parts) == 0 {
		return string(Holds)
	}
	return strings.Join(parts, "; ")
}

// Join writes names one after the other: "overlap, liveness".
func Join[Name ~string](names []Name) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = string(name)
	}
	return strings.Join(words, ", ")
}

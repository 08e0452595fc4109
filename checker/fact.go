package checker

import (
	"fmt"
	"strings"
)

// lasting is the time that a fact with a duration covers.
func lasting(fact *Fact) interval {
	if fact.UntilNS == nil {
		return interval{fact.AtNS, forever}
	}
	return interval{fact.AtNS, *fact.UntilNS}
}

// describeFact lists the fields that are set.
func describeFact(fact *Fact) string {
	words := []string{string(fact.Fact) + byEvent(fact.Event)}
	for _, text := range []string{fact.Name, fact.Who, fact.Client, fact.Node, strings.Join(fact.Nodes, ", "), string(fact.Clock), fact.Key, fact.Token, string(fact.Cause)} {
		if text != "" {
			words = append(words, text)
		}
	}
	if fact.DeltaNS != 0 {
		words = append(words, "by "+span(fact.DeltaNS))
	}
	if fact.ErrorPPM != 0 {
		words = append(words, fmt.Sprintf("%d ppm", fact.ErrorPPM))
	}
	if fact.RemainingNS != 0 {
		words = append(words, span(fact.RemainingNS)+" to live")
	}
	return strings.Join(words, ", ")
}

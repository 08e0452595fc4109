package checker_test

import (
	"fmt"

	"redlocklab/checker"
)

// Two leases, no operations: A believes until 1000 ns, B from 900 ns on.
func ExampleJudge() {
	history := &checker.History{
		Header: checker.Header{
			Version: checker.Version, Name: "two holders", EndNS: 5000, TTLNS: 1000, RateErrorPPM: checker.DefaultRateErrorPPM,
			Nodes: []string{"n1", "n2", "n3"}, Quorum: 2,
			Clients: []checker.Client{
				{Name: "A", Clock: checker.ClockBoottime, Validity: checker.ValidityReported},
				{Name: "B", Clock: checker.ClockBoottime, Validity: checker.ValidityReported},
			},
		},
		Leases: []checker.Lease{
			{ID: "A#1", Client: "A", Resource: "stock", Validity: []checker.Validity{{AtNS: 100, UntilNS: 1000}}},
			{ID: "B#1", Client: "B", Resource: "stock", Validity: []checker.Validity{{AtNS: 900, UntilNS: 1800}}},
		},
		Facts: []checker.Fact{{
			Fact: checker.FactForgot, AtNS: 500, Node: "n3", Key: "stock", RemainingNS: 550,
			Cause: checker.CauseCrash, Event: 17,
		}},
	}
	verdict := checker.Judge(history, checker.Options{})
	worst, _ := verdict.Overlap.WorstMargin()
	fmt.Println(verdict.Answers())
	fmt.Println(verdict.Overlap.Answer)
	fmt.Println("worst margin:", *worst.MarginNS, "ns")
	// Output:
	// violated: overlap, linearizability
	// overlap is violated, explained by A-VOTE
	// worst margin: -100 ns
}

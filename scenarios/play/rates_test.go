package play_test

import (
	"strings"
	"testing"
	"time"

	"redlocklab/faults"
	"redlocklab/redlock"
	"redlocklab/scenarios"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

// BA-8 is about a size: two clients hold for as long as the arithmetic of the
// rate errors says, to the millisecond, and not at all where it says nothing.
func TestOverlapIsWhatTheRatesSay(t *testing.T) {
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	seeds := uint64(10)
	if testing.Short() {
		seeds = 2
	}
	var stories []*plan.Scenario
	for _, s := range suite {
		if s.Claim != "BA-8" || strings.Contains(s.Name, "-drift-") || strings.Contains(s.Name, "-frozen") ||
			s.Name == "BA-8-extended" {
			continue // the arithmetic is of constant rates, and of leases without an extension
		}
		stories = append(stories, s)
		if s.Name != "BA-8" {
			continue
		}
		for _, rates := range [][2]string{{"0", "0"}, {"5000", "5000"}, {"0", "20000"}, {"20000", "20000"}, {"50000", "50000"}} {
			set, err := file.With(s, plan.Setting{Name: "node_rate_ppm", Value: rates[0]}, plan.Setting{Name: "client_rate_ppm", Value: rates[1]})
			if err != nil {
				t.Fatal(err)
			}
			stories = append(stories, set)
		}
	}
	if len(stories) != 12 {
		t.Errorf("%d stories of BA-8; at the bound and above it for nodes, clients and both are 6, and BA-8 itself at 6 points", len(stories))
	}
	for _, s := range stories {
		predicted := predictedOverlap(s)
		if strings.HasSuffix(s.Name, "-bound") && predicted > 0 || strings.HasSuffix(s.Name, "-above") && predicted <= 0 {
			t.Errorf("%s: the arithmetic predicts an overlap of %v", s.Name, predicted)
		}
		for _, subject := range s.Subjects {
			for seed := uint64(1); seed <= seeds; seed++ {
				plan, err := s.Plan(subject.Title(), seed)
				if err != nil {
					t.Fatal(err)
				}
				result, err := play.Run(plan, play.RunOptions{})
				if err != nil {
					t.Fatal(err)
				}
				margin, known := result.Verdict.Overlap.WorstMargin()
				if !known {
					t.Fatalf("%s, %s, seed %d: fewer than two leases", s.Name, subject.Title(), seed)
				}
				overlap := -time.Duration(*margin.MarginNS)
				if (overlap-predicted).Abs() > time.Millisecond || predicted <= 0 && overlap > 0 {
					t.Errorf("%s, %s, seed %d: an overlap of %v, the arithmetic says %v", s.Name, subject.Title(), seed, overlap, predicted)
				}
			}
		}
	}
}

// predictedOverlap is how long the holder still believes when the keys are gone:
// (ttl − allowance)/(1 − ρ of the client) − ttl/(1 + ρ of the nodes). It leaves
// out what messages take, which only shortens it.
func predictedOverlap(s *plan.Scenario) time.Duration {
	client, nodes := 1.0, 1.0
	for _, f := range s.Faults {
		switch effect := f.Effect.(type) {
		case *faults.ClientClockRate:
			client += float64(effect.PPM) / 1e6
		case *faults.NodeClockRate:
			nodes += float64(effect.PPM) / 1e6
		}
	}
	ttl := float64(s.Lock.TTL)
	believed := (ttl - float64(redlock.CustomaryAllowance(s.Lock.TTL))) / client
	return time.Duration(believed - ttl/nodes)
}

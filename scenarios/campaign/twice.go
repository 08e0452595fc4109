package campaign

import (
	"context"
	"os/exec"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Mismatch is a run whose two traces differ.
type Mismatch struct {
	Job           int // index
	Seed          uint64
	First, Second string // trace hashes
}

// Twice plays every run of the jobs twice, in separate processes of two kinds,
// and compares the hashes of their traces. A run that failed in either kind is in
// incomplete, with the reason. Errors are those of [Play].
func Twice(
	ctx context.Context, first, second Settings, jobs []Job, progress func(),
) (mismatches []Mismatch, incomplete []Summary, err error) {
	type run struct {
		scenario, subject string
		seed              uint64
	}
	by := [2]map[run]Summary{{}, {}}
	var group errgroup.Group
	var mu sync.Mutex // of progress
	for i, settings := range []Settings{first, second} {
		group.Go(func() error {
			return Play(ctx, settings, jobs, func(r Summary) {
				by[i][run{r.Scenario, r.Subject, r.Seed}] = r
				mu.Lock()
				defer mu.Unlock()
				progress()
			})
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	for j := range jobs {
		for _, seed := range jobs[j].Seeds {
			key := run{jobs[j].Scenario.Name, jobs[j].Subject, seed}
			a, b := by[0][key], by[1][key]
			switch {
			case a.Failure != "":
				incomplete = append(incomplete, a)
			case b.Failure != "":
				incomplete = append(incomplete, b)
			case a.PlanHash != b.PlanHash:
				mismatches = append(mismatches, Mismatch{j, seed, "plan " + a.PlanHash, "plan " + b.PlanHash})
			case a.TraceHash != b.TraceHash:
				mismatches = append(mismatches, Mismatch{j, seed, a.TraceHash, b.TraceHash})
			}
		}
	}
	return mismatches, incomplete, nil
}

// WithEnvironment returns settings whose workers have further variables.
func (s Settings) WithEnvironment(variables ...string) Settings {
	command := s.Command
	s.Command = func(ctx context.Context, patch string) (*exec.Cmd, error) {
		c, err := command(ctx, patch)
		if err == nil {
			c.Env = append(c.Environ(), variables...)
		}
		return c, err
	}
	return s
}

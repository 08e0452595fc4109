package campaign

import (
	"context"
	"fmt"
	"os/exec"
	"sync"
)

// Mismatch is a run whose two traces differ.
type Mismatch struct {
	Job           int // index
	Seed          uint64
	First, Second string // trace hashes
}

// Twice plays every run of the jobs twice, in separate processes of two kinds,
// and compares the hashes of their traces. compared counts the pairs. A run that failed
// in either kind is in incomplete, with the reason. Errors are those of [Play].
func Twice(ctx context.Context, first, second Settings, jobs []Job, progress func()) (compared int, mismatches []Mismatch, incomplete []Report, err error) {
	var sides [2][]Report
	var errs [2]error
	var group sync.WaitGroup
	var mu sync.Mutex
	for i, settings := range []Settings{first, second} {
		group.Go(func() {
			errs[i] = Play(ctx, settings, jobs, func(r Report) {
				mu.Lock()
				defer mu.Unlock()
				sides[i] = append(sides[i], r)
				progress()
			})
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return 0, nil, nil, err
		}
	}
	type run struct {
		scenario, subject string
		seed              uint64
	}
	var by [2]map[run]*Report
	for i := range sides {
		by[i] = map[run]*Report{}
		for j := range sides[i] {
			r := &sides[i][j]
			by[i][run{r.Scenario, r.Subject, r.Seed}] = r
		}
	}
	for j := range jobs {
		for _, seed := range jobs[j].Seeds {
			key := run{jobs[j].Scenario.Name, jobs[j].Subject, seed}
			a, b := by[0][key], by[1][key]
			switch {
			case a.Failure != "":
				incomplete = append(incomplete, *a)
			case b.Failure != "":
				incomplete = append(incomplete, *b)
			case a.PlanHash != b.PlanHash:
				compared++
				mismatches = append(mismatches, Mismatch{j, seed, fmt.Sprintf("plan %s", a.PlanHash), fmt.Sprintf("plan %s", b.PlanHash)})
			default:
				compared++
				if a.TraceHash != b.TraceHash {
					mismatches = append(mismatches, Mismatch{j, seed, a.TraceHash, b.TraceHash})
				}
			}
		}
	}
	return compared, mismatches, incomplete, nil
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

package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/cause"
)

// Causes are what is kept of the causes of one run's findings.
type Causes struct {
	Replays  int          `json:"replays"` // that they took
	Findings []FoundCause `json:"findings"`
}

// FoundCause is the cause of one finding.
type FoundCause struct {
	Oracle checker.Oracle `json:"oracle"`
	// Kind is "A-VOTE", several assumptions, "own bug" or "undecided".
	Kind string `json:"kind"`
}

// causesOf keeps what matters of an answer.
func causesOf(a *cause.Answer) *Causes {
	c := &Causes{Replays: a.Replays}
	for i := range a.Findings {
		c.Findings = append(c.Findings, FoundCause{a.Findings[i].Oracle, a.Findings[i].Kind()})
	}
	return c
}

// CauseCounts counts the causes of many runs. Missed goals of measured claims are left
// out, as in a [Tally]. The zero value counts no run.
type CauseCounts struct {
	Runs     int           `json:"runs"` // violated runs whose causes were looked for
	Findings int           `json:"findings"`
	Kinds    []KindCount   `json:"kinds"`   // sorted
	Replays  []ReplayCount `json:"replays"` // ascending
}

// KindCount counts one kind of cause.
type KindCount struct {
	Kind     string `json:"kind"`
	Runs     int    `json:"runs"`
	Findings int    `json:"findings"`
}

// ReplayCount is how many runs took so many replays.
type ReplayCount struct {
	Replays int `json:"replays"`
	Runs    int `json:"runs"`
}

// Count counts the causes of one run of a claim; empty: of a drawn run, which is about none.
func (counts *CauseCounts) Count(claim string, c *Causes) {
	more := CauseCounts{Runs: 1, Replays: []ReplayCount{{c.Replays, 1}}}
	for _, f := range c.Findings {
		if !Counts(claim, f.Oracle) {
			continue
		}
		more.Findings++
		kind := entry(&more.Kinds, KindCount{Kind: f.Kind}, byKind)
		kind.Runs = 1
		kind.Findings++
	}
	if more.Findings > 0 {
		counts.Add(&more)
	}
}

// entry is the entry of a sorted list that equals the new one, which is inserted if there is none.
func entry[T any](list *[]T, new T, order func(a, b T) int) *T {
	i, found := slices.BinarySearchFunc(*list, new, order)
	if !found {
		*list = slices.Insert(*list, i, new)
	}
	return &(*list)[i]
}

func byKind(a, b KindCount) int { return cmp.Compare(a.Kind, b.Kind) }

func byReplays(a, b ReplayCount) int { return cmp.Compare(a.Replays, b.Replays) }

// Add adds the runs of other counts.
func (counts *CauseCounts) Add(more *CauseCounts) {
	counts.Runs += more.Runs
	counts.Findings += more.Findings
	for _, k := range more.Kinds {
		mine := entry(&counts.Kinds, KindCount{Kind: k.Kind}, byKind)
		mine.Runs += k.Runs
		mine.Findings += k.Findings
	}
	for _, r := range more.Replays {
		entry(&counts.Replays, ReplayCount{Replays: r.Replays}, byReplays).Runs += r.Runs
	}
}

// of says the counts in words, with how many runs are violated: "findings by cause, in 3
// of 20 violated runs: A-VOTE 3, own bug 1".
func (counts *CauseCounts) of(violated int) string {
	var kinds []string
	for _, k := range counts.Kinds {
		kinds = append(kinds, fmt.Sprintf("%s %d", k.Kind, k.Findings))
	}
	return fmt.Sprintf("findings by cause, in %d of %d violated runs: %s", counts.Runs, violated, strings.Join(kinds, ", "))
}

// Cost says how many replays the causes took: "replays to find the causes of a run: 1 in the
// median, 6 at most".
func (counts *CauseCounts) Cost() string {
	median, most, seen := 0, 0, 0
	for _, r := range counts.Replays {
		if 2*seen < counts.Runs {
			median = r.Replays
		}
		seen += r.Runs
		most = r.Replays
	}
	return fmt.Sprintf("replays to find the causes of a run: %d in the median, %d at most", median, most)
}

// Undecided returns jobs that look for the causes of the first violated runs of each job,
// by their seeds. It skips runs whose causes are known, but counts them.
func (s *State) Undecided(most int) []Job {
	var jobs []Job
	for i := range s.rows {
		violated := s.rows[i].violated
		slices.SortFunc(violated, func(a, b violatedRun) int { return cmp.Compare(a.seed, b.seed) })
		job := s.header.Jobs[i]
		job.Save, job.Seeds = "", nil
		for _, v := range violated[:min(most, len(violated))] {
			if !v.decided {
				job.Seeds = append(job.Seeds, v.seed)
			}
		}
		if len(job.Seeds) > 0 {
			jobs = append(jobs, job)
		}
	}
	return jobs
}

// Decide takes in the causes of a run that is counted already.
func (s *State) Decide(r Summary) {
	if job, _ := s.find(&r); job >= 0 && r.Causes != nil {
		s.rows[job].decide(r.Causes)
	}
}

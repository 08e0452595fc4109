package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"redlocklab/faults"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
)

// selectScenarios finds what the arguments name: scenarios and claims of the
// built-in suite, files, folders. None is the whole suite.
func selectScenarios(arguments []string) ([]*scenarios.Scenario, error) {
	suite, err := scenarios.Suite()
	if err != nil {
		return nil, &exitError{exitBug, err}
	}
	if len(arguments) == 0 {
		return suite, nil
	}
	var chosen []*scenarios.Scenario
	var paths []string
	for _, argument := range arguments {
		found := false
		for _, s := range suite {
			if s.Name != argument && s.Claim != argument {
				continue
			}
			found = true
			if !slices.Contains(chosen, s) {
				chosen = append(chosen, s)
			}
		}
		if found {
			continue
		}
		looksLikePath := strings.ContainsRune(argument, filepath.Separator) || filepath.Ext(argument) == ".yaml"
		if _, err := os.Stat(argument); err != nil && !looksLikePath && errors.Is(err, fs.ErrNotExist) {
			names := make([]string, len(suite))
			for i, s := range suite {
				names[i] = s.Name
			}
			return nil, fmt.Errorf("found %q, which is no command, no scenario or claim of the suite, and no file; %s; files and folders", argument, faults.Allowed(argument, names))
		}
		paths = append(paths, argument)
	}
	if len(paths) > 0 {
		own, err := scenarios.LoadAll(paths...)
		if err != nil {
			return nil, err
		}
		for _, s := range own {
			if slices.ContainsFunc(chosen, func(other *scenarios.Scenario) bool { return other.Name == s.Name }) {
				return nil, fmt.Errorf("%s: found a second scenario %s beside the one of the suite; allowed: each name once", s.Path, s.Name)
			}
		}
		chosen = append(chosen, own...)
	}
	return chosen, nil
}

// seedRange is which seeds to play; the zero value leaves it to the scenario.
type seedRange struct {
	first, last uint64
	given       bool
}

// quickSeeds is how many seeds --quick plays of each row.
const quickSeeds = 10

// parseSeeds reads "1-200" or "7".
func parseSeeds(text string) (seedRange, error) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	first, err1 := strconv.ParseUint(strings.TrimSpace(low), 10, 64)
	last, err2 := strconv.ParseUint(strings.TrimSpace(high), 10, 64)
	const most = 1_000_000
	switch {
	case err1 != nil || err2 != nil:
		return seedRange{}, fmt.Errorf("--seeds: found %q; allowed: a range of whole numbers such as 1-200, or one number", text)
	case last < first:
		return seedRange{}, fmt.Errorf("--seeds: found %q, which ends before it begins; allowed: a range such as %d-%d", text, last, first)
	case last-first >= most:
		return seedRange{}, fmt.Errorf("--seeds: found %q; allowed: at most %d seeds", text, most)
	}
	return seedRange{first, last, true}, nil
}

// of lists the seeds for a scenario.
func (r seedRange) of(s *scenarios.Scenario, quick bool) []uint64 {
	first, last := s.Seeds.First, s.Seeds.Last
	if r.given {
		first, last = r.first, r.last
	}
	if quick {
		last = min(last, first+quickSeeds-1)
	}
	seeds := make([]uint64, 0, last-first+1)
	for seed := first; ; seed++ {
		seeds = append(seeds, seed)
		if seed == last {
			return seeds
		}
	}
}

// selectJobs makes one job per scenario and chosen subject. A subject is named
// by its name, which takes all of its rows, or by its title, which takes one.
func selectJobs(chosen []*scenarios.Scenario, subjects []string, seeds seedRange, quick bool) ([]campaign.Job, error) {
	used := make([]bool, len(subjects))
	var titles []string
	var jobs []campaign.Job
	for _, s := range chosen {
		for _, subject := range s.Subjects {
			title := subject.Title()
			if !slices.Contains(titles, title) {
				titles = append(titles, title)
			}
			wanted := len(subjects) == 0
			for i, name := range subjects {
				if name == subject.Name || name == title {
					wanted, used[i] = true, true
				}
			}
			if wanted {
				jobs = append(jobs, campaign.Job{Scenario: s, Subject: title, Seeds: seeds.of(s, quick)})
			}
		}
	}
	for i, ok := range used {
		if !ok {
			return nil, fmt.Errorf("--subject: found %q, which none of these scenarios has; %s", subjects[i], faults.Allowed(subjects[i], titles))
		}
	}
	return jobs, nil
}

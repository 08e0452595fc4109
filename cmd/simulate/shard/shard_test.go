package shard_test

import (
	"slices"
	"strings"
	"testing"

	"redlocklab/cmd/simulate/shard"
)

// TestShardsCoverEachItemOnce: every item belongs to one shard, and the counts are right.
func TestShardsCoverEachItemOnce(t *testing.T) {
	for _, test := range []struct{ items, of int }{{0, 1}, {1, 3}, {10, 3}, {11, 3}, {12, 3}, {640, 64}, {7, 8}} {
		owners := make([]int, test.items)
		for n := 1; n <= test.of; n++ {
			s, had := shard.Shard{Index: n, Of: test.of}, 0
			for item := range owners {
				if s.Has(item) {
					owners[item]++
					had++
				}
			}
			if s.Count(test.items) != had {
				t.Errorf("%s has %d of %d items; it counts %d", s, had, test.items, s.Count(test.items))
			}
		}
		if slices.ContainsFunc(owners, func(n int) bool { return n != 1 }) {
			t.Errorf("%d shards of %d items: owners %v", test.of, test.items, owners)
		}
	}
}

// TestFromEnvironment reads what schedulers set, as their manuals say.
func TestFromEnvironment(t *testing.T) {
	for _, test := range []struct {
		variables string
		want      shard.Shard
		problem   string
	}{
		{"", shard.Shard{}, ""},
		{"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=64 SLURM_ARRAY_TASK_COUNT=64", shard.Shard{Index: 1, Of: 64}, ""},
		{"SLURM_ARRAY_TASK_ID=64 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=64 SLURM_ARRAY_TASK_COUNT=64", shard.Shard{Index: 64, Of: 64}, ""},
		{"SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=8", shard.Shard{Index: 1, Of: 8}, ""},
		{"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=2", shard.Shard{}, "an array without gaps, or REDLOCKLAB_SHARDS"},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_COUNT=1", shard.Shard{}, "an array without gaps, or REDLOCKLAB_SHARDS"},
		{"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=2 REDLOCKLAB_SHARDS=64", shard.Shard{Index: 7, Of: 64}, ""},
		{"SLURM_ARRAY_TASK_ID=65 REDLOCKLAB_SHARDS=64", shard.Shard{}, "found SLURM_ARRAY_TASK_ID=65 with REDLOCKLAB_SHARDS=64; allowed: 1 to 64"},
		{"SLURM_ARRAY_TASK_ID=x SLURM_ARRAY_TASK_COUNT=8", shard.Shard{}, `found SLURM_ARRAY_TASK_ID="x"; allowed: a number`},
		{"JOB_COMPLETION_INDEX=0 REDLOCKLAB_SHARDS=8", shard.Shard{Index: 1, Of: 8}, ""},
		{"JOB_COMPLETION_INDEX=7 REDLOCKLAB_SHARDS=8", shard.Shard{Index: 8, Of: 8}, ""},
		{"JOB_COMPLETION_INDEX=8 REDLOCKLAB_SHARDS=8", shard.Shard{}, "allowed: 0 to 7"},
		{"JOB_COMPLETION_INDEX=7", shard.Shard{}, `found REDLOCKLAB_SHARDS=""; allowed: a number`},
		{"TEST_SHARD_INDEX=2 TEST_TOTAL_SHARDS=3", shard.Shard{Index: 3, Of: 3}, ""},
		{"TEST_SHARD_INDEX=3 TEST_TOTAL_SHARDS=3", shard.Shard{}, "allowed: 0 to 2"},
		{"TEST_SHARD_INDEX=2 TEST_TOTAL_SHARDS=0", shard.Shard{}, "found TEST_TOTAL_SHARDS=0; allowed: 1 to 100000"},
		{"REDLOCKLAB_SHARDS=8", shard.Shard{}, "found REDLOCKLAB_SHARDS=8 without the variable of a scheduler"},
		{"SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=2", shard.Shard{}, "tasks from 1 to an unknown one; allowed"},
		{"TEST_SHARD_INDEX=2 TEST_TOTAL_SHARDS=3 JOB_COMPLETION_INDEX=7", shard.Shard{}, "found JOB_COMPLETION_INDEX beside TEST_SHARD_INDEX; allowed: one of them, or --shard"},
	} {
		environment := map[string]string{}
		for _, word := range strings.Fields(test.variables) {
			name, value, _ := strings.Cut(word, "=")
			environment[name] = value
		}
		got, err := shard.FromEnvironment(func(name string) string { return environment[name] })
		if got != test.want || (err == nil) != (test.problem == "") ||
			err != nil && !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%s: %v, %v; want %v, %q", test.variables, got, err, test.want, test.problem)
		}
	}
}

// TestParse reads --shard.
func TestParse(t *testing.T) {
	for text, want := range map[string]shard.Shard{"1/1": {1, 1}, "3/64": {3, 64}, "none": {}} {
		if got, err := shard.Parse(text); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "3", "0/3", "4/3", "3/", "a/3", "3/4/5", "-1/3", "1/0", "1/100001"} {
		if got, err := shard.Parse(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

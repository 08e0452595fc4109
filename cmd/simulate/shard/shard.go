// Package shard splits the work of a long command among machines, and merges what they
// kept.
//
//	simulate run … --shard 1/3 ─▶ D/1-of-3/  manifest.json  journal.jsonl: results 0, 3, 6, …
//	simulate run … --shard 2/3 ─▶ D/2-of-3/                                results 1, 4, 7, …   ─Merge─▶ journal.jsonl
//	simulate run … --shard 3/3 ─▶ D/3-of-3/                                results 2, 5, 8, …            0, 1, 2, 3, …
//
// A command numbers its work items from 0, in an order that depends only on what it was
// told. A shard plays the items whose number has its remainder, and keeps one result of
// each, in their order. [Parts.Merge] takes the results in turn: what comes out is the journal that
// one machine would have kept. The command then continues from it, as after an interruption,
// with what depends on all results. The package knows neither commands nor results.
package shard

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"redlocklab/scenarios/campaign"
)

// Shard is a part of a command's work. The zero value is all of it.
type Shard struct{ Index, Of int } // Index is 1 to Of

// most bounds the number of shards: what lies beyond it is a slip of the pen.
const most = 100_000

// Whole reports whether the shard is no part, but all of the work.
func (s Shard) Whole() bool { return s.Of == 0 }

// Has reports whether an item belongs to the shard.
func (s Shard) Has(item int) bool { return s.Whole() || item%s.Of == s.Index-1 }

// Count is how many of so many items belong to the shard.
func (s Shard) Count(items int) int {
	if s.Whole() {
		return items
	}
	return (items + s.Of - s.Index) / s.Of
}

// String writes a shard as --shard takes it: "3/64".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// Folder is the name of a shard's folder.
func (s Shard) Folder() string { return fmt.Sprintf("%d-of-%d", s.Index, s.Of) }

// None is what --shard takes to play all in spite of a scheduler's variables.
const None = "none"

// Parse reads "3/64", or none.
func Parse(text string) (Shard, error) {
	if text == None {
		return Shard{}, nil
	}
	first, second, _ := strings.Cut(text, "/")
	index, err1 := strconv.Atoi(first)
	of, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || of < 1 || of > most || index < 1 || index > of {
		return Shard{}, fmt.Errorf("--shard: found %q; allowed: 1/N to N/N with N up to %d, or %s", text, most, None)
	}
	return Shard{index, of}, nil
}

// Shards is the variable that says how many shards there are, where the scheduler does
// not say it, or says it of a part: a Kubernetes Job, a Slurm array of shards that are played again.
const Shards = "REDLOCKLAB_SHARDS"

// scheduler is a scheduler with the variables that it sets for each task.
type scheduler struct {
	index string // this is set by it alone
	first string // the variable with the index of the first task; "" is a constant
	base  int    // that constant
	count string // "" is Shards
}

var schedulers = []scheduler{
	{index: "SLURM_ARRAY_TASK_ID", first: "SLURM_ARRAY_TASK_MIN", count: "SLURM_ARRAY_TASK_COUNT"},
	{index: "JOB_COMPLETION_INDEX"},
	{index: "TEST_SHARD_INDEX", count: "TEST_TOTAL_SHARDS"},
}

// FromEnvironment is the shard that a scheduler's variables name; the whole where there
// are none. An error says which variables do not fit.
func FromEnvironment(get func(string) string) (Shard, error) {
	var found []scheduler
	for _, s := range schedulers {
		if get(s.index) != "" {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 0 && get(Shards) != "":
		return Shard{}, fmt.Errorf("found %s=%s without the variable of a scheduler that says which of them; allowed: one of %s, %s, %s, or --shard",
			Shards, get(Shards), schedulers[0].index, schedulers[1].index, schedulers[2].index)
	case len(found) == 0:
		return Shard{}, nil
	case len(found) > 1:
		return Shard{}, fmt.Errorf("found %s beside %s; allowed: one of them, or --shard", found[0].index, found[1].index)
	}
	return found[0].shard(get)
}

func (s scheduler) shard(get func(string) string) (Shard, error) {
	var slip error // the first
	number := func(name string) int {
		n, err := strconv.Atoi(get(name))
		if err != nil && slip == nil {
			slip = fmt.Errorf("%s: found %s=%q; allowed: a number, or --shard", s.index, name, get(name))
		}
		return n
	}
	slurm, counted := s.first != "", s.count
	if get(Shards) != "" || counted == "" {
		if counted, s.first = Shards, ""; slurm {
			s.base = 1 // only some tasks of the array may be there
		}
	}
	index, of := number(s.index), number(counted)
	if s.first != "" {
		s.base = number(s.first)
	}
	if slip != nil {
		return Shard{}, slip
	}
	if slurm && s.first != "" && (of == 1 || get("SLURM_ARRAY_TASK_MAX") != strconv.Itoa(s.base+of-1)) {
		return Shard{}, fmt.Errorf("%s: found an array of %s=%d tasks from %d to %s; allowed: an array without gaps, or %s with the number of all shards, which the array counts from 1",
			s.index, s.count, of, s.base, cmp.Or(get("SLURM_ARRAY_TASK_MAX"), "an unknown one"), Shards)
	}
	if of < 1 || of > most {
		return Shard{}, fmt.Errorf("found %s=%d; allowed: 1 to %d", counted, of, most)
	}
	if index -= s.base - 1; index < 1 || index > of {
		return Shard{}, fmt.Errorf("found %s=%s with %s=%d; allowed: %d to %d", s.index, get(s.index), counted, of, s.base, s.base+of-1)
	}
	return Shard{index, of}, nil
}

// Choose is the manifest of the shard that a command line asks for by --shard, or where out is
// wanted a scheduler; nil when it asks for all.
func Choose(part, out string, command *cobra.Command, args []string, commit string) (m *Manifest, err error) {
	var s Shard
	switch {
	case part != "" || command.Flags().Changed("shard"): // an empty one is a slip of a script
		s, err = Parse(part)
	case out != "":
		s, err = FromEnvironment(os.Getenv)
		if file := os.Getenv("TEST_SHARD_STATUS_FILE"); err == nil && !s.Whole() && file != "" {
			err = os.WriteFile(file, nil, 0o644) // by it Bazel learns that its shards are understood
		}
	}
	switch {
	case err != nil || s.Whole():
		return nil, err
	case out == "":
		return nil, errors.New("found --shard without --out; allowed: --out DIR, which gets a folder for each shard")
	}
	m = &Manifest{Version: Version, Shard: s.Index, Of: s.Of, Commit: commit, Command: words(command, args)}
	m.Program, err = ProgramHash()
	return m, err
}

// without are flags that do not change what is played.
var without = []string{"out", "resume", "shard", "workers", "run-limit", "json", "state", "root"}

// words writes a command line in one way, without these flags: of all shards of a campaign
// it is the same.
func words(command *cobra.Command, args []string) string {
	words := []string{command.Name()}
	for _, arg := range args {
		words = append(words, campaign.Quote(arg))
	}
	command.Flags().Visit(func(flag *pflag.Flag) {
		if slices.Contains(without, flag.Name) {
			return
		}
		values := []string{flag.Value.String()}
		if several, ok := flag.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, value := range values {
			words = append(words, "--"+flag.Name+"="+campaign.Quote(value))
		}
	})
	return strings.Join(words, " ")
}

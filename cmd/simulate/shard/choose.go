package shard

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"redlocklab/scenarios/campaign"
)

// Choose is the manifest of the shard that a command line asks for by --shard, or where out is
// wanted a scheduler; nil when it asks for all.
func Choose(part, out string, command *cobra.Command, args []string, commit string) (m *Manifest, err error) {
	var s Shard
	switch {
	case part != "" || command.Flags().Changed("shard"): // an empty one is a slip of a script
		s, err = Parse(part)
	case out != "":
		if s, err = FromEnvironment(os.Getenv); err == nil && !s.Whole() {
			err = tellBazel(os.Getenv("TEST_SHARD_STATUS_FILE"))
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

// tellBazel touches the file by which Bazel learns that its shards are understood. Other schedulers
// name none.
func tellBazel(file string) error {
	if file == "" {
		return nil
	}
	return os.WriteFile(file, nil, 0o644)
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

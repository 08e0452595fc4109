package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// TestHelpFits: no line of a help text is wider than a usual terminal.
func TestHelpFits(t *testing.T) {
	seen := 0
	var look func(*cobra.Command)
	look = func(command *cobra.Command) {
		for _, line := range strings.Split(command.Long+"\n"+command.UsageString(), "\n") {
			seen++
			if n := utf8.RuneCountInString(line); n > 100 {
				t.Errorf("%s --help has a line of %d columns: %s", command.CommandPath(), n, line)
			}
		}
		for _, below := range command.Commands() {
			look(below)
		}
	}
	look((&program{}).root())
	if seen < 300 {
		t.Errorf("only %d lines were looked at", seen)
	}
}

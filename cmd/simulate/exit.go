package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"redlocklab/cmd/simulate/shard"
	"redlocklab/faults"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/overlay"
	"redlocklab/scenarios/search"
	"redlocklab/tla"
)

// The exit codes. campaign.ExitCode returns those of verdicts: 0, 1, 3, 4, 5.
const (
	exitExpected         = 0
	exitSafety           = 1
	exitUsage            = 2 // bad usage or input; nothing was written
	exitLiveness         = 3
	exitInconclusive     = 4
	exitNondeterministic = 5
	exitToolMissing      = 6
	exitBug              = 70
	exitInterrupted      = 130 // or a disk is full
)

// exitCodesHelp is about commands that compare runs with what is expected.
var exitCodesHelp = exitCodes(`
  0    all as expected
  1    a safety verdict, or the set of broken assumptions, differs from the expected one
  3    a liveness verdict differs from the expected one
  4    inconclusive: a bound was hit, a run was killed, a scripted fault never fired, or
       no chosen row is applicable
  5    not deterministic: the same plan made a different trace
  6    a needed outside tool is missing`) + `
The first of 5, 1, 3, 4 that applies is returned. "go run" turns all of them into 1.`

// exitCodes describes the exit codes of a command: its own, then those of all.
func exitCodes(own string) string {
	return "\nExit codes:" + own + `
  2    bad usage or input; nothing was written
  70   a bug of this program
  130  interrupted, or the disk is full`
}

// exitError carries an exit code. Errors without one are about usage or input.
type exitError struct {
	code int
	err  error // nil: everything has been said
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exit returns the error that ends the program with a code, nil for 0.
func exit(code int) error {
	if code == exitExpected {
		return nil
	}
	return &exitError{code: code}
}

// exitIf returns the error that ends the program with a code if something is so, nil otherwise.
func exitIf(so bool, code int) error {
	if !so {
		return nil
	}
	return exit(code)
}

// one counts what is so.
func one(so bool) int {
	if so {
		return 1
	}
	return 0
}

// bug returns the error that ends the program for a bug of its own, nil for nil.
func bug(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitBug, err}
}

// worse returns the exit code that goes before the other.
func worse(a, b int) int {
	for _, code := range []int{exitNondeterministic, exitSafety, exitLiveness, exitInconclusive} {
		if a == code || b == code {
			return code
		}
	}
	return exitExpected
}

// codeOf returns the exit code for an error, and what is to be printed of it.
func codeOf(err error) (code int, message string) {
	var coded *exitError
	is := func(kinds ...error) bool {
		return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
	}
	switch {
	case err == nil:
		return exitExpected, ""
	case errors.As(err, &coded) && coded.err == nil:
		return coded.code, ""
	case errors.As(err, &coded):
		return coded.code, err.Error()
	case errors.As(err, new(*campaign.PanicError)):
		return exitBug, err.Error()
	case is(syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO):
		return exitInterrupted, err.Error()
	case is(context.Canceled):
		return exitInterrupted, "interrupted"
	case errors.As(err, new(*tla.MissingToolError)), is(overlay.ErrNoSource):
		return exitToolMissing, err.Error()
	case is(search.ErrNoVerdict, errNothing, shard.ErrIncomplete):
		return exitInconclusive, err.Error()
	case is(search.ErrNotDeterministic, shard.ErrDiffers):
		return exitNondeterministic, err.Error()
	case errors.As(err, new(*campaign.WorkerError)):
		return exitBug, err.Error()
	}
	return exitUsage, err.Error()
}

// values are the values that flags of a type allow.
var values = map[string]string{
	"uint64":   "a whole number from 0",
	"int":      "a whole number",
	"duration": "a duration with its unit, like 20s",
	"bool":     "true, false",
}

// explainSlips makes the errors of a command, and of those below it, about wrong flags and arguments say
// what was found and what is allowed.
func explainSlips(command *cobra.Command) {
	command.SetFlagErrorFunc(slip)
	for _, c := range append(command.Commands(), command) {
		check := c.Args
		if check == nil {
			continue
		}
		c.Args = func(c *cobra.Command, args []string) error {
			if check(c, args) != nil {
				usage := strings.TrimSuffix(c.UseLine(), " [flags]")
				return fmt.Errorf("found %d arguments; allowed: %s", len(args), usage)
			}
			return nil
		}
	}
}

func slip(command *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &value) && values[value.GetFlag().Value.Type()] != "":
		flag := value.GetFlag()
		return fmt.Errorf("--%s: found %q; allowed: %s", flag.Name, value.GetValue(), values[flag.Value.Type()])
	case errors.As(err, &missing):
		name := missing.GetSpecifiedName()
		return fmt.Errorf("--%s: found no value; allowed: --%s VALUE", name, name)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		command.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		name := unknown.GetSpecifiedName()
		return fmt.Errorf("found the unknown flag --%s; %s", name, faults.Allowed(name, names))
	}
	return err
}

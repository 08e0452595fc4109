package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"redlocklab/cmd/simulate/choice"
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
  1    a safety verdict, or the set of broken assumptions, is not the expected one
  3    a liveness verdict is not the expected one
  4    inconclusive: a bound was hit, a run was killed, a scripted fault never fired, or
       no chosen row is applicable
  5    not deterministic: the same plan made another trace
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

// bug returns the error that ends the program for a bug of its own, nil for nil.
func bug(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitBug, err}
}

// codeOf returns the exit code for an error, and what is to be printed of it.
func codeOf(err error) (code int, message string) {
	var coded *exitError
	switch {
	case err == nil:
		return exitExpected, ""
	case errors.As(err, &coded) && coded.err == nil:
		return coded.code, ""
	case errors.As(err, &coded):
		code = coded.code
	case errors.As(err, new(*campaign.PanicError)):
		code = exitBug
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG), errors.Is(err, syscall.EIO):
		code = exitInterrupted
	case errors.Is(err, context.Canceled):
		return exitInterrupted, "interrupted"
	case errors.As(err, new(*tla.MissingToolError)):
		code = exitToolMissing
	case errors.Is(err, search.ErrNoVerdict), errors.Is(err, choice.ErrNothing):
		code = exitInconclusive
	case errors.Is(err, search.ErrNotDeterministic):
		code = exitNondeterministic
	case errors.Is(err, overlay.ErrNoSource):
		code = exitToolMissing
	case errors.As(err, new(*campaign.WorkerError)):
		code = exitBug
	default:
		code = exitUsage
	}
	return code, err.Error()
}

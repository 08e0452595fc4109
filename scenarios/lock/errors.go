package lock

import (
	"context"
	"errors"

	"redlocklab/sim"
)

// What locks without errors of their own answer.
var (
	ErrContended   = errors.New("contended") // another holds the lock, or the votes were split
	ErrLate        = errors.New("late")      // won, but after the end of its validity
	ErrNotHeld     = errors.New("not held")  // the lease has lapsed, or another holds the lock
	ErrNoExtension = errors.New("this lock cannot be extended")
)

// ErrorClass names all errors that match Err, so that a trace has one word for them
// in every run.
type ErrorClass struct {
	Err   error
	Class string
}

// errorClasses are those of errors that any lock may return.
var errorClasses = []ErrorClass{
	{sim.ErrCrashed, "crashed"},
	{context.DeadlineExceeded, "deadline"},
	{context.Canceled, "cancelled"},
	{ErrContended, "contended"},
	{ErrLate, "late"},
	{ErrNotHeld, "not held"},
	{ErrNoExtension, "no extension"},
}

// ClassOf names an error without what differs from run to run: by the classes of any
// lock, then by the lock's own. The name of all others is "error".
func ClassOf(err error, own []ErrorClass) string {
	for _, classes := range [][]ErrorClass{errorClasses, own} {
		for _, known := range classes {
			if errors.Is(err, known.Err) {
				return known.Class
			}
		}
	}
	return "error"
}

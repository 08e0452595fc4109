package lock

import (
	"context"
	"errors"
	"slices"

	"redlocklab/sim"
)

// Errors of locks that have no errors of their own.
var (
	ErrContended   = errors.New("contended") // another holds the lock, or the votes were split
	ErrLate        = errors.New("late")      // acquired, but after the end of its validity
	ErrNotHeld     = errors.New("not held")  // the lease has lapsed, or another holds the lock
	ErrNoExtension = errors.New("this lock cannot be extended")
)

// ErrorClass is the word for all errors that match Err. Unlike their texts, it is the same
// in every run, so that traces can contain it.
type ErrorClass struct {
	Err   error
	Class string
}

// ClassNotHeld is the class of ErrNotHeld. A holder whose extension fails with it believes no
// longer that it holds the lock.
const ClassNotHeld = "not held"

// errorClasses are the classes of errors that any lock may return.
var errorClasses = []ErrorClass{
	{sim.ErrCrashed, "crashed"},
	{context.DeadlineExceeded, "deadline"},
	{context.Canceled, "cancelled"},
	{ErrContended, "contended"},
	{ErrLate, "late"},
	{ErrNotHeld, ClassNotHeld},
	{ErrNoExtension, "no extension"},
}

// ClassOf returns the class of an error, among those of any lock, then among the lock's
// own; otherwise it is "error".
func ClassOf(err error, own []ErrorClass) string {
	for _, known := range slices.Concat(errorClasses, own) {
		if errors.Is(err, known.Err) {
			return known.Class
		}
	}
	return "error"
}

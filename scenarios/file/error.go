package file

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"redlocklab/scenarios/plan"
)

// FileError is one thing that is wrong in a scenario file.
type FileError struct {
	Path         string
	Line, Column int    // from 1; 0 when the file could not be read at all
	Field        string // "faults[0].crash"; "" is the file as a whole
	Message      string // what was found and what is allowed
}

// Error is "file:line:column: field: message".
func (e FileError) Error() string {
	text := e.Path
	if e.Line > 0 {
		text = fmt.Sprintf("%s:%d:%d", e.Path, e.Line, e.Column)
	}
	if e.Field != "" {
		text += ": " + e.Field
	}
	return text + ": " + e.Message
}

// FileErrors is everything that is wrong in one or more files, in the order of
// the files and of the positions in them. It is what Load returns, so that an
// author can repair all of it at once.
type FileErrors []FileError

// Error is one line per error.
func (list FileErrors) Error() string {
	return strings.Join(plan.Texts(list, FileError.Error), "\n")
}

// sorted orders the errors of one file by position. What is wrong with the steps of 50 clients
// alike is one error.
func (list FileErrors) sorted() FileErrors {
	slices.SortStableFunc(list, func(a, b FileError) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(list)
}

package checker

import (
	"fmt"
	"slices"
	"time"
)

// Finding is one piece of evidence for a violation.
type Finding struct {
	// Sort is one of the words listed in HISTORY.md, such as "overlap".
	Sort     string `json:"sort"`
	Resource string `json:"resource,omitempty"`
	// Goal is the id of the goal that was missed.
	Goal string `json:"goal,omitempty"`
	// AtNS is the instant of the violation, in nanoseconds of true time.
	AtNS int64 `json:"at_ns"`
	// Leases and Operations hold ids, Events the numbers of trace events, and
	// Lines the lines of the records that show the violation.
	Leases     []string `json:"leases,omitempty"`
	Operations []string `json:"operations,omitempty"`
	Events     []int64  `json:"events,omitempty"`
	Lines      []int    `json:"lines,omitempty"`
	Text       string   `json:"text"`
	// ExplainedBy lists the broken assumptions that explain the finding, in the
	// order of [Assumptions]. When it is empty the finding is a bug in the lock.
	ExplainedBy []string `json:"explained_by,omitempty"`
	register    Register // of an access
}

// The sorts of findings. A partition of a history has the sort of its findings.
const (
	SortOverlap         = "overlap"
	SortLock            = "lock"
	SortRegister        = "register" // requests, as the resource's own log has them
	SortCounter         = "counter"  // operations: reads, writes, whole decrement sections
	SortKey             = "key"      // a node's key for a resource
	SortQuorum          = "quorum"   // votes for a lease
	SortStale           = "stale_access"
	SortLostUpdate      = "lost_update"
	SortTokensBackwards = "tokens_backwards"
	SortGoal            = "goal"
)

// mention adds the id of a lease, or of an operation, once.
func mention(ids []string, id string) []string {
	if id == "" || slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}

// events lists the known trace events once each; the number 0 stands for none.
func events(numbers ...int64) []int64 {
	var known []int64
	for _, number := range numbers {
		if number > 0 && !slices.Contains(known, number) {
			known = append(known, number)
		}
	}
	return known
}

// instant writes a time of the run for readers, such as "t=1.25s".
func instant(nanoseconds int64) string {
	if nanoseconds == forever {
		return "the end of time"
	}
	return "t=" + time.Duration(nanoseconds).String()
}

// span writes a duration for readers, such as "350ns".
func span(nanoseconds int64) string { return time.Duration(nanoseconds).String() }

// byEvent names a trace event for readers, such as " (event 41)". It is empty for 0.
func byEvent(event int64) string {
	if event == 0 {
		return ""
	}
	return fmt.Sprintf(" (event %d)", event)
}

// inBrackets writes a text behind another, such as " (n1)". It is empty for an empty text.
func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

package checker

import (
	"fmt"
	"time"
)

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

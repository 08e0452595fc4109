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

// span writes a duration for readers.
func span(nanoseconds int64) string { return time.Duration(nanoseconds).String() }

// byEvent names the trace event behind something, if there is one.
func byEvent(event int64) string {
	if event == 0 {
		return ""
	}
	return fmt.Sprintf(" (event %d)", event)
}

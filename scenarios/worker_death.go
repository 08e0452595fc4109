package scenarios

import (
	"cmp"
	"regexp"
	"strings"
)

// The kinds of failures of a lock that ends its program.
const (
	escapedKind = "the lock's code leaves the simulated world, and Go's runtime ends the program"
	diedKind    = "the lock's code ends the program"
)

var (
	deathLine      = regexp.MustCompile(`(?m)^(fatal error: |panic: |.*signal SIG).*$`)
	deathGoroutine = regexp.MustCompile(`(?m)^goroutine \d+ .*\[[^\n]*\]:\n(?:[^\n]+\n?)*`)
	ofRuntime      = regexp.MustCompile(`^(runtime|internal|testing|panic\()[./(]?`)
)

// deathOf says what ended a program, from what it wrote: the runtime's reason, and the goroutine that
// it names first, with its frames.
func deathOf(output string) (kind, text string) {
	reason := deathLine.FindStringIndex(output)
	if reason == nil {
		lines := strings.Split(strings.TrimSpace(output), "\n")
		return diedKind, strings.Join(lines[max(0, len(lines)-10):], "\n")
	}
	kind, text = diedKind, output[reason[0]:reason[1]]
	if strings.Contains(text, "synctest") {
		kind = escapedKind
		text += ": a goroutine met what belongs to another run or to none, such as a channel that the whole program shares"
	}
	goroutine := deathGoroutine.FindString(output[reason[1]:])
	if goroutine == "" {
		return kind, text
	}
	lines := strings.Split(strings.TrimSpace(goroutine), "\n")
	frames, more := lines[1:], ""
	for len(frames) > 2 && ofRuntime.MatchString(frames[0]) {
		frames = frames[2:] // a function and its place
	}
	if len(frames) > mostFrames {
		last := frames[len(frames)-2:]
		if strings.HasPrefix(last[0], "created by ") {
			more = "\n" + strings.Join(last, "\n")
		}
		frames = frames[:mostFrames]
	}
	return kind, text + "\n" + cmp.Or(lines[0], "goroutine") + "\n" + strings.Join(frames, "\n") + more
}

// mostFrames bounds the lines of frames that a failure shows: two for each frame.
const mostFrames = 12

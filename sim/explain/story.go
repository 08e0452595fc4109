package explain

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Mark says what kind of line of a story it is.
type Mark string

// The marks of lines. Most lines have none.
const (
	MarkNone      Mark = ""
	MarkFault     Mark = "fault"     // something broke, or was repaired
	MarkHolds     Mark = "holds"     // a client begins or ends to believe that it holds a lock
	MarkAccess    Mark = "access"    // an access arrived at the protected resource
	MarkViolation Mark = "violation" // a claim is broken from here on
)

// Line is one step of a story.
type Line struct {
	Number int // from 1
	At     time.Duration
	Mark   Mark
	Text   string // plain words, without number and time
	Events []int  // Seq of the events that this line tells, ascending; empty for a conclusion

	decides int // Seq of the last event that must have happened for what the line says to be so
}

// String is the line as it is printed: "2. 0.004 s — n1, n2 and n3 say yes …".
func (l *Line) String() string {
	return fmt.Sprintf("%d. %s — %s", l.Number, instant(l.At), l.Text)
}

// Story is a run in plain words.
type Story struct {
	Title   string
	Setting []string // what the reader must know before the first line
	Lines   []Line
	Verdict []string // what it comes to
}

// StoryOptions choose what is told.
type StoryOptions struct {
	// CausalOnly leaves out what does not matter for the violations: it keeps
	// the clients of the violated leases from the call of the acquisition to the
	// end of the lease, whatever changed the lock's keys on the nodes that had
	// voted for them, and all faults. Of a missed goal it keeps the clients that
	// waited and those whose keys were in their way. A run without a violation is
	// told whole, but for nodes that no client uses.
	CausalOnly bool
}

// NewStory tells a run. The error wraps [ErrRun].
func NewStory(run *Run, options StoryOptions) (*Story, error) {
	if err := run.Validate(); err != nil {
		return nil, err
	}
	return tell(newDigest(run), options), nil
}

// tell composes the story of a digested run.
func tell(d *digest, options StoryOptions) *Story {
	t := newTeller(d)
	t.compose()
	if options.CausalOnly {
		t.leaveUnused()
	}
	if options.CausalOnly && len(d.run.Violations) > 0 {
		t.keep(newCause(d))
	}
	t.join()
	return t.story()
}

// textWidth is where printed lines are wrapped, in characters.
const textWidth = 100

// WriteTo prints the story.
func (s *Story) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	b.WriteString(s.Title + "\n")
	for _, line := range s.Setting {
		writeWrapped(&b, "", line)
	}
	b.WriteByte('\n')
	indent := len(strconv.Itoa(len(s.Lines))) + 2
	for i := range s.Lines {
		text := s.Lines[i].String()
		if s.Lines[i].Mark == MarkViolation {
			text += " <<<"
		}
		writeWrapped(&b, strings.Repeat(" ", indent), text)
	}
	b.WriteByte('\n')
	for _, line := range s.Verdict {
		writeWrapped(&b, "", line)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func writeWrapped(b *strings.Builder, indent, text string) {
	for i, line := range wrap(text, textWidth) {
		if i > 0 {
			b.WriteString(indent)
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
}

// wrap breaks a text at blanks into lines of at most width characters; a
// longer word stands alone.
func wrap(text string, width int) []string {
	var lines []string
	line, length := "", 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		if length > 0 && length+1+n > width {
			lines = append(lines, line)
			line, length = "", 0
		}
		if length > 0 {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+n
	}
	return append(lines, line)
}

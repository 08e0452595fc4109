package explain

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"redlocklab/sim/svg"
	"redlocklab/sim/words"
)

// Mark is the kind of a line of a story.
type Mark string

// The marks of lines. Most lines have none.
const (
	MarkNone      Mark = ""
	MarkFault     Mark = "fault"     // a fault began or ended
	MarkHolds     Mark = "holds"     // a client begins or ceases to hold a lock
	MarkAccess    Mark = "access"    // an access arrived at the protected resource
	MarkViolation Mark = "violation" // an oracle is violated from here on
)

// Line is one line of a story.
type Line struct {
	Number int // from 1
	At     time.Duration
	Mark   Mark
	Text   string // in plain words, without number and time
	Events []int  // Seq of the events that the line tells, ascending; empty for a conclusion

	claims  []claim // its text in parts
	decides int     // Seq of the last event that must have happened for the line to be true
}

// String returns the line as it is printed: "2. 0.004 s — n1, n2 and n3 say yes …".
func (l *Line) String() string {
	return fmt.Sprintf("%d. %s — %s", l.Number, words.Instant(l.At), l.Text)
}

// Story is a run in plain words.
type Story struct {
	Title   string
	Setting []string // the facts that come before the first line
	Lines   []Line
	Verdict []string // the violations and the broken assumptions
}

// StoryOptions choose the lines of a story.
type StoryOptions struct {
	// CausalOnly leaves out what does not matter for the violations. It keeps
	//   - all faults;
	//   - the clients of violated leases, from the call of the acquisition to the
	//     end of the violation;
	//   - for a missed goal, the clients that waited and those whose keys were in
	//     their way;
	//   - what changed the lock's keys on nodes that had voted for these clients.
	//
	// Of a run without a violation it leaves out only nodes that no client uses.
	CausalOnly bool
}

// NewStory returns the story of a run. The error wraps [ErrRun].
func NewStory(run *Run, options StoryOptions) (*Story, error) {
	if err := run.Validate(); err != nil {
		return nil, err
	}
	return tell(newDigest(run), options), nil
}

// tell returns the story of a digest.
func tell(d *digest, options StoryOptions) *Story {
	t := &teller{d: d, run: d.run}
	t.compose()
	if options.CausalOnly {
		t.leaveUnused()
		if len(d.run.Violations) > 0 {
			t.keep(newCause(d))
		}
	}
	t.join()
	return t.story().visible()
}

// visible escapes characters that a terminal would obey instead of showing them.
func (s *Story) visible() *Story {
	s.Title = words.Visible(s.Title)
	for _, lines := range [][]string{s.Setting, s.Verdict} {
		for i := range lines {
			lines[i] = words.Visible(lines[i])
		}
	}
	for i := range s.Lines {
		s.Lines[i].Text = words.Visible(s.Lines[i].Text)
	}
	return s
}

// textWidth is the greatest length of printed lines, in characters.
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

func writeWrapped(w io.StringWriter, indent, text string) {
	for i, line := range svg.Wrap(text, textWidth, utf8.RuneCountInString) {
		if i > 0 {
			line = indent + line
		}
		w.WriteString(line + "\n")
	}
}

package tables

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// How often progress is shown: on a terminal one line is kept up to date, and
// elsewhere, as in a log file, a new line is written every few seconds.
const (
	terminalInterval = 100 * time.Millisecond
	logInterval      = 5 * time.Second
)

// Progress counts, runs as a rule, and shows how many are done. Several goroutines may count
// at a time.
type Progress struct {
	Unit string // what is counted; "runs" unless it is changed

	out      io.Writer
	terminal bool
	verb     string
	total    int
	interval time.Duration

	mu   sync.Mutex
	done int
	next time.Time
}

// NewProgress begins to count up to a total; verb says what is done with a run.
func NewProgress(out io.Writer, verb string, total int) *Progress {
	p := &Progress{Unit: "runs", out: out, verb: verb, total: total, interval: logInterval}
	if IsTerminal(out) {
		p.terminal, p.interval = true, terminalInterval
	} else {
		p.next = time.Now().Add(p.interval) // what is done by then needs no line
	}
	return p
}

// Step counts one.
func (p *Progress) Step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(p.interval)
	layout := "%s %d of %d %s\n"
	if p.terminal {
		layout = "\r%s %d of %d %s"
	}
	fmt.Fprintf(p.out, layout, p.verb, p.done, p.total, p.Unit)
}

// End clears the line of a terminal.
func (p *Progress) End() {
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

// IsTerminal reports whether a reader or writer is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

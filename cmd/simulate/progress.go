package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress counts runs in one line of a terminal; elsewhere it is silent.
// Several goroutines may count at a time.
type progress struct {
	out      io.Writer
	shown    bool // there is a terminal
	verb     string
	total    int
	interval time.Duration

	mu   sync.Mutex
	done int
	next time.Time
}

func newProgress(out io.Writer, verb string, total int) *progress {
	file, ok := out.(*os.File)
	return &progress{out: out, verb: verb, total: total, interval: 100 * time.Millisecond, shown: ok && term.IsTerminal(int(file.Fd()))}
}

// step counts one run.
func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if now := time.Now(); p.shown && now.After(p.next) {
		p.next = now.Add(p.interval)
		fmt.Fprintf(p.out, "\r%s %d of %d runs", p.verb, p.done, p.total)
	}
}

// skip counts runs that need not be played.
func (p *progress) skip(runs int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += runs
}

// end clears the line.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
)

// How often progress is shown: on a terminal one line is kept up to date, and
// elsewhere, as in a log file, a new line is written every few seconds.
const (
	terminalInterval = 100 * time.Millisecond
	logInterval      = 5 * time.Second
)

// progress counts runs and shows how many are done. Several goroutines may count
// at a time.
type progress struct {
	out      io.Writer
	terminal bool
	verb     string
	total    int
	interval time.Duration

	mu   sync.Mutex
	done int
	next time.Time
}

func newProgress(out io.Writer, verb string, total int) *progress {
	p := &progress{out: out, verb: verb, total: total, interval: logInterval}
	if isTerminal(out) {
		p.terminal, p.interval = true, terminalInterval
	} else {
		p.next = time.Now().Add(p.interval) // what is done by then needs no line
	}
	return p
}

// step counts one run.
func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(p.interval)
	begin, end := "", "\n"
	if p.terminal {
		begin, end = "\r", ""
	}
	fmt.Fprintf(p.out, "%s%s %d of %d runs%s", begin, p.verb, p.done, p.total, end)
}

// end clears the line of a terminal.
func (p *progress) end() {
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

// play plays jobs and shows how many of the runs are done.
func (p *program) play(ctx context.Context, settings campaign.Settings, jobs []campaign.Job, report func(campaign.Report)) error {
	line := newProgress(p.err, "played", campaign.Runs(jobs))
	defer line.end()
	return campaign.Play(ctx, settings, jobs, func(r campaign.Report) {
		report(r)
		line.step()
	})
}

// table begins an aligned table on standard output.
func (p *program) table(heads ...string) *tables.Writer {
	w := tables.New(p.out)
	fmt.Fprintln(w, strings.Join(heads, "\t"))
	return w
}

package campaign

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
	"redlocklab/sim/processor"
)

// request is one line to a worker: a job with some of its seeds, and the [Settings] that it needs.
type request struct {
	Job
	Options play.RunOptions `json:"options"`
	Limit   time.Duration   `json:"limit_ns"`
	Causes  CausesMode      `json:"causes,omitempty"`
}

// overLimit is the exit code of a worker whose run took too long: that of what is
// inconclusive.
const overLimit = 4

// Serve is the whole life of a worker: it reads requests until its input ends
// and writes one [Summary] per run as a line, in the order of the seeds. When the input
// ends while a request is being worked on, it ends after the present run. A run
// that takes more processor time than it may ends the process.
func Serve(in io.Reader, out io.Writer, laboratory Laboratory) error {
	var ended atomic.Bool
	requests := make(chan request)
	var failed error // is read after requests is closed
	go func() {
		defer close(requests)
		decoder := json.NewDecoder(in)
		for {
			var r request
			if err := decoder.Decode(&r); err != nil {
				ended.Store(true)
				if !errors.Is(err, io.EOF) {
					failed = fmt.Errorf("campaign: a request that cannot be read: %w", err)
				}
				return
			}
			requests <- r
		}
	}()
	buffered := bufio.NewWriter(out)
	encoder := json.NewEncoder(buffered)
	for r := range requests {
		for _, seed := range r.Seeds {
			if ended.Load() {
				break
			}
			report := playOne(limited(laboratory, r.Limit), &r, seed)
			if err := encoder.Encode(report); err != nil {
				return err
			}
			if err := buffered.Flush(); err != nil {
				return err
			}
		}
	}
	return failed
}

// limited is a laboratory that ends the process when a run takes more processor time than
// it may. Each replay that looks for a cause is a run of its own.
func limited(laboratory Laboratory, limit time.Duration) Laboratory {
	return func(p *plan.Plan, options play.RunOptions) (*play.Result, error) {
		stop := processor.After(limit, func() {
			fmt.Fprintf(os.Stderr, "killed: it took more than %v of processor time\n", limit)
			os.Exit(overLimit)
		})
		defer stop()
		return laboratory(p, options)
	}
}

// playOne plays one run. A panic of this program is reported, not lost.
func playOne(laboratory Laboratory, r *request, seed uint64) (report Summary) {
	report = Summary{Scenario: r.Scenario.Name, Subject: r.Subject, Seed: seed}
	defer func() {
		if p := recover(); p != nil {
			report.Failure = fmt.Sprintf("panic: %v", p)
			report.Panic = fmt.Sprintf("panic: %v\n\n%s", p, debug.Stack())
		}
	}()
	p, err := r.Plan, error(nil)
	if p == nil {
		p, err = r.Scenario.Plan(r.Subject, seed)
	}
	var run *play.Result
	if err == nil {
		run, err = laboratory(p, r.Options)
	}
	if err != nil {
		report.Failure = "no run: " + err.Error()
		return report
	}
	answer := r.answer(laboratory, run)
	if r.Save != "" {
		if err := saved.Write(run, answer, r.Save); err != nil {
			report.Failure = "not saved: " + err.Error()
			return report
		}
	}
	job := report
	report = Summarize(run)
	report.Scenario, report.Subject, report.Seed = job.Scenario, job.Subject, job.Seed // its own names
	if answer != nil {
		report.Causes = causesOf(answer)
		if r.Causes == CausesDecide {
			report.Answers = answer.Answers(report.Answers)
		}
	}
	return report
}

// answer looks for the causes of a violated run, if they are asked for or the run is saved.
func (r *request) answer(laboratory Laboratory, run *play.Result) *cause.Answer {
	if !run.Violated() || r.Causes == CausesUnasked && r.Save == "" {
		return nil
	}
	replay := func(p *plan.Plan) (*play.Result, error) { return laboratory(p, r.Options) }
	return cause.Decide(run, replay, cause.Options{Needed: r.Save != ""})
}

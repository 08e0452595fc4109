package scenarios

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"redlocklab/scenarios/ci"
	"redlocklab/scenarios/lock"
	"redlocklab/sim"
)

// A test plays its scenarios in workers: programs like itself, one run at a time. What ends such a
// program, such as a goroutine that leaves the simulated world, ends one scenario and not the test.

const (
	// WorkersVariable is "0" for a test that plays in its own program, where a debugger or a
	// profile sees the lock. Tests that measure coverage or write a profile always do. What ends
	// the program then ends the whole test.
	WorkersVariable = "REDLOCKLAB_WORKERS"
	// workerVariable names, in a worker, the call of [Test] that it works for.
	workerVariable = "REDLOCKLAB_WORKER_OF"
)

// The kinds of jobs.
const (
	probeJob = "probe" // compares the lock with what its candidate states
	playJob  = "play"  // plays the seeds of a scenario
	tellJob  = "tell"  // tells the bug that a seed of a scenario shows
)

// job is what a worker is asked to do, a line of JSON on its standard input.
type job struct {
	Do       string
	Scenario string
	Test     string        // name of the subtest
	Clock    sim.ClockKind // what the probe found
	Share    time.Duration // real time; 0: no bound
	Case     ci.Case       // of tellJob
	Out      string        // folder for runs that are kept
}

// answer is what a worker says, a line of JSON on its answerFile.
type answer struct {
	Clock  sim.ClockKind // of probeJob
	Hints  []string
	Error  string
	Ending *ending // of playJob
	Text   string  // of tellJob
	Last   bool    // the worker ends: a run of it never rests
}

// ending is how the subtest of a scenario ends.
type ending struct {
	ci.Case
	Logs  []string
	Fatal string // why it fails
	Skip  string // why it is skipped
	Aloud bool   // the reason of the skip is also written to standard error
	Size  []int  // of the failing run: its faults and events; nil: it has no run
}

// answerFile is the number of the file that a worker writes its answers to.
const answerFile = 3

// callsOfTest counts the calls of [Test] by each test: an *atomic.Int64 for each *testing.T.
var callsOfTest sync.Map

// callOf names a call of [Test]: the same in a test and in its workers.
func callOf(t *testing.T) string {
	calls, _ := callsOfTest.LoadOrStore(t, new(atomic.Int64))
	return fmt.Sprintf("%s/%d", t.Name(), calls.(*atomic.Int64).Add(1))
}

// serve does jobs until there are none. If its test ends before a job is done, so does the worker.
func (s *suiteTest) serve() error {
	net.DefaultResolver = lock.Resolver()
	var working atomic.Bool
	jobs := make(chan job)
	go func() {
		defer close(jobs)
		for decoder := json.NewDecoder(os.Stdin); ; {
			var next job
			if decoder.Decode(&next) != nil {
				if working.Load() {
					os.Exit(1)
				}
				return
			}
			working.Store(true)
			jobs <- next
		}
	}()
	out := json.NewEncoder(os.NewFile(answerFile, "answers"))
	for next := range jobs {
		done := s.done(next)
		working.Store(false)
		if err := out.Encode(done); err != nil {
			return err
		}
	}
	return nil
}

// done does a job.
func (s *suiteTest) done(next job) (a answer) {
	if next.Do == probeJob {
		if err := s.probe(); err != nil {
			a.Error = err.Error()
		}
		a.Clock, a.Hints = s.candidate.Clock, s.hints
		return a
	}
	s.candidate.Clock, s.out = next.Clock, next.Out
	for i, scenario := range s.suite {
		if scenario.Name != next.Scenario {
			continue
		}
		o := &s.outcomes[i]
		if next.Do == playJob {
			s.judge(scenario, next.Test, next.Share, o)
			a.Ending, a.Last = &o.ending, o.restless
			return a
		}
		result, err := s.play(s.candidate.in(scenario), next.Case.Seed)
		if err != nil {
			a.Error = err.Error()
			return a
		}
		setAside(result)
		o.Case, o.result = next.Case, result
		a.Text = s.tell(o)
	}
	return a
}

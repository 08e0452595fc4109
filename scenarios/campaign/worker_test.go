package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

// workerVariable makes this test program a worker with a laboratory of its own.
const workerVariable = "CAMPAIGN_TEST_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) == "" {
		os.Exit(m.Run())
	}
	if err := campaign.Serve(os.Stdin, os.Stdout, moody); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// moody does by the seed what runs can do to their worker.
func moody(plan *plan.Plan, _ play.RunOptions) (*play.Result, error) {
	switch plan.Title {
	case "always spins":
		for {
			// Nothing in this process can end this.
		}
	case "rests":
		time.Sleep(time.Hour)
	case "sometimes bad":
		switch plan.Seed % 10 {
		case 3:
			for {
				// The same, in one seed of ten.
			}
		case 5:
			fmt.Fprintln(os.Stderr, "fatal error: planted\n\nwhere it happened")
			os.Exit(2)
		case 7:
			return nil, errors.New("planted refusal")
		case 9:
			panic("planted panic")
		}
	case "tells its process":
		run := quiet(plan)
		run.TraceHash = fmt.Sprint("process ", os.Getpid())
		return run, nil
	case "chatters":
		fmt.Println("this is no answer")
	}
	return quiet(plan), nil
}

// quiet is a run in which nothing happened.
func quiet(plan *plan.Plan) *play.Result {
	history := &checker.History{Header: checker.Header{
		Version: checker.Version, Name: plan.Scenario, EndNS: 1, TTLNS: 1, Quorum: 1, Nodes: []string{"n1"},
		Clients: []checker.Client{{Name: "A", Clock: checker.ClockTrue, Validity: checker.ValidityReported}},
	}}
	run := &play.Result{
		Plan: plan, PlanHash: plan.Hash(), TraceHash: fmt.Sprintf("trace of %d", plan.Seed), Outcome: campaign.Finished,
		History: history, Verdict: checker.Judge(history, checker.Options{}),
	}
	for _, fault := range plan.Faults {
		run.Fired = append(run.Fired, faults.Count{Fault: fault.Name, Began: 1, Ended: 1})
	}
	return run
}

// scenario takes one of the suite and gives it another title.
func scenario(t *testing.T, name, title string) *plan.Scenario {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		if s.Name == name {
			s.Title = title
			return s
		}
	}
	t.Fatalf("the suite has no %s", name)
	return nil
}

func seeds(first, last uint64) []uint64 {
	var list []uint64
	for seed := first; seed <= last; seed++ {
		list = append(list, seed)
	}
	return list
}

func settings(t *testing.T) campaign.Settings {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := campaign.Settings{
		Workers: 2, Limit: time.Second,
		Command: func(context.Context, string) (*exec.Cmd, error) { return exec.Command(path), nil },
	}
	return s.WithEnvironment(workerVariable+"=1", "GOMAXPROCS=1")
}

// Whatever runs do to their workers, every seed is reported exactly once, and
// only the seed that is to blame pays.
func TestEverySeedIsReportedOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	bad := campaign.Job{Scenario: scenario(t, "MX-6", "sometimes bad"), Subject: "SY-0", Seeds: seeds(1, 9)}
	good := campaign.Job{Scenario: scenario(t, "MX-4", "good"), Subject: "SY-10", Seeds: seeds(1, 45)}
	reports := map[string]campaign.Summary{}
	err := campaign.Play(context.Background(), settings(t), []campaign.Job{bad, good}, func(r campaign.Summary) {
		key := fmt.Sprintf("%s/%s/%d", r.Scenario, r.Subject, r.Seed)
		if _, twice := reports[key]; twice {
			t.Errorf("%s is reported twice", key)
		}
		reports[key] = r
	})
	var bug *campaign.PanicError
	if !errors.As(err, &bug) || !strings.Contains(bug.Stack, "planted panic") {
		t.Fatalf("got %v, want the panic of seed 9", err)
	}
	if len(reports) != 54 {
		t.Errorf("%d runs are reported, want 54", len(reports))
	}
	want := map[uint64]string{3: "killed: it took more than 1s", 5: "fatal error: planted", 7: "no run: planted refusal", 9: "panic: planted panic"}
	for key, r := range reports {
		failure := ""
		if r.Scenario == "MX-6" {
			failure = want[r.Seed]
		}
		if failure == "" && (r.Failure != "" || r.TraceHash != fmt.Sprintf("trace of %d", r.Seed)) ||
			!strings.Contains(r.Failure, failure) {
			t.Errorf("%s: failure %q, want %q", key, r.Failure, failure)
		}
		if (r.Panic != "") != (failure != "" && r.Seed == 9) {
			t.Errorf("%s: panic %q", key, r.Panic)
		}
	}
}

// A worker is replaced before what the runtime loses per run adds up.
func TestWorkersRetire(t *testing.T) {
	s := settings(t)
	s.Workers, s.Retire = 1, 100
	long := campaign.Job{Scenario: scenario(t, "MX-6", "tells its process"), Subject: "SY-0", Seeds: seeds(1, 240)}
	runs := map[string]int{}
	if err := campaign.Play(context.Background(), s, []campaign.Job{long}, func(r campaign.Summary) {
		runs[r.TraceHash]++
	}); err != nil {
		t.Fatal(err)
	}
	if len(runs) != 3 {
		t.Errorf("runs per process %v, want 100, 100 and 40", runs)
	}
}

// A worker that neither works nor ends is killed.
func TestWorkerThatRestsIsKilled(t *testing.T) {
	s := settings(t)
	s.Limit = 20 * time.Millisecond
	rests := campaign.Job{Scenario: scenario(t, "MX-6", "rests"), Subject: "SY-0", Seeds: seeds(1, 1)}
	var reports []campaign.Summary
	if err := campaign.Play(context.Background(), s, []campaign.Job{rests}, func(r campaign.Summary) {
		reports = append(reports, r)
	}); err != nil {
		t.Fatal(err)
	}
	if len(reports) != 1 || !reports[0].Killed || reports[0].Failure != "killed: it took more than 400ms of real time" {
		t.Errorf("%+v", reports)
	}
}

// A row whose every run spins costs three workers, not one per seed.
func TestRowThatSpinsIsGivenUp(t *testing.T) {
	s := settings(t)
	s.Limit = 300 * time.Millisecond
	s.Workers = 1
	spins := campaign.Job{Scenario: scenario(t, "MX-6", "always spins"), Subject: "SY-0", Seeds: seeds(1, 100)}
	good := campaign.Job{Scenario: scenario(t, "MX-4", "good"), Subject: "SY-0", Seeds: seeds(1, 3)}
	var reports []campaign.Summary
	if err := campaign.Play(context.Background(), s, []campaign.Job{spins, good}, func(r campaign.Summary) {
		reports = append(reports, r)
	}); err != nil {
		t.Fatal(err)
	}
	killed, passedOver, played := 0, 0, 0
	for _, r := range reports {
		switch {
		case r.Killed:
			killed++
		case strings.HasPrefix(r.Failure, "not played: "):
			passedOver++
		case r.Failure == "":
			played++
		}
	}
	if killed != 3 || passedOver != 97 || played != 3 {
		t.Errorf("%d killed, %d passed over, %d played; want 3, 97, 3", killed, passedOver, played)
	}
	var bySpinner []campaign.Summary
	for _, r := range reports {
		if r.Scenario == "MX-6" {
			bySpinner = append(bySpinner, r)
		}
	}
	row := campaign.NewRow(&spins, bySpinner)
	if row.AsExpected || campaign.ExitCode([]campaign.Row{row}) != 4 {
		t.Errorf("a row without a verdict exits %d", campaign.ExitCode([]campaign.Row{row}))
	}
}

// A subject that writes to standard output cannot pass for an answer.
func TestOutputThatIsNoAnswer(t *testing.T) {
	job := campaign.Job{Scenario: scenario(t, "MX-6", "chatters"), Subject: "SY-0", Seeds: seeds(1, 1)}
	var reports []campaign.Summary
	if err := campaign.Play(context.Background(), settings(t), []campaign.Job{job}, func(r campaign.Summary) {
		reports = append(reports, r)
	}); err != nil {
		t.Fatal(err)
	}
	if len(reports) != 1 || !strings.Contains(reports[0].Failure, "no answer") {
		t.Errorf("%+v", reports)
	}
}

// An end of the context lets the present runs finish and begins no other; what
// is left can be played later, and nothing is played twice.
func TestInterruptedCampaignGoesOn(t *testing.T) {
	state := campaign.NewState("run", []campaign.Job{
		{Scenario: scenario(t, "MX-6", "good"), Subject: "SY-0", Seeds: seeds(1, 200)},
	}, play.RunOptions{}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	dir := t.TempDir()
	if err := state.KeepIn(dir); err != nil {
		t.Fatal(err)
	}
	if err := campaign.Play(ctx, settings(t), state.Left(nil), func(r campaign.Summary) {
		state.Add(r)
		cancel()
	}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first := state.Runs()
	if first == 0 || first == 200 {
		t.Fatalf("%d runs were played before the interruption", first)
	}
	if err := state.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := campaign.Resume(dir, "run", nil)
	if err != nil {
		t.Fatal(err)
	}
	var played []uint64
	err = campaign.Play(context.Background(), settings(t), again.Left(nil), func(r campaign.Summary) {
		again.Add(r)
		played = append(played, r.Seed)
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(played)
	if len(slices.Compact(played)) != 200-first || again.Runs() != 200 {
		t.Errorf("played %d, then %v: %d runs", first, played, again.Runs())
	}
	if left := again.Left(nil); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWorkerThatCannotBeStarted(t *testing.T) {
	s := campaign.Settings{
		Workers: 2, Limit: time.Second,
		Command: func(context.Context, string) (*exec.Cmd, error) { return exec.Command("/nowhere/at/all"), nil },
	}
	job := campaign.Job{Scenario: scenario(t, "MX-6", "good"), Subject: "SY-0", Seeds: seeds(1, 3)}
	if err := campaign.Play(context.Background(), s, []campaign.Job{job},
		func(campaign.Summary) {}); !errors.As(err, new(*campaign.WorkerError)) {
		t.Errorf("got %v", err)
	}
}

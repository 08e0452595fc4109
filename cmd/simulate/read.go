package main

import (
	"fmt"
	"os"
	"path/filepath"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
	"redlocklab/sim"
	"redlocklab/sim/explain"
)

// readHistory reads a history.jsonl. Its errors name the file and the line.
func readHistory(path string) (*checker.History, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	history, err := checker.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return history, nil
}

// readTrace reads a trace.ndjson. Its errors name the file and the line.
func readTrace(path string) ([]sim.Event, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	events, err := explain.ReadTrace(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return events, nil
}

// openExplained reads a saved run. The verdict is made anew from its history.
func openExplained(dir string) (*explain.Run, error) {
	plan, err := plan.LoadPlan(filepath.Join(dir, saved.PlanFile))
	if err != nil {
		return nil, err
	}
	history, err := readHistory(filepath.Join(dir, saved.HistoryFile))
	if err != nil {
		return nil, err
	}
	events, err := readTrace(filepath.Join(dir, saved.TraceFile))
	if err != nil {
		return nil, err
	}
	verdict := checker.Judge(history, checker.Options{})
	return play.Explained(plan, history, &verdict, events), nil
}

package main

import (
	"fmt"
	"os"

	"redlocklab/checker"
	"redlocklab/scenarios/explain"
	"redlocklab/sim"
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

package tla

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"redlocklab/scenarios/journal"
)

// kept is the record of a model that was as expected, in Name.json beside TLC's
// output. A later run into the same folder uses it instead of checking the model.
type kept struct {
	// Input is the SHA-256 of all that TLC was given: its jar, the module, the
	// configuration and how it explores.
	Input   string  `json:"input"`
	Outcome Outcome `json:"outcome"`
	Seconds float64 `json:"seconds"`
}

// input identifies what TLC is given for a model.
func (r *run) input(model Model) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, r.tools.SHA256)
	specification, err := model.specification()
	if err != nil {
		return "", err
	}
	for _, text := range []string{specification, model.Configuration()} {
		fmt.Fprintf(sum, "%d\n%s", len(text), text)
	}
	if s := model.Simulate; s != nil {
		fmt.Fprintln(sum, s.Behaviours, s.Depth, s.Seed)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}

// file returns the path of a model's file in the folder of the run.
func (r *run) file(model Model, suffix string) string {
	return filepath.Join(r.options.Directory, model.Name+suffix)
}

// kept returns the kept result of a model if TLC's input would be the same, its output
// still exists, and the manifest expects this outcome. A record that cannot be read counts
// as missing.
func (r *run) kept(model Model, input string) (Result, bool) {
	if r.options.Directory == "" {
		return Result{}, false
	}
	var k kept
	text, readError := os.ReadFile(r.file(model, ".json"))
	_, outputError := os.Stat(r.file(model, ".txt"))
	if errors.Join(readError, outputError) != nil || json.Unmarshal(text, &k) != nil || k.Input != input ||
		len(model.compare(k.Outcome, r.tools.KnownJar)) > 0 {
		return Result{}, false
	}
	elapsed := time.Duration(k.Seconds * float64(time.Second))
	return Result{Model: model, Outcome: k.Outcome, Elapsed: elapsed, Kept: true}, true
}

// keep saves a result that is as expected; after an interruption the file is whole,
// or not there.
func (r *run) keep(result Result, input string) error {
	if r.options.Directory == "" {
		return nil
	}
	record := kept{input, result.Outcome, result.Elapsed.Seconds()}
	if err := journal.WriteJSON(r.file(result.Model, ".json"), record); err != nil {
		return fmt.Errorf("tla: %w", err)
	}
	return nil
}

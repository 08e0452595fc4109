package journal_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redlocklab/scenarios/journal"
)

type told struct {
	Runs int `json:"runs"`
}

// open opens the journal of explore and returns what it was told and its results.
func open(dir string) (j *journal.Journal, t told, results []int, err error) {
	if j, err = journal.Open(dir, "explore", &t); err != nil {
		return nil, t, nil, err
	}
	err = journal.Read(j, func(n int) error {
		results = append(results, n)
		return nil
	})
	return j, t, results, err
}

// TestJournal keeps results before and after there is a folder, and continues
// behind a line that was torn.
func TestJournal(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := filepath.Join(t.TempDir(), "new")
	j := journal.New("explore", told{Runs: 7})
	j.Add(1)
	if err := j.KeepIn(dir); err != nil {
		t.Fatal(err)
	}
	j.Add(2)
	if err := errors.Join(j.Close(), j.Close()); err != nil || j.Dir() != dir {
		t.Fatal(err, j.Dir())
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	path := filepath.Join(dir, journal.File)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, `{"torn":`...), 0o600); err != nil {
		t.Fatal(err)
	}
	j, told, results, err := open(dir)
	if err != nil || told.Runs != 7 || !slices.Equal(results, []int{1, 2}) {
		t.Fatalf("%+v %v %v", told, results, err)
	}
	j.Add(3)
	count := 0
	if err := journal.Read(j, func(int) error { count++; return nil }); err != nil || count != 3 {
		t.Errorf("%d results, %v", count, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if j, _, results, err = open(dir); err != nil || !slices.Equal(results, []int{1, 2, 3}) {
		t.Fatalf("%v %v", results, err)
	}
	j.Close()
}

// TestSettle: results come in the order of their numbers, each once, the last that was added;
// the journal goes on.
func TestSettle(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "D")
	j := journal.New("explore", told{Runs: 7})
	for _, n := range []int{31, 10, 20, 11, -1, 32, 0} { // tens are numbers, ones tell results apart
		j.Add(n)
	}
	number := func(n int) int {
		if n < 0 {
			return n
		}
		return n / 10
	}
	if err := journal.Settle(j, number); err != nil { // it has no folder yet
		t.Fatal(err)
	}
	err := errors.Join(j.KeepIn(dir), journal.Settle(j, number))
	j.Add(40)
	if err := errors.Join(err, j.Close()); err != nil {
		t.Fatal(err)
	}
	j, told, results, err := open(dir)
	if want := []int{0, 11, 20, 32, 40}; err != nil || told.Runs != 7 || !slices.Equal(results, want) {
		t.Fatalf("%+v: %v, %v; want %v", told, results, err, want)
	}
	j.Close()
}

// TestJournalsThatAreNone: an error says what is wrong, and in which line.
func TestJournalsThatAreNone(t *testing.T) {
	const good = `{"version":6,"command":"explore","told":{"runs":7}}` + "\n"
	for _, test := range []struct{ file, text, want string }{
		{journal.File, "", "journal.jsonl:1: no journal to continue: unexpected end of JSON input"},
		{journal.File, `{"version":99}` + "\n", "journal.jsonl:1: no journal to continue: found version 99; allowed: 6, that of this program"},
		{journal.File, strings.Replace(good, "explore", "run", 1), `journal.jsonl:1: no journal to continue: found the journal of "run"; allowed: that of "explore", or: ./simulate run --resume `},
		{journal.File, good + "1\nno number\n", "journal.jsonl:3: no journal to continue: invalid"},
		{journal.File, strings.Replace(good, "runs", "rnus", 1), `journal.jsonl:1: no journal to continue: json: unknown field "rnus"`},
		{"campaign.jsonl", `{"version":4,"jobs":[]}` + "\n", "campaign.jsonl:1: no journal to continue: found version 4; allowed: 6 in journal.jsonl"},
		{"exploration.jsonl", `{"version":2,"strategy":"swarm"}` + "\n", "exploration.jsonl:1: no journal to continue: found version 2; allowed: 6 in journal.jsonl"},
		{"other", "", "no journal to continue: found no journal.jsonl; allowed: the folder given to --out"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, test.file), []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := open(dir); !errors.Is(err, journal.ErrNone) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q: %v, want %s", test.file, test.text, err, test.want)
		}
	}
}

// TestWrite: a file is replaced wholly, or not at all.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "D", "file")
	if err := journal.WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	planted := errors.New("planted")
	err := journal.Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the n")
		return planted
	})
	if err := errors.Join(journal.WriteFile(os.DevNull, []byte("nothing")),
		journal.WriteFile(os.DevNull, []byte("nothing"))); err != nil {
		t.Errorf("a device is replaced: %v", err)
	}
	text, _ := os.ReadFile(path)
	if left, _ := os.ReadDir(filepath.Dir(path)); !errors.Is(err, planted) || string(text) != "old" || len(left) != 1 {
		t.Errorf("%v; the file says %q; in its folder: %v", err, text, left)
	}
}

package checker

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// FuzzRead: whatever the bytes, Read answers with a history or a positioned
// error; what it accepts can be written and read again to the same bytes, and
// judged without a panic.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		history, err := Read(bytes.NewReader(content))
		if err != nil {
			var readError *ReadError
			if !errors.As(err, &readError) || readError.Line < 1 {
				t.Fatalf("no position: %v", err)
			}
			return
		}
		var first, second bytes.Buffer
		if err := Write(&first, history); err != nil {
			t.Fatal(err)
		}
		again, err := Read(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("%v\n%s", err, first.String())
		}
		if err := Write(&second, again); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Fatalf("%s\n%s", first.String(), second.String())
		}
		verdict := Judge(history, Options{SearchSteps: 5000})
		if _, err := json.Marshal(verdict); err != nil {
			t.Fatal(err)
		}
		_ = verdict.Summary()
	})
}

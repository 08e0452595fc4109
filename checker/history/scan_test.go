package history

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// unusual are lines that the quick scan must leave to the other one.
var unusual = []string{
	``, `[]`, `"kind"`, `{}`, `{"kind":"op"} {}`, `{"kind":1}`, `{"kind":{"a":"b"}}`, `{"kind":null}`, `{"id":"x","kind":"op"}`,
	`{"kind":"op","kind":"op"}`, `{"kind":"op","a":{"b":1,"b":2}}`, `{"kind":"op","A":1}`, `{"kind":"op","a\u0062":1}`, `{"kind":"op","a":null}`,
	`{"kind":"op","a":[null]}`, `{"kind":"op",}`, `{"kind":"op"`,
}

// TestQuickKeysAgree: on what it answers, the quick scan says the same as the careful
// one, and it answers for every line that a real history has.
func TestQuickKeysAgree(t *testing.T) {
	for _, line := range unusual {
		if kind, ok := quickKeys([]byte(line)); ok {
			t.Errorf("%s: it says %q", line, kind)
		}
	}
	for _, line := range []string{`{"kind":"op","a":{"b":1,"c":[{"b":"n\"}"},{"b":true}]},"b":-1.5e3}`, ` { "kind" : "lease" , "a" : "{,}" } `} {
		kind, ok := quickKeys([]byte(line))
		if careful, _, err := scanKeys([]byte(line)); !ok || err != nil || kind != careful {
			t.Errorf("%s: quick %q %v, careful %q %v", line, kind, ok, careful, err)
		}
	}
	files, err := filepath.Glob("../testdata/good*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			if _, ok := quickKeys(lines.Bytes()); !ok {
				t.Errorf("%s: the usual is unusual: %s", name, lines.Text())
			}
		}
	}
}

// FuzzQuickKeys: whatever the line, the quick scan is careful or silent.
func FuzzQuickKeys(f *testing.F) {
	for _, line := range unusual {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"kind":"op","a":{"b":1,"c":["x"]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		kind, ok := quickKeys(line)
		if !ok {
			return
		}
		if careful, _, err := scanKeys(line); err != nil || kind != careful {
			t.Errorf("%q: quick %q, careful %q, %v", line, kind, careful, err)
		}
	})
}

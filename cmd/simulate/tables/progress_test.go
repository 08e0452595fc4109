package tables

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestProgressIsShared: rows that are played side by side count in one line.
func TestProgressIsShared(t *testing.T) {
	const workers, each = 8, 1000
	var out bytes.Buffer
	line := NewProgress(&out, "played", 2*workers*each)
	line.terminal, line.interval = true, 0
	var counting sync.WaitGroup
	for range workers {
		counting.Go(func() {
			for range each {
				line.Step()
				line.Step()
			}
		})
	}
	counting.Wait()
	line.End()
	if line.done != line.total || !bytes.HasSuffix(out.Bytes(), []byte("\r\x1b[K")) {
		t.Errorf("%d of %d counted; the line ends with %q", line.done, line.total, out.Bytes()[max(0, out.Len()-20):])
	}
}

// TestProgressInALog: where there is no terminal, long work writes a line now and
// then, and short work writes none.
func TestProgressInALog(t *testing.T) {
	var out bytes.Buffer
	line := NewProgress(&out, "played", 3)
	line.Step()
	if out.Len() > 0 {
		t.Errorf("after an instant: %q", out.String())
	}
	line.next = time.Now() // the interval has passed
	line.Step()
	line.Unit, line.next = "events", time.Now()
	line.Step()
	line.End()
	if want := "played 2 of 3 runs\nplayed 3 of 3 events\n"; out.String() != want || strings.Contains(out.String(), "\r") {
		t.Errorf("found %q; want %q", out.String(), want)
	}
}

// TestTerminals: neither a text nor a device that is no terminal can answer.
func TestTerminals(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, stream := range []any{strings.NewReader(""), file} {
		if IsTerminal(stream) {
			t.Errorf("%T is taken for a terminal", stream)
		}
	}
}

package main

import (
	"bytes"
	"sync"
	"testing"
)

// TestProgressIsShared: rows that are played side by side count in one line.
func TestProgressIsShared(t *testing.T) {
	const workers, each = 8, 1000
	var out bytes.Buffer
	line := newProgress(&out, "played", 2*workers*each)
	line.shown, line.interval = true, 0
	var counting sync.WaitGroup
	for range workers {
		counting.Go(func() {
			for range each {
				line.step()
				line.skip(1)
			}
		})
	}
	counting.Wait()
	line.end()
	if line.done != line.total || !bytes.HasSuffix(out.Bytes(), []byte("\r\x1b[K")) {
		t.Errorf("%d of %d counted; the line ends with %q", line.done, line.total, out.Bytes()[max(0, out.Len()-20):])
	}
}

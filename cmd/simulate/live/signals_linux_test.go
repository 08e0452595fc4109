package live

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A process that is told to stop does nothing more once awaitStop has returned,
// however busy it was.
func TestAwaitStop(t *testing.T) {
	busy := exec.Command("sh", "-c", "while :; do :; done")
	if err := busy.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = busy.Process.Kill(), busy.Wait() }()
	for range 50 {
		if err := busy.Process.Signal(stopSignal); err != nil {
			t.Fatal(err)
		}
		if err := awaitStop(busy.Process); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", busy.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		if state := strings.Fields(string(text))[2]; state != "T" {
			t.Fatalf("state %s, want T", state)
		}
		if err := busy.Process.Signal(continueSignal); err != nil {
			t.Fatal(err)
		}
	}
}

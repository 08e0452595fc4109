//go:build !unix

package live

import (
	"os"
	"os/exec"
)

// stop and goOn pause a process; here there are none, and sending them fails.
var stop, goOn os.Signal = os.Interrupt, os.Interrupt

func awaitStop(*os.Process) error { return nil }

func apart(*exec.Cmd) {}

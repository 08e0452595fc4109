//go:build !unix

package live

import (
	"os"
	"os/exec"
)

// stopSignal and continueSignal pause a process; here there are none, and sending them fails.
var stopSignal, continueSignal os.Signal = os.Interrupt, os.Interrupt

func awaitStop(*os.Process) error { return nil }

func inOwnGroup(*exec.Cmd) {}

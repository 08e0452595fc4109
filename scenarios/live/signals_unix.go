//go:build unix

package live

import (
	"os"
	"os/exec"
	"syscall"
)

// stop and goOn pause a process.
var stop, goOn os.Signal = syscall.SIGSTOP, syscall.SIGCONT

// apart puts a process into a group of its own: a Ctrl-C in the terminal is for
// the laboratory, which ends the others.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

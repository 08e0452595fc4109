//go:build unix

package live

import (
	"os"
	"os/exec"
	"syscall"
)

// stopSignal and continueSignal pause a process.
var stopSignal, continueSignal os.Signal = syscall.SIGSTOP, syscall.SIGCONT

// awaitStop returns when a process that was told to stop has stopped, or ended: it
// goes on until one of its threads gets a processor and takes the signal.
func awaitStop(p *os.Process) error {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(p.Pid, &status, syscall.WUNTRACED, nil)
		if err != syscall.EINTR {
			return err
		}
	}
}

// inOwnGroup puts a process into a group of its own: a Ctrl-C in the terminal is for
// the laboratory, which ends the others.
func inOwnGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

//go:build unix

package main

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// A script plays on a full disk with FULL_DISK=N: no file can get more than so many bytes.
func init() {
	size, err := strconv.ParseUint(os.Getenv("FULL_DISK"), 10, 64)
	if err != nil {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size}); err != nil {
		panic(err)
	}
}

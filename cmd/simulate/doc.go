// Command simulate runs locks on Redis in virtual time, injects faults on
// schedule, and judges the runs.
//
//	simulate                     each claim in one line, in less than a minute
//	simulate run                 the suite, 20 seeds of each row
//	simulate run BA-2 --seed 7   one scenario, one seed
//	simulate replay DIR          a saved run again
//	simulate explain DIR         the same run in plain words and as a picture
//	simulate list words          the definitions of the words
//	simulate doctor              checks that runs are deterministic on this machine
//
// The program is thin: each command has one file, which reads flags, calls a package,
// and prints a table. Package campaign spreads runs over worker processes, play plays
// them, checker judges, and explain tells.
//
// Results go to standard output, everything else to standard error. The exit codes are a
// part of the interface; exit.go lists them. "go run" turns all of them into 1: build the
// program where they matter.
package main

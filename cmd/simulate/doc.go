// Command simulate runs locks on Redis in virtual time, breaks things on
// schedule, and says what held.
//
//	simulate                     the whole suite
//	simulate run BA-2 --seed 7   one scenario, one seed
//	simulate replay DIR          a saved run again
//	simulate explain DIR         … told in plain words, and drawn
//	simulate doctor              is this machine fit, is every run deterministic
//
// It is thin: scenarios loads and plays, scenarios/campaign spreads the runs over
// worker processes and sums up, sim/explain tells, checker judges.
//
// Results go to standard output, everything about the way there to standard error.
// Its exit codes are a part of its interface; they stand in exit.go. go run
// turns all of them into 1: build it where they matter.
package main

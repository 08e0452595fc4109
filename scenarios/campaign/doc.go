// Package campaign plays many runs: every seed of every row (a scenario with one
// of its subjects), in worker processes that can be killed, and sums up the results.
//
//	jobs ──Play──▶ worker process ─┐   one JSON line per run,
//	 (rows × seeds) worker process ─┼─▶ in any order ──▶ Summary ─NewRow─▶ Row ──▶ table, exit code
//	                worker process ─┘                       └──▶ State (to go on after an interruption)
//
// A worker is this same program, started again: it reads batches of seeds as JSON
// lines from its standard input and answers with one [Summary] per run ([Serve]).
// It runs with GOMAXPROCS=1, one per core: a run lives in one synctest bubble, in which
// one goroutine runs at a time, so more processors only add hand-offs. A run that takes
// too long, or ends its process, costs its worker; it is reported as inconclusive with
// the reason, and another worker goes on with the next seed.
//
// Summaries arrive in any order. Rows do not depend on the order, so the output depends
// only on the runs.
//
// Real times (limits) are marked as such; all others are true time inside a run.
// If a worker cannot be started, [Play] returns an error; every other failure is
// recorded in the run's Summary.
package campaign

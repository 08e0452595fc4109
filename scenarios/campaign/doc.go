// Package campaign plays many runs: every seed of every row (a scenario with one
// of its subjects), in worker processes that can be killed, and sums them up.
//
//	jobs ──Play──▶ worker process ─┐   one JSON line per run,
//	 (rows × seeds) worker process ─┼─▶ in any order ──▶ Report ─NewRow─▶ Row ──▶ table, exit code
//	                worker process ─┘                       └──▶ State (to go on after an interruption)
//
// A worker is this same program, started again: it reads batches of seeds as JSON
// lines from its standard input and answers with one [Report] per run ([Serve]).
// It runs with GOMAXPROCS=1, one per core: a run lives in one synctest bubble, where
// one goroutine moves at a time, so more processors only add hand-offs. A run that takes
// too long, or ends its process, costs its worker; it is reported as
// inconclusive with the reason, and another worker goes on with the next seed.
//
// Reports arrive in any order. Rows do not depend on the order, so that what is printed
// depends only on the runs.
//
// Real times (limits) are marked as such; all others are true time inside a run.
// A worker that cannot be started is an error of [Play]; everything that happens
// to a run is in its Report.
package campaign

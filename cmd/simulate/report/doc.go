// Package report makes REPORT.md: what the suite settles, for every claim and every
// system, from result files that are committed beside it.
//
//	suite × systems ──Jobs──▶ campaign.Play ──Collect──▶ Results ──▶ results/cells.jsonl
//	                                                        │
//	results, diagnoses.yaml, minimal plans, models, maps ──Render──▶ REPORT.md, CELLS.md
//
// A [Cell] is one scenario with one system, and how each of its seeds ended. Runs
// in virtual time are functions of their seeds, so the files are the same
// wherever they are made. [Results.Compare] lists the runs that differ from them now.
//
// The package counts verdicts and prints each with the command that shows it again. It
// plays nothing and knows no lock. A [Diagnosis] says why a system loses what no broken
// assumption explains; people write it, and [Input.Undiagnosed] says where one is missing.
package report

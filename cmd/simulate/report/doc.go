// Package report makes REPORT.md, the verdict for every claim and every system,
// from result files that are committed beside it.
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
// plays nothing and knows no lock. A [Diagnosis] states why a system has a violation
// that no broken assumption explains. People write diagnoses; [Input.Undiagnosed] lists
// the missing ones.
package report

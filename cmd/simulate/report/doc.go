// Package report makes REPORT.md: what the suite settles, for every claim and
// every system, from result files that are committed beside it.
//
//	suite × systems ──Jobs──▶ campaign.Play ──Collect──▶ Results ──▶ results/cells.jsonl
//	                                                        │
//	results, judgements.yaml, tla/manifest.json, fidelity rows, CSV files ──Render──▶ REPORT.md, CELLS.md
//
// A [Cell] is one scenario with one system, and how each of its seeds ended. Runs
// in virtual time are functions of their seeds, so the files are the same
// wherever they are made; [Compare] says where a new run differs from them.
//
// The package judges nothing and knows no lock: it counts verdicts and prints, beside each,
// the command that shows it again. Why a system loses what nothing explains is a [Judgement],
// which people write; Unjudged says where one is missing.
package report

// Package rules is the table of closed formulas: for each thing that can go wrong, the number
// from which on two clients may hold, with its source.
//
//	Facts ──Rule.Border──▶ Border: never, always, or at a number
//
// Everything follows from the inequality of the theorem (tla/proof, Claims.mutual_exclusion):
// a key must outlive the belief in it.
//
//	(ttl − grain)/(1 + ρ node)  ≥  (ttl − allowance + grain)/(1 − ρ client)
//
// Package ask starts its searches at these borders and compares what it finds with them. A
// test compares the predictions of the maps, redlock.AllowanceFor and the tables with each
// other. Times are nanoseconds of true time, rates parts per million, servers are counted.
// Borders are rounded to the strict side. The package plays nothing and imports no other
// package of the project.
package rules

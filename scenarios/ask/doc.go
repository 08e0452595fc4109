// Package ask answers "is my lock safe?" for one setup.
//
//	Setup ──questions──▶ scenarios ──runs, bisection──▶ Answers
//
// A [Setup] says which lock is used, on which nodes, and what can happen to them. Each
// [Question] is a story of a claim, built as a scenario with the setup's numbers: a node
// restarts, a clock steps, the holder pauses. The package varies one number, such as how
// long the node is away, and finds the boundary between safe and unsafe runs. An [Answer]
// compares the boundary with the setup. Where the setup is not safe, it plays changes,
// the cheapest first, until one holds.
//
// All times are true time. An answer is valid for the story and the seeds that were played.
// It is evidence, not proof.
package ask

// Package ask answers "is my lock safe?" for one setup.
//
//	Setup ──questions──▶ scenario files ──runs, bisection──▶ Answers
//
// A [Setup] says which lock is used, on which nodes, and what can happen to them. Each
// [Question] is a story of the claims, written as a scenario file with the setup's numbers:
// a node restarts, a clock steps, the holder pauses. One number of it, such as how long the
// node is away, is searched for the boundary between runs that hold and runs that do not.
// An [Answer] compares the boundary with the setup. Where the setup is not safe, cheaper and
// dearer changes are played until one holds.
//
// All times are true time. An answer is about the story that is played, with the seeds that
// are played. It is evidence, not proof.
package ask

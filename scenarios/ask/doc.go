// Package ask answers "is my lock safe?" for one setup.
//
//	Setup ──questions──▶ rule ──border──▶ worst run near it ──▶ evidence on the safe side ──▶ Answers
//
// A [Setup] says which lock is used, on which nodes, and what can happen to them. Each
// [Question] is a story of a claim with the setup's numbers: a node restarts, a clock steps,
// the holder pauses. Package rules has a formula for its border. The package plays the story in
// variants: everything that the setup leaves open, such as the moment of the fault, the network,
// and whether the contender has connections. It looks for the violated run nearest to the rule's
// border. Then it plays drawn variants on the safe side, there and at the setup's own number,
// until so many as [Asker.Evidence] have shown no violation; one that does moves the border.
//
// An [Answer] is by rule and by play. Where they disagree by more than a millisecond, the answer
// says so and is unsafe. Where the setup is not safe, the package plays changes and lists those
// that hold.
//
// All times are true time. What the runs show depends on the seed alone, unless a budget adds
// runs. It is evidence, not proof.
package ask

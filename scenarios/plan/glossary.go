package plan

import (
	"slices"

	"redlocklab/checker"
)

// Term is a word of this project, or the id of an assumption, and what it means.
// GLOSSARY.md has the same text; a test holds the two equal.
type Term struct{ Name, Meaning string }

// Words returns the words that documents, stories and messages use, each after
// the words that explain it.
func Words() []Term { return slices.Clone(words) }

// AssumptionTerms returns what the assumptions say, in the order of the ledger.
func AssumptionTerms() []Term { return slices.Clone(assumptionTerms) }

var words = []Term{
	{"resource", "the thing that a lock protects; it has a name"},
	{"node", "one Redis server; in the simulator a miniredis engine with a clock, a disk and a log of its own"},
	{"client, process", "one user of a lock. A pause stops it until the pause ends, a crash stops it for ever"},
	{"clocks", "a process has three: wall (an operator or NTP can step it), monotonic (stops during suspension), boottime (counts suspension). A node has one clock, which decides when its keys expire"},
	{"true time", "the time in which oracles judge; no process and no node can read it"},
	{"ppm", "parts per million: the unit of a clock's rate error; positive is fast"},
	{"TTL", "time to live: how long a key lives on a node's clock"},
	{"token", "the value that an attempt writes into its keys, to tell them from other attempts' keys"},
	{"vote", "a node's answer that proves that its key carries the attempt's token"},
	{"quorum", "the number of votes that decides: N/2+1 of N nodes, rounded down. A majority is that many nodes"},
	{"round", "one attempt to acquire, extend or release: ask every node, count the answers, decide"},
	{"lease", "one successful acquisition, with a token of its own. An extension moves its end; it is never revived"},
	{"allowance", "the time that a lock subtracts from the TTL for clock errors; customarily 1 % of the TTL plus 2 ms. It must cover the clocks of node and client together: ttl/(1+ρ) ≥ (ttl − allowance)/(1 − ρ). So 1 % covers about 5,000 ppm on each side"},
	{"validity", "how long a lease lasts: ttl − allowance on the client's clock, counted from before the first send"},
	{"belief", "the interval of true time in which a client may think that it holds. It begins when the acquisition returns. It ends at the call of release or at the end of the validity, whichever is first. If a subject reports no validity, the laboratory assumes the TTL from the start of the attempt"},
	{"holder", "a client that believes in a lease. No two clients may hold one resource at once"},
	{"margin", "the time between two beliefs in one resource; negative where they overlap"},
	{"fencing token", "a number that grows from lease to lease. With `fencing: ideal` in a scenario, the laboratory gives the tokens, and they always grow"},
	{"fence", "a resource's check of fencing tokens: it refuses a token smaller than the largest that it has seen, at writes only or at every access"},
	{"restart guard", "a client's rule: the vote of a node counts only after the node has been up for the largest TTL. A guarded client follows this rule, and treats a changed run id as a restart"},
	{"claim", "a public statement about locks on Redis, with an id such as BA-2 (`simulate list claims`)"},
	{"subject", "a lock under test: SY-0 is the textbook algorithm, SY-10 is package redlock (`simulate list subjects`)"},
	{"planted bug", "a mistake put into a lock on purpose, to show that an oracle finds it. A lock with a planted bug is a mutant"},
	{"fault", "one failure, such as a crash or a partition, with the trigger that begins it and its ending (`simulate list faults`)"},
	{"schedule", "the faults of one run, as data"},
	{"scenario", "one YAML file that tests a claim: steps of clients, a schedule, and the expected verdicts of each subject"},
	{"row", "a scenario with one of its subjects"},
	{"seed", "the number that determines every random draw of a run"},
	{"plan", "the complete input of a run. It can be played without the scenario's file"},
	{"run", "one plan, played once, in the simulator or on real servers"},
	{"trace", "the totally ordered list of a run's events. Its SHA-256 is the run's identity"},
	{"history", "the record of clients' operations and of faults that the checker reads"},
	{"oracle", "a test of one property of a history by the checker. Its answer is holds, violated or inconclusive"},
	{"goal", "a demand for progress within a time bound; the liveness oracle checks it"},
	{"finding", "one violation that an oracle found"},
	{"ledger", "the list of the assumptions that a run kept and broke, with the time and event of each break"},
	{"heal", "to remove the break of an assumption from a run, and as little else as possible: a fault, the loss of votes in a crash, a setting of the plan"},
	{"cause", "of a finding: a smallest set of breaks that must be healed for the finding to vanish when the run is played again (`simulate why`). A finding without a cause is the lock's own bug, whatever else broke"},
	{"footprint", "of a finding: the broken assumptions whose breaks touched it, such as a vote that one of its leases counted, or its holder's clock. It is computed from the history alone (`simulate check`), without playing the run again. If it differs from the cause, the cause is right"},
	{"verdict", "the answers of all oracles, and the ledger"},
	{"coverage point", "an event that happens only in some runs, and in which locks often fail; package coverage counts these events"},
	{"campaign", "many runs in worker processes, summed up by row"},
	{"search", "a campaign with randomly drawn plans, to find violations; it then shrinks them"},
	{"laboratory", "everything in this repository except package redlock: the simulator, the faults, the checker, the suite"},
}

var assumptionTerms = []Term{
	{checker.AssumptionRate, "Over any window up to the largest TTL, every clock that matters errs by at most ρ, its steps not counted. A clock matters if a node's keys expire by it, or if a client measures its validity by it. ρ is the scenario's `rate_error_ppm`, 4,500 by default, whatever the subject's own setting. Suspension breaks this for a clock that does not count it"},
	{checker.AssumptionStep, "No clock that matters is stepped, forwards or backwards, while a lease exists"},
	{checker.AssumptionWall, "For a lock that writes times of day (SETNX with a timestamp, PXAT, PEXPIREAT), the wall clocks of nodes and clients differ by at most the scenario's `wall_error`, 1 ms by default. They begin within it of true time, which is what time.Now returns"},
	{checker.AssumptionVote, "A node that acknowledged a vote keeps it until its TTL is over. It does not forget it, or bring back an older one, through a crash, a power loss or a rollback"},
	{checker.AssumptionDistinct, "All clients use one fixed set of distinct, independent nodes while a lease exists. No node is an asynchronously replicated pair that fails over"},
	{checker.AssumptionOwner, "Only clients of the lock remove or change its keys: no DEL or FLUSHALL by an operator, no eviction"},
	{checker.AssumptionToken, "No two attempts use the same token, whether of one client or of two"},
	{checker.AssumptionWork, "A holder, and every message that it sent to the resource, is done before its validity ends. No pause or delay lasts longer"},
	{checker.AssumptionCounter, "The state behind fencing is durable: the counters of its tokens, and the largest token that a resource has seen"},
	{checker.AssumptionHeal, "Faults stop for long enough: a majority is up, and the contender reaches it with its restart guard over and its circuits closed. It reaches a node if the smallest latencies let it set up a connection and send one command within the node timeout, and for one TTL the network loses nothing between them by chance"},
	{checker.AssumptionRandom, "Contenders retry after a random delay that is long compared with one acquisition"},
	{checker.AssumptionBounded, "A holder extends a bounded number of times"},
	{checker.AssumptionTries, "Who must acquire tries until it has the lock. The network can lose the messages of any number of tries, and another client can hold the lock through them"},
}

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
	{"resource", "what a lock protects, by its name"},
	{"node", "one Redis server; in the simulator a miniredis engine with a clock, a disk and a log of its own"},
	{"client, process", "one user of a lock. A pause stops it until the pause ends, a crash stops it for ever"},
	{"clocks", "of a process: wall (an operator or NTP can step it), monotonic (stops during suspension), boottime (counts suspension). A node has one clock, which its keys expire by"},
	{"true time", "the time in which oracles judge; no process and no node can read it"},
	{"ppm", "parts per million: the unit of a clock's rate error; positive is fast"},
	{"TTL", "time to live: how long a key lives on a node's clock"},
	{"token", "the value that an attempt writes into its keys, so that it can tell them from others"},
	{"vote", "a node's answer that proves that its key carries the attempt's token"},
	{"quorum", "how many votes decide: N/2+1 of N nodes, rounded down. A majority is that many nodes"},
	{"round", "one attempt to acquire, extend or release: ask every node, count the answers, decide"},
	{"lease", "one successful acquisition, with a token of its own. An extension moves its end; it is never revived"},
	{"allowance", "what a lock takes off the TTL for clock errors; customarily 1 % of the TTL and 2 ms. It must cover the clocks of node and client together: ttl/(1+ρ) ≥ (ttl − allowance)/(1 − ρ). So 1 % covers about 5,000 ppm on each side"},
	{"validity", "how long a lease lasts: ttl − allowance on the client's clock, counted from before the first send"},
	{"belief", "the interval of true time in which a client may think that it holds. It begins when the acquisition returns. It ends at the call of release or at the end of the validity, whichever is first. Where a subject reports no validity, the laboratory reads TTL from the start of the attempt"},
	{"holder", "a client that believes in a lease. No two clients may hold one resource at once"},
	{"margin", "the time between two beliefs in one resource; negative where they overlap"},
	{"fencing token", "a number that grows from lease to lease. The ones of scenarios with `fencing: ideal` come from the laboratory and always grow"},
	{"fence", "a resource's check of fencing tokens: it refuses a token smaller than the largest that it has seen, at writes only or at every access"},
	{"restart guard", "a client's rule: the vote of a node that has not been up for the largest TTL does not count. A guarded client follows it; it treats a changed run id as a restart"},
	{"claim", "something said in public about locks on Redis, with an id such as BA-2 (`simulate list claims`)"},
	{"subject", "a lock under test: SY-0 is the textbook algorithm, SY-10 is package redlock (`simulate list subjects`)"},
	{"planted bug", "a mistake put into a lock on purpose, to show that an oracle finds it; a lock that has one is a mutant"},
	{"fault", "one thing that goes wrong, with the trigger that begins it and what ends it (`simulate list faults`)"},
	{"schedule", "the faults of one run, as data"},
	{"scenario", "a claim told as steps of clients and a schedule, with what each subject is expected to do; one YAML file"},
	{"row", "a scenario with one of its subjects"},
	{"seed", "the number that every random draw of a run is made from"},
	{"plan", "everything that a run depends on. It can be played without the scenario's file"},
	{"run", "one plan, played once, in the simulator or on real servers"},
	{"trace", "the totally ordered list of a run's events. Its SHA-256 is the run's identity"},
	{"history", "what clients did and what happened to the world, as the checker reads it"},
	{"oracle", "one question that the checker asks about a history. It answers holds, violated or inconclusive"},
	{"goal", "a demand for progress within a bound; the oracle of liveness checks it"},
	{"finding", "one violation that an oracle shows. It has a cause, or is the lock's own bug"},
	{"ledger", "which assumptions a run kept and which it broke, when, and by which event"},
	{"heal", "to take away from a run what broke an assumption, and as little else as possible: a fault, the votes that a crash loses, a setting of the plan"},
	{"cause", "of a finding: a smallest set of breaks that must be healed for the finding to vanish when the run is played again. In a recorded history, which nobody can play again, an assumption explains a finding if it was broken before"},
	{"verdict", "the answers of all oracles, with the ledger beside them"},
	{"coverage point", "something that happens in some runs only, and in which locks go wrong if they do; package coverage counts them"},
	{"campaign", "many runs, played in worker processes and summed up by row"},
	{"search", "a campaign whose plans are drawn, to find violations; it then makes them small"},
	{"laboratory", "everything here but package redlock: the simulator, the faults, the checker, the suite"},
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
	{checker.AssumptionCounter, "What fencing counts on is durable: the counters behind its tokens, and the largest token that a resource has seen"},
	{checker.AssumptionHeal, "Faults stop for long enough: a majority is up and the contender reaches it, past its restart guard and with its circuits closed"},
	{checker.AssumptionRandom, "Contenders retry after a random delay that is long against the time of one acquisition"},
	{checker.AssumptionBounded, "A holder extends a bounded number of times"},
}

package subjects

import (
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// SY-0 is the algorithm of the distlock page and nothing more: SET NX PX on all
// nodes, a majority within the validity, a release on all nodes that compares the
// token, a retry after a random delay. It has no restart guard and no circuit.

func init() {
	lock.Register(plan.SubjectDeclaration{
		Name: "SY-0", Alias: "textbook", Doc: "the textbook algorithm and nothing more",
		Abilities: plan.Abilities{Tokens: true, ShortTTLs: true, Extends: true, Commands: []string{"SET", "release", "extend"}},
		Options: []plan.OptionDeclaration{
			{Name: "clock", Values: []string{"boottime", "monotonic", "wall"}, Doc: "the clock that measures validity"},
			{Name: "token", Values: []string{"unique", "shared"}, Doc: "whether every attempt has its own token"},
			{Name: "retry", Values: []string{"random", "fixed"}, Doc: "whether the delay between attempts is drawn, or always the middle of the range"},
			{Name: "order", Values: []string{"parallel", "sequential", "shuffled"}, Doc: "how the nodes are asked: all at once, or one by one in a fixed or a drawn order"},
			{Name: "set", Values: []string{"plain", "get"}, Doc: "how it asks: SET NX, which refuses a key that carries the attempt's own token; or SET NX GET, whose answer shows the token, and counts it"},
			{Name: "extension", Values: []string{"plain", "top-up"}, Doc: "whether an extension also sets the key where it is missing, which is no vote"},
			{Name: "fence", Values: []string{"none", "maximum"}, Doc: "where its fencing tokens come from, with lock.fencing: subject: from nowhere; " +
				"or each node counts the attempts that it grants, and the token is the largest count of the majority, written back to nobody"},
			driverOption,
			driftOption,
			{Name: "bug", Values: append([]string{"none"}, textbookBugs...), Doc: "a planted bug, which shows that a scenario can fail. Its name says what goes wrong, and the table of simulate mutants tells what its author believed"},
		},
	}, lock.Implementation{
		Clock: func(option func(string, string) string) sim.ClockKind {
			return sim.ClockKind(option("clock", string(sim.Boottime)))
		},
		Allowance: textbookAllowance,
		Scripts:   textbookScripts,
		New:       newTextbook,
	})
}

// textbookBugs are the bugs that can be planted into SY-0.
var textbookBugs = []string{
	"no-allowance",               // nothing is taken off the validity
	"no-clean-up",                // a failed attempt is not released
	"blind-commands",             // release and extension do not compare the token
	"eager-extension",            // an extension counts with one vote, however late
	"half-quorum",                // half of the nodes are a majority
	"responders-quorum",          // so is a majority of the nodes that answer
	"minority-quorum",            // so is half of the nodes, rounded down
	"one-vote",                   // so is one node
	"overwriting-set",            // SET without NX
	"errors-vote",                // an error is a vote
	"short-keys",                 // keys live for nine tenths of the TTL
	"late-validity",              // the validity begins at the last answer
	"blind-release",              // a release does not compare the token
	"split-release",              // a release compares the token with one command, and deletes with the next
	"blind-clean-up",             // the clean-up of a failed attempt does not compare the token
	"lone-extension",             // an extension counts with one vote
	"late-extension-validity",    // the validity of an extension begins at the last answer
	"adding-extension",           // an extension adds the TTL to what is left
	"no-extension-allowance",     // nothing is taken off the validity of an extension
	"failed-extension-lengthens", // a failed extension moves the end of the validity
	"token-per-client",           // all attempts of one client have one token
}

type textbook struct {
	env     lock.Environment
	clock   sim.ClockKind
	extend  *redis.Script
	reused  string // the client's one token, with the bug token-per-client
	workers workers
}

func newTextbook(e lock.Environment) (lock.Locker, error) {
	t := &textbook{env: e, clock: sim.ClockKind(e.Option("clock", string(sim.Boottime))), extend: compareExpire}
	if e.Option("extension", "plain") == "top-up" {
		t.extend = topUp
	}
	e.OnEnd(t.workers.Close)
	return t, nil
}

// allowance is the page's: by default 1 % of the TTL for drift, and 2 ms for Redis' expiry precision and small TTLs.
func (t *textbook) allowance() time.Duration {
	if t.bug("no-allowance") {
		return 0
	}
	return textbookAllowance(t.env.Lock.TTL, t.env.Option)
}

func textbookAllowance(ttl time.Duration, option func(name, otherwise string) string) time.Duration {
	return drift(ttl, option) + 2*time.Millisecond
}

func (t *textbook) quorum() int {
	n := len(t.env.Redis)
	switch {
	case t.bug("half-quorum"):
		return (n + 1) / 2
	case t.bug("minority-quorum"):
		return max(1, n/2)
	case t.bug("one-vote"):
		return 1
	}
	return n/2 + 1
}

// bug reports whether a bug is planted.
func (t *textbook) bug(name string) bool { return t.env.Option("bug", "none") == name }

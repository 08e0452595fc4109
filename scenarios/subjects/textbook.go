package subjects

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// SY-0 is the algorithm of the distlock page and nothing more: SET NX PX on all
// nodes, a majority within the validity, a release of all nodes by comparing the
// token, a retry after a random delay. It has no guard, no circuit, no top-up.

const textbookReleaseSource = `if redis.call("get",KEYS[1]) == ARGV[1] then
    return redis.call("del",KEYS[1])
else
    return 0
end`

const textbookExtendSource = `if redis.call("get",KEYS[1]) == ARGV[1] then
    return redis.call("pexpire",KEYS[1],ARGV[2])
else
    return 0
end`

// textbookTopUpSource also sets a key that is missing, which is no vote.
const textbookTopUpSource = `local holder = redis.call("get",KEYS[1])
if holder == ARGV[1] then
    return redis.call("pexpire",KEYS[1],ARGV[2])
elseif not holder then
    redis.call("set",KEYS[1],ARGV[1],"PX",ARGV[2])
end
return 0`

var textbookScripts = []sim.Script{
	{Name: "release", Source: textbookReleaseSource, Native: nativeCompareDelete},
	{Name: "extend", Source: textbookExtendSource, Native: nativeCompareExpire},
	{Name: "extend", Source: textbookTopUpSource, Native: nativeTopUp},
}

func init() {
	lock.Register(plan.SubjectDeclaration{
		Name: "SY-0", Alias: "textbook", Doc: "the textbook algorithm and nothing more",
		Abilities: plan.Abilities{Extends: true, Commands: []string{"SET", "release", "extend"}},
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
			{Name: "bug", Values: []string{"none", "no-allowance", "no-clean-up", "blind-commands", "eager-extension", "half-quorum",
				"responders-quorum", "minority-quorum", "one-vote", "overwriting-set", "errors-vote", "short-keys", "late-validity", "blind-release", "blind-clean-up",
				"lone-extension", "late-extension-validity", "adding-extension", "no-extension-allowance", "failed-extension-lengthens", "token-per-client"},
				Doc: "a planted bug, for rows that show that a scenario can fail: nothing is taken off the validity; a lost attempt is not released; " +
					"release and extension do not compare the token; an extension counts with one vote and however late; half of the nodes are a majority; " +
					"so is a majority of those that answer; so is half rounded down; so is one node; SET without NX; an error is a vote; keys live for nine tenths of the TTL; " +
					"the validity begins at the last answer; a release does not compare the token; a lost attempt's clean-up does not; " +
					"an extension counts with one vote; its validity begins at the last answer, or is added to what is left, or has nothing taken off it, or moves though the extension failed; " +
					"all attempts of one client have one token"},
		},
	}, lock.Implementation{
		Clock: func(option func(string, string) string) sim.ClockKind {
			return sim.ClockKind(option("clock", string(sim.Boottime)))
		},
		Scripts: textbookScripts,
		New:     newTextbook,
	})
}

type textbook struct {
	env     lock.Environment
	clock   sim.ClockKind
	release *redis.Script
	extend  *redis.Script
	reused  string // the one token of a client whose bug it is
	crew    crew
}

func newTextbook(e lock.Environment) (lock.Locker, error) {
	extend := textbookExtendSource
	if e.Option("extension", "plain") == "top-up" {
		extend = textbookTopUpSource
	}
	t := &textbook{
		env: e, clock: sim.ClockKind(e.Option("clock", string(sim.Boottime))),
		release: redis.NewScript(textbookReleaseSource), extend: redis.NewScript(extend),
	}
	e.OnEnd(t.crew.Close)
	return t, nil
}

// allowance is the page's: 1 % of the TTL for drift, and 2 ms for Redis' expiry precision and small TTLs.
func (t *textbook) allowance() time.Duration {
	if t.bug("no-allowance") {
		return 0
	}
	return t.env.Lock.TTL/100 + 2*time.Millisecond
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

// ballot is what one node's answer comes to.
type ballot int

const (
	refused ballot = iota
	voted
	silent // there was none: an error or a timeout
)

// ask sends one command to every node and counts the votes. It returns at the
// deciding answer, with the clock's reading then.
func (t *textbook) ask(ctx context.Context, order []int, vote func(ctx context.Context, c *redis.Client) ballot) (won bool, at time.Duration) {
	if t.env.Option("order", "parallel") != "parallel" {
		votes := 0
		for _, i := range order {
			if t.askOne(ctx, i, vote) == voted {
				votes++
			}
		}
		return votes >= t.quorum(), t.env.Now(t.clock)
	}
	answers := make(chan ballot, len(order))
	ctx, cancel := t.withTimeout(ctx)
	var left atomic.Int64
	left.Store(int64(len(order)))
	for _, i := range order {
		t.crew.Go(func() {
			answers <- vote(ctx, t.env.Redis[i])
			if left.Add(-1) == 0 { // the decision may be earlier than the last answer
				cancel()
			}
		})
	}
	var count [silent + 1]int
	for range order {
		count[<-answers]++
		switch {
		case count[voted] >= t.quorum():
			return true, t.env.Now(t.clock)
		case t.bug("responders-quorum"): // the silence of the others may still make it one
		case count[refused]+count[silent] > len(order)-t.quorum():
			return false, t.env.Now(t.clock)
		}
	}
	return count[voted] > count[refused], t.env.Now(t.clock) // responders-quorum
}

// changed is the answer to a command that changes the caller's own key.
func changed(did bool, err error) ballot {
	switch {
	case err != nil:
		return silent
	case did:
		return voted
	}
	return refused
}

func (t *textbook) askOne(ctx context.Context, node int, vote func(ctx context.Context, c *redis.Client) ballot) ballot {
	ctx, cancel := t.withTimeout(ctx)
	defer cancel()
	return vote(ctx, t.env.Redis[node])
}

// withTimeout sets the per-node timeout and nothing else: the clean-up of a caller that gave up must not be lost.
func (t *textbook) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), t.env.Lock.NodeTimeout)
}

func (t *textbook) order() []int {
	order := make([]int, len(t.env.Redis))
	for i := range order {
		order[i] = i
	}
	if t.env.Option("order", "parallel") == "shuffled" {
		for i := len(order) - 1; i > 0; i-- {
			j := int(t.env.Uint64() % uint64(i+1))
			order[i], order[j] = order[j], order[i]
		}
	}
	return order
}

func (t *textbook) token() string {
	if t.env.Option("token", "unique") == "shared" {
		return "the-same-value-for-all"
	}
	if t.reused != "" {
		return t.reused
	}
	b := make([]byte, 20)
	_, _ = io.ReadFull(t.env.Random, b)
	token := hex.EncodeToString(b)
	if t.bug("token-per-client") {
		t.reused = token
	}
	return token
}

// TryLock implements Locker.
func (t *textbook) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	token, order := t.token(), t.order()
	var fence grants
	start := t.env.Now(t.clock)
	won, at := t.ask(ctx, order, func(ctx context.Context, c *redis.Client) ballot {
		vote := t.set(ctx, c, resource, token)
		if vote == voted && t.env.Option("fence", "none") == "maximum" {
			count, err := c.Incr(ctx, resource+":grants").Result()
			if err != nil {
				return silent // a lease without a number would be no better than none
			}
			fence.count(count)
		}
		return vote
	})
	if t.bug("late-validity") {
		start = at
	}
	lease := &textbookLease{textbook: t, resource: resource, token: token, until: start + t.env.Lock.TTL - t.allowance(), fence: fence.largest()}
	if won && at < lease.until && ctx.Err() == nil {
		return lease, nil
	}
	if !t.bug("no-clean-up") {
		// Computing takes time: what this attempt still does at this very instant comes
		// first, so that its goroutines and the release do not race for connections.
		t.env.Compute(time.Microsecond)
		_ = lease.giveBack(ctx, t.bug("blind-clean-up") || t.bug("blind-commands")) // the attempt has failed either way
	}
	switch {
	case ctx.Err() != nil:
		return nil, failedAttempt{token, ctx.Err()}
	case won:
		return nil, failedAttempt{token, lock.ErrLate}
	}
	return nil, failedAttempt{token, lock.ErrContended}
}

// set asks one node for the key.
func (t *textbook) set(ctx context.Context, c *redis.Client, resource, token string) ballot {
	args := redis.SetArgs{Mode: "NX", TTL: t.env.Lock.TTL, Get: t.env.Option("set", "plain") == "get"}
	if t.bug("overwriting-set") {
		args.Mode = ""
	}
	if t.bug("short-keys") {
		args.TTL = t.env.Lock.TTL * 9 / 10
	}
	holder, err := c.SetArgs(ctx, resource, token, args).Result()
	none := errors.Is(err, redis.Nil)
	switch {
	case err != nil && !none && t.bug("errors-vote"):
		return voted
	case err != nil && !none:
		return silent
	case args.Get && (none || holder == token), !args.Get && !none:
		return voted
	}
	return refused
}

// failedAttempt is why an attempt failed, and the token that it may have left on nodes.
type failedAttempt struct {
	token string
	error
}

// Token implements Tokened.
func (f failedAttempt) Token() string { return f.token }

// Unwrap returns the reason.
func (f failedAttempt) Unwrap() error { return f.error }

// Lock implements Locker.
func (t *textbook) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return t.env.RetryAfter(ctx, func() time.Duration {
		span := t.env.Lock.Retry.Delay
		if t.env.Option("retry", "random") == "fixed" {
			return (span.Low + span.High) / 2
		}
		return sim.Between(t.env.Uint64(), span.Low, span.High)
	}, func() (lock.Lease, error) { return t.TryLock(ctx, resource) })
}

type textbookLease struct {
	*textbook
	resource, token string
	until           time.Duration
	fence           uint64
}

// Until implements Reporter.
func (l *textbookLease) Until() time.Duration { return l.until }

// Fence implements Fenced; 0 without the option fence.
func (l *textbookLease) Fence() uint64 { return l.fence }

// Token implements Tokened.
func (l *textbookLease) Token() string { return l.token }

// Extend implements Lease: the page's extension, counted only within the validity.
func (l *textbookLease) Extend(ctx context.Context) error {
	start := l.env.Now(l.clock)
	votes := atomic.Int64{}
	won, at := l.ask(ctx, l.order(), func(ctx context.Context, c *redis.Client) ballot {
		if l.bug("blind-commands") {
			return changed(c.PExpire(ctx, l.resource, l.env.Lock.TTL).Val(), nil)
		}
		n, err := l.extend.Run(ctx, c, []string{l.resource}, l.token, l.env.Lock.TTL.Milliseconds()).Int()
		if err == nil && n == 1 {
			votes.Add(1)
		}
		return changed(n == 1, err)
	})
	if l.bug("eager-extension") || l.bug("lone-extension") {
		won = votes.Load() > 0
	}
	if !won || at >= l.until && !l.bug("eager-extension") {
		if l.bug("failed-extension-lengthens") {
			l.until = max(l.until, start+l.env.Lock.TTL-l.allowance())
		}
		return lock.ErrNotHeld
	}
	switch {
	case l.bug("late-extension-validity"):
		start = at
	case l.bug("adding-extension"):
		start = l.until
	case l.bug("no-extension-allowance"):
		start += l.allowance()
	}
	l.until = max(l.until, start+l.env.Lock.TTL-l.allowance())
	return nil
}

// Release implements Lease: every node is told, whatever it voted.
func (l *textbookLease) Release(ctx context.Context) error {
	return l.giveBack(ctx, l.bug("blind-commands") || l.bug("blind-release"))
}

// giveBack deletes the keys that carry the token, or, blindly, any.
func (l *textbookLease) giveBack(ctx context.Context, blind bool) error {
	won, _ := l.ask(ctx, l.order(), func(ctx context.Context, c *redis.Client) ballot {
		if blind {
			return changed(c.Del(ctx, l.resource).Val() == 1, nil)
		}
		n, err := l.release.Run(ctx, c, []string{l.resource}, l.token).Int()
		return changed(n == 1, err)
	})
	if !won {
		return lock.ErrNotHeld
	}
	return nil
}

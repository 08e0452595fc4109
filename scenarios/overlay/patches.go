package overlay

import (
	"context"
	"fmt"
)

// Patch is one bug for package redlock.
type Patch struct {
	Name   string
	Intent string // what its author would have got wrong, in one line
	Edits  []Edit
}

// Build builds the command line with the patch in it. The program knows what it
// carries.
func (p Patch) Build(ctx context.Context, root, output string) error {
	carried := fmt.Sprintf("-ldflags=-X=%s/scenarios/overlay.Carried=%s", module, p.Name)
	if err := Build(ctx, root, "./cmd/simulate", output, p.Edits, carried); err != nil {
		return fmt.Errorf("patch %s: %w", p.Name, err)
	}
	return nil
}

// Find returns the patch of this name.
func Find(name string) (Patch, bool) {
	for _, p := range Patches() {
		if p.Name == name {
			return p, true
		}
	}
	return Patch{}, false
}

// Parts of several patches.
var (
	// restoringExtension makes an extension set missing keys at once, before it is known
	// whether it succeeds.
	restoringExtension = Edit{"redlock/command.go", "if c.restore {\n\t\t\tmode", "if true {\n\t\t\tmode"}
	// nothingAbandoned makes the end of a lease leave behind what extensions did.
	nothingAbandoned = Edit{"redlock/lease.go", "if unsettled && !errors.Is(reason, ErrReleased) && !errors.Is(reason, ErrHandedOver) {", "if unsettled && now < 0 && !errors.Is(reason, ErrReleased) && !errors.Is(reason, ErrHandedOver) {"}
	// timelessSending makes senders not look at the clock.
	timelessSending = Edit{"redlock/request.go", "return r.wantedAt(now) && now < f.deadline",
		"return r.fanout.command.operation == OperationExtend || r.wantedAt(now) && f.deadline > 0"}
)

// ringSource gives each node a ring of its own server and the next node's, as a user may.
const ringSource = `package redlock

import (
	"time"

	"github.com/redis/go-redis/v9"
)

func ringOf(nodes []Node, i int) redis.UniversalClient {
	own, next := nodes[i].Client.(*redis.Client).Options(), nodes[(i+1)%len(nodes)].Client.(*redis.Client).Options()
	return redis.NewRing(&redis.RingOptions{
		Addrs:              map[string]string{"own": own.Addr, "next": next.Addr},
		HeartbeatFrequency: 100 * time.Millisecond,
		NewClient: func(shard *redis.Options) *redis.Client {
			options := *own
			if shard.Addr == next.Addr {
				options = *next
			}
			return redis.NewClient(&options)
		},
	})
}
`

// Patches lists the bugs that can be planted in package redlock.
func Patches() []Patch {
	return []Patch{
		{"quorum-off-by-one", "half rounded down is taken for a majority", []Edit{
			{"redlock/round/round.go", "return nodes/2 + 1", "return max(1, nodes/2)"},
		}},
		{"allowance-forgotten", "a lease is believed for its whole time to live", []Edit{
			{"redlock/acquire.go", "limit := c.ttl - l.settings.allowance(c.ttl)", "limit := c.ttl"},
		}},
		{"validity-from-answer", "the validity counts from the deciding answer, not from before the first send", []Edit{
			{"redlock/acquire.go", "result := f.wait(ctx, f.timeout)\n\tswitch {", "result := f.wait(ctx, f.timeout)\n\tuntil = result.endedAt + limit\n\tswitch {"},
		}},
		{"lapsed-lease-revived", "an extension counts after the deadline too, and puts back keys that had run out", []Edit{
			{"redlock/extend.go", "remaining := l.Until() - start", "remaining := limit"},
			{"redlock/extend.go", "if result.state != round.Granted || result.endedAt >= l.Until() {", "if result.state != round.Granted {"},
			{"redlock/extend.go", "l.lapsed(now)\n", "l.lapsed(now - l.ttl)\n"},
			restoringExtension,
			{"redlock/fanout.go", "if operation == OperationRelease {\n\t\t\treturn round.For", "if operation == OperationRelease || operation == OperationExtend && outcome == OutcomeMissing {\n\t\t\treturn round.For"},
		}},
		{"extension-resent-late", "a script that a node did not know is sent without a look at the clock, sets missing keys, and a release of them succeeds", []Edit{
			restoringExtension, timelessSending, nothingAbandoned,
			{"redlock/release.go", "case lapsed || missing+other >= quorum:", "case missing+other >= quorum:"},
		}},
		{"no-deadline-before-a-resending", "a script that a node did not know is sent again without a look at the clock", []Edit{
			{"redlock/request.go", "return r.wantedAt(now) && now < f.deadline", "return f.command.operation == OperationExtend || r.wantedAt(now) && now < f.deadline"},
			{"redlock/batch.go", "worth && r.wantedAt(q.locker.settings.clock.Now()) {", "worth {"},
		}},
		{"driver-repeats-an-extension", "the driver sends an extension again by itself, and a key that the first sending put back counts as a vote", []Edit{
			restoringExtension,
			{"redlock/request.go", "NoRetry() bool { return true }", "NoRetry() bool { return false }"},
			{"redlock/node.go", "single, ok := client.(*redis.Client)\n", "single, ok := client.(*redis.Client)\n\tok = false // as with a Sentinel client\n"},
			{"redlock/transport.go", "single, _ := client.(*redis.Client)\n\treturn transport{node: client, pool: single}", "return transport{node: client}"},
		}},
		{"connections-kept", "an idle Locker keeps the connections that its senders took from the driver's pool", []Edit{
			{"redlock/transport.go", "const keepTime = 20 * time.Millisecond", "const keepTime = 20 * time.Hour"},
		}},
		{"ring-accepted", "a ring counts as a node: when its server fails, another node's server votes in its place", []Edit{
			{"redlock/node.go", "case *redis.Ring:\n", "case *redis.Ring:\n\t\treturn nil\n"},
			{"redlock/locker.go", "for i, node := range nodes {\n", "for i, node := range nodes {\n\t\tnode.Client, l.settings.guardTTL = ringOf(nodes, i), 0\n"},
			{"redlock/locker.go", "l.cancelCommands()\n\tif dropped", "l.cancelCommands()\n\tfor _, queue := range l.queues {\n\t\t_ = queue.node.Client.Close()\n\t}\n\tif dropped"},
			{File: "redlock/ring.go", New: ringSource},
		}},
		{"round-outlives-its-validity", "a round waits for its nodes when no answer can give a valid lease any more", []Edit{
			{"redlock/options.go", "return min(s.nodeTimeout, ttl-s.allowance(ttl))", "return s.nodeTimeout"},
		}},
		{"same-server-for-ever", "two nodes that once seemed to be one server are never asked again who they are", []Edit{
			{"redlock/server_info.go", "\tr.clash.Store(nil)\n", ""},
		}},
		{"abandoned-extension-stays", "what an extension without success has set late is not released", []Edit{
			restoringExtension, timelessSending, nothingAbandoned,
		}},
		{"no-check-at-the-end", "an extension that is decided after the validity has ended still counts", []Edit{
			{"redlock/extend.go", "min(limit, remaining), min(settings.timeoutFor(ttl), remaining))", "round.NoLimit, max(10*ttl, remaining))"},
			{"redlock/extend.go", "if result.state != round.Granted || result.endedAt >= l.Until() {", "if result.state != round.Granted {"},
			{"redlock/extend.go", "if err == nil && l.lapsed(settings.clock.Now()) {", "if false {"},
		}},
		{"failed-release-forgotten", "a release that fails is not sent again", []Edit{
			{"redlock/token_state.go", "return node.apply(eventSet) == stepRelease, nil", "node.apply(eventSet)\n\t\treturn false, nil"},
			{"redlock/batch.go", "if retry {", "if retry && false {"},
		}},
		{"unverified-vote", "a run id that came over one connection vouches for the votes of every other", []Edit{
			{"redlock/exchange.go", "(q.locker.settings.guardTTL > 0 && runID == \"\")", "false"},
			{"redlock/server_identity.go", "case seen.runID == \"\" || !s.server.sameVotes(seen):", "case s.server.runID == \"\":"},
		}},
		{"failed-extension-counts", "an extension that no quorum answered prolongs the belief all the same", []Edit{
			{"redlock/extend.go", "if result.state != round.Granted || result.endedAt >= l.Until() {", "if result.state == round.Undecided || result.refuted || result.endedAt >= l.Until() {"},
		}},
		{"failed-extension-lengthens", "an extension that failed says so, and the lease is believed for longer all the same", []Edit{
			{"redlock/extend.go", "f.abandoned.set(result.endedAt)\n\t\treturn l.extensionError", "f.abandoned.set(result.endedAt)\n\t\tl.until.Store(max(l.until.Load(), int64(until)))\n\t\treturn l.extensionError"},
		}},
		{"release-by-plain-delete", "a release deletes the key without comparing its token", []Edit{
			{"redlock/command.go", "milliseconds := c.ttl.Milliseconds()\n", "milliseconds := c.ttl.Milliseconds()\n\tif c.operation == OperationRelease {\n\t\treturn []any{\"DEL\", c.keys[0]}\n\t}\n"},
		}},
		{"errors-vote", "whatever is no refusal is a vote", []Edit{
			{"redlock/fanout.go", "default:\n\t\treturn round.Unknown", "case OutcomeTransport, OutcomeTimeout, OutcomeServer:\n\t\treturn round.For\n\tdefault:\n\t\treturn round.Unknown"},
		}},
		{"responders-quorum", "a majority of the nodes that proved something is a majority", []Edit{
			{"redlock/round/round.go", "case r.votesFor >= r.quorum:", "case r.votesFor >= r.quorum || outstanding == 0 && r.votesFor >= max(1, Quorum(r.nodes-r.unknown)):"},
		}},
		{"validity-from-first-reply", "the validity counts from the first vote, not from before the first send", []Edit{
			{"redlock/acquire.go", "result := f.wait(ctx, f.timeout)\n\tswitch {", "result := f.wait(ctx, f.timeout)\n" +
				"\tif i := slices.IndexFunc(result.reports, func(r NodeReport) bool { return r.Outcome == OutcomeGranted }); i >= 0 {\n" +
				"\t\tuntil += result.reports[i].Latency\n\t}\n\tswitch {"},
		}},
		{"fence-from-last-vote", "the fencing token follows the counter of the node that answered last, not the highest", []Edit{
			{"redlock/fanout.go", "f.counter = max(f.counter, f.requests[node].reply.integer)", "f.counter = f.requests[node].reply.integer"},
		}},
		{"fence-without-majority", "the fencing token counts before a majority of nodes has taken it", []Edit{
			{"redlock/acquire.go", "if fenceResult.state != round.Granted {", "if fenceResult.endedAt >= until {"},
		}},
		{"nil-counted-twice", "a request that is sent again has a vote for each sending", []Edit{
			{"redlock/round/round.go", "r.votesFor++\n", "r.votesFor++\n\t\tr.votesFor += r.again\n\t\tr.again = 0\n"},
			{"redlock/round/round.go", "\tloss     Loss\n}", "\tloss     Loss\n\tagain    int\n}\n\n// Again counts a sending.\nfunc (r *Round) Again() { r.again++ }"},
			{"redlock/fanout.go", "state := f.round.Add(", "if f.requests[node].resent {\n\t\tf.round.Again()\n\t}\n\tstate := f.round.Add("},
		}},
		{"release-to-voters-only", "only nodes that are known to have voted get a release", []Edit{
			{"redlock/token_state.go", "node.apply(eventSetSent)\n", ""},
			{"redlock/token_state.go", "case !s.stopped.come.Load():\n\t\tif !set &&", "case !s.stopped.come.Load():\n\t\tif set {\n\t\t\tnode.apply(eventSetSent)\n\t\t}\n\t\tif !set &&"},
			{"redlock/batch.go", "set := r.written\n", "set := false\n"},
		}},
		{"late-key-stays", "a key that is set after the release of its token is not released again", []Edit{
			{"redlock/token_state.go", "return node.apply(eventSet) == stepRelease, nil", "node.apply(eventSet)\n\t\treturn false, nil"},
		}},
		{"extension-without-deadline", "an extension is sent and counted when its lease has ended", []Edit{
			{"redlock/extend.go", "start, min(limit, remaining), min(settings.timeoutFor(ttl), remaining))", "start, max(round.NoLimit, remaining), settings.timeoutFor(ttl))"},
			{"redlock/extend.go", "if err == nil && l.lapsed(settings.clock.Now()) {", "if false {"},
			{"redlock/extend.go", "if result.state != round.Granted || result.endedAt >= l.Until() {", "if result.state != round.Granted {"},
		}},
		{"elapsed-time-ignored", "votes count however late they are read: neither a round nor an acquisition looks at its elapsed time", []Edit{
			{"redlock/round/round.go", "inTime := r.limit == NoLimit || (elapsed >= 0 && elapsed < r.limit)", "inTime := true"},
			{"redlock/acquire.go", "case result.state == round.Granted && result.endedAt >= until:", "case false:"},
		}},
		{"extension-allowance-of-the-rest", "an extension takes the allowance of what is left of the lease, not of the TTL", []Edit{
			{"redlock/extend.go", "limit := ttl - settings.allowance(ttl)\n\tremaining := l.Until() - start", "remaining := l.Until() - start\n\tlimit := ttl - settings.allowance(max(remaining, 0))"},
		}},
		{"expiry-to-the-nanosecond", "the allowance forgets that servers keep deadlines in whole milliseconds", []Edit{
			{"redlock/allowance.go", "const expirySlack = 2 * time.Millisecond", "const expirySlack = 0 * time.Millisecond"},
		}},
		{"owed-release-late", "a release that is owed waits for twice as long before it is sent again", []Edit{
			{"redlock/owed.go", "const repayPause = time.Second", "const repayPause = 2 * time.Second"},
		}},
		{"guard-halved", "a server that restarted is left out for half of the time that its votes may live", []Edit{
			{"redlock/server_identity.go", "s.quarantineEnd = now + quarantine", "s.quarantineEnd = now + quarantine/2"},
		}},
		{"guard-without-clock-errors", "a quarantine is two percent too short for clocks that err", []Edit{
			{"redlock/server_identity.go", "s.quarantineEnd = now + quarantine", "s.quarantineEnd = now + quarantine*98/100"},
		}},
		{"guard-without-allowance", "a quarantine lasts for the TTL alone, without its allowance", []Edit{
			{"redlock/server_identity.go", "s.quarantineEnd = now + quarantine", "s.quarantineEnd = now + guardTTL"},
		}},
		{"guard-a-second-young", "the uptime of a server counts as exact, although it is told in whole seconds", []Edit{
			{"redlock/server_identity.go", "const uptimeSlack = time.Second", "const uptimeSlack = 0 * time.Second"},
		}},
		{"guard-too-short", "a restarted node is left out for a quarter of the time that its votes may live", []Edit{
			{"redlock/server_identity.go", "s.quarantineEnd = now + quarantine", "s.quarantineEnd = now + quarantine/4"},
			{"redlock/server_identity.go", "missing := guardTTL + uptimeSlack - seen.uptime; missing > 0", "missing := guardTTL/4 - seen.uptime; missing > 0"},
			{"redlock/server_identity.go", "now + missing + (quarantine - guardTTL)", "now + missing"},
		}},
	}
}

package search

import (
	"fmt"
	"slices"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// A drawn run has two phases: in the first everything may go wrong, and when
// all of it must be over, a contender comes to whom the lock must not be denied.

// lateClient is that contender.
const lateClient = "Z"

// lateRounds is how many attempts it has. Nobody contends with it, and its
// messages are not lost: what the network loses by chance is over too, for a lost
// answer leaves a key that stands in the way of the next attempt for up to a TTL.
const lateRounds = 20

// bound is a bound of this package's own arithmetic.
func (w *swarm) bound(text string) plan.Bound {
	b, err := w.Bound(text)
	if err != nil {
		panic(err) // the text is our own
	}
	return b
}

// owe adds a goal.
func (w *swarm) owe(g plan.Goal) { w.Liveness = append(w.Liveness, g) }

// addLateClient adds the contender, and what is demanded for it: that it acquires
// (LV-1), and that its release decides (LV-2). It waits long enough that a goal
// that was missed has had its time.
func (w *swarm) addLateClient() {
	promotes := lock.Guards(w.subject()) && slices.ContainsFunc(w.Faults, promotesMasters)
	if promotes && w.Lock.Retry.Tries > 0 {
		// The contender meets the promoted servers first, and waits for a TTL and its allowance.
		w.Lock.Retry.Tries = max(w.Lock.Retry.Tries, lateRounds+int(2*w.Lock.TTL/w.Lock.Retry.Delay.Low))
	}
	comes := w.Lock.TTL * 10
	for _, c := range w.Clients {
		comes = max(comes, w.Lock.TTL*10+c.Start.High+longest(c.Steps, w.Lock))
	}
	for _, f := range w.Faults {
		comes += lastsFor(f)
	}
	if w.breaks(checker.AssumptionRate) {
		comes *= 2 // on the slowest clock that is drawn
	}
	acquires, releases := w.bound(fmt.Sprintf("ttl + clock_error + %d*round", lateRounds)), w.bound("2*node_timeout")
	late := plan.Client{
		Name: lateClient, Start: still(comes),
		Steps: []plan.Step{locking, holding(w.Lock.TTL / 20), releasing, waiting(acquires.Value)},
	}
	goal := plan.Goal{
		Claim: "LV-1", Client: lateClient, Does: "acquire", Within: acquires,
		Needs: []string{checker.AssumptionHeal, checker.AssumptionRandom},
	}
	first := goal
	goal.From = faults.Trigger{When: faults.Pattern{Subject: lateClient, Word: "called", Operation: "acquire"}, Nth: 1}
	w.owe(goal)
	w.owe(plan.Goal{
		Claim: "LV-2", Client: lateClient, Does: "release", Each: plan.EachReturns, From: goal.From,
		Within: releases, Needs: []string{checker.AssumptionHeal},
	})
	// The late contender of a lock with counters of its own tries once before it waits, and the
	// attempt must succeed (LV-1). Nodes that earlier leases missed count less than others: such a lock
	// must not be misled by the one that answers last. A quorum that has never seen its scripts takes
	// six round trips, which must fit into a lease.
	if w.declaration().Abilities.BeyondTextbook && !promotes &&
		w.Lock.Fencing == plan.FencingSubject && 20*w.Network.Latency.High < w.Lock.TTL {
		late.Steps = append([]plan.Step{trying, releasing}, late.Steps...)
		first.Each = plan.EachSucceeds
		w.owe(first)
	}
	w.Clients = append(w.Clients, late)
	w.addOrder()
	w.Network.Links = append(w.Network.Links,
		plan.Link{From: lateClient, To: faults.All, Latency: w.Network.Latency},
		plan.Link{From: faults.All, To: lateClient, Latency: w.Network.Latency})
	w.Bounds.Virtual = comes + 100*acquires.Value
}

// promotesMasters reports whether a fault leaves masters that were promoted. A node that refuses as a
// replica does is promoted when it refuses no more.
func promotesMasters(f faults.Fault) bool {
	switch effect := f.Effect.(type) {
	case *faults.Failover, *faults.Demote:
		return true
	case *faults.Refuse:
		return effect.As == sim.ReadOnly || effect.As == sim.MasterDown
	}
	return false
}

// addOrder adds what a lock that promises more than the textbook owes at any time: nothing is
// sent for a lease that has ended (MX-8), and what is given up stays on no node while the
// client can reach it (LV-11). Where commands can be lost unseen, or a client ends, a key
// that stays says nothing. The package repeats a release after a second.
func (w *swarm) addOrder() {
	if !w.declaration().Abilities.BeyondTextbook {
		return
	}
	w.owe(plan.Goal{Claim: "MX-8", Client: plan.AnyClient, Does: "extend", Each: plan.EachInTime, Within: w.bound("1ms")})
	for _, c := range w.Clients {
		// One attempt lasts no longer than the validity that it could give (LV-2), where its
		// client runs all the time.
		stands := func(f faults.Fault) bool {
			return slices.Contains(faults.ClientsOf(f.Effect), c.Name) && standsStill(f.Effect)
		}
		if c.Does(plan.StepTryLock) && !slices.ContainsFunc(w.Faults, stands) {
			w.owe(plan.Goal{
				Claim: "LV-2", Client: c.Name, Does: "acquire", Each: plan.EachReturns, Within: w.bound("ttl + 10ms"),
			})
		}
	}
	stays := w.bound("2*node_timeout + 1100ms")
	if slices.ContainsFunc(w.Faults, losesSilently) {
		stays = w.bound("4*node_timeout + 1100ms") // drivers of drawn runs wait 3*node_timeout for what never comes
	}
	unseen := func(f faults.Fault) bool { return losesUnseen(f, w.Lock) || w.answersLate(f) }
	if slices.Contains(w.Subjects[0].Options, retrying) || stays.Value >= w.Lock.TTL ||
		w.Network.LossPPM > 0 || slices.ContainsFunc(w.Faults, unseen) {
		return
	}
	for _, does := range []string{"release", "acquire"} {
		w.owe(plan.Goal{Claim: "LV-11", Client: plan.AnyClient, Does: does, Each: plan.EachClears, Within: stays})
	}
}

// losesUnseen reports whether a fault loses commands of which the history does not know, ends
// a client that owes a release, or holds up a command until its driver (which waits for
// 3*node_timeout) has closed the connection: then nobody learns that it came after all (MX-9).
// A driver that sends again waits for a fifth of node_timeout only: see addOrder.
func losesUnseen(f faults.Fault, lock plan.Lock) bool {
	switch e := f.Effect.(type) {
	case *faults.Lose, *faults.ClientCrash, *faults.Reset, *faults.Drip:
		return true
	case *faults.Delay:
		return e.By.High > 2*lock.NodeTimeout
	}
	return false
}

// answersLate reports whether a slow node can keep a release waiting for longer than its timeout:
// behind four requests of each client, a HELLO, the command, and an INFO before and after it.
func (w *swarm) answersLate(f faults.Fault) bool {
	slow, ok := f.Effect.(*faults.SlowNode)
	return ok && time.Duration(4*len(w.Clients))*slow.By.High > w.Lock.NodeTimeout
}

// losesSilently reports whether a fault loses commands without closing their connections, and can
// be over before their client learns of it, from its driver's timeout alone. A restart of its own
// can end a power loss.
func losesSilently(f faults.Fault) bool {
	switch e := f.Effect.(type) {
	case *faults.Crash:
		return e.How == sim.PowerLoss
	case *faults.Partition, *faults.BlackHole:
		return f.End.Ends
	}
	return false
}

// standsStill reports whether an effect can make a client late by itself.
func standsStill(e faults.Effect) bool {
	switch e.(type) {
	case *faults.Pause, *faults.Suspend, *faults.SlowClient, *faults.LateTimers, *faults.ClientCrash,
		*faults.ClientClockRate, *faults.ClientClockStep:
		return true
	}
	return false
}

// lastsFor is how long a fault can take from its first beginning on, all its
// repetitions and the loading of restarted nodes included.
func lastsFor(f faults.Fault) time.Duration {
	once := f.End.For
	if crash, ok := f.Effect.(*faults.Crash); ok {
		once += crash.Loading
	}
	times := time.Duration(max(f.Again.Times, 1))
	return times * (once + f.Again.Every)
}

// longest is how long steps can take when every attempt, of all that there are,
// is lost in the worst way.
func longest(steps []plan.Step, lock plan.Lock) time.Duration {
	var sum time.Duration
	for _, s := range steps {
		switch s.Kind {
		case plan.StepLock:
			sum += time.Duration(lock.Retry.Tries) * (3*lock.NodeTimeout + lock.Retry.Delay.High)
		case plan.StepTryLock, plan.StepExtend, plan.StepRelease:
			sum += 3 * lock.NodeTimeout
		case plan.StepRepeat:
			sum += time.Duration(s.Times) * longest(s.Steps, lock)
		default:
			sum += s.Duration.High + s.Think.High
		}
	}
	return sum
}

// starving makes a run in which one client extends, perhaps without a bound,
// while another waits (LV-9). Nothing else goes wrong in it.
func (w *swarm) starving() {
	const allowed = 2
	ttl := w.Lock.TTL
	w.Lock.Extensions, w.Lock.Retry.Tries, w.Network.LossPPM = allowed, 0, 0
	extensions := plan.Step{
		Kind: plan.StepRepeat, Times: 1 + w.below("extensions of A", 12), Steps: []plan.Step{holding(ttl / 2), extending},
	}
	w.Clients = []plan.Client{
		{Name: "A", Steps: []plan.Step{locking, extensions, releasing}},
		{Name: "B", Start: still(ttl / 2), Steps: []plan.Step{locking, releasing}},
	}
	w.owe(plan.Goal{
		Claim: "LV-9", Client: "B", Does: "acquire",
		From:   faults.Trigger{When: faults.Pattern{Subject: "A", Word: "acquired"}, Nth: 1},
		Within: w.bound(fmt.Sprintf("%d*ttl + %d*clock_error + 2*round", allowed+1, allowed+1)),
		Needs:  []string{checker.AssumptionBounded},
	})
}

// impatient makes a run in which one client holds, and another tries a few times and may give up
// before (LV-7). Nothing else goes wrong in it.
func (w *swarm) impatient() {
	w.Lock.Retry.Tries, w.Network.LossPPM = 1+w.below("tries of B", lateRounds), 0
	steps := []plan.Step{locking, holding(w.Lock.TTL / 2), releasing}
	w.Clients = []plan.Client{{Name: "A", Steps: steps}, {Name: "B", Start: still(w.Lock.TTL / 4), Steps: steps}}
	w.owe(plan.Goal{Claim: "LV-7", Client: "B", Does: "acquire", Within: w.bound("2*ttl + clock_error + 2*round")})
}

// symmetric makes a run in which two clients are each nearest to one half of
// four nodes and begin at once: with a fixed delay between attempts nobody ever
// wins (LV-4). Nothing else goes wrong in it.
func (w *swarm) symmetric() {
	near := w.Network.Latency.Low
	w.Nodes.Count = 4
	w.Network = plan.Network{Latency: still(near)}
	for i, far := range []string{"B", "B", "A", "A"} {
		link := plan.Link{From: far, To: w.Nodes.Names()[i], Latency: still(2 * near)}
		w.Network.Links = append(w.Network.Links, link)
	}
	w.Lock.NodeTimeout = 20 * near
	within := w.bound("ttl + clock_error + 8*round")
	w.Lock.Retry.Tries = 1 + int(within.Value/w.Lock.Retry.Delay.Low) // more than fit into that time
	steps := []plan.Step{locking, releasing, waiting(within.Value)}
	w.Clients = []plan.Client{{Name: "A", Steps: steps}, {Name: "B", Steps: steps}}
	w.owe(plan.Goal{
		Claim: "LV-4", Client: plan.AnyClient, Does: "acquire", Within: within, Needs: []string{checker.AssumptionRandom},
	})
}

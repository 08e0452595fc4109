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

// addLateClient adds the contender, and what is demanded for it: that it acquires
// (LV-1), and that its release decides (LV-2). It waits long enough that a goal
// that was missed has had its time.
func addLateClient(s *plan.Scenario, o Trial) error {
	promotes := lock.Guards(o.subject()) && slices.ContainsFunc(s.Faults, promotesMasters)
	if promotes && s.Lock.Retry.Tries > 0 {
		// The contender meets the promoted servers first, and waits for a TTL and its allowance.
		s.Lock.Retry.Tries = max(s.Lock.Retry.Tries, lateRounds+int(2*s.Lock.TTL/s.Lock.Retry.Delay.Low))
	}
	comes := s.Lock.TTL * 10
	for _, c := range s.Clients {
		comes = max(comes, s.Lock.TTL*10+c.Start.High+longest(c.Steps, s.Lock))
	}
	for _, f := range s.Faults {
		comes += lastsFor(f)
	}
	if o.breaks(checker.AssumptionRate) {
		comes *= 2 // on the slowest clock that is drawn
	}
	acquires, err := s.Bound(fmt.Sprintf("ttl + clock_error + %d*round", lateRounds))
	if err != nil {
		return err
	}
	releases, err := s.Bound("2*node_timeout")
	if err != nil {
		return err
	}
	called := faults.Trigger{When: faults.Pattern{Subject: lateClient, Word: "called", Operation: "acquire"}, Nth: 1}
	s.Clients = append(s.Clients, plan.Client{
		Name: lateClient, Start: faults.Span{Low: comes, High: comes},
		Steps: []plan.Step{
			{Kind: plan.StepLock, Resource: resource},
			{Kind: plan.StepHold, Duration: faults.Span{Low: s.Lock.TTL / 20, High: s.Lock.TTL / 20}},
			{Kind: plan.StepRelease, Resource: resource},
			{Kind: plan.StepWait, Duration: faults.Span{Low: acquires.Value, High: acquires.Value}},
		},
	})
	s.Liveness = append(s.Liveness,
		plan.Goal{Claim: "LV-1", Client: lateClient, Does: "acquire", From: called, Within: acquires, Needs: []string{
			checker.AssumptionHeal, checker.AssumptionRandom,
		}},
		plan.Goal{
			Claim: "LV-2", Client: lateClient, Does: "release", Each: plan.EachReturns, From: called,
			Within: releases, Needs: []string{checker.AssumptionHeal},
		},
	)
	if o.declaration().Abilities.BeyondTextbook && !promotes {
		addFirstAttempt(s, acquires)
	}
	if err := addOrder(s, o); err != nil {
		return err
	}
	s.Network.Links = append(s.Network.Links,
		plan.Link{From: lateClient, To: faults.All, Latency: s.Network.Latency},
		plan.Link{From: faults.All, To: lateClient, Latency: s.Network.Latency})
	s.Bounds.Virtual = comes + 100*acquires.Value
	return nil
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

// addFirstAttempt lets the late contender of a lock with counters of its own try once before
// it waits, and demands that the attempt succeeds (LV-1). Nodes that earlier leases missed
// count less than others: such a lock must not be misled by the one that answers last. A
// quorum that has never seen its scripts takes six round trips, which must fit into a lease.
func addFirstAttempt(s *plan.Scenario, acquires plan.Bound) {
	if s.Lock.Fencing != plan.FencingSubject || 20*s.Network.Latency.High >= s.Lock.TTL {
		return
	}
	late := &s.Clients[len(s.Clients)-1]
	late.Steps = append([]plan.Step{
		{Kind: plan.StepTryLock, Resource: resource}, {Kind: plan.StepRelease, Resource: resource},
	}, late.Steps...)
	s.Liveness = append(s.Liveness, plan.Goal{
		Claim: "LV-1", Client: lateClient, Does: "acquire", Each: plan.EachSucceeds, Within: acquires,
		Needs: []string{checker.AssumptionHeal, checker.AssumptionRandom},
	})
}

// addOrder adds what a lock that promises more than the textbook owes at any time: nothing is
// sent for a lease that has ended (MX-8), and what is given up stays on no node while the
// client can reach it (LV-11). Where commands can be lost unseen, or a client ends, a key
// that stays says nothing. The package repeats a release after a second.
func addOrder(s *plan.Scenario, o Trial) error {
	if !o.declaration().Abilities.BeyondTextbook {
		return nil
	}
	late, err := s.Bound("1ms")
	if err != nil {
		return err
	}
	s.Liveness = append(s.Liveness, plan.Goal{
		Claim: "MX-8", Client: plan.AnyClient, Does: "extend", Each: plan.EachInTime, Within: late,
	})
	returns, err := s.Bound("ttl + 10ms")
	if err != nil {
		return err
	}
	for _, c := range s.Clients {
		// One attempt lasts no longer than the validity that it could give (LV-2), where its
		// client runs all the time.
		tries := func(step plan.Step) bool { return step.Kind == plan.StepTryLock }
		stands := func(f faults.Fault) bool {
			return slices.Contains(faults.ClientsOf(f.Effect), c.Name) && standsStill(f.Effect)
		}
		if slices.ContainsFunc(plan.AllSteps(c.Steps), tries) && !slices.ContainsFunc(s.Faults, stands) {
			s.Liveness = append(s.Liveness, plan.Goal{
				Claim: "LV-2", Client: c.Name, Does: "acquire", Each: plan.EachReturns, Within: returns,
			})
		}
	}
	clears := "2*node_timeout + 1100ms"
	if slices.ContainsFunc(s.Faults, losesSilently) {
		clears = "4*node_timeout + 1100ms" // the drivers of drawn runs wait 3*node_timeout for what never comes
	}
	unseen := func(f faults.Fault) bool { return losesUnseen(f, s.Lock) }
	stays, err := s.Bound(clears)
	if err != nil || slices.Contains(s.Subjects[0].Options, retrying) || stays.Value >= s.Lock.TTL ||
		s.Network.LossPPM > 0 || slices.ContainsFunc(s.Faults, unseen) {
		return err
	}
	for _, does := range []string{"release", "acquire"} {
		s.Liveness = append(s.Liveness, plan.Goal{
			Claim: "LV-11", Client: plan.AnyClient, Does: does, Each: plan.EachClears, Within: stays,
		})
	}
	return nil
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

// losesSilently reports whether a fault loses commands and ends without closing their
// connections: their client learns of it from its driver's timeout alone.
func losesSilently(f faults.Fault) bool {
	switch e := f.Effect.(type) {
	case *faults.Crash:
		return f.End.Ends && e.How == sim.PowerLoss
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
func starving(d draw, s *plan.Scenario) error {
	const allowed = 2
	ttl := s.Lock.TTL
	s.Lock.Extensions, s.Lock.Retry.Tries, s.Network.LossPPM = allowed, 0, 0
	extends := 1 + d.below("extensions of A", 12)
	s.Clients = []plan.Client{
		{Name: "A", Steps: []plan.Step{
			{Kind: plan.StepLock, Resource: resource},
			{Kind: plan.StepRepeat, Times: extends, Steps: []plan.Step{
				{Kind: plan.StepHold, Duration: still(ttl / 2)}, {Kind: plan.StepExtend, Resource: resource},
			}},
			{Kind: plan.StepRelease, Resource: resource},
		}},
		{Name: "B", Start: still(ttl / 2), Steps: []plan.Step{
			{Kind: plan.StepLock, Resource: resource}, {Kind: plan.StepRelease, Resource: resource},
		}},
	}
	within, err := s.Bound(fmt.Sprintf("%d*ttl + %d*clock_error + 2*round", allowed+1, allowed+1))
	if err != nil {
		return err
	}
	acquired := faults.Trigger{When: faults.Pattern{Subject: "A", Word: "acquired"}, Nth: 1}
	s.Liveness = []plan.Goal{{
		Claim: "LV-9", Client: "B", Does: "acquire", From: acquired, Within: within,
		Needs: []string{checker.AssumptionBounded},
	}}
	return nil
}

// impatient makes a run in which one client holds, and another tries a few times and may give up
// before (LV-7). Nothing else goes wrong in it.
func impatient(d draw, s *plan.Scenario) error {
	s.Lock.Retry.Tries, s.Network.LossPPM = 1+d.below("tries of B", lateRounds), 0
	within, err := s.Bound("2*ttl + clock_error + 2*round")
	if err != nil {
		return err
	}
	s.Clients = nil
	for i, name := range []string{"A", "B"} {
		s.Clients = append(s.Clients, plan.Client{
			Name: name, Start: still(time.Duration(i) * s.Lock.TTL / 4), Steps: []plan.Step{
				{Kind: plan.StepLock, Resource: resource},
				{Kind: plan.StepHold, Duration: still(s.Lock.TTL / 2)},
				{Kind: plan.StepRelease, Resource: resource},
			},
		})
	}
	s.Liveness = []plan.Goal{{Claim: "LV-7", Client: "B", Does: "acquire", Within: within}}
	return nil
}

// still is a length of time that does not vary.
func still(d time.Duration) faults.Span { return faults.Span{Low: d, High: d} }

// symmetric makes a run in which two clients are each nearest to one half of
// four nodes and begin at once: with a fixed delay between attempts nobody ever
// wins (LV-4). Nothing else goes wrong in it.
func symmetric(s *plan.Scenario) error {
	near := s.Network.Latency.Low
	s.Nodes.Count = 4
	s.Network = plan.Network{Latency: still(near)}
	for i, far := range []string{"B", "B", "A", "A"} {
		name := s.Nodes.Names()[i]
		s.Network.Links = append(s.Network.Links, plan.Link{From: far, To: name, Latency: still(2 * near)})
	}
	s.Lock.NodeTimeout = 20 * near
	within, err := s.Bound("ttl + clock_error + 8*round")
	if err != nil {
		return err
	}
	s.Lock.Retry.Tries = 1 + int(within.Value/s.Lock.Retry.Delay.Low) // more than fit into that time
	s.Clients = nil
	for _, name := range []string{"A", "B"} {
		s.Clients = append(s.Clients, plan.Client{Name: name, Steps: []plan.Step{
			{Kind: plan.StepLock, Resource: resource}, {Kind: plan.StepRelease, Resource: resource},
			{Kind: plan.StepWait, Duration: still(within.Value)},
		}})
	}
	s.Liveness = []plan.Goal{
		{Claim: "LV-4", Client: "any", Does: "acquire", Within: within, Needs: []string{checker.AssumptionRandom}},
	}
	return nil
}

// endless cuts every client off from a majority, or ends a majority, for good.
func (w *swarm) endless(knob string) faults.Fault {
	majority := w.nodes[:len(w.nodes)/2+1]
	if w.chance(knob+" cut", 50) {
		return faults.Fault{
			Effect: &faults.Partition{Clients: []string{faults.All}, Nodes: majority, Direction: w.direction(knob)},
			Begin:  w.begin(knob),
		}
	}
	return faults.Fault{
		Effect: &faults.Crash{Nodes: majority, How: sim.PowerLoss, TimedBy: faults.TrueTime},
		Begin:  w.begin(knob),
	}
}

// minority ends a minority for good: whatever comes then must go on without it.
func (w *swarm) minority(knob string) faults.Fault {
	nodes := some(w.draw, knob+" nodes", w.nodes, (len(w.nodes)-1)/2)
	f := faults.Fault{
		Name: "minority", Effect: &faults.Crash{Nodes: nodes, How: sim.PowerLoss, TimedBy: faults.TrueTime},
		Begin: w.begin(knob),
	}
	if w.chance(knob+" cut", 50) {
		f.Effect = &faults.Partition{Clients: []string{faults.All}, Nodes: nodes, Direction: w.direction(knob)}
	}
	return f
}

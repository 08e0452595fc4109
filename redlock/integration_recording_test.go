package redlock_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"redlocklab/checker"
	"redlocklab/redlock"
)

// recording records the history of a run on real servers. True time is the machine's clock,
// which every client and every server shares.
type recording struct {
	origin time.Duration
	clock  redlock.Clock

	mu      sync.Mutex
	last    time.Duration
	history checker.History
}

// chaosResources is how many resources the clients contend for.
const chaosResources = 2

func newRecording(name string, ttl time.Duration) *recording {
	clock := redlock.SystemClock()
	r := &recording{clock: clock, origin: clock.Now()}
	r.history.Header = checker.Header{
		Version: checker.Version, Name: name, TTLNS: int64(ttl), RateErrorPPM: checker.DefaultRateErrorPPM,
		Nodes: []string{"n1", "n2", "n3", "n4", "n5"}, Quorum: 3,
	}
	return r
}

// now returns true time. No two readings are equal.
func (r *recording) now() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = max(r.clock.Now()-r.origin, r.last+1)
	return r.last
}

func (r *recording) add(f func(h *checker.History)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.history)
}

// client locks, works, sometimes extends, and usually releases, again and again until ctx
// ends.
func (r *recording) client(ctx context.Context, name string, l *redlock.Locker, random *rand.Rand) {
	r.add(func(h *checker.History) {
		h.Header.Clients = append(h.Header.Clients, checker.Client{
			Name: name, Subject: "redlock",
			Clock: checker.ClockBoottime, Validity: checker.ValidityReported, ReleaseConfirms: true,
		})
	})
	operation := 0
	// call runs and records one operation. An operation that fails has no effect that
	// counts, so its outcome is known when it returns.
	call := func(
		action checker.Action, resource, lease string, f func() error,
	) (id string, returned time.Duration, err error) {
		operation++
		o := checker.Operation{
			ID: fmt.Sprintf("%s.%d", name, operation), Client: name, Action: action, Resource: resource, Lease: lease,
			CallNS: int64(r.now()), Outcome: checker.OutcomeOK,
		}
		err = f()
		returned = r.now()
		o.ReturnNS = checker.At(int64(returned))
		if err != nil {
			o.Outcome, o.Class = checker.OutcomeFail, fmt.Sprintf("%.60s", err)
			if action == checker.ActionAcquire {
				o.Lease = ""
			}
		}
		r.add(func(h *checker.History) { h.Operations = append(h.Operations, o) })
		return o.ID, returned, err
	}
	for n := 1; ctx.Err() == nil; n++ {
		resource := fmt.Sprintf("r%d", 1+random.IntN(chaosResources))
		record := checker.Lease{ID: fmt.Sprintf("%s#%d", name, n), Client: name, Resource: resource}
		var lease *redlock.Lease
		id, returned, err := call(checker.ActionAcquire, resource, record.ID, func() (err error) {
			patience, cancel := context.WithTimeout(context.Background(),
				time.Duration(1+random.IntN(400))*time.Millisecond)
			defer cancel()
			lease, err = l.Lock(patience, resource, chaosTTL)
			return err
		})
		if err != nil {
			continue
		}
		until := func() int64 { return int64(lease.Until() - r.origin) }
		record.Operation = id
		record.Validity = []checker.Validity{{AtNS: int64(returned), UntilNS: until()}}
		rest(random, 40)
		for range random.IntN(3) {
			_, returned, err := call(checker.ActionExtend, resource, record.ID,
				func() error { return lease.Extend(context.Background(), chaosTTL) })
			// a failed extension that moved the end is recorded for the checker
			if end := until(); err == nil || end > record.Validity[len(record.Validity)-1].UntilNS {
				record.Validity = append(record.Validity, checker.Validity{AtNS: int64(returned), UntilNS: end})
			}
			rest(random, 40)
		}
		if random.IntN(10) > 0 { // one in ten leases lapses
			record.ReleasedNS = checker.At(int64(r.now()))
			release := *record.ReleasedNS
			_, _, _ = call(checker.ActionRelease, resource, record.ID,
				func() error { return lease.Release(context.Background()) })
			r.add(func(h *checker.History) { // the belief ends with the call, so both have one instant
				for i := len(h.Operations) - 1; i >= 0; i-- {
					if o := &h.Operations[i]; o.Client == name {
						o.CallNS = release
						return
					}
				}
			})
		}
		r.add(func(h *checker.History) { h.Leases = append(h.Leases, record) })
	}
}

func rest(random *rand.Rand, milliseconds int) {
	time.Sleep(time.Duration(random.IntN(milliseconds*1000)) * time.Microsecond)
}

// memory returns the votes that a server has, by key. Its proxy must be a black hole.
func (r *recording) memory(s *realServer) map[string]vote {
	console := s.console()
	for range 2 { // after the second reply, everything that arrived before has been executed
		_ = console.Ping(context.Background()).Err()
	}
	votes := map[string]vote{}
	for i := range chaosResources {
		key := fmt.Sprintf("r%d", i+1)
		token, err := console.Get(context.Background(), key).Result()
		left, leftErr := console.PTTL(context.Background(), key).Result()
		if err == nil && leftErr == nil && left > 0 {
			votes[key] = vote{token, r.now() + left}
		}
	}
	return votes
}

// vote is the value of a key on a server, and when it expires in true time.
type vote struct {
	token string
	ends  time.Duration
}

// compare records the votes that a restart lost or brought back, and returns their number.
func (r *recording) compare(node string, before, after map[string]vote, at time.Duration) int {
	count := 0
	fact := func(name checker.FactName, key string, v vote) {
		count++
		f := checker.Fact{
			Fact: name, AtNS: int64(at), Node: node, Key: key, Token: v.token,
			RemainingNS: int64(v.ends - at), Cause: checker.CauseCrash,
		}
		r.add(func(h *checker.History) { h.Facts = append(h.Facts, f) })
	}
	for i := range chaosResources {
		key := fmt.Sprintf("r%d", i+1)
		was, had := before[key]
		is, has := after[key]
		if had && is.token != was.token && was.ends > r.now() {
			fact(checker.FactForgot, key, was)
		}
		if has && is.token != was.token {
			fact(checker.FactRevived, key, is)
		}
	}
	return count
}

// finish returns the complete history. Its goals demand that some client acquired each
// resource after everything was healed (claim LV-8).
func (r *recording) finish(healed time.Duration) *checker.History {
	end := r.now()
	r.history.Header.EndNS = int64(end)
	for i := range chaosResources {
		r.history.Goals = append(r.history.Goals, checker.Goal{
			ID: fmt.Sprintf("goal %d", i+1), Claim: "LV-8",
			Bound: "to the end of the epoch", Form: checker.GoalSome,
			Resource: fmt.Sprintf("r%d", i+1), Action: checker.ActionAcquire, FromNS: int64(healed),
			WithinNS: int64(end - healed),
		})
	}
	return &r.history
}

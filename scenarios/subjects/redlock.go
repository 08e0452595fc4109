package subjects

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"redlocklab/redlock"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/overlay"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
	"redlocklab/sim/random"
)

// SY-10 is this project's package redlock, used only through its public API.

// natives are Go implementations of the package's scripts. Scripts without one run as Lua.
var natives = map[string]func(sim.Keyspace, []string, []string) sim.Answer{
	"acquire":        nativeAcquire,
	"acquire_fenced": nativeAcquireFenced,
	"fence":          nativeFence,
	"extend":         nativeExtend,
	"release":        nativeRelease,
}

func init() {
	var scripts []sim.Script
	for _, s := range redlock.Scripts() {
		scripts = append(scripts, sim.Script{Name: s.Name, Source: s.Source, Native: natives[s.Name]})
	}
	lock.Register(plan.SubjectDeclaration{
		Name: "SY-10", Alias: "redlock", Doc: "this project's package redlock",
		Abilities: plan.Abilities{
			Extends: true, BeyondTextbook: true, Fences: true, Commands: []string{"SET", "acquire", "release", "extend"},
		},
		Options: []plan.OptionDeclaration{
			{Name: "guard", Values: []string{"true", "false"}, Doc: "whether votes of a node that restarted within the largest TTL are left out"},
			{Name: "renewal", Values: []string{"false", "true"}, Doc: "whether a watchdog renews every lease"},
			{Name: "open", Values: []string{"unchecked", "checked"}, Doc: "whether the client checks before its first acquisition that no two nodes are one server, as redlock.Open does"},
			{Name: "clock_rate_bound", Values: []string{customary},
				Kind: plan.NumberParameter, Unit: "ppm", High: redlock.MaximumClockRateError,
				Doc: "how much clocks may err, for WithClockRateBound: the allowance covers it; customary is 1 % of the TTL + 2 ms"},
			{Name: "extensions", Values: []string{"unbounded", "bounded"}, Doc: "whether a lease can be extended only as often as the scenario's lock.extensions says"},
			driverOption,
			{Name: "patch", Values: patchNames(), Doc: "a bug that was planted into the package's source: such runs are played by a program that is built with it, which needs the Go tool and this source"},
		},
	}, lock.Implementation{
		Clock:           reads(sim.Boottime),
		Guarded:         func(option func(string, string) string) bool { return option("guard", "true") == "true" },
		Allowance:       redlockAllowance,
		ReleaseConfirms: true,
		Errors: []lock.ErrorClass{
			{Err: redlock.ErrContended, Class: "contended"},
			{Err: redlock.ErrNoQuorum, Class: "no quorum"},
			{Err: redlock.ErrLate, Class: "late"},
			{Err: redlock.ErrLapsed, Class: "lapsed"},
			{Err: redlock.ErrNotHeld, Class: lock.ClassNotHeld},
			{Err: redlock.ErrReleased, Class: "released"},
			{Err: redlock.ErrExtensionLimit, Class: "extension limit"},
			{Err: redlock.ErrClosed, Class: "closed"},
			{Err: redlock.ErrSameServer, Class: "same server"},
		},
		Scripts: scripts,
		New:     newRedlock,
	})
}

type redlockSubject struct {
	env         lock.Environment
	locker      *redlock.Locker
	lockOptions []redlock.LockOption

	renewals *renewals // nil without the option renewal
	opened   bool
}

// customary is the value of clock_rate_bound with which the package keeps its default allowance.
const customary = "customary"

// rateBound is the option clock_rate_bound; false: the default allowance is kept.
func rateBound(option func(name, otherwise string) string) (ppm int, stated bool) {
	ppm, err := strconv.Atoi(option("clock_rate_bound", customary)) // it was checked
	return ppm, err == nil
}

func redlockAllowance(ttl time.Duration, option func(name, otherwise string) string) time.Duration {
	if ppm, stated := rateBound(option); stated {
		return redlock.AllowanceFor(ttl, ppm)
	}
	return redlock.CustomaryAllowance(ttl)
}

func newRedlock(e lock.Environment) (lock.Locker, error) {
	nodes := make([]redlock.Node, len(e.Nodes))
	for i, name := range e.Nodes {
		nodes[i] = redlock.Node{Name: name, Client: e.Redis[i]}
	}
	options := []redlock.Option{
		redlock.WithClock(processClock{e}),
		redlock.WithRandom(e.Random),
		redlock.WithNodeTimeout(e.Lock.NodeTimeout),
	}
	if ppm, stated := rateBound(e.Option); stated {
		options = append(options, redlock.WithClockRateBound(ppm))
	}
	if e.Option("guard", "true") == "true" {
		options = append(options, redlock.WithRestartGuard(e.Lock.TTL))
	}
	s := &redlockSubject{env: e}
	if e.Option("renewal", "false") == "true" {
		s.renewals = &renewals{renewed: map[string]func(){}}
		options = append(options, redlock.WithObserver(s.renewals))
	}
	locker, err := redlock.New(nodes, options...)
	if err != nil {
		return nil, err
	}
	e.OnEnd(func() { _ = locker.Close() }) // the run is over: releases that were not sent do not matter
	span := e.Lock.Retry.Delay
	s.locker = locker
	s.lockOptions = []redlock.LockOption{redlock.WithBackoff(func(_ int, uniform float64) time.Duration {
		return span.Low + time.Duration(uniform*float64(span.High-span.Low))
	})}
	if e.Lock.Fencing == plan.FencingSubject {
		s.lockOptions = append(s.lockOptions, redlock.WithFencing())
	}
	if s.renewals != nil {
		s.lockOptions = append(s.lockOptions, redlock.WithRenewal())
	}
	if e.Option("extensions", "unbounded") == "bounded" {
		s.lockOptions = append(s.lockOptions, redlock.WithMaximumExtensions(e.Lock.Extensions))
	}
	return s, nil
}

// method is TryLock or Lock of the package.
type method func(*redlock.Locker, context.Context, string, time.Duration, ...redlock.LockOption) (*redlock.Lease, error)

// acquire calls the package. With open=checked it does before its first call what redlock.Open
// does after redlock.New; nodes that do not answer are not an error.
func (s *redlockSubject) acquire(ctx context.Context, resource string, call method) (lock.Lease, error) {
	if !s.opened && s.env.Option("open", "unchecked") == "checked" {
		s.opened = true
		if err := s.locker.Check(ctx); errors.Is(err, redlock.ErrSameServer) {
			return nil, err
		}
	}
	lease, err := call(s.locker, ctx, resource, s.env.Lock.TTL, s.lockOptions...)
	if err != nil {
		return nil, err
	}
	return redlockLease{lease, s.renewals}, nil
}

// TryLock implements Locker.
func (s *redlockSubject) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	return s.acquire(ctx, resource, (*redlock.Locker).TryLock)
}

// Lock implements Locker.
func (s *redlockSubject) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	if s.env.Lock.Retry.Tries > 0 { // the package limits a wait by time, not by attempts
		span := s.env.Lock.Retry.Delay
		n := uint64(0)
		return s.env.RetryAfter(ctx, func() time.Duration {
			n++
			return random.Between(s.env.Draw("retry/"+s.env.Client, n), span.Low, span.High)
		}, func() (lock.Lease, error) { return s.TryLock(ctx, resource) })
	}
	return s.acquire(ctx, resource, (*redlock.Locker).Lock)
}

type redlockLease struct {
	*redlock.Lease
	renewals *renewals
}

// Extend implements Extender.
func (l redlockLease) Extend(ctx context.Context) error {
	return l.Lease.Extend(context.WithValue(ctx, extendedByClient{}, true), l.TTL())
}

// OnRenewal implements Renewing.
func (l redlockLease) OnRenewal(f func(until time.Duration)) {
	if l.renewals != nil {
		l.renewals.watch(l.Lease, f)
	}
}

// processClock is a process's boottime clock as a redlock.Clock.
type processClock struct{ env lock.Environment }

func (c processClock) Now() time.Duration { return c.env.Now(sim.Boottime) }

func (c processClock) NewTimer(d time.Duration) redlock.Timer { return c.env.NewTimer(d) }

// patchNames are the values of the option that names a planted patch.
func patchNames() []string {
	names := []string{overlay.None}
	for _, p := range overlay.Patches() {
		names = append(names, p.Name)
	}
	return names
}

// renewals is a redlock.Observer that reports to the client each renewal that the package
// made by itself. It finds leases by the prefix of their token.
type renewals struct {
	mu      sync.Mutex
	renewed map[string]func() // tells the client, by Event.TokenPrefix
}

// extendedByClient is the context key of an extension that the client itself called.
type extendedByClient struct{}

// Observe implements redlock.Observer.
func (r *renewals) Observe(ctx context.Context, event redlock.Event) {
	extended := event.Kind == redlock.EventRound && event.Operation == redlock.OperationExtend && event.Err == nil
	if !extended || ctx.Value(extendedByClient{}) != nil {
		return
	}
	r.mu.Lock()
	tell, watched := r.renewed[event.TokenPrefix]
	r.mu.Unlock()
	if watched {
		tell()
	}
}

// tokenPrefixBytes is the length of the token in redlock.Event.TokenPrefix.
const tokenPrefixBytes = 6

func (r *renewals) watch(lease *redlock.Lease, onRenewal func(until time.Duration)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.renewed[lease.Token()[:tokenPrefixBytes]+"…"] = func() { onRenewal(lease.Until()) }
}

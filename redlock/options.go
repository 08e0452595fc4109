package redlock

import (
	"cmp"
	"crypto/rand"
	"io"
	"time"
)

// Bounds of arguments.
const (
	// MinimumTTL is the shortest time to live. The allowance would leave little
	// validity of a shorter one.
	MinimumTTL = 10 * time.Millisecond
	// MaximumTTL is the longest time to live.
	MaximumTTL = 366 * 24 * time.Hour
	// MaximumResourceBytes is the length of the longest resource name, which may
	// contain any bytes.
	MaximumResourceBytes = 4096
	// MaximumResources is how many resources one lock may have. A server runs the
	// script of a lock at one go, so more would hold up its other clients.
	MaximumResources = 1024
	// MaximumClockRateError is the largest bound for WithClockRateBound, in parts
	// per million.
	MaximumClockRateError = 100_000
)

type settings struct {
	clock        Clock
	random       io.Reader
	nodeTimeout  time.Duration // 0: a part of the time to live; see timeoutFor
	rateErrorPPM int           // -1: the customary allowance
	guardTTL     time.Duration // 0: no guard
	keyPrefix    string
	defaultTTL   time.Duration // 0: none
	observer     Observer      // may be nil
	lockDefaults lockSettings
}

type lockSettings struct {
	backoff           Backoff
	maximumExtensions int // 0: no limit
	owner             string
	renewal           bool
	fencing           bool
	fenceRetention    time.Duration // 0: for ever
}

func defaultSettings() settings {
	return settings{
		clock:        SystemClock(),
		random:       rand.Reader,
		rateErrorPPM: -1,
		lockDefaults: lockSettings{backoff: RandomBackoff(16*time.Millisecond, 250*time.Millisecond)},
	}
}

// Option configures a [Locker]. Every [LockOption] is an Option too, and then sets the
// default for the Locker's calls.
type Option interface{ applyToLocker(*settings) error }

// LockOption configures one acquisition, or the default of a [Locker].
type LockOption interface {
	Option
	applyToLock(*lockSettings) error
}

type lockerOption func(*settings) error

func (o lockerOption) applyToLocker(s *settings) error { return o(s) }

type lockOption func(*lockSettings) error

func (o lockOption) applyToLocker(s *settings) error   { return o(&s.lockDefaults) }
func (o lockOption) applyToLock(s *lockSettings) error { return o(s) }

// applyAll applies the options in order. It stops at the first that is nil or fails.
func applyAll[O Option](options []O, apply func(O) error) error {
	for _, option := range options {
		if any(option) == nil {
			return invalid("option is nil")
		}
		if err := apply(option); err != nil {
			return err
		}
	}
	return nil
}

func between[T cmp.Ordered](option string, value, low, high T) error {
	if value < low || value > high {
		return invalid("%s: %v; want %v to %v", option, value, low, high)
	}
	return nil
}

func atLeast[T cmp.Ordered](option string, value, low T) error {
	if value < low {
		return invalid("%s: %v; want %v or more", option, value, low)
	}
	return nil
}

func given(option string, isGiven bool) error {
	if !isGiven {
		return invalid("%s: nil", option)
	}
	return nil
}

// WithClock sets the clock. The default is [SystemClock].
func WithClock(clock Clock) Option {
	return lockerOption(func(s *settings) error {
		s.clock = clock
		return given("WithClock", clock != nil)
	})
}

// WithRandom sets the source of tokens and random delays. It must be safe for concurrent
// use and must make tokens unique (assumption A-TOKEN). The package reads it in the
// goroutine of the call, which fails if the read does. The default is crypto/rand.
func WithRandom(random io.Reader) Option {
	return lockerOption(func(s *settings) error {
		s.random = random
		return given("WithRandom", random != nil)
	})
}

// WithKeyPrefix sets what every key begins with: the key of a resource is the prefix and
// its name. All clients of a resource must agree on it. The prefix may have up to
// [MaximumResourceBytes]. The default is none.
func WithKeyPrefix(prefix string) Option {
	return lockerOption(func(s *settings) error {
		s.keyPrefix = prefix
		return between("bytes of WithKeyPrefix", len(prefix), 0, MaximumResourceBytes)
	})
}

// WithDefaultTTL sets the time to live of calls that give 0. It has the bounds of
// [Locker.TryLock]. The default is none: such calls fail with [ErrInvalidArgument].
func WithDefaultTTL(ttl time.Duration) Option {
	return lockerOption(func(s *settings) error {
		s.defaultTTL = ttl
		return between("WithDefaultTTL", ttl, MinimumTTL, MaximumTTL)
	})
}

// WithNodeTimeout sets the per-node timeout: how long a round waits for its nodes, dialling
// included, but never longer than the validity. It should be short compared with the time to
// live, so that a dead node costs little validity. The default is a tenth of the time to
// live, at least 10 ms, at most 250 ms, and at most half of the time to live.
func WithNodeTimeout(timeout time.Duration) Option {
	return lockerOption(func(s *settings) error {
		s.nodeTimeout = timeout
		return atLeast("WithNodeTimeout", timeout, 1)
	})
}

// WithClockRateBound states how much the rate of any node's or client's clock may err, in
// parts per million from 0 to [MaximumClockRateError] (assumption A-RATE, claim BA-8). The
// allowance is then AllowanceFor(ttl, partsPerMillion). The default is
// [CustomaryAllowance], which covers about 5,000 parts per million.
func WithClockRateBound(partsPerMillion int) Option {
	return lockerOption(func(s *settings) error {
		s.rateErrorPPM = partsPerMillion
		return between("WithClockRateBound", partsPerMillion, 0, MaximumClockRateError)
	})
}

// WithBackoff sets how long [Locker.Lock] waits between attempts. The default is
// RandomBackoff(16*time.Millisecond, 250*time.Millisecond).
func WithBackoff(backoff Backoff) LockOption {
	return lockOption(func(s *lockSettings) error {
		s.backoff = backoff
		return given("WithBackoff", backoff != nil)
	})
}

// WithMaximumExtensions limits how often a lease may be extended, failed extensions
// included. It keeps a holder that never ends from starving the others (assumption
// A-BOUNDED, claim LV-9). The default is 0, no limit.
func WithMaximumExtensions(count int) LockOption {
	return lockOption(func(s *lockSettings) error {
		s.maximumExtensions = count
		return atLeast("WithMaximumExtensions", count, 0)
	})
}

// allowance returns how much a validity is shorter than its time to live.
func (s *settings) allowance(ttl time.Duration) time.Duration {
	if s.rateErrorPPM < 0 {
		return CustomaryAllowance(ttl)
	}
	return AllowanceFor(ttl, s.rateErrorPPM)
}

// timeoutFor returns how long a round waits for a lock with this time to live. What comes
// after the validity is of no use.
func (s *settings) timeoutFor(ttl time.Duration) time.Duration {
	if s.nodeTimeout > 0 {
		return min(s.nodeTimeout, ttl-s.allowance(ttl))
	}
	return min(max(ttl/10, 10*time.Millisecond), 250*time.Millisecond, ttl/2)
}

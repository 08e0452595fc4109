package redlock

import (
	"crypto/rand"
	"io"
	"time"
)

// Bounds of arguments.
const (
	// MinimumTTL is the shortest time to live. The expiry grain of a server and
	// the allowance would eat a shorter one.
	MinimumTTL = 10 * time.Millisecond
	// MaximumTTL is the longest time to live.
	MaximumTTL = 366 * 24 * time.Hour
	// MaximumResourceBytes is the longest resource name. Any bytes are allowed.
	MaximumResourceBytes = 4096
	// MaximumClockRateError is the largest bound that WithClockRateBound takes,
	// in parts per million.
	MaximumClockRateError = 100_000
)

// settings of a Locker; see the options for meanings and defaults.
type settings struct {
	clock        Clock
	random       io.Reader
	nodeTimeout  time.Duration // 0: from the time to live
	rateErrorPPM int           // -1: the customary allowance
	carriers     int

	circuitFailures int // 0: no circuit
	circuitPause    time.Duration
	guardTTL        time.Duration // 0: no guard

	observer Observer // may be nil
	lock     lockSettings
}

// lockSettings can be set for a Locker and for one call.
type lockSettings struct {
	backoff           Backoff
	waitLimit         time.Duration // 0: none
	maximumExtensions int           // 0: no bound
	quietRelease      bool
	renewal           bool
	fencing           bool
}

func defaultSettings() settings {
	return settings{
		clock:        SystemClock(),
		random:       rand.Reader,
		rateErrorPPM: -1,
		carriers:     defaultCarriers,

		circuitFailures: 3,
		circuitPause:    time.Second,

		lock: lockSettings{backoff: DefaultBackoff()},
	}
}

// Option configures a Locker. Every LockOption is an Option too, and then is
// the default of that Locker's calls.
type Option interface{ applyToLocker(*settings) error }

// LockOption configures one acquisition.
type LockOption interface {
	Option
	applyToLock(*lockSettings) error
}

type lockerOption func(*settings) error

func (o lockerOption) applyToLocker(s *settings) error { return o(s) }

type lockOption func(*lockSettings) error

func (o lockOption) applyToLocker(s *settings) error   { return o(&s.lock) }
func (o lockOption) applyToLock(s *lockSettings) error { return o(s) }

// WithClock replaces the clock. Default: SystemClock.
func WithClock(clock Clock) Option {
	return lockerOption(func(s *settings) error {
		if clock == nil {
			return invalid("WithClock: no clock")
		}
		s.clock = clock
		return nil
	})
}

// WithRandom replaces the source of tokens and jitter, which is read in the
// goroutine of the call that needs it and must be safe for concurrent use.
// Tokens must be unique (assumption A-TOKEN). Default: crypto/rand.
func WithRandom(random io.Reader) Option {
	return lockerOption(func(s *settings) error {
		if random == nil {
			return invalid("WithRandom: no source")
		}
		s.random = random
		return nil
	})
}

// WithNodeTimeout sets how long a round waits for its nodes: acquire, extend and
// release alike, dialling included. It should be small against the time to live,
// so that a dead node costs little validity. Default: a tenth of the time to
// live, but between 10 ms and 250 ms and at most half of it.
func WithNodeTimeout(timeout time.Duration) Option {
	return lockerOption(func(s *settings) error {
		if timeout <= 0 {
			return invalid("WithNodeTimeout: %v is not positive", timeout)
		}
		s.nodeTimeout = timeout
		return nil
	})
}

// WithClockRateBound states by how much the rate of any clock that matters, a
// node's or a client's, may err, in parts per million of 0 to 100,000. The
// allowance becomes AllowanceFor(ttl, partsPerMillion). Default: the customary
// allowance, one hundredth plus 2 ms, which covers about 5,000 (assumption
// A-RATE, claim BA-8).
func WithClockRateBound(partsPerMillion int) Option {
	return lockerOption(func(s *settings) error {
		if partsPerMillion < 0 || partsPerMillion > MaximumClockRateError {
			return invalid("WithClockRateBound: %d ppm is outside 0 to %d", partsPerMillion, MaximumClockRateError)
		}
		s.rateErrorPPM = partsPerMillion
		return nil
	})
}

const (
	// defaultCarriers is how many batches may be on their way to one node. One
	// keeps a node's commands in order, and makes the largest batches: measured
	// on loopback with 64 callers it was the fastest, 4 a third slower.
	defaultCarriers = 1
	// spareCarriers may fly beside those that are overdue.
	spareCarriers = 7
)

// mostCarriers bounds the goroutines and connections of one node.
func (s *settings) mostCarriers() int { return s.carriers + spareCarriers }

// WithNodeConcurrency sets how many batches of commands may be on their way to
// one node at the same time, each on a connection of the node's pool. While all
// are out, commands gather and go as one pipeline with the next. With one, a
// node executes commands in the order of the calls. More lower the latency of
// distant nodes under load, but let commands overtake each other: a caller that
// locks a resource again at once can then meet its own keys, whose release is
// still on its way, and is refused.
//
// Batches that got no answer within the per-node timeout are replaced by others,
// up to 7 more in all: that bounds goroutines and connections when a node
// answers nothing. 1 to 64; default: 1.
func WithNodeConcurrency(batches int) Option {
	return lockerOption(func(s *settings) error {
		if batches < 1 || batches > 64 {
			return invalid("WithNodeConcurrency: %d is outside 1 to 64", batches)
		}
		s.carriers = batches
		return nil
	})
}

// WithBackoff sets how long Lock waits between attempts. Default: DefaultBackoff.
func WithBackoff(backoff Backoff) LockOption {
	return lockOption(func(s *lockSettings) error {
		if backoff == nil {
			return invalid("WithBackoff: no backoff")
		}
		s.backoff = backoff
		return nil
	})
}

// WithWaitLimit bounds how long Lock goes on trying, apart from the context and
// from the time to live; the attempt that is under way is finished. Default and
// zero: no bound but the context's.
func WithWaitLimit(limit time.Duration) LockOption {
	return lockOption(func(s *lockSettings) error {
		if limit < 0 {
			return invalid("WithWaitLimit: %v is negative", limit)
		}
		s.waitLimit = limit
		return nil
	})
}

// WithMaximumExtensions bounds how often one lease may be extended, attempts that
// fail included, so that a holder that never ends does not starve the others
// (assumption A-BOUNDED, claim LV-9). Default and zero: no bound.
func WithMaximumExtensions(count int) LockOption {
	return lockOption(func(s *lockSettings) error {
		if count < 0 {
			return invalid("WithMaximumExtensions: %d is negative", count)
		}
		s.maximumExtensions = count
		return nil
	})
}

// WithQuietRelease makes Release return nil for a lease that had lapsed or been
// taken over already. Default: ErrLapsed and ErrNotHeld.
func WithQuietRelease() LockOption {
	return lockOption(func(s *lockSettings) error {
		s.quietRelease = true
		return nil
	})
}

// allowance is what is taken off a validity for clock errors.
func (s *settings) allowance(ttl time.Duration) time.Duration {
	if s.rateErrorPPM < 0 {
		return CustomaryAllowance(ttl)
	}
	return AllowanceFor(ttl, s.rateErrorPPM)
}

// timeoutFor is how long a round on a lock with this time to live waits.
func (s *settings) timeoutFor(ttl time.Duration) time.Duration {
	if s.nodeTimeout > 0 {
		return s.nodeTimeout
	}
	return min(max(ttl/10, 10*time.Millisecond), 250*time.Millisecond, ttl/2)
}

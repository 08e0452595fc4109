package live

import (
	"cmp"
	"slices"
	"time"

	"redlocklab/sim"
)

// look returns a key of the server as the trace shows it; an empty value when there
// is no such key.
func (s *server) look(key string) (value string, ttl time.Duration) {
	e, ttl, found, err := readEntry(s.admin, key, s.cluster.Now)
	if err != nil {
		s.cluster.fail("reading %s on %s: %w", key, s.name, err)
	}
	if err != nil || !found {
		return "", 0
	}
	return s.cluster.notation.Name(e.Shown()), ttl
}

// memory returns all keys of the server, which may be stopped. ok is false when
// reading them failed; so has the run then.
func (s *server) memory() (all []sim.Entry, ok bool) {
	var err error
	s.whileRunning(func() { all, err = readMemory(s.admin, s.cluster.Now) })
	if err != nil {
		s.cluster.fail("reading the memory of %s: %w", s.name, err)
	}
	return all, err == nil
}

// watch looks at a key again when it should have expired: Redis removes it without
// telling anybody.
func (s *server) watch(key string, state sim.KeyState) {
	if state.Exists() && state.Ends != sim.Forever {
		s.cluster.At(state.Ends+time.Millisecond, func() { s.expire(key, state.Ends) })
	}
}

// rewatch watches every key that has an end. Those whose ends have passed are
// looked at now, in the order of their ends.
func (s *server) rewatch() {
	for _, key := range s.ending() {
		ends := s.cluster.keys.At(s.name, key).Ends
		s.cluster.At(max(ends+time.Millisecond, s.cluster.Now()), func() { s.expire(key, ends) })
	}
}

// ending lists the keys that have an end, in the order of their ends, then of their names.
func (s *server) ending() []string {
	ends := func(key string) time.Duration { return s.cluster.keys.At(s.name, key).Ends }
	keys := slices.DeleteFunc(s.cluster.keys.On(s.name), func(key string) bool { return ends(key) == sim.Forever })
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(ends(a), ends(b)) })
	return keys
}

// expire writes down that a key has expired, if nothing has happened to it since
// its end was known. A server that is down or stopped is looked at when it goes on.
func (s *server) expire(key string, ends time.Duration) {
	state := s.cluster.keys.At(s.name, key)
	if !s.up || s.Halted() || !state.Exists() || state.Ends != ends {
		return
	}
	value, left := s.look(key)
	if value != "" {
		s.cluster.At(s.cluster.Now()+max(left, 0)+time.Millisecond, func() { s.expire(key, ends) })
		return
	}
	s.cluster.Emit(sim.Event{Kind: sim.Expire, Node: s.name, Key: key, Value: state.Value})
}

// removed writes down which keys are gone that were there before.
func (s *server) removed(before []sim.Entry, fault string) {
	cl := s.cluster
	for _, was := range before {
		if value, _ := s.look(was.Key); value == "" {
			cl.Emit(sim.Event{
				Kind: sim.NodeCall, Node: s.name, Command: sim.Removal, Key: was.Key,
				Value: cl.notation.Name(was.Shown()), TTL: left(was, cl.Now(), 0), Fault: fault,
			})
		}
	}
}

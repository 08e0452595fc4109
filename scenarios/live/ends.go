package live

import (
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"redlocklab/sim"
)

// Up implements faults.NodeHandle.
func (s *server) Up() bool { return s.up || s.starting }

// Crash implements faults.NodeHandle: kill -9, or SIGTERM for a clean shutdown.
// After a power loss the host says nothing either.
func (s *server) Crash(how sim.End, fault string) {
	g := s.ground
	if !s.up {
		g.fail("the fault %q ends %s, which is only just starting: real servers take some 10 ms for that", fault, s.name)
		return
	}
	var image map[string]entry
	var err error
	s.awake(func() { image, err = s.console.image(g.Now) })
	if err != nil {
		g.fail("looking at the memory of %s: %w", s.name, err)
		return
	}
	if how == sim.Shutdown && len(s.stops) > 0 {
		g.fail("the fault %q shuts %s down, which is stopped: it cannot hear that", fault, s.name)
		return
	}
	s.lost, s.keys = image, map[string]keyState{}
	s.up, s.dark = false, how == sim.PowerLoss
	if how == sim.Shutdown {
		s.kill(syscall.SIGTERM)
	} else {
		s.kill(syscall.SIGKILL)
	}
	connections := s.connections
	s.connections = nil
	for _, c := range connections {
		c.gone = true
		_ = c.back.Close()
	}
	g.Emit(sim.Event{Kind: sim.Crash, Node: s.name, Detail: string(how), Fault: fault})
	if s.dark {
		return
	}
	for _, c := range connections {
		c.packet(sim.ToProcess, func(*message) { c.reset(fault) })
	}
}

// Restart implements faults.NodeHandle. It takes the server as long as it takes:
// the event is written when the server answers.
func (s *server) Restart(fault string) {
	g := s.ground
	if s.Up() {
		return
	}
	s.starting = true
	g.starts.Go(func() {
		err := s.start()
		g.do(func() {
			s.starting = false
			if err != nil {
				g.fail("%w", err)
				return
			}
			s.up, s.dark = true, false
			s.life++
			for _, r := range s.refusals {
				s.enter(r.why)
			}
			s.forgetStops()
			s.restarted(fault)
		})
	})
}

// sameDeadline is by how much two looks at one deadline may differ: Redis tells
// what is left in milliseconds.
const sameDeadline = 50 * time.Millisecond

// restarted compares the memory at the end with what is there now.
func (s *server) restarted(fault string) {
	g := s.ground
	image, err := s.console.image(g.Now)
	if err != nil {
		g.fail("looking at the memory of %s: %w", s.name, err)
		return
	}
	now := g.Now()
	left := func(e entry) time.Duration {
		if e.deadline < 0 {
			return -1
		}
		return max(e.deadline-now, 0)
	}
	events := []sim.Event{{Kind: sim.Restart, Node: s.name, Fault: fault}}
	for _, key := range slices.Sorted(maps.Keys(s.lost)) {
		was := s.lost[key]
		is, there := image[key]
		switch {
		case there && is.sameValue(was) && (is.deadline-was.deadline).Abs() < sameDeadline:
		case left(was) != 0:
			events = append(events, sim.Event{Kind: sim.Forget, Node: s.name, Key: key, Value: g.notation.Name(was.shown()), TTL: left(was), Fault: fault})
		default: // its time ran out while the server was down
			events = append(events, sim.Event{Kind: sim.Expire, Node: s.name, Key: key, Value: g.notation.Name(was.shown())})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(image)) {
		is := image[key]
		if was, there := s.lost[key]; !there || !is.sameValue(was) {
			events = append(events, sim.Event{Kind: sim.Revive, Node: s.name, Key: key, Value: g.notation.Name(is.shown()), TTL: left(is), Fault: fault})
		}
		s.look(key)
	}
	for _, e := range events { // all is known before what one of them sets off
		g.Emit(e)
	}
}

// Operator implements faults.NodeHandle.
func (s *server) Operator(fault string, args ...string) string {
	g := s.ground
	if !s.up {
		return "-ERR node is down\r\n"
	}
	if len(s.stops) > 0 {
		g.fail("the fault %q wants %s of %s, which is stopped", fault, args[0], s.name)
		return ""
	}
	before, err := s.console.image(g.Now)
	answer := ""
	if err == nil {
		answer, err = s.console.ask(args...)
	}
	if err != nil {
		g.fail("%s on %s: %w", args[0], s.name, err)
		return ""
	}
	key := ""
	if len(args) > 1 {
		key = args[1]
	}
	g.Emit(sim.Event{Kind: sim.NodeCall, Node: s.name, Command: args[0], Key: key, Detail: strings.Join(args, " "), Fault: fault})
	s.removed(before, fault)
	return answer
}

// removed writes down which keys are gone that were there before.
func (s *server) removed(before map[string]entry, fault string) {
	g := s.ground
	for _, key := range slices.Sorted(maps.Keys(before)) {
		was := before[key]
		if value, _ := s.look(key); value != "" {
			continue
		}
		ttl := time.Duration(-1)
		if was.deadline >= 0 {
			ttl = max(was.deadline-g.Now(), 0)
		}
		g.Emit(sim.Event{Kind: sim.NodeCall, Node: s.name, Command: sim.Removal, Key: key, Value: g.notation.Name(was.shown()), TTL: ttl, Fault: fault})
	}
}

// snapshots takes the RDB snapshots of the plan, at the multiples of their
// interval as the simulator does.
func (s *server) snapshots(every time.Duration) {
	g := s.ground
	g.At((g.Now()/every+1)*every, func() {
		if s.up && len(s.stops) == 0 {
			if _, err := s.console.ask("SAVE"); err != nil {
				g.fail("SAVE on %s: %w", s.name, err)
			}
		}
		s.snapshots(every)
	})
}

package explain

import (
	"strings"

	"redlocklab/sim"
)

// processState is what a process is doing after some event.
type processState struct {
	name      string
	paused    bool
	crashed   bool
	done      bool
	operation string // the open operation with its resource, "acquire r"; "" when there is none
}

// state is the state of nodes and processes after some event.
type state struct {
	run       *Run
	keys      sim.Keys
	down      map[string]bool // nodes
	processes []*processState
}

func newState(run *Run) *state {
	s := &state{run: run, down: map[string]bool{}}
	for _, name := range run.Processes {
		s.processes = append(s.processes, &processState{name: name})
	}
	return s
}

func (s *state) process(name string) *processState {
	for _, p := range s.processes {
		if p.name == name {
			return p
		}
	}
	return nil
}

// apply applies the next event. It returns what the event told about a key; nil for
// most events.
func (s *state) apply(e *sim.Event) *sim.KeyChange {
	if p := s.process(e.Process); p != nil {
		p.apply(e)
	}
	if e.Node == "" {
		return nil
	}
	switch e.Kind {
	case sim.Crash:
		s.down[e.Node] = true
	case sim.Restart:
		s.down[e.Node] = false
	}
	if change, ok := s.keys.Apply(e); ok {
		return &change
	}
	return nil
}

func (p *processState) apply(e *sim.Event) {
	switch e.Kind {
	case sim.Call:
		p.operation = operationName(e.Detail)
		if e.Resource != "" {
			p.operation += " " + e.Resource
		}
	case sim.Acquired, sim.Failed, sim.Extended, sim.Released:
		p.operation = ""
	case sim.Pause:
		p.paused = true
	case sim.Resume:
		p.paused = false
	case sim.Crash:
		if e.Node == "" {
			p.crashed = true
		}
	case sim.Done:
		p.done = true
	}
}

// operationName returns the operation in the detail of a call or a failure: "acquire"
// for "acquire: contended".
func operationName(detail string) string {
	name, _, _ := strings.Cut(detail, ":")
	name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
	return name
}

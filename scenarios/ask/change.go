package ask

import (
	"strconv"
	"time"

	"redlocklab/scenarios/plan"
)

// changes make a setup safe, each in one way. They report whether they changed something.
// boundary is the number that held, or the setup's own.
var changes = map[string]func(s *Setup, boundary int64) bool{
	"guard": func(s *Setup, _ int64) bool {
		changed := s.Lock == "redlock" && !s.Guard
		s.Guard = true
		return changed
	},
	"redlock": func(s *Setup, _ int64) bool {
		changed := s.Lock != "redlock"
		s.useRedlock()
		return changed
	},
	"stay out": func(s *Setup, boundary int64) bool {
		spare := time.Duration(boundary + boundary/10)
		s.RestartAfter = (spare + time.Second - 1).Truncate(time.Second)
		return true
	},
	"volume": func(s *Setup, _ int64) bool {
		changed := s.Disk == "empty"
		s.Disk, s.Persistence = "kept", "aof-always"
		return changed
	},
	"every second": persist("aof-everysec"),
	"always":       persist("aof-always"),
	"independent servers": func(s *Setup, _ int64) bool {
		s.Failover, s.Nodes = false, 5
		s.useRedlock()
		return true
	},
	"rate bound": func(s *Setup, _ int64) bool {
		s.setOption("clock_rate_bound", s.rateBound())
		return s.Lock == "redlock"
	},
	"drift factor": func(s *Setup, _ int64) bool {
		s.setOption("drift_factor", strconv.FormatInt(1+s.ClockRate*2/9_000, 10)+"%")
		return s.declaration().Check(plan.Option{Name: "drift_factor", Value: "1%"}) == nil
	},
	"one redlock": func(s *Setup, _ int64) bool {
		changed := s.Lock != "redlock"
		s.Lock = "redlock"
		s.setOption("clock_rate_bound", s.rateBound())
		return changed
	},
	"slew": func(s *Setup, _ int64) bool {
		s.ClockStep = 0
		return true
	},
	"every access": func(s *Setup, _ int64) bool {
		changed := s.Fencing != "every"
		s.Fencing = "every"
		return changed
	},
	"three servers": func(s *Setup, _ int64) bool {
		changed := s.Nodes < 3
		s.Nodes = 3
		s.useRedlock()
		return changed
	},
}

func (s *Setup) useRedlock() { s.Lock, s.Guard, s.Options = "redlock", true, nil }

func (s *Setup) setOption(name, value string) { s.Options = []plan.Setting{{Name: name, Value: value}} }

// rateBound is redlock's clock_rate_bound for the setup's clocks, with a tenth to spare.
func (s *Setup) rateBound() string {
	return strconv.FormatInt(min(100_000, s.ClockRate+s.ClockRate/10), 10)
}

// persist changes what nodes that keep their disks write to them.
func persist(mode string) func(*Setup, int64) bool {
	return func(s *Setup, _ int64) bool {
		changed := s.Disk == "kept" && s.Persistence != mode
		s.Persistence = mode
		return changed
	}
}

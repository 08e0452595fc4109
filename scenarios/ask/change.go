package ask

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/scenarios/plan"
)

// Change is one way to make a setup safe.
type Change struct {
	Key   string `json:"key"`
	Says  string `json:"says"`            // what to do, in words
	Lines []Line `json:"lines,omitempty"` // of configuration or code, where there are any
	Setup Setup  `json:"-"`               // the changed setup
}

// Line is a line of configuration or code that belongs to a change.
type Line struct {
	In   string `json:"in"`           // systemd, Kubernetes, redis.conf, chrony.conf, shell, Go
	At   string `json:"at,omitempty"` // the place: a section of a unit; spec or container of a StatefulSet
	Text string `json:"text"`
	Lock string `json:"-"` // only for this lock; empty: for any
}

// String tells a line and where it belongs: "systemd [Service]: ExecStartPre=/bin/sleep 11".
func (l Line) String() string {
	switch {
	case l.At == "":
		return l.In + ": " + l.Text
	case l.In == "systemd":
		return l.In + " [" + l.At + "]: " + l.Text
	}
	return l.In + " (" + l.At + "): " + l.Text
}

// advice is what changes.yaml says of a change.
type advice struct {
	Key, Says string
	Questions []string
	Lines     []Line
}

//go:embed changes.yaml
var changesText []byte

// advices are all changes, the cheapest first.
var advices = func() (list []advice) {
	decode("changes.yaml", changesText, &list)
	return list
}()

// Changes returns the changes that may help with a question, the cheapest first. boundary is the
// last safe number, or the setup's own where there is none. A change without an effect, or one that
// makes a setup contradict itself, is left out. Nothing is played.
func Changes(s *Setup, question string, boundary int64) []Change {
	played, had := s.Notes()
	var list []Change
	for _, a := range advices {
		changed := played
		changed.told, changed.Options = slices.Clone(played.told), slices.Clone(played.Options)
		if !slices.Contains(a.Questions, question) || !changes[a.Key](&changed, boundary) || changed.Check() != nil {
			continue
		}
		if _, notes := changed.Notes(); changed.Flags() == played.Flags() || !within(notes, had) {
			continue
		}
		c := Change{Key: a.Key, Says: changed.fill(a.Says), Setup: changed}
		if changed.RollingGap != played.RollingGap && !strings.Contains(a.Says, "{gap}") {
			c.Says += changed.fill("; let {gap} s pass between two servers of a rolling restart")
		}
		for _, l := range a.Lines {
			if l.Lock == "" || l.Lock == changed.Lock {
				l.Text = changed.fill(l.Text)
				c.Lines = append(c.Lines, l)
			}
		}
		list = append(list, c)
	}
	return list
}

// within reports whether no note is about a field that no earlier one was about.
func within(notes, had []Note) bool {
	return !slices.ContainsFunc(notes, func(n Note) bool {
		return !slices.ContainsFunc(had, func(h Note) bool { return h.Field == n.Field })
	})
}

// changes change a setup, each in one way. They report whether that can be done to this lock.
// boundary is the number that held, or the setup's own.
var changes = map[string]func(s *Setup, boundary int64) bool{
	"guard": func(s *Setup, _ int64) bool {
		s.Guard = true
		s.spread()
		return s.has("guard")
	},
	"rate bound": func(s *Setup, _ int64) bool {
		s.setOption("clock_rate_bound", s.rateBound())
		return s.has("clock_rate_bound")
	},
	"drift factor": func(s *Setup, _ int64) bool {
		s.setOption("drift_factor", strconv.FormatInt(1+s.ClockRate*2/9_000, 10)+"%")
		return s.has("drift_factor")
	},
	"slow slew": func(s *Setup, boundary int64) bool {
		s.ClockRate = boundary * 9 / 10 / 100 * 100 // a tenth is left to the clocks' own error
		return s.ClockRate >= 500
	},
	"every second": persist("aof-everysec"),
	"slew": func(s *Setup, _ int64) bool {
		s.ClockStep = 0
		return true
	},
	"stay out": func(s *Setup, boundary int64) bool {
		away := (time.Duration(boundary+boundary/10) + time.Second - 1).Truncate(time.Second)
		s.RestartAfter = max(away, s.RestartAfter)
		if s.Disk == "pod" {
			s.MoveAfter = max(away, s.MoveAfter)
		}
		return true
	},
	"wait between": func(s *Setup, _ int64) bool {
		s.RollingGap = s.longGap()
		return s.Rolls
	},
	"always": persist("aof-always"),
	"volume": func(s *Setup, _ int64) bool {
		missing := s.Disk != "kept"
		s.Disk, s.Persistence, s.MoveAfter = "kept", "aof-always", NewSetup().MoveAfter
		s.told = slices.DeleteFunc(s.told, func(field string) bool { return field == "move_after" })
		return missing
	},
	"every access": func(s *Setup, _ int64) bool {
		s.Fencing = "every"
		return true
	},
	"fenced redlock": func(s *Setup, _ int64) bool {
		s.Fencing = "every"
		return s.useRedlock()
	},
	"redlock": func(s *Setup, _ int64) bool { return s.useRedlock() },
	"one redlock": func(s *Setup, _ int64) bool {
		changed := s.useRedlock()
		s.Guard = false
		s.setOption("clock_rate_bound", s.rateBound())
		return changed
	},
	"three servers": func(s *Setup, _ int64) bool {
		few := s.Nodes < 3
		s.Nodes = 3
		s.useRedlock()
		return few
	},
	"independent servers": func(s *Setup, _ int64) bool {
		s.Failover, s.FailoverLag, s.Nodes = false, 0, 5
		s.useRedlock()
		return true
	},
}

// useRedlock reports whether the lock was another.
func (s *Setup) useRedlock() bool {
	other := s.Lock != "redlock"
	s.Lock, s.Guard, s.Options = "redlock", true, nil
	s.spread()
	return other
}

// spread makes a rolling restart slow enough for the guard, which bars restarted servers.
func (s *Setup) spread() {
	if s.Rolls && s.barred() > s.Nodes-s.Nodes/2-1 {
		s.RollingGap = s.longGap()
	}
}

// longGap is more than a TTL, in whole seconds.
func (s *Setup) longGap() time.Duration { return (s.TTL + 2*time.Second - 1).Truncate(time.Second) }

// has reports whether the lock has an option.
func (s *Setup) has(name string) bool {
	return slices.ContainsFunc(s.declaration().Options, func(o plan.OptionDeclaration) bool { return o.Name == name })
}

// setOption sets an option, and keeps the others.
func (s *Setup) setOption(name, value string) {
	s.Options = slices.DeleteFunc(s.Options, func(o plan.Setting) bool { return o.Name == name })
	s.Options = append(s.Options, plan.Setting{Name: name, Value: value})
}

// option is the value of an option; empty: it is not set.
func (s *Setup) option(names ...string) string {
	for _, o := range s.Options {
		if slices.Contains(names, o.Name) {
			return o.Value
		}
	}
	return ""
}

// rateBound is redlock's clock_rate_bound for the setup's clocks, with a tenth to spare.
func (s *Setup) rateBound() string {
	return strconv.FormatInt(min(100_000, s.ClockRate+s.ClockRate/10), 10)
}

// persist changes what nodes that find their disks again write to them.
func persist(mode string) func(*Setup, int64) bool {
	return func(s *Setup, _ int64) bool {
		more := slices.Index(modes, mode) > slices.Index(modes, s.Persistence)
		s.Persistence = mode
		return more && s.Disk != "empty"
	}
}

// modes of persistence, each keeping more than those before.
var modes = []string{"none", "rdb", "aof-everysec", "aof-always"}

// fill puts numbers of a setup into a text of changes.yaml.
func (s *Setup) fill(text string) string {
	option := s.option("clock_rate_bound", "drift_factor")
	factor, _ := strconv.ParseFloat(strings.TrimSuffix(option, "%"), 64)
	return strings.NewReplacer(
		"{ttl}", goDuration(s.TTL), "{away}", fmt.Sprint(int64(s.away()/time.Second)),
		"{gap}", fmt.Sprint(int64(s.RollingGap/time.Second)), "{option}", option,
		"{factor}", strconv.FormatFloat(factor/100, 'f', -1, 64), "{rate}", fmt.Sprint(s.ClockRate),
	).Replace(text)
}

// goDuration writes a duration as Go source: "10*time.Second".
func goDuration(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d%u.size == 0 {
			return fmt.Sprintf("%d*time.%s", d/u.size, u.name)
		}
	}
	return fmt.Sprintf("%d*time.Nanosecond", d)
}

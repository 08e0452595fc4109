package ask

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
)

// Setup is how a lock is used. NewSetup has the defaults.
type Setup struct {
	Name         string
	Lock         string // a subject's alias or name
	Guard        bool   // of redlock: its restart guard
	Options      []plan.Setting
	TTL          time.Duration
	Nodes        int
	Persistence  string        // none, rdb, aof-everysec, aof-always
	Disk         string        // what a node that comes back finds: kept, pod or empty
	RestartAfter time.Duration // how soon a dead node is back
	MoveAfter    time.Duration // how soon a pod is back after it was replaced; of disk pod
	Rolls        bool          // whether all nodes are restarted, one after the other
	RollingGap   time.Duration // from the return of one to the stop of the next
	Latency      plan.Span     // of a message, one way; zero: any
	Failover     bool          // whether each node is a master with a replica that takes over
	FailoverLag  time.Duration // how far the replica is behind
	ClockRate    int64         // ppm; how much clocks run wrong at worst
	ClockStep    time.Duration // the largest step forwards of a node's clock
	Suspend      time.Duration // how long a holder's machine sleeps, and its clocks may not count it
	Pause        time.Duration // the longest pause of a holder, or delay of its message
	Fencing      string        // what the resource checks: none, writes, every

	told []string // the fields that were set
}

// NewSetup returns the defaults: five nodes without a disk, clocks that are slewed, package redlock.
func NewSetup() Setup {
	return Setup{
		Name: "your setup", Lock: "redlock", Guard: true, TTL: 10 * time.Second, Nodes: 5, Persistence: "none", Disk: "kept",
		RestartAfter: time.Second, MoveAfter: time.Second, ClockRate: 500, Pause: time.Second, Fencing: "none",
	}
}

// Field is one thing that a setup says, in files and as a flag.
type Field struct {
	Name    string // in files; flags have - in place of _
	Doc     string
	Allowed string
	Get     func(*Setup) string       // the value as text
	set     func(*Setup, string) bool // false: not allowed
}

// number is a field with a whole number.
func number[N int | int64](name, doc string, low, high N, at func(*Setup) *N) Field {
	return Field{name, doc, fmt.Sprintf("a whole number from %d to %d", low, high),
		func(s *Setup) string { return fmt.Sprint(*at(s)) }, func(s *Setup, text string) bool {
			n, err := strconv.ParseInt(text, 10, strconv.IntSize)
			*at(s) = N(n)
			return err == nil && N(n) >= low && N(n) <= high
		}}
}

// Fields returns everything that a setup says, in the order of files.
func Fields() []Field {
	words := func(name, doc string, at func(*Setup) *string, words ...string) Field {
		return Field{name, doc, strings.Join(words, ", "), func(s *Setup) string { return *at(s) },
			func(s *Setup, text string) bool {
				*at(s) = text
				return slices.Contains(words, text)
			}}
	}
	span := func(name, doc string, low, high time.Duration, at func(*Setup) *time.Duration) Field {
		return Field{name, doc, fmt.Sprintf("a duration from %v to %v", low, high),
			func(s *Setup) string { return at(s).String() }, func(s *Setup, text string) bool {
				d, err := faults.ParseDuration(text)
				*at(s) = d
				return err == nil && d >= low && d <= high
			}}
	}
	optional := func(name, doc string, low, high time.Duration, at func(*Setup) (*bool, *time.Duration)) Field {
		return Field{name, doc, fmt.Sprintf("none, or a duration from %v to %v", low, high), func(s *Setup) string {
			if happens, d := at(s); *happens {
				return d.String()
			}
			return "none"
		}, func(s *Setup, text string) bool {
			d, err := faults.ParseDuration(text)
			happens, to := at(s)
			*happens, *to = text != "none", d
			return text == "none" || err == nil && d >= low && d <= high
		}}
	}
	const longest = time.Hour
	return []Field{
		words("lock", "which lock is used", func(s *Setup) *string { return &s.Lock }, locks()...),
		{"guard", "whether redlock has its restart guard (WithRestartGuard)", "true, false", func(s *Setup) string { return strconv.FormatBool(s.Guard) }, func(s *Setup, text string) bool {
			s.Guard = text == "true"
			return text == "true" || text == "false"
		}},
		span("ttl", "how long a key lives", 100*time.Millisecond, 10*time.Minute, func(s *Setup) *time.Duration { return &s.TTL }),
		number("nodes", "how many Redis servers the lock uses", 1, 15, func(s *Setup) *int { return &s.Nodes }),
		words("persistence", "what a server writes to its disk", func(s *Setup) *string { return &s.Persistence }, modes...),
		words("disk", "what a server finds that comes back: its disk (kept), nothing (empty), or its disk until its pod is replaced (pod: emptyDir)", func(s *Setup) *string { return &s.Disk }, "kept", "pod", "empty"),
		span("restart_after", "how soon a dead server is back", 0, longest, func(s *Setup) *time.Duration { return &s.RestartAfter }),
		span("move_after", "how soon a replaced pod is back, of disk: pod", 0, longest, func(s *Setup) *time.Duration { return &s.MoveAfter }),
		optional("rolling", "all servers are restarted, one after the other: the time from the return of one to the stop of the next; none: never",
			0, longest, func(s *Setup) (*bool, *time.Duration) { return &s.Rolls, &s.RollingGap }),
		optional("failover_lag", "how far a replica is behind when it takes over; none: there is no failover",
			time.Millisecond, longest, func(s *Setup) (*bool, *time.Duration) { return &s.Failover, &s.FailoverLag }),
		{"latency", "how long a message takes, one way, as 3ms (at most) or 1ms..3ms; any: what is worst from 1µs to 4ms",
			"any, or a duration or range from 1µs to 1s", func(s *Setup) string {
				if s.Latency == (plan.Span{}) {
					return "any"
				}
				return s.Latency.String()
			}, func(s *Setup, text string) bool {
				if s.Latency = (plan.Span{}); text == "any" {
					return true
				}
				span, err := faults.ParseSpan(text)
				s.Latency = span
				return err == nil && span.Low >= time.Microsecond && span.High <= time.Second
			}},
		number("clock_rate_ppm", "the largest rate error of any clock, too fast or too slow, in parts per million: ntpd slews by 500, chrony by up to 83333",
			0, 100_000, func(s *Setup) *int64 { return &s.ClockRate }),
		span("clock_step", "the largest step by which a server's clock is set forwards; 0s: it is only slewed", 0, longest, func(s *Setup) *time.Duration { return &s.ClockStep }),
		span("suspend", "the longest time for which the machine of a holder sleeps or is moved, while its clocks may stand still", 0, longest, func(s *Setup) *time.Duration { return &s.Suspend }),
		span("pause", "the longest time for which a holder pauses, or its message to the resource is delayed", 0, longest, func(s *Setup) *time.Duration { return &s.Pause }),
		words("fencing", "at which accesses the resource checks fencing tokens: none, writes, or every", func(s *Setup) *string { return &s.Fencing }, "none", "writes", "every"),
	}
}

// locks are the names of locks that can be asked about.
func locks() []string {
	return plan.Texts(plan.Systems(), func(d plan.SubjectDeclaration) string { return plan.KnownAs(d.Name) })
}

// FieldError is a value that a setup cannot have.
type FieldError struct{ Field, Found, Allowed string }

func (e FieldError) Error() string {
	return fmt.Sprintf("%s: found %s; allowed: %s", e.Field, strconv.Quote(e.Found), e.Allowed)
}

// Set sets a field from its text.
func (s *Setup) Set(name, text string) error {
	var names []string
	for _, f := range Fields() {
		if f.Name != name {
			names = append(names, f.Name)
			continue
		}
		if next := *s; f.set(&next, text) {
			next.told = append(slices.Clone(s.told), name)
			*s = next
			return nil
		}
		if strings.Contains(f.Allowed, "a duration") {
			return FieldError{name, text, f.Allowed + faults.UnitHint(text)}
		}
		return FieldError{name, text, f.Allowed}
	}
	return fmt.Errorf("found the unknown field %s; %s", strconv.Quote(name), faults.Allowed(name, names))
}

// slowest is the part of a TTL that a message may take: the rounds of an acquisition must fit in.
const slowest = 40

// Check says what no setup can have; nil: nothing. Notes says what is played in another way.
func (s *Setup) Check() error {
	if most := s.TTL / slowest; s.Latency.High > most {
		return FieldError{"latency", s.Latency.String(), fmt.Sprintf("at most %v beside ttl: %v; no message may take longer than a %dth of it", most, s.TTL, slowest)}
	}
	for _, o := range s.Options {
		if err := s.declaration().Check(plan.Option(o)); err != nil {
			return err
		}
	}
	return nil
}

// Unstated returns the names of the fields that the user did not set, in the order of files.
func (s *Setup) Unstated() []string {
	names := plan.Texts(Fields(), func(f Field) string { return f.Name })
	return slices.DeleteFunc(names, s.states)
}

// states reports whether the user set a field.
func (s *Setup) states(field string) bool { return slices.Contains(s.told, field) }

// declaration is that of the lock.
func (s *Setup) declaration() plan.SubjectDeclaration {
	for _, d := range plan.Systems() {
		if plan.KnownAs(d.Name) == s.Lock {
			return d
		}
	}
	return plan.SubjectDeclaration{}
}

// subject is the lock with its options.
func (s *Setup) subject() plan.Subject {
	subject := plan.Subject{Name: s.declaration().Name}
	var set []plan.SetOption
	if s.has("guard") {
		set = append(set, plan.SetOption{Option: plan.Option{Name: "guard", Value: strconv.FormatBool(s.Guard)}})
	}
	for _, o := range s.Options {
		set = append(set, plan.SetOption{Option: plan.Option(o)})
	}
	return subject.With(set)
}

// rare are fields that are told only where they are not as usual.
var rare = map[string]bool{"move_after": true, "rolling": true, "latency": true, "suspend": true}

// Describe returns the setup in one line of words.
func (s *Setup) Describe() string {
	parts := []string{"lock " + s.Lock}
	for _, o := range s.subject().Options {
		parts[0] += " " + o.Name + "=" + o.Value
	}
	standard := NewSetup()
	for _, f := range Fields()[2:] {
		if rare[f.Name] && f.Get(s) == f.Get(&standard) {
			continue
		}
		parts = append(parts, strings.ReplaceAll(f.Name, "_", " ")+" "+f.Get(s))
	}
	return strings.Join(parts, ", ")
}

// Parse reads a setup from YAML: a mapping of fields, of which those left out keep their
// defaults. Its errors name the line.
func Parse(name string, data []byte) (Setup, error) {
	s := NewSetup()
	s.Name = name
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return s, file.SyntaxError(name, err)
	}
	if len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
		return s, fmt.Errorf("%s:%d:%d: found no mapping; allowed: fields of a setup, such as nodes: 3", name, max(1, root.Line), max(1, root.Column))
	}
	fields := root.Content[0].Content
	seen := map[string]bool{}
	for i := 0; i+1 < len(fields); i += 2 {
		key, at := fields[i], fields[i+1]
		text := at.Value
		if at.Kind != yaml.ScalarNode {
			text = "a list or a mapping" // which no field allows
		}
		err := s.Set(key.Value, text)
		if seen[key.Value] {
			err = errors.New("found " + key.Value + " twice; allowed: once")
		}
		if err != nil && !errors.As(err, new(FieldError)) {
			at = key
		}
		if err != nil {
			return s, fmt.Errorf("%s:%d:%d: %w", name, at.Line, at.Column, err)
		}
		seen[key.Value] = true
	}
	return s, nil
}

//go:embed setups/*.yaml
var setups embed.FS

var ready = file.Ready{Files: setups, Folder: "setups", Is: "no ready setup and no file"}

// Ready returns the names of the setups that come with the package.
func Ready() []string { return ready.Names() }

// ReadyText returns the file of a ready setup.
func ReadyText(name string) ([]byte, error) { return ready.Text(name) }

// File returns the setup as a file: the fields that were set. Options of the lock are flags only.
func (s *Setup) File() string {
	var text strings.Builder
	for _, f := range Fields() {
		if s.states(f.Name) {
			fmt.Fprintf(&text, "%s: %s\n", f.Name, f.Get(s))
		}
	}
	return text.String()
}

package cause

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
	"redlocklab/sim/words"
)

// effect is what one command of a client did to one key, or how a key ended otherwise.
type effect struct {
	*sim.KeyChange
	at, sent time.Duration
	event    int
	client   string // whose command it was; empty for a key that expired, or was lost with a node
	during   string // the operation in which the client sent it; empty for none
}

// holding is a lease of the history, with what the trace says of it. Both times are zero when the
// trace does not show them.
type holding struct {
	*checker.Lease
	called, got   time.Duration // the call and the return of its acquisition
	end, promised time.Duration // when belief in it ended; the end that its acquisition promised
	value         string        // of its keys: its token, perhaps with more behind it
}

// reading is a run, read once for one finding.
type reading struct {
	*play.Result
	finding *checker.Finding
	at      time.Duration // of the finding
	goal    *checker.Goal // that was missed; nil for none
	effects []effect      // in the order of the trace
	leases  []holding     // in the order of the history
}

func read(r *play.Result, f *checker.Finding) *reading {
	d := &reading{Result: r, finding: f, at: time.Duration(f.AtNS), goal: r.History.Goal(f.Goal)}
	acquired := map[string]*sim.Lease{}
	var reader sim.Reader
	for step := range reader.Steps(r.Events) {
		if step.Event.Kind == sim.Acquired {
			acquired[step.Lease.ID] = step.Lease
		}
		if step.Change == nil {
			continue
		}
		x := effect{KeyChange: step.Change, at: step.Event.At, event: step.Event.Seq}
		if q := step.Request; q != nil {
			if x.Before == x.After {
				continue
			}
			x.client, x.sent = q.Process, q.Sent.At
			if q.Operation != nil {
				x.during = q.Operation.Name
			}
		}
		d.effects = append(d.effects, x)
	}
	for i := range r.History.Leases {
		l := holding{Lease: &r.History.Leases[i]}
		l.end, l.promised, l.value = time.Duration(l.EndNS()), time.Duration(l.Validity[0].UntilNS), l.Token
		if seen := acquired[l.ID]; seen != nil {
			l.got = seen.Acquired().At
			if seen.Acquisition != nil {
				l.called = seen.Acquisition.Call.At
			}
			if seen.Value != "" {
				l.value = seen.Value
			}
		}
		d.leases = append(d.leases, l)
	}
	return d
}

// commands goes through the effects of commands until an instant.
func (d *reading) commands(until time.Duration) iter.Seq[*effect] {
	return func(yield func(*effect) bool) {
		for i := range d.effects {
			if x := &d.effects[i]; x.client != "" && x.at <= until && !yield(x) {
				return
			}
		}
	}
}

// holder returns the lease whose keys have this value, and that its client acquires or
// believes in at an instant; nil for none.
func (d *reading) holder(value string, at time.Duration) *holding {
	for i := range d.leases {
		l := &d.leases[i]
		if l.value == value && value != "" && l.called <= at && at < max(l.end, l.got) {
			return l
		}
	}
	return nil
}

// token is the token of the lease whose keys have this value: more may follow it there.
func (d *reading) token(value string) string {
	for _, l := range d.leases {
		if l.value == value && l.Token != "" {
			return l.Token
		}
	}
	return value
}

// holding lists the nodes that have a key with this value at an instant.
func (d *reading) holding(value string, at time.Duration) []string {
	has := map[string]bool{}
	for _, x := range d.effects {
		switch {
		case x.at > at:
		case x.After.Value == value:
			has[x.Node] = true
		case x.Before.Value == value:
			delete(has, x.Node)
		}
	}
	return slices.DeleteFunc(slices.Clone(d.History.Header.Nodes), func(n string) bool { return !has[n] })
}

// expired reports whether keys of a lease have run out by an instant.
func (d *reading) expired(l holding, by time.Duration) bool {
	return slices.ContainsFunc(d.effects, func(x effect) bool {
		return x.client == "" && x.Before.Value == l.value && x.at <= by
	})
}

// quorum is how many of the nodes decide.
func (d *reading) quorum() int { return len(d.History.Header.Nodes)/2 + 1 }

// named lists the leases of the finding; all of its resource when it names none.
func (d *reading) named() []holding {
	f := d.finding
	return slices.DeleteFunc(slices.Clone(d.leases), func(l holding) bool {
		ofResource := len(f.Leases) == 0 && (f.Resource == "" || f.Resource == l.Resource)
		return !ofResource && !slices.Contains(f.Leases, l.ID)
	})
}

// bug says what the client of a command did.
func (x *effect) bug(kind, format string, arguments ...any) Bug {
	who := x.client + "'s " + x.during
	if x.during == "" {
		who = "a command of " + x.client + " outside of its calls"
	}
	text := fmt.Sprintf("%s on %s: %s "+format, append([]any{words.Instant(x.at), x.Node, who}, arguments...)...)
	return Bug{Kind: kind, Event: x.event, Text: text}
}

func (x *effect) before() string { return keyed(x.Key, x.Before.Value) }
func (x *effect) after() string  { return keyed(x.Key, x.After.Value) }

// lifetime is how long a key has to live.
func lifetime(ends, at time.Duration) string {
	if ends == sim.Forever {
		return "no TTL"
	}
	return words.Period(max(ends-at, 0))
}

// tokenLength is how much of a long token is shown: its beginning and its end.
const tokenLength = 20

// keyed is a key with its value, shortened in the middle so that tokens which differ at
// either end can be told apart.
func keyed(key, value string) string {
	if r := []rune(value); len(r) > tokenLength {
		value = string(r[:tokenLength/2]) + "…" + string(r[len(r)-tokenLength/2:])
	}
	if value == "" {
		value = "(no token)"
	}
	return key + " = " + value
}

// isKeyOf reports whether a key is that of a resource: its name, or a name made from it.
func isKeyOf(key, resource string) bool {
	separator := func(r rune) bool { return strings.ContainsRune(":/{}.-_", r) }
	return key == resource || slices.Contains(strings.FieldsFunc(key, separator), resource)
}

package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/sim/words"
)

// noticed is the longest time between the end of a lease and the event in which its
// holder notices that end, for which the end gets no line of its own.
const noticed = time.Millisecond

// leaseEnds makes an entry for each lease that ended without a release. The trace
// has no event for that: nobody acts, only time passes.
func (t *teller) leaseEnds() {
	for _, l := range t.run.Leases {
		if l.Released {
			continue
		}
		if known := t.d.leases[l.ID]; known != nil && known.Lapsed != nil {
			if late := known.Lapsed.At - l.Until; late >= 0 && late < noticed {
				continue
			}
		}
		t.add(&entry{
			at: l.Until, order: len(t.run.Events) + 1, process: l.Client, lease: l.ID, mark: MarkHolds,
			words: func() string {
				return fmt.Sprintf("the validity of %s's lease %s on %s ends", l.Client, l.ID, l.Resource)
			},
		})
	}
}

// violations makes an entry for each finding, where it begins.
func (t *teller) violations() {
	for i, v := range t.run.Violations {
		from, _ := t.run.span(v)
		made := &entry{at: from, order: len(t.run.Events) + 2 + i, mark: MarkViolation, words: func() string {
			return t.violation(v) + "; " + t.explanation(v)
		}}
		if v.Event > 0 {
			made.at, made.order = t.eventAt(v.Event).At, v.Event
		}
		for _, e := range t.entries {
			begins := func(lease string) bool { return slices.Contains(e.events, t.d.began(lease)) }
			if v.Event == 0 && e.at == made.at && slices.ContainsFunc(v.Leases, begins) {
				made.order = e.order
			}
		}
		t.add(made)
	}
}

func (t *teller) violation(v Violation) string {
	if v.Words != "" {
		return strings.TrimSuffix(words.Rounded(v.Words), ".")
	}
	clients, resource := t.holders(v)
	from, until := t.run.span(v)
	lasted := fmt.Sprintf("from %s to %s (%s)", words.Instant(from), words.Instant(until), words.Period(until-from))
	switch overlaps := until > from && strings.HasPrefix(v.Oracle, "overlap"); {
	case overlaps && len(clients) > 1:
		return fmt.Sprintf("%s hold %s %s: mutual exclusion is violated", bothOrAll(clients), resource, lasted)
	case overlaps && len(clients) == 1 && len(v.Leases) > 1:
		return fmt.Sprintf("%s holds %s twice %s, by %s: mutual exclusion is violated", clients[0], resource, lasted, words.Listed(v.Leases))
	case len(clients) > 1:
		return fmt.Sprintf("the %s oracle finds a violation between %s", v.Oracle, words.Listed(v.Leases))
	}
	return fmt.Sprintf("the %s oracle finds a violation", v.Oracle)
}

// holders returns the clients of the leases of a finding, and their resource.
func (t *teller) holders(v Violation) (clients []string, resource string) {
	for _, id := range v.Leases {
		l := t.run.lease(id)
		if !slices.Contains(clients, l.Client) {
			clients = append(clients, l.Client)
		}
		resource = l.Resource
	}
	return clients, resource
}

func bothOrAll(clients []string) string {
	if len(clients) == 2 {
		return "both " + words.Listed(clients)
	}
	return words.Listed(clients) + " all"
}

// explanation names the broken assumptions that explain a violation, and the lines
// in which they were broken.
func (t *teller) explanation(v Violation) string {
	var parts []string
	for _, b := range t.run.Broken {
		if slices.Contains(v.ExplainedBy, b.Assumption) {
			parts = append(parts, t.broken(b))
		}
	}
	switch {
	case len(parts) > 0:
		return fmt.Sprintf("broken %s: %s", words.Plural(len(parts), "assumption", "assumptions"), words.Listed(parts))
	case len(t.run.Broken) > 0:
		return "no broken assumption explains it"
	}
	return "no assumption is broken"
}

// broken names an assumption and the line in which it was broken.
func (t *teller) broken(b Broken) string {
	if b.Event == 0 {
		return b.Assumption
	}
	return fmt.Sprintf("%s (line %d)", b.Assumption, t.lineOf(b.Event))
}

// verdict returns the last lines of the story: the findings and the broken assumptions.
func (t *teller) verdict() []string {
	var lines []string
	for _, v := range t.run.Violations {
		text := fmt.Sprintf("Violated (%s): %s", v.Oracle, t.violation(v))
		if v.More > 0 {
			text += fmt.Sprintf("; and %s more %s of this sort", words.Cardinal(v.More), words.Plural(v.More, "finding", "findings"))
		}
		switch {
		case len(v.ExplainedBy) > 0:
			text += "; " + t.explanation(v)
		case len(t.run.Broken) > 0:
			text += "; no broken assumption explains it: this is the lock's own bug"
		}
		lines = append(lines, text+".")
	}
	if len(lines) == 0 {
		lines = append(lines, "Nothing is violated in this run.")
	}
	for _, cause := range t.run.Causes {
		lines = append(lines, words.Rounded(cause)+".")
	}
	for _, b := range t.run.Broken {
		text := "Broken assumption " + t.broken(b)
		if b.Words != "" {
			text += ": " + b.Words
		}
		lines = append(lines, text+".")
	}
	switch {
	case len(t.run.Broken) > 0:
		return lines
	case len(t.run.Violations) > 0:
		return append(lines, "All assumptions were kept: this is the lock's own bug.")
	}
	return append(lines, "All assumptions were kept.")
}

package cause

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"redlocklab/sim/words"
)

// WriteTo writes the answer for people: each finding, its causes, and what happens
// without them.
func (a *Answer) WriteTo(w io.Writer) (int64, error) {
	var text strings.Builder
	for _, f := range a.Findings {
		fmt.Fprintf(&text, "%s at %s: %s\n", f.Oracle, instant(f.AtNS), f.Text)
		for _, line := range f.Lines() {
			fmt.Fprintf(&text, "  %s\n", line)
		}
	}
	n, err := io.WriteString(w, words.VisibleLines(text.String()))
	return int64(n), err
}

// Sentences say what caused the findings, a sentence or two for those that have the same cause.
func (a *Answer) Sentences() []string {
	var causes []string
	oracles := map[string][]string{} // by what caused their findings
	for _, f := range a.Findings {
		text := f.sentence()
		if oracles[text] == nil {
			causes = append(causes, text)
		}
		if name := string(f.Oracle); !slices.Contains(oracles[text], name) {
			oracles[text] = append(oracles[text], name)
		}
	}
	for i, text := range causes {
		causes[i] = "Cause (" + strings.Join(oracles[text], " and ") + "): " + text
	}
	return causes
}

// sentence says what caused one finding.
func (f *Finding) sentence() string {
	if len(f.Causes) == 0 {
		return strings.TrimSuffix(f.Lines()[0], ".")
	}
	each, and, or := "", ". Needed with it: ", "; or, each of them enough, "
	if f.grouped() {
		each, and, or = "one of each group is needed; group: ", ". Group: ", "; or "
	}
	var parts []string
	for _, c := range f.Causes {
		var breaks []string
		for _, h := range c.Heals {
			breaks = append(breaks, h.breaks())
		}
		parts = append(parts, strings.Join(breaks, or)+". "+capital(c.without()))
	}
	return each + strings.Join(parts, and)
}

// grouped reports whether the finding has several causes, some of them of several heals: it
// needs one break of each, and no break is needed or enough by itself.
func (f *Finding) grouped() bool {
	return len(f.Causes) > 1 && slices.ContainsFunc(f.Causes, func(c Cause) bool { return len(c.Heals) > 1 })
}

// capital writes the first letter large.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// Lines say what caused a finding.
func (f *Finding) Lines() []string {
	var lines []string
	switch {
	case f.Undecided != "":
		lines = append(lines, "undecided: "+f.Undecided)
	case len(f.Causes) == 0:
		lines = append(lines, "the lock's own bug: "+f.ruledOut())
	case f.grouped():
		lines = append(lines, "broken assumptions, more than it needs; one of each group is needed:")
	case len(f.Causes) > 1:
		lines = append(lines, "broken assumptions, needed together:")
	}
	for _, c := range f.Causes {
		switch {
		case f.grouped():
			lines = append(lines, "group:")
		case len(c.Heals) > 1:
			lines = append(lines, "broken assumptions, each of them enough:")
		}
		for _, h := range c.Heals {
			lines = append(lines, "cause: "+h.breaks())
		}
		lines = append(lines, c.without())
	}
	for _, c := range f.Needed {
		h := &c.Heals[0]
		name := "with " + h.Name
		if h.Fault != "" {
			name = fmt.Sprintf("without the fault %q", h.Fault)
		}
		why := "no assumption forbids that"
		if len(h.Breaks) > 0 {
			why = "it breaks only " + h.breaks() + ", which does not decide this"
		}
		lines = append(lines, fmt.Sprintf("%s it would not happen; %s", name, why), c.without())
	}
	return lines
}

// ruledOut says why a finding without a cause is the lock's own bug.
func (f *Finding) ruledOut() string {
	switch {
	case f.Stays != "":
		return "it stays without the broken assumptions: " + f.Stays
	case len(f.Ledger) > 0:
		return "nothing that broke " + words.Listed(f.Ledger) + " can be taken away from it"
	}
	return "no broken assumption is about it"
}

// breaks lists what a heal takes away: "A-VOTE: n3 forgot the vote … (event 57)".
func (h *Heal) breaks() string {
	var parts []string
	for _, b := range h.Breaks {
		text := b.Assumption + ": " + b.Reason
		if b.Event > 0 {
			text += fmt.Sprintf(" (event %d, %s)", b.Event, instant(b.AtNS))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// without says what happens without the heals of a cause.
func (c *Cause) without() string {
	var otherwise []string
	for _, h := range c.Heals {
		otherwise = append(otherwise, h.Words)
	}
	return fmt.Sprintf("%s: %s", words.Listed(otherwise), c.Without)
}

// Kind names the finding's cause in a word or two, for counts: "A-VOTE", "A-RATE and
// A-STEP" where both were needed, "A-STEP or A-VOTE" where each was enough, "own bug".
func (f *Finding) Kind() string {
	switch {
	case f.Undecided != "":
		return "undecided"
	case len(f.Causes) == 0:
		return "own bug"
	}
	return strings.Join(f.Assumptions(), ", ")
}

// String says how much an answer took: "3 findings, 2 replays".
func (a *Answer) String() string {
	return words.Counted(len(a.Findings), "finding") + ", " + words.Counted(a.Replays, "replay")
}

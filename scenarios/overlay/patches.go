package overlay

import (
	"context"
	"fmt"
)

// Patch is one bug for package redlock.
type Patch struct {
	Name   string
	Intent string // what its author would have got wrong, in one line
	Edits  []Edit
}

// Build builds the command line with the patch in it. The program knows what it
// carries.
func (p Patch) Build(ctx context.Context, root, output string) error {
	carried := fmt.Sprintf("-ldflags=-X=%s/scenarios/overlay.Carried=%s", module, p.Name)
	if err := Build(ctx, root, "./cmd/simulate", output, p.Edits, carried); err != nil {
		return fmt.Errorf("patch %s: %w", p.Name, err)
	}
	return nil
}

// Find returns the patch of this name.
func Find(name string) (Patch, bool) {
	for _, p := range Patches() {
		if p.Name == name {
			return p, true
		}
	}
	return Patch{}, false
}

// Patches lists the bugs that can be planted in package redlock.
func Patches() []Patch {
	return []Patch{
		{"quorum-off-by-one", "half rounded down is taken for a majority", []Edit{
			{"redlock/round/round.go", "return nodes/2 + 1", "return max(1, nodes/2)"},
		}},
		{"allowance-forgotten", "a lease is believed for its whole time to live", []Edit{
			{"redlock/acquire.go", "limit := c.ttl - l.settings.allowance(c.ttl)", "limit := c.ttl"},
		}},
		{"validity-from-answer", "the validity counts from the deciding answer, not from before the first send", []Edit{
			{"redlock/acquire.go", "result := f.wait(ctx, f.timeout)\n\tswitch {", "result := f.wait(ctx, f.timeout)\n\tuntil = result.endedAt + limit\n\tswitch {"},
		}},
		{"lapsed-lease-revived", "an extension counts after the deadline too, and puts back keys that had run out", []Edit{
			{"redlock/extend.go", "start, min(limit, l.Until()-start), min(settings.timeoutFor(ttl), max(l.Until()-start, 1)))", "start, limit, settings.timeoutFor(ttl))"},
			{"redlock/extend.go", "if result.state != round.Granted || result.endedAt >= l.Until() {", "if result.state != round.Granted {"},
			{"redlock/extend.go", "if now >= l.Until() {", "if now >= l.Until()+l.ttl {"},
			{"redlock/fanout.go", "if operation == OperationRelease {\n\t\t\treturn round.For", "if operation == OperationRelease || operation == OperationExtend && outcome == OutcomeMissing {\n\t\t\treturn round.For"},
		}},
		{"failed-extension-counts", "an extension that no quorum answered prolongs the belief all the same", []Edit{
			{"redlock/extend.go", "if result.state != round.Granted || result.endedAt >= l.Until() {", "if result.state == round.Undecided || result.refuted || result.endedAt >= l.Until() {"},
		}},
		{"failed-extension-lengthens", "an extension that failed says so, and the lease is believed for longer all the same", []Edit{
			{"redlock/extend.go", "f.abandoned.Store(true)\n\t\treturn l.extensionError", "f.abandoned.Store(true)\n\t\tl.until.Store(max(l.until.Load(), int64(until)))\n\t\treturn l.extensionError"},
		}},
		{"release-by-plain-delete", "a release deletes the key without comparing its token", []Edit{
			{"redlock/command.go", "milliseconds := strconv.FormatInt(c.ttl.Milliseconds(), 10)\n", "milliseconds := strconv.FormatInt(c.ttl.Milliseconds(), 10)\n\tif c.operation == OperationRelease {\n\t\treturn []any{\"DEL\", c.keys[0]}\n\t}\n"},
		}},
		{"errors-vote", "whatever is no refusal is a vote", []Edit{
			{"redlock/fanout.go", "default:\n\t\treturn round.Unknown", "case OutcomeTransport, OutcomeTimeout, OutcomeServer:\n\t\treturn round.For\n\tdefault:\n\t\treturn round.Unknown"},
		}},
		{"guard-too-short", "a restarted node is left out for a quarter of the time that its votes may live", []Edit{
			{"redlock/server_identity.go", "s.quarantineEnd = now + quarantine", "s.quarantineEnd = now + quarantine/4"},
			{"redlock/server_identity.go", "missing := guardTTL + uptimeSlack - info.uptime; missing > 0", "missing := guardTTL/4 - info.uptime; missing > 0"},
			{"redlock/server_identity.go", "now + missing + (quarantine - guardTTL)", "now + missing"},
		}},
	}
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
)

// decision is a row of the table that a user of a lock needs first.
type decision struct {
	situation, happens, do, claims string
	// shown are the cells that it rests on: "SCENARIO SUBJECT: " and holds, the oracle that is
	// violated, or bug for two holders that no broken assumption explains.
	shown []string
}

var decisions = []decision{
	{"three or five servers, `appendfsync always`, nobody touches their clocks or keys", "nothing: two clients never hold", "keep it so", "MX-1 RP-2", []string{"MX-1 SY-10: holds", "RP-2-always SY-10: holds"}},
	{"servers without persistence, or containers without a volume, restarted at once", "a restarted server has forgotten its vote: two holders", "let it stay out for longer than the largest TTL, or use redlock's restart guard", "BA-2 RP-1 RP-4", []string{"BA-2 SY-10 unguarded: overlap", "BA-2 SY-10 guarded: holds", "RP-1 SY-10: holds", "RP-4 SY-10 unguarded: overlap"}},
	{"AOF `everysec`, or snapshots, and a machine loses power", "the last writes are gone: two holders", "`appendfsync always`, or the guard, or stay out for a TTL", "BA-3 RP-2", []string{"BA-3-everysec SY-10 unguarded: overlap", "BA-3-rdb SY-10 unguarded: overlap", "BA-3-everysec SY-10 guarded: holds", "RP-2-always SY-10: holds"}},
	{"AOF `everysec`, and only processes die", "votes are lost while a sync of the disk runs: rarely two holders", "`appendfsync always`, or the guard", "RP-2", []string{"RP-2-everysec SY-10: holds", "RP-2-slow-disk SY-10 unguarded: overlap", "RP-2-slow-disk SY-10 guarded: holds"}},
	{"Sentinel, Cluster or a managed pair behind the lock", "the promoted replica has not heard of the vote: two holders; no guard helps newcomers", "independent servers without failover", "BA-5", []string{"BA-5-quorum SY-10 unguarded: overlap", "BA-5-quorum SY-10 guarded: holds", "BA-5-newcomer SY-10 guarded: overlap"}},
	{"one server", "when it is down, nobody locks; a power loss forgets the lock", "accept that, or take three", "SY-1 LV-2", []string{"SY-1 SY-1: holds"}},
	{"clocks that are stepped (NTP at start, an operator, a resumed VM)", "a key expires early: two holders", "slew only, and measure validity on a clock that counts suspension", "BA-1 BA-6 BA-7", []string{"BA-1 SY-10: overlap", "BA-6 SY-0 wall: overlap", "BA-6 SY-10: holds", "BA-7 SY-0 monotonic: overlap", "BA-7 SY-10: holds"}},
	{"clocks that run wrong by more than " + bound(), "the customary allowance is too small: two holders for some milliseconds", "`WithClockRateBound`, or a larger drift factor", "BA-8", []string{"BA-8-both-bound SY-10: holds", "BA-8-both-above SY-10: overlap"}},
	{"holders that can stand still (GC, a busy machine) or whose writes can be late", "a write arrives after the lease: a lost update", "check fencing tokens at every access, reads included", "RS-1 RS-2 RS-3 RP-5", []string{"RS-1 SY-10: resource_unfenced", "RS-2 SY-10: resource_unfenced", "RS-3 SY-10: resource_fenced_writes", "RP-5-pause SY-10: resource_unfenced"}},
	{"a fencing token from a counter on the lock's servers", "a server that forgets lets the counter fall", "durable counters, and write the maximum back", "RS-4", []string{"RS-4-counters SY-10 guarded: fencing_tokens", "RS-4-maximum SY-10: holds"}},
	{"operators who delete keys, eviction, a number of servers that changes", "a vote is gone: two holders", "a database of its own, `noeviction`, stop all clients before N changes", "BA-9 BA-10", []string{"BA-9-resize SY-10: overlap", "BA-10-delete SY-10: overlap", "BA-10-evict SY-10: overlap"}},
	{"a fixed retry delay, or extensions without end", "nobody wins, or the others starve", "a random delay, a bound on extensions", "LV-4 LV-9", []string{"LV-4 SY-0 fixed: liveness", "LV-4 SY-0: holds", "LV-9 SY-10 unbounded: liveness", "LV-9 SY-10 bounded: holds"}},
	{"a lock of the older recipes: plain DEL, GET and DEL, SETNX with timestamps", "two holders with nothing broken", "replace it", "SY-2 SY-3 SY-4 SY-5", []string{"SY-2 SY-2: bug", "SY-3 SY-3: bug", "SY-4 SY-4: bug", "SY-5-late SY-5: bug"}},
}

// bound is the rate error that the customary allowance covers, in percent.
func bound() string { return fmt.Sprintf("%.2f %%", float64(checker.DefaultRateErrorPPM)/1e4) }

// decide writes that table.
func (in *Input) decide(d *document) {
	d.line("## What to do")
	d.line("")
	d.paragraph("", "Find your situation. `./simulate ask` plays it with your own numbers and names the boundary: "+
		"`./simulate ask k8s-statefulset`, `./simulate ask --help`.")
	d.head("your situation", "what can happen", "what to do", "claim")
	for _, row := range decisions {
		var claims []string
		for claim := range strings.FieldsSeq(row.claims) {
			if strings.HasPrefix(claim, "SY-") {
				claims = append(claims, "["+claim+"](#track-record)")
				continue
			}
			claims = append(claims, anchor(claim))
		}
		d.row(row.situation, row.happens, row.do, strings.Join(claims, " "))
	}
	d.line("")
}

// Unshown lists what the table of decisions says and the cells do not show.
func (in *Input) Unshown() []string {
	var changes []string
	for _, row := range decisions {
		for _, says := range row.shown {
			name, want, _ := strings.Cut(says, ": ")
			scenario, subject, _ := strings.Cut(name, " ")
			cells := in.choose(func(c *Cell) bool { return c.Scenario == scenario && c.Subject == subject })
			t := in.tally(cells...)
			all := append(slices.Clone(t.oracles), t.bugs...)
			shows := map[string]bool{"holds": t.violated == 0, "bug": slices.Contains(t.bugs, checker.OracleOverlap)}
			if shown := shows[want] || slices.Contains(all, checker.Oracle(want)); t.runs == 0 || !shown {
				changes = append(changes, fmt.Sprintf("the decision table rests on %q, which %d runs do not show", says, t.runs))
			}
		}
	}
	return changes
}

// kept says how many of the promises a subject kept in all runs.
func (in *Input) kept(subject string, claims []string) string {
	n := 0
	for _, claim := range claims {
		if t := in.of(subject, claim); t.runs > 0 && t.violated == 0 {
			n++
		}
	}
	return fmt.Sprintf("%d of %d promises were kept", n, len(claims))
}

package atlas_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

const gridFile = `claim: BA-8
title: A grid
story: told elsewhere
parameters:
  outage: { value: 1s, range: 0s..100s, meaning: how long }
  ttl: { value: 10s, range: 100ms..100s, meaning: how long keys live }
map:
  x: { outage: 0s..14s }
  y: { ttl: 1s..12s }
  cells: 6x5
  predicts: [ { violated: "FORMULA", open: "OPEN", because: planted } ]
lock: { ttl: $ttl }
clients:
  A: [ { lock: r }, { release: r } ]
faults:
  - { name: out, crash: n1, restart_after: $outage, at: 1s }
subjects:
  SY-0: { expect: any }
`

func grid(t *testing.T, formula, open string, change func(*atlas.Spec)) *atlas.Map {
	return newMap(t, strings.NewReplacer("FORMULA", formula, "OPEN", open).Replace(gridFile), change)
}

// planted answers jobs from a law in place of runs, in any order, and counts them.
type planted struct {
	violated func(outage, ttl time.Duration) bool
	idle     func(outage, ttl time.Duration) bool // the fault has no effect
	random   *rand.Rand
	most     int // after so many runs it is interrupted; 0 is never
	runs     int
}

var errStopped = errors.New("interrupted")

func (w *planted) play(m *atlas.Map) error {
	return m.Play(func(jobs []campaign.Job, causes bool) error {
		w.random.Shuffle(len(jobs), func(i, k int) { jobs[i], jobs[k] = jobs[k], jobs[i] })
		for _, j := range jobs {
			for _, seed := range j.Seeds {
				if w.runs++; w.most > 0 && w.runs > w.most {
					return errStopped
				}
				outage, ttl := valueOf(j, "outage"), valueOf(j, "ttl")
				r := report(j, seed, w.violated(outage, ttl))
				r.Fired = []campaign.Count{{Name: "out", Times: 1}}
				if w.idle != nil && w.idle(outage, ttl) {
					r.Fired[0].Times = 0
				}
				if r.TraceHash = fmt.Sprint(j.Scenario.Name, seed); causes {
					r.Causes = &campaign.Causes{
						Findings: []campaign.FoundCause{{Oracle: checker.OracleOverlap, Kind: "A-VOTE"}},
					}
				}
				m.Add(r)
			}
		}
		return nil
	})
}

func valueOf(j campaign.Job, name string) time.Duration {
	p, err := j.Scenario.Parameter(name)
	if err != nil {
		panic(err)
	}
	n, err := p.Parse(p.Value)
	if err != nil {
		panic(err)
	}
	return time.Duration(n)
}

// TestBordersEncloseTheLaw: whatever straight line the law is, each border that is found has
// the line inside of it, is as narrow as it was asked for, and no neighbours differ without one.
func TestBordersEncloseTheLaw(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 12 {
		slope, shift := 0.1+2*random.Float64(), 6*random.Float64()-3
		law := func(outage, ttl time.Duration) bool { return outage.Seconds() < slope*ttl.Seconds()+shift }
		const refine = 3
		m := grid(t, "false", "true", func(s *atlas.Spec) { s.Refine, s.Map.Seeds.Last, s.Map.Cells = refine, 1, [2]int{5, 4} })
		if err := (&planted{violated: law, random: rand.New(rand.NewPCG(1, 2))}).play(m); err != nil {
			t.Fatal(err)
		}
		for _, b := range m.Borders() {
			at := func(v int64) bool {
				p := b.At
				p.Values[b.Axis] = v
				return law(time.Duration(p.Values[0]), time.Duration(p.Values[1]))
			}
			if at(b.Low) == at(b.High) || at(b.Low) != (b.Before == atlas.TwoHolders) ||
				at(b.High) != (b.After == atlas.TwoHolders) {
				t.Errorf("%+v does not enclose the law", b)
			}
			axis := m.Axes[b.Axis]
			if width := (axis.Values[1]-axis.Values[0])>>refine + int64(2*time.Millisecond); b.High-b.Low > width {
				t.Errorf("%+v is wider than %v", b, time.Duration(width))
			}
		}
		lines, differ := linesOf(t, m), 0
		for i := range lines {
			if want := law(time.Duration(lines[i].Values[0]),
				time.Duration(lines[i].Values[1])); want != (lines[i].Verdict == atlas.TwoHolders) {
				t.Errorf("%v is %s", lines[i].Texts, lines[i].Verdict)
			}
			for k := range lines[:i] {
				dx, dy := apart(m, lines[i], lines[k])
				if dx+dy == 1 && lines[i].Verdict != lines[k].Verdict {
					differ++
				}
			}
		}
		if differ != len(m.Borders()) {
			t.Errorf("%d neighbours differ, but there are %d borders", differ, len(m.Borders()))
		}
		found += differ
	}
	if found < 50 {
		t.Errorf("only %d borders were looked at", found)
	}
}

func apart(m *atlas.Map, a, b atlas.Line) (int, int) {
	ax, ay := m.Cell(a.Place)
	bx, by := m.Cell(b.Place)
	return max(ax-bx, bx-ax), max(ay-by, by-ay)
}

// TestAWrongFormulaIsFlagged: a formula that is the law has no disagreement; one that is off
// by more than a cell has; cells where it says that it is open are no disagreement.
func TestAWrongFormulaIsFlagged(t *testing.T) {
	law := func(outage, ttl time.Duration) bool { return outage < ttl }
	for _, test := range []struct {
		formula, open string
		disagree      bool
	}{
		{"outage < ttl", "false", false},
		{"outage < ttl - 2.5", "false", true},
		{"outage < ttl - 2.5", "abs(outage - ttl) < 3", false},
		{"false", "false", true},
	} {
		m := grid(t, test.formula, test.open, func(s *atlas.Spec) { s.Map.Seeds.Last = 1 })
		if err := (&planted{violated: law, random: rand.New(rand.NewPCG(1, 2))}).play(m); err != nil {
			t.Fatal(err)
		}
		lines := linesOf(t, m)
		tally := m.Tallies(lines)[0]
		if flagged := tally.Agree[atlas.Disagrees] > 0; flagged != test.disagree ||
			len(tally.Lines) != tally.Agree[atlas.Disagrees] {
			t.Errorf("%s, open %s: %v", test.formula, test.open, tally.Agree)
		}
		var picture bytes.Buffer
		if err := m.WriteSVG(&picture, lines); err != nil {
			t.Fatal(err)
		}
		if marks := strings.Count(picture.String(), "<path"); marks != tally.Agree[atlas.Disagrees] {
			t.Errorf("%d cells are marked, but %d disagree", marks, tally.Agree[atlas.Disagrees])
		}
		if cells := strings.Count(picture.String(), "data-cell="); cells != 30 {
			t.Errorf("%d cells are drawn, want 30", cells)
		}
	}
}

// TestNoEffectIsNeverSafe: where the fault had no effect, a cell without a violation is
// undecided, and makes no border.
func TestNoEffectIsNeverSafe(t *testing.T) {
	m := grid(t, "outage < 3", "false", func(s *atlas.Spec) { s.Refine = 2 })
	w := &planted{violated: func(outage, _ time.Duration) bool {
		return outage < 3*time.Second
	}, idle: func(outage, _ time.Duration) bool { return outage > 9*time.Second }, random: rand.New(rand.NewPCG(1, 2))}
	if err := w.play(m); err != nil {
		t.Fatal(err)
	}
	undecided := 0
	for _, l := range linesOf(t, m) {
		if l.Values[0] > int64(9*time.Second) {
			if undecided++; l.Verdict != atlas.Undecided || l.Agreement != atlas.NoVerdict {
				t.Errorf("%v is %s, %s", l.Texts, l.Verdict, l.Agreement)
			}
		} else if l.Cause == "" && l.Verdict == atlas.TwoHolders {
			t.Errorf("%v has no cause", l.Texts)
		}
	}
	for _, b := range m.Borders() {
		if b.Low > int64(5*time.Second) {
			t.Errorf("%+v is a border to cells that are undecided", b)
		}
	}
	if undecided == 0 || len(m.Borders()) == 0 {
		t.Errorf("%d cells undecided, %d borders", undecided, len(m.Borders()))
	}
}

// TestInterruptedMapsEndTheSame: whenever it is stopped, and in whatever order runs end, a map
// that continues writes the same bytes, and plays no run twice.
func TestInterruptedMapsEndTheSame(t *testing.T) {
	law := func(outage, ttl time.Duration) bool { return outage < ttl }
	text := func(m *atlas.Map) string {
		var b bytes.Buffer
		if err := errors.Join(m.WriteRuns(&b), m.WriteCSV(&b, linesOf(t, m)),
			m.WriteSVG(&b, linesOf(t, m))); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	change := func(s *atlas.Spec) {
		s.Refine, s.Map.Seeds.Last = 2, 2
		s.Pin = []plan.Setting{{Name: "outage", Value: "5s"}, {Name: "ttl", Value: "10s"}}
	}
	whole := grid(t, "outage < ttl", "false", change)
	w := &planted{violated: law, random: rand.New(rand.NewPCG(1, 2))}
	if err := w.play(whole); err != nil {
		t.Fatal(err)
	}
	want, all := text(whole), w.runs
	if says := whole.Pinned(); len(says) != 1 ||
		!strings.Contains(says[0], "two holders in 2 of 2 runs; one holder beyond outage 10") || !strings.Contains(says[0], "(+") || !strings.Contains(says[0], "one holder beyond ttl ") {
		t.Errorf("the pin says %q", says)
	}
	for stop := 1; stop < all; stop += 37 {
		m := grid(t, "outage < ttl", "false", change)
		first := &planted{violated: law, random: rand.New(rand.NewPCG(3, uint64(stop))), most: stop}
		if err := first.play(m); !errors.Is(err, errStopped) {
			t.Fatal(err)
		}
		then := &planted{violated: law, random: rand.New(rand.NewPCG(4, uint64(stop)))}
		if err := then.play(m); err != nil {
			t.Fatal(err)
		}
		if first.most+then.runs != all || text(m) != want {
			t.Errorf("stopped after %d runs: %d runs in all, want %d; the same: %v", stop, first.most+then.runs, all, text(m) == want)
		}
	}
}

// TestBorderInWords: a map over one axis says between which values its verdict changes.
func TestBorderInWords(t *testing.T) {
	const limit = 3 * time.Second
	for _, test := range []struct {
		name string
		law  func(outage, ttl time.Duration) bool
		want string
	}{
		{"one border", func(outage, _ time.Duration) bool { return outage < limit }, `two holders up to outage (\S+), one holder from (\S+) on$`},
		{"none", func(time.Duration, time.Duration) bool { return false }, `one holder at every value of outage$`},
		{"two borders", func(outage, _ time.Duration) bool { return outage < limit || outage > 2*limit }, `two holders up to outage (\S+), one holder from (\S+) on, two holders from \S+ on$`},
	} {
		m := grid(t, "false", "true", func(s *atlas.Spec) {
			s.Map.Y, s.Map.Predictions, s.Refine, s.Map.Seeds.Last, s.Map.Cells = nil, nil, 3, 1, [2]int{5, 4}
		})
		if err := (&planted{violated: test.law, random: rand.New(rand.NewPCG(1, 2))}).play(m); err != nil {
			t.Fatal(err)
		}
		says := m.Crossed()
		if len(says) != len(m.Subjects) {
			t.Fatalf("%s: %q", test.name, says)
		}
		found := regexp.MustCompile(test.want).FindStringSubmatch(says[0])
		if found == nil {
			t.Fatalf("%s: %q", test.name, says[0])
		}
		if len(found) == 3 {
			low, _ := time.ParseDuration(found[1])
			high, _ := time.ParseDuration(found[2])
			if low >= limit || high < limit || high-low > limit/4 {
				t.Errorf("%s: %q does not enclose %v", test.name, says[0], limit)
			}
		}
	}
}

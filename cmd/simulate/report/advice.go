package report

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

//go:embed advice.yaml
var adviceText []byte

// advice is what advice.yaml says. The advice is ours; the numbers behind it are the runs'.
var advice = func() (a struct {
	Decisions []decision
	Sentences []sentence
}) {
	if err := yaml.Unmarshal(adviceText, &a); err != nil {
		panic(err) // the file is our own
	}
	return a
}()

// decision is a row of the table that a user of a lock needs first.
type decision struct {
	Situation, Happens, Do, Claims string
	Shown                          []string // the cells that it rests on, and what they must show
	Asks                           []Asked
}

// Asked is a setup of a row of the table of decisions, as flags of the command ask, and the status
// that each named question must get.
type Asked struct {
	Setup string
	Says  map[string]string
}

// Asks returns the setups of all rows, by their situations.
func Asks() map[string][]Asked {
	rows := map[string][]Asked{}
	for _, row := range advice.Decisions {
		rows[row.Situation] = row.Asks
	}
	return rows
}

// sentence is one line of the summary: what to do, and the runs that say so.
type sentence struct {
	Do, Because string
	Subject     string   // whose runs are summed up; empty: those of the systems
	Claims      []string // that they are about
	Systems     []string // instead of a subject: these, one by one
}

// filled puts the numbers into a text of the advice.
func filled(text, kept string) string {
	bound := fmt.Sprintf("%.2f %%", float64(checker.DefaultRateErrorPPM)/1e4)
	return strings.NewReplacer("{bound}", bound, "{kept}", kept).Replace(text)
}

func (in *Input) decisions() string {
	return tableOf(advice.Decisions, func(row decision) []string {
		claims := plan.Texts(strings.Fields(row.Claims), func(claim string) string {
			if strings.HasPrefix(claim, "SY-") {
				return "[" + claim + "](#track-record)"
			}
			return anchor(claim)
		})
		asked := ""
		if len(row.Asks) > 0 {
			asked = code("ask " + row.Asks[0].Setup)
		}
		return []string{filled(row.Situation, ""), row.Happens, row.Do, strings.Join(claims, " "), asked}
	}, "your situation", "what can happen", "what to do", "claim", "an example for `./simulate`")
}

// Unshown lists what the table of decisions says and the cells do not show.
func (in *Input) Unshown() []string {
	var changes []string
	for _, row := range advice.Decisions {
		for _, says := range row.Shown {
			name, want, _ := strings.Cut(says, ": ")
			scenario, subject, _ := strings.Cut(name, " ")
			t := in.tally(in.choose(func(c *Cell) bool { return c.Scenario == scenario && c.Subject == subject })...)
			all := append(slices.Clone(t.oracles), t.bugs...)
			shows := map[string]bool{"holds": t.violated == 0, "bug": slices.Contains(t.bugs, checker.OracleOverlap)}
			if shown := shows[want] || slices.Contains(all, checker.Oracle(want)); t.runs == 0 || !shown {
				changes = append(changes, fmt.Sprintf("the decision table rests on %q, which %d runs do not show", says, t.runs))
			}
		}
	}
	return changes
}

// sentences are what a practitioner can act on. Each has the results of the runs behind it,
// and the command that plays them.
func (in *Input) sentences() string {
	d := &document{}
	for i, a := range advice.Sentences {
		number, command := in.evidence(&a)
		d.line("%d. **%s.** %s *%s.*", i+1, a.Do, filled(a.Because, in.kept(a.Subject, a.Claims)), number)
		d.command(command)
	}
	return d.String()
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

// evidence says what the runs behind a sentence show, and how to play them.
func (in *Input) evidence(a *sentence) (number, command string) {
	seeds := fmt.Sprintf("--seeds 1-%d", in.seedsOfCell())
	if a.Subject != "" {
		name := plan.KnownAs(a.Subject)
		words := append(append([]string{"./simulate run"}, a.Claims...), "--subject", name, seeds)
		t := in.of(a.Subject, a.Claims...)
		return fmt.Sprintf("%s: %s%s", name, t.summary(), t.diagnosed()), strings.Join(words, " ")
	}
	var names []string
	var cells []*Cell
	for _, s := range plan.Systems() {
		if slices.Contains(a.Systems, plan.SystemOf(s.Name)) {
			names = append(names, "--subject "+plan.KnownAs(s.Name))
			cells = append(cells, in.choose(func(c *Cell) bool { return c.name() == s.Name })...)
		}
	}
	t := in.tally(cells...)
	return t.summary().String() + t.diagnosed(), "./simulate run " + strings.Join(append(names, seeds), " ")
}

// seedsOfCell is how many seeds of a cell were played.
func (in *Input) seedsOfCell() int {
	most := 0
	for i := range in.Results.Cells {
		most = max(most, in.tally(&in.Results.Cells[i]).runs)
	}
	return most
}

// of sums up a subject's cells of some claims; of all when none is named.
func (in *Input) of(subject string, claims ...string) *tally {
	return in.tally(in.choose(func(c *Cell) bool {
		return c.name() == subject && (len(claims) == 0 || slices.Contains(claims, c.Claim))
	})...)
}

// summary sums up the runs as the command that plays them does.
func (t *tally) summary() campaign.Tally {
	return campaign.Tally{Runs: t.runs, Violated: t.violated, Bug: t.bare}
}

// diagnosed names the causes of the violations that no broken assumption explains; empty when
// there are none.
func (t *tally) diagnosed() string {
	var causes, others []string
	if t.own > 0 {
		causes = append(causes, fmt.Sprintf("%d its own mistake", t.own))
	}
	for _, cause := range t.causes {
		if cause != CauseLock {
			others = append(others, string(cause))
		}
	}
	if t.bare > t.own {
		causes = append(causes, fmt.Sprintf("%d %s", t.bare-t.own, oneOf(others)))
	}
	if len(causes) == 0 {
		return ""
	}
	return "; diagnosed as " + strings.Join(causes, ", ")
}

// oneOf lists alternatives: "A, B or C".
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

package conform

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios"
	"redlocklab/scenarios/plan"
	"redlocklab/tla"
)

// Models and simulator come to the same verdict on every claim that both ask. A
// claim that the model splits says both words: "holds within the allowance, fails beyond".
func TestModelsAndSimulatorAgree(t *testing.T) {
	byID := map[string]tla.ClaimVerdict{}
	for _, v := range tla.LoadManifest().Claims {
		byID[v.Claim] = v
	}
	compared := 0
	for _, claim := range plan.Claims() {
		model, listed := byID[claim.ID]
		if claim.Kind == plan.KindSystem {
			continue
		}
		if !listed {
			t.Errorf("%s: the models do not say whether they have it", claim.ID)
			continue
		}
		if len(model.Models) == 0 {
			continue
		}
		word := map[plan.Kind]string{plan.KindHolds: "holds", plan.KindViolated: "fails"}[claim.Kind]
		if word == "" || !strings.Contains(model.Says, word) {
			t.Errorf("%s: the models say %q, the simulator %s", claim.ID, model.Says, claim.Kind)
		}
		compared++
	}
	if compared < 30 {
		t.Errorf("only %d claims were compared", compared)
	}
}

// The table of tla/README.md has what the suite says of every claim, and explains
// where models and simulator break different assumptions.
func TestReadmeAgreesWithTheSuite(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "tla", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| ([A-Z]{2}-\d+) \| ([^|]*) \| ([^|]*) \| [^|]* \| [^|]* \| [^|]* \| ([^|]*) \| [^|]* \|$`)
	rows := map[string][]string{}
	_, section, _ := strings.Cut(string(text), "\n## Claim by claim\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, cells := range row.FindAllStringSubmatch(section, -1) {
		rows[cells[1]] = cells[2:]
	}
	assumption := regexp.MustCompile(`A-[A-Z]+`)
	for _, claim := range plan.Claims() {
		if claim.Kind == plan.KindSystem {
			continue
		}
		cells := rows[claim.ID]
		if cells == nil {
			t.Errorf("%s has no row", claim.ID)
			continue
		}
		says := suiteSays(suite, claim)
		if cells[1] != says {
			t.Errorf("%s: the table has %q, the suite says %q", claim.ID, cells[1], says)
		}
		model, simulator := assumption.FindAllString(cells[0], -1), assumption.FindAllString(says, -1)
		slices.Sort(model)
		if !slices.Equal(slices.Compact(model), simulator) && cells[2] == "" {
			t.Errorf("%s: the models say %q, the simulator %q, and nothing explains it", claim.ID, cells[0], says)
		}
	}
}

// suiteSays is a claim's verdict with the assumptions that the suite's violated
// rows of SY-0 and SY-10 break, those with a planted bug aside.
func suiteSays(suite []*plan.Scenario, claim plan.Claim) string {
	if claim.Kind != plan.KindViolated {
		return string(claim.Kind)
	}
	var broken []string
	unbroken := ""
	for _, s := range suite {
		for _, row := range s.Subjects {
			ours := row.Name == "SY-0" || row.Name == "SY-10"
			if s.Claim != claim.ID || !ours || row.Option("bug", "none") != "none" || !violated(row) {
				continue
			}
			broken = append(broken, row.Broken...)
			if len(row.Broken) == 0 {
				unbroken = ", and with nothing broken"
			}
		}
	}
	slices.Sort(broken)
	return "violated (" + strings.Join(slices.Compact(broken), ", ") + ")" + unbroken
}

func violated(row plan.Subject) bool {
	for _, verdict := range row.Expect { // any of them: the order does not show
		if verdict == checker.Violated {
			return true
		}
	}
	return false
}

package plan

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"redlocklab/checker"
)

var update = flag.Bool("update", false, "write the tables of GLOSSARY.md anew")

const glossaryFile = "../GLOSSARY.md"

// TestGlossary holds the tables of GLOSSARY.md to what simulate list prints.
func TestGlossary(t *testing.T) {
	text, err := os.ReadFile(glossaryFile)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for _, section := range []struct {
		heading, columns string
		rows             [][2]string
	}{
		{"Words", "| word | meaning |", pairs(Words())},
		{"Assumptions", "| id | what must hold |", pairs(AssumptionTerms())},
		{"Sources", "| letter | text |", sources()},
	} {
		table := regexp.MustCompile(`(?s)(\n## ` + section.heading + `\n.*?\n)(\|[^\n]*\n)+`)
		if !table.MatchString(want) {
			t.Fatalf("GLOSSARY.md has no table under the heading %s", section.heading)
		}
		lines := section.columns + "\n|---|---|\n"
		for _, row := range section.rows {
			lines += fmt.Sprintf("| %s | %s |\n", row[0], row[1])
		}
		want = table.ReplaceAllStringFunc(want, func(found string) string {
			return table.FindStringSubmatch(found)[1] + lines
		})
	}
	if *update {
		if err := os.WriteFile(glossaryFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Error("GLOSSARY.md differs from the Go data; write it anew with: go test ./scenarios/plan -run TestGlossary -update")
	}
}

func pairs(terms []Term) [][2]string {
	rows := make([][2]string, len(terms))
	for i, term := range terms {
		rows[i] = [2]string{"**" + term.Name + "**", term.Meaning}
	}
	return rows
}

func sources() [][2]string {
	var rows [][2]string
	for _, p := range Publications() {
		title := p.Title
		if p.Link != "" {
			title += ", <" + p.Link + ">"
		}
		rows = append(rows, [2]string{"[" + p.Letter + "]", title})
	}
	return rows
}

// TestEveryAssumptionIsExplained: the glossary has each id once, in the order of the ledger.
func TestEveryAssumptionIsExplained(t *testing.T) {
	var ids []string
	for _, term := range AssumptionTerms() {
		ids = append(ids, term.Name)
	}
	if !slices.Equal(ids, checker.Assumptions()) {
		t.Errorf("found %q, want %q", ids, checker.Assumptions())
	}
}

// TestTermsStandOnce: no word is explained twice, and none is empty.
func TestTermsStandOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, term := range append(Words(), AssumptionTerms()...) {
		for name := range strings.SplitSeq(term.Name, ", ") {
			if seen[name] || name == "" || term.Meaning == "" {
				t.Errorf("%q: explained twice, or not at all", name)
			}
			seen[name] = true
		}
	}
}

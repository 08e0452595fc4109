package tables_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"redlocklab/cmd/simulate/tables"
)

func TestATableFoldsToItsWidth(t *testing.T) {
	t.Setenv("COLUMNS", "40")
	var out strings.Builder
	w := tables.New(&out)
	fmt.Fprintln(w, "NAME\tSAYS\tRESULT")
	fmt.Fprintln(w, "a\tone two three four five six seven\tgood")
	fmt.Fprintln(w, "bb\tρ is small\tbad")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := `NAME  SAYS                        RESULT
a     one two three four five     good
      six seven
bb    ρ is small                  bad
`
	if out.String() != want {
		t.Errorf("found\n%s\nwant\n%s", out.String(), want)
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 40 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestATableThatFitsIsNotFolded(t *testing.T) {
	t.Setenv("COLUMNS", "")
	var out strings.Builder
	w := tables.New(&out)
	fmt.Fprint(w, "a\t"+strings.Repeat("long ", 10)+"\tz\nbbb\tc\n")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "a    " + strings.Repeat("long ", 10) + "  z\nbbb  c\n"; out.String() != want {
		t.Errorf("found\n%q\nwant\n%q", out.String(), want)
	}
}

// A word that is longer than the window stays whole: it may be a hash to copy.
func TestWordsStayWhole(t *testing.T) {
	t.Setenv("COLUMNS", "20")
	var out strings.Builder
	w := tables.New(&out)
	fmt.Fprintln(w, strings.Repeat("f", 64)+"\tx y")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), strings.Repeat("f", 64)) {
		t.Error(out.String())
	}
}

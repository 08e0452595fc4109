package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCheckClaim(t *testing.T) {
	for _, c := range Claims() {
		if err := CheckClaim(c.ID); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
	}
	for _, id := range []string{"", "BA", "BA-", "BA-0", "BA-12", "BA-02", "ba-2", "SY-12", "BA-2-rdb", "h-1", "H-0", "H", "H-1-b"} {
		err := CheckClaim(id)
		if err == nil || !strings.HasSuffix(err.Error(), "; allowed: MX-1 to MX-11, BA-1 to BA-11, RP-1 to RP-5, RS-1 to RS-4, LV-1 to LV-12, SY-0 to SY-11; or an id of your own with other letters, like H-1") {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []string{"H-1", "ACME-17", "X2-3"} {
		if err := CheckClaim(id); err != nil {
			t.Errorf("a hypothesis of one's own, %s: %v", id, err)
		}
	}
}

// TestCompareNames: names are ordered by claim, then as text; names without a claim are last.
func TestCompareNames(t *testing.T) {
	ordered := []string{"MX-1", "MX-2", "MX-10", "BA-2", "BA-2-b", "BA-2-rdb", "BA-10", "SY-9", "SY-11-redislock", "SY-11-redsync", "", "BA", "BA-99", "canary"}
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.Permutation(ordered).Draw(t, "names")
		slices.SortFunc(names, CompareNames)
		if !slices.Equal(names, ordered) {
			t.Fatalf("%q", names)
		}
	})
}

func TestSystemOf(t *testing.T) {
	for name, want := range map[string]string{"SY-9": "SY-9", "SY-11-redsync": "SY-11", "canary": "", "": "", "SY-99": "", "MX-1": ""} {
		if got := SystemOf(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"SY-0": "textbook", "canary": "canary", "unknown": "unknown"} {
		if got := KnownAs(name); got != want {
			t.Errorf("%q is known as %q, want %q", name, got, want)
		}
	}
}

func TestCheckSubject(t *testing.T) {
	for title, want := range map[string]string{
		"SY-0":         "",
		"SY-0 guarded": "",
		"canary":       "",
		"textbook":     `which is the command line's word for SY-0; allowed: SY-0`,
		"SY-99":        `found the unknown subject "SY-99"; allowed: SY-0, SY-9, SY-11-redislock, SY-11-redsync`,
		"":             `found the unknown subject ""`,
		"SY-0 two w":   "allowed: one word",
		"SY-0 ":        `found "" behind SY-0`,
	} {
		err := CheckSubject(title)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) ||
			err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v, want %q", title, err, want)
		}
	}
}

// TestSubjectNames: what the command line's names of subjects mean.
func TestSubjectNames(t *testing.T) {
	suite := []*Scenario{
		{Subjects: []Subject{{Name: "SY-9", Label: "slow", Options: []Option{{"quorum", "written"}}}, {Name: "SY-0", Label: "other"}}},
	}
	for _, test := range []struct{ name, all, one string }{
		{"SY-0", "SY-0", "SY-0 []"},
		{"redlock-php", "SY-9", "SY-9 []"},
		{"SY-9 integer", "SY-9", "SY-9 [{quorum integer}]"},
		{"SY-9 slow", "SY-9", "SY-9 [{quorum written}]"},
		{"SY-11", "SY-11-redislock SY-11-redsync", `found "SY-11", which are 2 subjects; allowed: one of SY-11-redislock, SY-11-redsync`},
		{"SY-9 fast", "SY-9", `found "fast" behind SY-9; allowed: as-written, integer, slow`},
		{"canary", "canary", "canary []"},
		{"php", `found the unknown subject "php"; allowed: SY-0, textbook, SY-9, redlock-php`, `found the unknown subject "php"`},
		{"", `found the unknown subject ""`, `found the unknown subject ""`},
	} {
		found, _, err := SubjectNamed(test.name)
		var names []string
		for _, d := range found {
			names = append(names, d.Name)
		}
		if got := strings.Join(names, " "); err == nil && got != test.all ||
			err != nil && !strings.Contains(err.Error(), test.all) {
			t.Errorf("%q means %q, %v; want %q", test.name, got, err, test.all)
		}
		d, options, err := OneSubject(test.name, suite)
		text := fmt.Sprintf("%s %v", d.Name, options)
		if err == nil && text != test.one || err != nil && !strings.Contains(err.Error(), test.one) {
			t.Errorf("%q means the one subject %q, %v; want %q", test.name, text, err, test.one)
		}
	}
}

// TestDeclareSubjectPanics: a declaration that cannot be right is a bug of its author.
func TestDeclareSubjectPanics(t *testing.T) {
	for _, d := range []SubjectDeclaration{
		{Name: "SY-0"},
		{Name: "new", Options: []OptionDeclaration{{Name: "o"}}},
		{Name: "new", Options: []OptionDeclaration{{Name: "o", Values: []string{"x"}}, {Name: "o", Values: []string{"x"}}}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v is accepted", d)
				}
			}()
			DeclareSubject(d)
		}()
	}
	if _, known := Declared("new"); known {
		t.Error("a declaration that panicked is known")
	}
}

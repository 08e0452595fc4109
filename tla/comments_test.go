package tla

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each action says what it models: a step of the distlock page, or a function, a
// script or a fault of ours. Whatever a comment names must be there under that name.
func TestActionsNameWhatTheyModel(t *testing.T) {
	source := goSource(t)
	for _, module := range []string{"Redlock", "RedlockMessages", "Fencing", "FencingTokens", "RedlockLiveness"} {
		text, err := files.ReadFile(module + ".tla")
		if err != nil {
			t.Fatal(err)
		}
		for _, comment := range comments.FindAllString(string(text), -1) {
			for _, words := range reference.FindAllStringSubmatch(comment, -1) {
				if !source.has(words[1], words[2]) {
					t.Errorf("%s: a comment names %s, which is not there: %s", module, words[0], comment)
				}
			}
		}
		actions := 0
		for name, comment := range actionComments(string(text)) {
			actions++
			if !reference.MatchString(comment) && !strings.Contains(comment, "page, ") {
				t.Errorf("%s: %s names nothing: %q", module, name, comment)
			}
		}
		if actions < 8 {
			t.Errorf("%s: only %d actions were found", module, actions)
		}
	}
	if source.has("Round", "NoSuchFunction") || source.has("faults", "NoSuchFault") || source.has("nosuch", "lua") {
		t.Error("what is not there was found")
	}
}

var (
	reference = regexp.MustCompile(`\b([A-Za-z_]+)\.([A-Za-z]\w*)\b`)
	comments  = regexp.MustCompile(`(?m)\\\* .*$`)
	action    = regexp.MustCompile(`(?m)((?:^\\\*.*\n)*)^(\w+)(?:\([\w, ]+\))? ==\n`)
	used      = regexp.MustCompile(`\w+`)
)

// actionComments are the comments above the definitions that Next refers to, time aside.
func actionComments(module string) map[string]string {
	_, next, _ := strings.Cut(module, "\nNext ==\n")
	next, _, _ = strings.Cut(next, "\n\n")
	isAction := map[string]bool{}
	for _, word := range used.FindAllString(next, -1) {
		isAction[word] = word != "Tick"
	}
	comments := map[string]string{}
	for _, match := range action.FindAllStringSubmatch(module, -1) {
		if isAction[match[2]] {
			comments[match[2]] = strings.ReplaceAll(match[1], "\n\\*", "")
		}
	}
	return comments
}

// source is the text of packages that models speak of.
type source struct{ scripts, code string }

func goSource(t *testing.T) source {
	t.Helper()
	var s source
	for _, pattern := range []string{"../redlock/*", "../redlock/round/*", "../faults/*", "../scenarios/subjects/textbook*.go", "../scenarios/play/register.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			switch {
			case strings.HasSuffix(path, ".lua"):
				s.scripts += filepath.Base(path) + "\n"
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				s.code += string(text)
			}
		}
	}
	return s
}

// has looks for acquire.lua, faults.Crash, redlock.voteOf or round.Quorum, or Lease.Release.
func (s source) has(scope, name string) bool {
	switch {
	case name == "tla":
		_, err := files.ReadFile(scope + ".tla")
		return err == nil
	case name == "lua":
		return strings.Contains("\n"+s.scripts, "\n"+scope+".lua\n")
	case scope == "faults":
		return strings.Contains(s.code, "\ntype "+name+" struct")
	case scope == "redlock" || scope == "round":
		return strings.Contains(s.code, "\nfunc "+name+"(")
	}
	return regexp.MustCompile(`\nfunc \(\w+ \*?` + scope + `\) ` + name + `\(`).MatchString(s.code)
}

package ci

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"
)

// Status is what became of a scenario.
type Status string

// The statuses. A known bug is one that the test's author has recorded.
const (
	Passed        Status = "passed"
	Failed        Status = "failed"
	Undecided     Status = "undecided"
	Known         Status = "known"
	NotApplicable Status = "not applicable"
)

// Case is one scenario of a test.
type Case struct {
	Name, Title string
	Test        string // the subtest's name
	Status      Status
	Seeds       int    // played
	Seed        uint64 // that failed; 0: none
	Kind        string // of the bug, the same in every scenario that shows it
	Safety      bool   // the bug breaks more than a goal
	Text        string // what happened, or why it was not played
	Command     string // plays the failure again
	File        string // annotations point to its first line; empty: to that of the report
	Took        time.Duration
}

// Report is one test of a lock.
type Report struct {
	Lock, Package string
	File          string // of the test, relative to the module; annotations point to it; may be empty
	Line          int
	Cases         []Case
}

// Variable is the environment variable that says which summary is wanted, as [ParseTarget] reads it.
const Variable = "REDLOCKLAB_SUMMARY"

// Target is a format and where to write it. The zero value writes nothing.
type Target struct{ Format, File string }

// formats are the known formats and their default files; empty: standard output.
var formats = map[string]string{"md": "redlocklab.md", "junit": "redlocklab.xml", "github": ""}

// ParseTarget reads "md", "junit" or "github", with ":file" behind it. Empty is no target.
func ParseTarget(text string) (Target, error) {
	if text == "" {
		return Target{}, nil
	}
	format, file, named := strings.Cut(text, ":")
	otherwise, known := formats[format]
	if !known || named && file == "" {
		return Target{}, fmt.Errorf("found %q; allowed: md, junit, github, or one of them with a file: junit:report.xml", text)
	}
	if file == "" {
		file = otherwise
		if summary := os.Getenv("GITHUB_STEP_SUMMARY"); format == "md" && summary != "" {
			file = summary
		}
	}
	return Target{format, file}, nil
}

// Write writes the report. GitHub's step summary grows; every other file is replaced. It
// returns the name of the file, empty for standard output.
func (t Target) Write(r *Report) (file string, err error) {
	var text bytes.Buffer
	switch t.Format {
	case "":
		return "", nil
	case "md":
		writeTable(&text, r)
	case "junit":
		err = writeJUnit(&text, r)
	case "github":
		writeAnnotations(&text, r)
	}
	if err != nil {
		return "", err
	}
	if t.File == "" {
		_, err = text.WriteTo(os.Stdout)
		return "", err
	}
	how := os.O_TRUNC
	if t.File == os.Getenv("GITHUB_STEP_SUMMARY") {
		how = os.O_APPEND
	}
	f, err := os.OpenFile(t.File, os.O_CREATE|os.O_WRONLY|how, 0o644)
	if err != nil {
		return "", err
	}
	_, err = text.WriteTo(f)
	return t.File, cmp.Or(err, f.Close())
}

// count counts the cases of one status.
func (r *Report) count(s Status) (n int) {
	for _, c := range r.Cases {
		if c.Status == s {
			n++
		}
	}
	return n
}

// Counts says how many scenarios passed and failed.
func (r *Report) Counts() string {
	text := fmt.Sprintf("%d failed, %d passed", r.count(Failed), r.count(Passed))
	for _, s := range []Status{Undecided, Known, NotApplicable} {
		if n := r.count(s); n > 0 {
			text += fmt.Sprintf(", %d %s", n, s)
		}
	}
	return text
}

func writeTable(w io.Writer, r *Report) {
	fmt.Fprintf(w, "## %s\n\n%s\n\n| scenario | result | seeds | what happened |\n|---|---|---|---|\n", r.Lock, r.Counts())
	cell := strings.NewReplacer("|", "\\|", "\n", "<br>")
	for _, c := range r.Cases {
		text := c.Text
		if c.Kind != "" {
			text = "**" + c.Kind + "**: " + text
		}
		if c.Command != "" {
			text += "\n`" + c.Command + "`"
		}
		fmt.Fprintf(w, "| %s | %s | %d | %s |\n", c.Name, c.Status, c.Seeds, cell.Replace(text))
	}
	fmt.Fprintln(w)
}

func writeJUnit(w io.Writer, r *Report) error {
	suite := junit.Testsuite{Name: r.Lock, Package: r.Package}
	var took time.Duration
	for _, c := range r.Cases {
		one := junit.Testcase{Name: c.Test, Classname: r.Package, Time: seconds(c.Took)}
		took += c.Took
		switch c.Status {
		case Failed:
			one.Failure = &junit.Result{Message: cmp.Or(c.Kind, c.Text), Type: c.Kind, Data: c.Text + "\n" + c.Command}
		case Undecided, Known, NotApplicable:
			one.Skipped = &junit.Result{Message: string(c.Status) + ": " + c.Text}
		default:
			data := fmt.Sprintf("%d seeds", c.Seeds)
			if c.Text != "" {
				data += "\n" + c.Text
			}
			one.SystemOut = &junit.Output{Data: data}
		}
		suite.AddTestcase(one)
	}
	suite.Time = seconds(took)
	all := junit.Testsuites{Name: r.Lock}
	all.AddSuite(suite)
	text, err := xml.MarshalIndent(all, "", "\t")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	return err
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// writeAnnotations writes one error for each bug, and a warning for what is undecided.
func writeAnnotations(w io.Writer, r *Report) {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	placeOf := func(c *Case) string {
		switch {
		case c.File != "":
			return fmt.Sprintf("file=%s,line=1,", property.Replace(c.File))
		case r.File != "":
			return fmt.Sprintf("file=%s,line=%d,", property.Replace(r.File), r.Line)
		}
		return ""
	}
	for _, bug := range r.Bugs() {
		fmt.Fprintf(w, "::error %stitle=%s::%s\n", placeOf(&bug.Case), property.Replace(r.Lock+": "+bug.Kind),
			data.Replace(fmt.Sprintf("%s\n%s\nin %s: %s",
				bug.Text, bug.Command, scenarios(len(bug.Names)), strings.Join(bug.Names, ", "))))
	}
	for _, c := range r.Cases {
		if c.Status == Undecided {
			fmt.Fprintf(w, "::warning %stitle=%s::%s\n", placeOf(&c), property.Replace(r.Lock+": "+c.Name+" is undecided"), data.Replace(c.Text))
		}
	}
}

// Group is the failed scenarios of one bug.
type Group struct {
	Case           // the one that stands for it
	Names []string // of all of them, in the order of the cases
}

// Bugs lists the bugs: those that break safety first, then those that most scenarios show. Each
// failure without a bug, such as a run that did not end, stands by itself.
func (r *Report) Bugs() []Group {
	var groups []Group
	at := map[string]int{}
	for _, c := range r.Cases {
		if c.Status != Failed {
			continue
		}
		i, known := at[c.Kind]
		if !known || c.Kind == "" {
			i, at[c.Kind] = len(groups), len(groups)
			groups = append(groups, Group{Case: c})
			if groups[i].Kind == "" {
				groups[i].Kind, _, _ = strings.Cut(c.Text, "\n")
			}
		}
		groups[i].Safety = groups[i].Safety || c.Safety
		groups[i].Names = append(groups[i].Names, c.Name)
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		if a.Safety == b.Safety {
			return len(b.Names) - len(a.Names)
		} else if a.Safety {
			return -1
		}
		return 1
	})
	return groups
}

func scenarios(n int) string {
	if n == 1 {
		return "1 scenario"
	}
	return strconv.Itoa(n) + " scenarios"
}

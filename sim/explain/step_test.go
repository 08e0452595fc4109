package explain_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"redlocklab/sim/explain"
)

func walked(t *testing.T, run *explain.Run, answers io.Reader) string {
	t.Helper()
	var out bytes.Buffer
	if err := explain.Step(answers, &out, run, explain.StoryOptions{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// shownSteps lists the numbers of the steps in the order in which they were shown.
func shownSteps(out string) []int {
	var numbers []int
	for line := range strings.Lines(out) {
		var n int
		var at float64
		if _, err := fmt.Sscanf(line, "%d. %f s —", &n, &at); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

func TestWalkFollowsItsKeys(t *testing.T) {
	for _, c := range []struct {
		answers string
		want    []int
	}{
		{"", []int{1}},
		{"\n\n", []int{1, 2, 3}},
		{"\nb\nb\n\nq\n\n", []int{1, 2, 1, 2}},
		{"g 4\nb\ng2\n", []int{1, 4, 3, 2}},
		{"g 0\ng 99\ng x\nx\nb\n\n", []int{1, 2}},
		{"g 12\n\n\n", []int{1, 12}},
	} {
		out := walked(t, forgetting(), strings.NewReader(c.answers))
		if got := shownSteps(out); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("answers %q show %v, want %v:\n%s", c.answers, got, c.want, out)
		}
	}
	out := walked(t, forgetting(), strings.NewReader("g 99\nx\n"))
	for _, w := range []string{`found step "99"; allowed: 1 to 12`, `found "x"; allowed: enter, b, g N, q`, "enter: next"} {
		if !strings.Contains(out, w) {
			t.Errorf("no %q in\n%s", w, out)
		}
	}
}

// What is printed without a terminal is every step, with the same state as the
// one who goes forth and back sees.
func TestWalkWithoutTerminalPrintsAll(t *testing.T) {
	run := forgetting()
	all := walked(t, run, nil)
	want := len(tell(t, run, explain.StoryOptions{}).Lines)
	if got := len(shownSteps(all)); got != want {
		t.Errorf("%d steps, want %d", got, want)
	}
	asked := walked(t, run, strings.NewReader(fmt.Sprintf("g %d\ng 3\n", want)))
	third := all[strings.Index(all, "\n3. "):strings.Index(all, "\n4. ")]
	if !strings.Contains(asked, strings.TrimSpace(third)) {
		t.Errorf("step 3 looks different on the way back:\n%s\n%s", third, asked)
	}
}

func TestWalkShowsTheState(t *testing.T) {
	all := walked(t, forgetting(), nil)
	step := func(n int) string {
		from := strings.Index(all, fmt.Sprintf("\n%d. ", n))
		return all[from : from+1+strings.Index(all[from+1:], "\n\n")]
	}
	for _, c := range []struct {
		step int
		says string
	}{
		{1, "n1     -"},
		{3, "n3     r: A's key token#1"},
		{3, "A      holds r (A/1) until 9.898 s, for 9.89 s more; acquire of r: n1 ✓ n2 ✓ n3 ✓ n4 – n5 –, 3 of the 3 needed"},
		{4, "n3     -"},
		{6, "n3     r: B's key token#2"},
		{6, "n1     r: A's key token#1"},
		{11, "n5     -"},
	} {
		if !strings.Contains(step(c.step), c.says) {
			t.Errorf("step %d does not say %q:%s", c.step, c.says, step(c.step))
		}
	}
}

// fullDisk fails every write.
type fullDisk struct{}

var errDisk = errors.New("disk full")

func (fullDisk) Write([]byte) (int, error) { return 0, errDisk }

func TestWritersErrorsAreNotLost(t *testing.T) {
	run := forgetting()
	if err := explain.Step(strings.NewReader("\n\n"), fullDisk{}, run,
		explain.StoryOptions{}); !errors.Is(err, errDisk) {
		t.Errorf("asking: %v", err)
	}
	if err := explain.Step(nil, fullDisk{}, run, explain.StoryOptions{}); !errors.Is(err, errDisk) {
		t.Errorf("printing: %v", err)
	}
	if err := explain.SVG(fullDisk{}, run, explain.StoryOptions{}); !errors.Is(err, errDisk) {
		t.Errorf("drawing: %v", err)
	}
	if _, err := tell(t, run, explain.StoryOptions{}).WriteTo(fullDisk{}); !errors.Is(err, errDisk) {
		t.Errorf("telling: %v", err)
	}
}

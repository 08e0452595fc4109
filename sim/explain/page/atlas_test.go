package page_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

// mapped plays a small map, and returns it with its lines and the file of its page.
func mapped(t *testing.T) (*atlas.Map, []atlas.Line, string) {
	t.Helper()
	text, err := atlas.ReadyText("RP-1-map")
	if err != nil {
		t.Fatal(err)
	}
	laboratory := func(p *plan.Plan) (*play.Result, error) { return play.Run(p, play.RunOptions{}) }
	spec := atlas.Spec{Name: "RP-1-map", File: "RP-1-map.yaml", Text: string(text), Subjects: []string{"SY-10"}, Refine: 1}
	base, err := atlas.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.Map = *base.Scenario.Map
	spec.Map.Cells, spec.Map.Seeds = [2]int{3, 2}, plan.Seeds{First: 1, Last: 1}
	m, err := atlas.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	err = m.Play(func(jobs []campaign.Job, _ bool) error {
		for _, j := range jobs {
			for _, seed := range j.Seeds {
				p, err := j.Scenario.Plan(j.Subject, seed)
				if err != nil {
					return err
				}
				run, err := laboratory(p)
				if err != nil {
					return err
				}
				report := campaign.Summarize(run)
				report.Causes = &campaign.Causes{}
				m.Add(report)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := m.Lines()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.WritePage(&b, lines, atlas.BorderPages, laboratory, "made here"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "map.html")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return m, lines, file
}

// TestAtlasOpensRuns: a click on a cell opens its run in the viewer, a second one puts another run
// below, and the trace that the page names is that of the run when it is played again.
func TestAtlasOpensRuns(t *testing.T) {
	m, lines, file := mapped(t)
	var shown [2]int // a cell with two holders, and one that has a run and one holder
	for i := range lines {
		if lines[i].Subject != "SY-10 unguarded" {
			continue
		}
		switch lines[i].Verdict {
		case atlas.TwoHolders:
			shown[0] = i
		case atlas.OneHolder:
			shown[1] = max(shown[1], i*btoi(i > 0 && shown[1] == 0))
		}
	}
	ctx := browser(t, file)
	for slot, i := range shown {
		do(t, ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector('[data-cell="%d"]').dispatchEvent(new MouseEvent("click", {bubbles: true}))`, i)))
		frame := fmt.Sprintf(`document.querySelectorAll("iframe")[%d]`, slot)
		waitFor(t, ctx, frame+`.contentDocument?.documentElement?.dataset.ready === "true"`)
		if told := value[string](t, ctx, frame+`.contentDocument.querySelector("h1").innerText`); !strings.HasSuffix(told, m.Scenario.Title) {
			t.Errorf("the run's page is called %q", told)
		}
		if said := value[bool](t, ctx, fmt.Sprintf(`/violation/.test(%s.contentDocument.querySelector(".story ol").innerHTML)`, frame)); said != (slot == 0) {
			t.Errorf("cell %d, %s: its run tells a violation: %v", i, lines[i].Verdict, said)
		}
		words := value[string](t, ctx, fmt.Sprintf(`document.querySelectorAll(".slot")[%d].innerText`, slot))
		p, err := m.Plan(lines[i].Place, lines[i].Seed)
		if err != nil {
			t.Fatal(err)
		}
		again, err := play.Run(p, play.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(words, again.TraceHash) || !strings.Contains(words, m.Command(&lines[i])) ||
			!strings.Contains(words, string(lines[i].Verdict)) {
			t.Errorf("cell %d says %q; its run has the trace %s", i, words, again.TraceHash)
		}
	}
	shot(t, ctx, "atlas")
	press(t, ctx, "Tab") // the chart is what the keyboard comes to first
	if n := value[int](t, ctx, `document.querySelectorAll(".at").length`); n > 1 {
		t.Errorf("%d cells are the one at the cursor", n)
	}
}

// TestAtlasFits: on a wide and on a narrow screen the map fills the width, nothing stands outside of
// the page or of its drawing, and the legend says what the signs are.
func TestAtlasFits(t *testing.T) {
	_, _, file := mapped(t)
	ctx := browser(t, file)
	for _, width := range []int64{1400, 390} {
		do(t, ctx, chromedp.EmulateViewport(width, 800))
		if wide := value[int](t, ctx, `document.documentElement.scrollWidth`); int64(wide) > width {
			t.Errorf("at %d pixels the page is %d wide", width, wide)
		}
		if s := value[string](t, ctx, `[...document.querySelectorAll("main *")].filter((e) => e.getClientRects().length &&
			e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible" && !e.closest("svg")).map((e) => e.className).join()`); s != "" {
			t.Errorf("at %d pixels these elements hide a part: %s", width, s)
		}
		outside := value[string](t, ctx, `[...document.querySelectorAll(".chart svg")].flatMap((svg) => {
			const box = svg.getBoundingClientRect();
			return [...svg.querySelectorAll("text, rect, circle")].filter((e) => {
				const b = e.getBoundingClientRect();
				return b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1;
			}).map((e) => e.textContent || e.tagName);
		}).join()`)
		if outside != "" {
			t.Errorf("at %d pixels these stand outside of their drawing: %s", width, outside)
		}
		right := value[float64](t, ctx, `Math.max(...[...document.querySelectorAll(".chart > *")].map((e) => e.getBoundingClientRect().right))`)
		if right < 0.9*float64(width) {
			t.Errorf("at %d pixels the map ends at %.0f", width, right)
		}
		shot(t, ctx, fmt.Sprintf("atlas-%d", width))
	}
	legend := text(t, ctx, ".legend")
	for _, words := range []string{"two holders", "○ border as played", "predicted border", "across: outage, how long"} {
		if !strings.Contains(legend, words) {
			t.Errorf("the legend %q does not say %q", legend, words)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

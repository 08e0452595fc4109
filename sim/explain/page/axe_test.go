package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"redlocklab/sim/explain"
)

// axeFile is axe-core, which CONTRIBUTING.md says how to get.
var axeFile = filepath.Join("lib", "axe.min.js")

// TestAccessible: axe-core finds nothing to object to: names for a screen reader, an order
// of headings, contrast, a keyboard's way to everything that scrolls.
func TestAccessible(t *testing.T) {
	script, err := os.ReadFile(axeFile)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("NOT CHECKED: %v: axe-core does not look at the pages", err)
	}
	bad, good := played(t, "BA-2", "SY-0", 7), played(t, "BA-2", "SY-10 guarded", 7)
	stale := played(t, "RS-1", "SY-0", 7)
	options := explain.StoryOptions{CausalOnly: true}
	for name, runs := range map[string][]*explain.Run{"alone": {bad}, "compared": {bad, good}, "with registers": {stale}} {
		t.Run(name, func(t *testing.T) {
			ctx := browser(t, written(t, options, runs...))
			do(t, ctx, chromedp.Evaluate[chromedp.Void](string(script)))
			for _, keys := range [][]string{{kb.Home}, {"v"}, {kb.Enter}, {kb.Escape, "t", "+"}} {
				press(t, ctx, keys...)
				if n := value[int](t, ctx, "axe.run().then((r) => r.passes.length)"); n < 15 {
					t.Errorf("only %d rules of axe-core look at the page", n)
				}
				for _, found := range value[[]string](t, ctx, `axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.map((n) => n.html.slice(0, 120) + n.failureSummary).join("; ")))`) {
					t.Errorf("after %s: %s", fmt.Sprintf("%q", keys), found)
				}
			}
		})
	}
}

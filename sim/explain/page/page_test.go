package page_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"redlocklab/checker"
	"redlocklab/scenarios"
	"redlocklab/scenarios/play"
	_ "redlocklab/scenarios/subjects"
	"redlocklab/sim"
	"redlocklab/sim/explain"
	"redlocklab/sim/explain/page"
)

// played returns a run of the suite.
func played(t *testing.T, scenario, subject string, seed uint64) *explain.Run {
	t.Helper()
	return result(t, scenario, subject, seed).Explained()
}

func result(t *testing.T, scenario, subject string, seed uint64) *play.Result {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		if s.Name != scenario {
			continue
		}
		plan, err := s.Plan(subject, seed)
		if err != nil {
			t.Fatal(err)
		}
		result, err := play.Run(plan, play.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	t.Fatalf("the suite has no %s", scenario)
	return nil
}

// written writes the page of some runs and returns the file.
func written(t testing.TB, options explain.StoryOptions, runs ...*explain.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, options, runs...); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSameRunSamePage(t *testing.T) {
	run := played(t, "BA-2", "SY-0", 7)
	first, second := written(t, explain.StoryOptions{}, run), written(t, explain.StoryOptions{}, run)
	a, _ := os.ReadFile(first)
	b, _ := os.ReadFile(second)
	if !bytes.Equal(a, b) || len(a) == 0 {
		t.Error("the page is written in two ways")
	}
	if err := page.Write(&bytes.Buffer{}, explain.StoryOptions{}, run, run, run); !errors.Is(err, explain.ErrRun) {
		t.Errorf("three runs: %v", err)
	}
	if err := page.Write(&bytes.Buffer{}, explain.StoryOptions{},
		&explain.Run{Processes: []string{"A", "A"}}); !errors.Is(err, explain.ErrRun) {
		t.Errorf("two processes with one name: %v", err)
	}
}

// TestStepToTheViolation: with the keyboard alone, a reader comes to every moment of the
// story; the panel then shows what --step shows.
func TestStepToTheViolation(t *testing.T) {
	run := played(t, "BA-2", "SY-0", 7)
	options := explain.StoryOptions{CausalOnly: true}
	story, err := explain.NewStory(run, options)
	if err != nil {
		t.Fatal(err)
	}
	var terminal strings.Builder
	if err := explain.Step(nil, &terminal, run, explain.StoryOptions{CausalOnly: true}); err != nil {
		t.Fatal(err)
	}
	steps := strings.Split(terminal.String(), "\n\n")[1:]
	ctx := browser(t, written(t, options, run))
	for i, line := range story.Lines {
		if i > 0 {
			press(t, ctx, kb.ArrowRight)
		}
		said := text(t, ctx, ".sentence")
		if !strings.HasPrefix(said, fmt.Sprint(line.Number)) || !strings.HasSuffix(said, line.Text) {
			t.Errorf("at moment %d the page says %q, want %q", i+1, said, line.Text)
		}
		shown := text(t, ctx, ".clients") + " " + text(t, ctx, ".nodes")
		for _, want := range statesOf(steps[i]) {
			if !strings.Contains(shown, want) {
				t.Errorf("at moment %d --step says %q, and the page %q", i+1, want, shown)
			}
		}
		if lamp := text(t, ctx, ".lamps"); strings.Contains(lamp, "A-VOTE is broken") != (line.Number >= 4) {
			t.Errorf("at moment %d the lamps are %q", i+1, lamp)
		}
		shot(t, ctx, fmt.Sprintf("BA-2-%d", i+1))
	}
	press(t, ctx, kb.Home, "v")
	if said := text(t, ctx, ".sentence"); !strings.Contains(said, "mutual exclusion is violated") {
		t.Errorf("v leads to %q", said)
	}
	press(t, ctx, "3", kb.End)
	if position := text(t, ctx, "#position"); !strings.HasPrefix(position, fmt.Sprintf("%d of %d", len(run.Events), len(run.Events))) {
		t.Errorf("by events the end is %q", position)
	}
	press(t, ctx, kb.Enter)
	if said := text(t, ctx, ".about"); !strings.Contains(said, fmt.Sprintf(`{"seq":%d`, len(run.Events))) {
		t.Errorf("Enter shows %q", said)
	}
	press(t, ctx, kb.Escape, "2", kb.Home)
	if said := text(t, ctx, ".sentence"); !strings.Contains(said, "cannot reach n4 and n5") {
		t.Errorf("the first fault is %q", said)
	}
	press(t, ctx, "1", kb.Home, " ")
	waitFor(t, ctx, `document.querySelector("#position").textContent.startsWith("2 of")`)
	press(t, ctx, " ")
	if label := value[string](t, ctx, `document.querySelector("#play").getAttribute("aria-label")`); label != "play" {
		t.Errorf("after a pause the button says %q", label)
	}
}

// statesOf returns the facts of a step in the terminal that the page shows in the same
// words: beliefs, remaining times of keys, votes.
func statesOf(step string) []string {
	var facts []string
	for _, line := range strings.Split(step, "\n") {
		for _, part := range strings.Split(line, "; ") {
			if _, rest, ok := strings.Cut(part, "holds "); ok {
				resource, rest, _ := strings.Cut(rest, " (")
				_, rest, _ = strings.Cut(rest, ") ")
				facts = append(facts, "holds "+resource+" "+strings.Replace(rest, ", for ", ": ", 1))
			}
			if _, left, ok := strings.Cut(part, "'s key token#"); ok {
				token, left, _ := strings.Cut(left, ", ")
				facts = append(facts, "token#"+token+" "+left)
			}
			if _, votes, ok := strings.Cut(part, "acquire of r: "); ok {
				facts = append(facts, "acquire "+strings.Replace(strings.Replace(votes, ",", "", 1), "of the 3", "of the 3", 1))
			}
		}
	}
	return facts
}

// TestZoom: the wheel and the keys zoom, a drag pans, true time makes equal times equally
// wide, and the cursor stays at its event.
func TestZoom(t *testing.T) {
	run := played(t, "BA-2", "SY-0", 7)
	ctx := browser(t, written(t, explain.StoryOptions{CausalOnly: true}, run))
	width := func() float64 {
		return value[float64](t, ctx, `document.querySelector(".body").getBoundingClientRect().width`)
	}
	first := width()
	press(t, ctx, "+", "+")
	if w := width(); w < 3.99*first || w > 4.01*first {
		t.Errorf("two steps of zoom make %v of %v", w, first)
	}
	// Signs and labels keep their shape.
	if letter := value[float64](t, ctx, `[...document.querySelectorAll(".body text")].find((e) => e.textContent === "A's key for r").getBoundingClientRect().width`); letter > 140 {
		t.Errorf("a label is %v pixels wide", letter)
	}
	noCollisions(t, ctx)
	press(t, ctx, "v")
	if inside := value[bool](t, ctx, `(() => { const c = document.querySelector(".cursor").getBoundingClientRect(), s = document.querySelector(".scroll").getBoundingClientRect(); return c.left >= s.left && c.right <= s.right; })()`); !inside {
		t.Error("the cursor is out of sight")
	}
	shot(t, ctx, "zoom")
	press(t, ctx, "0")
	if w := width(); w != first {
		t.Errorf("the whole run is %v wide, want %v", w, first)
	}
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector(".scroll").dispatchEvent(new WheelEvent("wheel", { deltaY: -240, clientX: 600, clientY: 300, bubbles: true, cancelable: true }))`))
	if w := width(); w < 1.9*first {
		t.Errorf("the wheel makes %v of %v", w, first)
	}
	press(t, ctx, "0", "t")
	if pressed := value[string](t, ctx, `document.querySelector("#scale").getAttribute("aria-pressed")`); pressed != "true" {
		t.Errorf("true time is %q", pressed)
	}
	for range 5 {
		press(t, ctx, "+")
	}
	shot(t, ctx, "true-time")
	noCollisions(t, ctx)
	visible := value[int](t, ctx, `(() => { const box = document.querySelector(".scroll").getBoundingClientRect(); return [...document.querySelectorAll(".body text")].filter((e) =>
		/^[\d.]+ m?s$/.test(e.textContent) && e.checkVisibility() && e.getBoundingClientRect().left > box.left && e.getBoundingClientRect().right < box.right).length; })()`)
	labels := value[int](t, ctx, `new Set([...document.querySelectorAll(".body text")].filter((e) => /^[\d.]+ m?s$/.test(e.textContent) && e.checkVisibility()).map((e) => e.textContent)).size`)
	if visible < 3 || labels < 10 {
		t.Errorf("%d labels of the axis are in sight, %d different ones are there", visible, labels)
	}
	press(t, ctx, "t")
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector('.body [data-s="vote"]').dispatchEvent(new MouseEvent("click", { bubbles: true }))`))
	if said := text(t, ctx, ".about"); !strings.Contains(said, "The node agrees / refuses") || !strings.Contains(said, `"kind":"execute"`) {
		t.Errorf("a click on a vote says %q", said)
	}
	shot(t, ctx, "about")
}

// noCollisions demands that no two visible labels of the drawing overlap, as Chromium
// lays them out.
func noCollisions(t *testing.T, ctx context.Context) {
	t.Helper()
	const script = `(() => {
		const seen = [...document.querySelectorAll(".body text")].filter((e) => e.checkVisibility()).map((e) => [e.textContent, e.getBoundingClientRect()]);
		const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
		const found = [];
		seen.forEach(([words, box], i) => seen.slice(0, i).forEach(([other, its]) => { if (meet(box, its)) found.push(words + " meets " + other); }));
		return seen.length > 5 ? found : ["only " + seen.length + " labels"];
	})()`
	for _, found := range value[[]string](t, ctx, script) {
		t.Error(found)
	}
}

// TestCompare: one cursor for two runs; the guard's reason is read at the same time as
// the violation.
func TestCompare(t *testing.T) {
	ctx := browser(t, written(t, explain.StoryOptions{CausalOnly: true}, played(t, "BA-2", "SY-0", 7), played(t, "BA-2", "SY-10 guarded", 7)))
	press(t, ctx, "v")
	if bad := text(t, ctx, ".run:nth-of-type(1) .sentence"); !strings.Contains(bad, "mutual exclusion is violated") {
		t.Errorf("above: %q", bad)
	}
	press(t, ctx, kb.ArrowRight)
	shot(t, ctx, "compare")
	if bad := text(t, ctx, ".run:nth-of-type(1) .clients"); strings.Count(bad, "holds r until") != 2 {
		t.Errorf("above: %q", bad)
	}
	good := text(t, ctx, ".run:nth-of-type(2) .sentence") + text(t, ctx, ".run:nth-of-type(2) .clients")
	if !strings.Contains(good, "its vote does not count") || strings.Count(good, "holds r until") != 1 || !strings.Contains(good, "n3 ○") {
		t.Errorf("below: %q", good)
	}
	apart := value[float64](t, ctx, `(() => { const [a, b] = [...document.querySelectorAll(".cursor")].map((c) => c.getBoundingClientRect().left); return Math.abs(a - b); })()`)
	if apart > 0.5 {
		t.Errorf("the two cursors are %v pixels apart", apart)
	}
	press(t, ctx, "+", "+", "+")
	if apart := value[float64](t, ctx, `(() => { const [a, b] = [...document.querySelectorAll(".scroll")].map((c) => c.scrollLeft); return Math.abs(a - b); })()`); apart > 1 {
		t.Errorf("the two drawings are scrolled apart by %v pixels", apart)
	}
}

// TestHostileNames: names, titles and tokens do no harm.
func TestHostileNames(t *testing.T) {
	const evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&\"'\u202e\u2066\x1b[31m\x00"
	run := played(t, "BA-2", "SY-0", 7)
	run.Title, run.Subject = evil, evil
	rename := map[string]string{"A": "A" + evil, "n3": "n3" + evil}
	named := func(name string) string {
		if other := rename[name]; other != "" {
			return other
		}
		return name
	}
	for i := range run.Processes {
		run.Processes[i] = named(run.Processes[i])
	}
	for i := range run.Nodes {
		run.Nodes[i] = named(run.Nodes[i])
	}
	asks := map[string][]string{}
	for client, nodes := range run.Asks {
		for _, node := range nodes {
			asks[named(client)] = append(asks[named(client)], named(node))
		}
	}
	run.Asks = asks
	for i := range run.Leases {
		run.Leases[i].Client = named(run.Leases[i].Client)
	}
	for i := range run.Faults {
		run.Faults[i].Words += evil
	}
	for i := range run.Events {
		e := &run.Events[i]
		e.Process, e.Node = named(e.Process), named(e.Node)
		if e.Value != "" {
			e.Value += evil
		}
	}
	ctx := browser(t, written(t, explain.StoryOptions{}, run))
	press(t, ctx, "3", kb.End, kb.Enter, kb.Home)
	if n := value[int](t, ctx, `document.querySelectorAll("img, body script:not(#data):not([type=module])").length`); n != 0 {
		t.Errorf("%d elements come from names", n)
	}
	if seen := value[string](t, ctx, "document.body.innerText"); strings.ContainsAny(seen, "\u202e\u2066\x1b\x00") || !strings.Contains(seen, `\u202e`) {
		t.Error("control characters reach the page")
	}
	shot(t, ctx, "hostile")
	story, err := explain.NewStory(run, explain.StoryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var terminal strings.Builder
	if _, err := story.WriteTo(&terminal); err != nil {
		t.Fatal(err)
	}
	if err := explain.Step(nil, &terminal, run, explain.StoryOptions{}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(terminal.String(), "\u202e\u2066\x1b\x00") {
		t.Error("control characters reach the terminal")
	}
}

// long is a run of so many events: two clients that take and release a lock in turn.
func long(events int) *explain.Run {
	run := &explain.Run{
		Title: "A long run", Subject: "SY-0", Processes: []string{"A", "B"},
		Nodes: []string{"n1", "n2", "n3", "n4", "n5"}, TTL: 10 * time.Second,
	}
	add := func(at time.Duration, e sim.Event) {
		e.Seq, e.At = len(run.Events)+1, at
		run.Events = append(run.Events, e)
	}
	message := 0
	round := func(at time.Duration, client, command, token string) time.Duration {
		first := message
		for _, kind := range []sim.Kind{sim.Send, sim.Deliver, sim.Execute, sim.Reply} {
			message = first
			for i, node := range run.Nodes {
				message++
				e := sim.Event{Kind: kind, Process: client, Node: node, Message: message, Command: command, Detail: "OK"}
				if kind == sim.Send || kind == sim.Execute {
					e.Key = "r"
				}
				if kind == sim.Execute && command == "SET" {
					e.Value, e.TTL = token, 10*time.Second
				}
				add(at+time.Duration(i)*50*time.Microsecond, e)
			}
			at += time.Millisecond
		}
		return at
	}
	at := time.Duration(0)
	for n := 1; len(run.Events) < events; n++ {
		client := []string{"A", "B"}[n%2]
		lease := fmt.Sprintf("%s#%d", client, n)
		add(at, sim.Event{Kind: sim.Call, Process: client, Resource: "r", Detail: "acquire"})
		at = round(at, client, "SET", fmt.Sprintf("token#%d", n))
		add(at, sim.Event{Kind: sim.Acquired, Process: client, Resource: "r", Lease: lease})
		from := at
		at += 20 * time.Millisecond
		add(at, sim.Event{Kind: sim.Call, Process: client, Resource: "r", Lease: lease, Detail: "release"})
		run.Leases = append(run.Leases, explain.Lease{
			ID: lease, Client: client, Resource: "r", From: from, Until: at, Released: true,
		})
		at = round(at, client, "release", "")
		add(at, sim.Event{Kind: sim.Released, Process: client, Resource: "r", Lease: lease})
		at += 5 * time.Millisecond
	}
	return run
}

// TestLongRun: a page of 20,000 events is below 5 MB, and has at most as many elements for each
// event as a page of 1,000. A step changes no more of it. BenchmarkLongRun takes the times.
func TestLongRun(t *testing.T) {
	count := func(events int) (elements, changes float64) {
		file := written(t, explain.StoryOptions{}, long(events))
		if info, err := os.Stat(file); err != nil || info.Size() > 5<<20 {
			t.Errorf("the page has %d bytes (%v); allowed: 5 MB", info.Size(), err)
		}
		ctx := browser(t, file)
		press(t, ctx, "3")
		elements = value[float64](t, ctx, `document.querySelectorAll("*").length`) / float64(events)
		changes = value[float64](t, ctx, `new Promise((done) => {
			let n = 0;
			new MutationObserver((changes) => { for (const c of changes) n += 1 + c.addedNodes.length + c.removedNodes.length; })
				.observe(document.documentElement, { subtree: true, childList: true, attributes: true, characterData: true });
			const step = (left) => { if (left === 0) return done(n / 50); document.getElementById("next").click(); requestAnimationFrame(() => step(left - 1)); };
			step(50); })`)
		if at := text(t, ctx, "#position"); strings.HasPrefix(at, "1 of") {
			t.Errorf("after steps the cursor is at %q", at)
		}
		shot(t, ctx, fmt.Sprintf("long-%d", events))
		return elements, changes
	}
	elements, changes := count(1_000)
	longElements, longChanges := count(20_000)
	t.Logf("of 1,000 events: %.1f elements an event, %.0f changes a step; of 20,000: %.1f and %.0f", elements, changes, longElements, longChanges)
	if longElements > elements {
		t.Errorf("%.1f elements an event, %.1f on a page of 1,000 events", longElements, elements)
	}
	if changes == 0 || longChanges > 1.5*changes {
		t.Errorf("a step changes %.0f nodes, %.0f on a page of 1,000 events", longChanges, changes)
	}
}

// BenchmarkLongRun compares a page of 20,000 events with an empty page in the same browser: how
// long it takes to open, against 20,000 lines; how many frames it draws while each takes a step.
func BenchmarkLongRun(b *testing.B) {
	file := written(b, explain.StoryOptions{}, long(20_000))
	empty := filepath.Join(b.TempDir(), "empty.html")
	if err := os.WriteFile(empty, []byte("<!DOCTYPE html><title>empty</title>"), 0o644); err != nil {
		b.Fatal(err)
	}
	ctx := browser(b, empty)
	frames := func(step string) float64 {
		return value[float64](b, ctx, `new Promise((done) => { let n = 0; const begun = performance.now();
			const frame = () => { `+step+`; n++; const passed = performance.now() - begun; passed > 1000 ? done(n / passed * 1000) : requestAnimationFrame(frame); };
			requestAnimationFrame(frame); })`)
	}
	const drawn = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))`
	var lines, opened, idle, stepping float64
	for b.Loop() {
		open(b, ctx, empty)
		idle += frames("")
		lines += value[float64](b, ctx, `(() => { const begun = performance.now(); document.body.innerHTML = "<svg>" + '<line x1="1" y1="1" x2="9" y2="9" stroke="red"/>'.repeat(20000) + "</svg>"; return `+drawn+`.then((now) => now - begun); })()`)
		open(b, ctx, file)
		opened += value[float64](b, ctx, drawn)
		press(b, ctx, "3")
		stepping += frames(`document.getElementById("next").click()`)
	}
	b.ReportMetric(opened/float64(b.N), "ms-to-open")
	b.ReportMetric(opened/lines, "times-20,000-lines")
	b.ReportMetric(stepping/idle, "of-an-empty-page's-frames")
}

// TestPorcupine: porcupine's own page names the clients, their operations and what
// happened to the world.
func TestPorcupine(t *testing.T) {
	run := result(t, "BA-2", "SY-0", 7)
	var b bytes.Buffer
	if err := checker.WriteVisualization(&b, run.History, checker.Options{}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "porcupine.html")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx := browser(t, file)
	labels := value[[]string](t, ctx, `[...document.querySelectorAll("#canvas text")].map((e) => e.textContent)`)
	for _, want := range []string{"A", "B", "operations of A", "acquire r", "world: forgot", "fault: n3 is down", "belief of B"} {
		if !slices.Contains(labels, want) {
			t.Errorf("no label %q among %q", want, labels)
		}
	}
	shot(t, ctx, "porcupine")
}

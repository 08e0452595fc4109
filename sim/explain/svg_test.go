package explain_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"redlocklab/sim"
	"redlocklab/sim/explain"
	"redlocklab/sim/svg"
)

func drawn(t *testing.T, run *explain.Run, options explain.StoryOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := explain.SVG(&b, run, options); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// both gives the two ways in which every fixture is drawn.
var both = []explain.StoryOptions{{}, {CausalOnly: true}}

// EXPLAIN_OUT=DIR go test -run Picture writes the pictures there, to be looked at.
func TestPicturesAreSound(t *testing.T) {
	for _, s := range stories {
		for _, options := range both {
			picture := drawn(t, s.make(), options)
			checkPicture(t, picture)
			if again := drawn(t, s.make(), options); again != picture {
				t.Errorf("%s is drawn in two ways", s.name)
			}
			if dir := os.Getenv("EXPLAIN_OUT"); dir != "" {
				name := filepath.Join(dir, s.name+map[bool]string{false: "", true: "-causal"}[options.CausalOnly]+".svg")
				if err := os.WriteFile(name, []byte(picture), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// checkPicture demands well-formed XML, finite numbers, sizes that are not
// negative, and nothing that is fetched from elsewhere.
func checkPicture(t interface{ Errorf(string, ...any) }, picture string) {
	decoder := xml.NewDecoder(strings.NewReader(picture))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Errorf("not well-formed: %v", err)
			return
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if element.Name.Local == "script" || element.Name.Local == "image" || element.Name.Local == "style" {
			t.Errorf("the picture has a %s", element.Name.Local)
		}
		for _, a := range element.Attr {
			if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") || strings.Contains(a.Value, "%!") {
				t.Errorf("<%s %s=%q>", element.Name.Local, a.Name.Local, a.Value)
			}
			if a.Name.Local != "xmlns" && strings.Contains(a.Value, "://") || a.Name.Local == "href" {
				t.Errorf("<%s> refers to %q", element.Name.Local, a.Value)
			}
			if slices.Contains([]string{"width", "height", "r"}, a.Name.Local) {
				if v, err := strconv.ParseFloat(a.Value, 64); err != nil || v < 0 {
					t.Errorf("<%s %s=%q>", element.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

// collisions lists the pairs of labels that touch, and the labels that leave the picture.
func collisions(t interface{ Fatal(...any) }, picture string) []string {
	var drawn struct {
		Width  float64 `xml:"width,attr"`
		Height float64 `xml:"height,attr"`
		Groups []struct {
			Texts []struct {
				X      float64    `xml:"x,attr"`
				Y      float64    `xml:"y,attr"`
				Size   float64    `xml:"font-size,attr"`
				Weight string     `xml:"font-weight,attr"`
				Anchor svg.Anchor `xml:"text-anchor,attr"`
				Words  string     `xml:",chardata"`
			} `xml:"text"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal([]byte(picture), &drawn); err != nil {
		t.Fatal(err)
	}
	var found, words []string
	var boxes []svg.Box
	for _, group := range drawn.Groups {
		for _, text := range group.Texts {
			b := svg.Font{Size: text.Size, Bold: text.Weight == "bold", Anchor: text.Anchor}.Box(text.X, text.Y, text.Words)
			if text.Size < 16 {
				found = append(found, fmt.Sprintf("%q has a size of %v", text.Words, text.Size))
			}
			if b.Left < 0 || b.Right > drawn.Width || b.Top < 0 || b.Bottom > drawn.Height {
				found = append(found, fmt.Sprintf("%q leaves the picture", text.Words))
			}
			for i, other := range boxes {
				if b.Meets(other) {
					found = append(found, fmt.Sprintf("%q touches %q", text.Words, words[i]))
				}
			}
			boxes, words = append(boxes, b), append(words, text.Words)
		}
	}
	if len(boxes) == 0 {
		t.Fatal("the picture has no label")
	}
	return found
}

func TestLabelsDoNotCollide(t *testing.T) {
	for _, s := range stories {
		for _, options := range both {
			for _, found := range collisions(t, drawn(t, s.make(), options)) {
				t.Errorf("%s: %s", s.name, found)
			}
		}
	}
}

func TestPictureSaysWhatHappened(t *testing.T) {
	for _, c := range []struct {
		run   *explain.Run
		words []string
	}{
		{forgetting(), []string{"both A and B hold r for 3 s", "forgotten", "crash", "restart", "cut off from A", "B's write 1", "released", "its time is over"}},
		{jumping(), []string{"expired early", "clock forward by 11 s", "removed from outside", "somebody else changes keys", "cut off from A", "a clock is changed"}},
		{pausing(), []string{"paused", "continues", "the violation", "another attempt with the same result"}},
		{cutting(), []string{"clock back by 300 ms", "message lost", "B holds r (1.9 s)"}},
	} {
		picture := drawn(t, c.run, explain.StoryOptions{})
		for _, w := range c.words {
			if !strings.Contains(picture, ">"+w) {
				t.Errorf("%s: no label %q", c.run.Claim, w)
			}
		}
	}
}

// TestTwoLeasesOfOneClient: they are two bars, and the picture says what overlaps.
func TestTwoLeasesOfOneClient(t *testing.T) {
	run := forgetting()
	for i := range run.Leases {
		run.Leases[i].Client = "A"
	}
	picture := drawn(t, run, explain.StoryOptions{})
	for _, want := range []string{">A holds r twice for 3 s", ">one client holds a lock twice"} {
		if !strings.Contains(picture, want) {
			t.Errorf("no label %q", want)
		}
	}
	if strings.Contains(picture, "two clients hold one lock") {
		t.Error("the legend speaks of two clients")
	}
	if found := collisions(t, picture); len(found) > 0 {
		t.Error(found)
	}
}

// TestDecisiveEvents: the picture rings them, and the legend says why.
func TestDecisiveEvents(t *testing.T) {
	run := forgetting()
	run.Decisive = []int{run.Broken[0].Event}
	if picture := drawn(t, run, explain.StoryOptions{CausalOnly: true}); !strings.Contains(picture,
		">without this, nothing is violated") || strings.Count(picture, fmt.Sprintf(`data-s="decisive" data-e="%d"`, run.Decisive[0])) != 1 {
		t.Error("the decisive event has no ring")
	}
	run.Decisive = []int{len(run.Events) + 1}
	if err := explain.SVG(io.Discard, run, explain.StoryOptions{}); !errors.Is(err, explain.ErrRun) {
		t.Errorf("an event that is not there: %v", err)
	}
}

// TestVotesLeftOut: a vote that the guard leaves out is hollow and says so.
func TestVotesLeftOut(t *testing.T) {
	run := forgetting()
	run.Guard = run.TTL
	if picture := drawn(t, run, explain.StoryOptions{}); !strings.Contains(picture, ">vote left out: up ") ||
		!strings.Contains(picture, `data-s="left out"`) {
		t.Error("the vote of n3 looks as if it counted")
	}
}

func TestHostileNamesStayText(t *testing.T) {
	run := forgetting()
	run.Title = `</text><script>alert("1")</script>` + "\x00&"
	for i := range run.Faults {
		run.Faults[i].Words = `<b>&"` + run.Faults[i].Name
	}
	checkPicture(t, drawn(t, run, explain.StoryOptions{}))
}

func TestPictureOfNothing(t *testing.T) {
	checkPicture(t, drawn(t, &explain.Run{}, explain.StoryOptions{}))
	checkPicture(t,
		drawn(t, &explain.Run{Processes: []string{"A"}, Nodes: []string{"n1"}}, explain.StoryOptions{CausalOnly: true}))
}

// Time never runs backwards on the axis, and never leaves it.
func TestScaleKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		instant := rapid.Custom(func(t *rapid.T) time.Duration {
			unit := rapid.SampledFrom([]time.Duration{
				1, time.Microsecond, time.Millisecond, time.Second, time.Minute,
			}).Draw(t, "unit")
			return unit * time.Duration(rapid.IntRange(0, 999).Draw(t, "count"))
		})
		at := rapid.SliceOfN(instant, 1, 60).Draw(t, "instants")
		asked := slices.Sorted(slices.Values(rapid.SliceOfN(instant, 1, 60).Draw(t, "asked")))
		x := explain.ScaleX(at, asked, 66, 1174)
		for i := range x {
			if math.IsNaN(x[i]) || x[i] < 66 || x[i] > 1174.001 || i > 0 && x[i] < x[i-1] {
				t.Fatalf("%v lie at %v", asked, x)
			}
		}
	})
}

// Between breaks equal times have equal widths, in all bursts the same.
func TestScaleIsEven(t *testing.T) {
	for _, s := range stories {
		bursts, labels := explain.Scale(s.make(), 1280)
		rate := 0.0
		for i, b := range bursts {
			switch each := (b.Right - b.Left) / float64(b.Until-b.From); {
			case i > 0 && b.From <= bursts[i-1].Until:
				t.Errorf("%s: bursts overlap: %+v", s.name, bursts)
			case i > 0 && math.Abs(each/rate-1) > 0.001:
				t.Errorf("%s: %v and %v pixels per nanosecond", s.name, rate, each)
			case i == 0:
				rate = each
			}
		}
		slices.Sort(labels)
		if n := len(labels); n < 2 || len(slices.Compact(labels)) != n {
			t.Errorf("%s: the labels of the axis are %q", s.name, labels)
		}
	}
}

// Whatever stands in a trace, its story tells every event once and its picture is sound.
func TestAnyTraceCanBeExplained(t *testing.T) {
	kinds := []sim.Kind{sim.Dial, sim.Connect, sim.Refuse, sim.Send, sim.Deliver, sim.Execute, sim.Reply, sim.Drop,
		sim.Delay, sim.Reset,
		sim.Expire, sim.Timer, sim.Close, sim.NodeCall, sim.Crash, sim.Restart, sim.Forget, sim.Revive, sim.ClockStep,
		sim.ClockRate,
		sim.Pause, sim.Resume, sim.Cut, sim.Heal, sim.Call, sim.Acquired, sim.Failed, sim.Extended, sim.Released,
		sim.Lapsed, sim.Access, sim.Done}
	rapid.Check(t, func(t *rapid.T) {
		run := &explain.Run{Processes: []string{"A", "B"}, Nodes: []string{"n1", "n2", "n3"}, TTL: time.Second}
		at := time.Duration(0)
		for i := range rapid.IntRange(0, 60).Draw(t, "events") {
			at += time.Duration(rapid.IntRange(0, 5_000_000).Draw(t, "gap"))
			run.Events = append(run.Events, sim.Event{Seq: i + 1, At: at,
				Kind:    rapid.SampledFrom(kinds).Draw(t, "kind"),
				Process: rapid.SampledFrom([]string{"A", "B", ""}).Draw(t, "process"),
				Node:    rapid.SampledFrom([]string{"n1", "n2", "n3", ""}).Draw(t, "node"),
				Message: rapid.IntRange(0, 6).Draw(t, "message"),
				Command: rapid.SampledFrom([]string{"SET", "release", "extend", "INFO", "EVALSHA", ""}).Draw(t, "command"),
				Key:     rapid.SampledFrom([]string{"r", "s", ""}).Draw(t, "key"),
				Value:   rapid.SampledFrom([]string{"token#1", "token#2", ""}).Draw(t, "value"),
				TTL:     time.Duration(rapid.IntRange(-1, 9).Draw(t, "ttl")) * 100 * ms,
				Lease:   rapid.SampledFrom([]string{"A/1", "B/1", ""}).Draw(t, "lease"), Resource: "r",
				Detail: rapid.SampledFrom([]string{"acquire", "release", "extend: lost", "OK", "NOSCRIPT", ""}).Draw(t, "detail"),
				Fault:  rapid.SampledFrom([]string{"f", ""}).Draw(t, "fault"),
			})
		}
		run.Leases = []explain.Lease{
			{ID: "A/1", Client: "A", Resource: "r", From: at / 4, Until: at / 2},
			{ID: "B/1", Client: "B", Resource: "r", From: at / 3, Until: at},
		}
		if rapid.Bool().Draw(t, "violated") {
			run.Violations = []explain.Violation{{Oracle: "overlap", Leases: []string{"A/1", "B/1"}}}
		}
		story, err := explain.NewStory(run, explain.StoryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		told := make([]int, len(run.Events)+1)
		for _, l := range story.Lines {
			for _, seq := range l.Events {
				told[seq]++
			}
		}
		for seq := 1; seq < len(told); seq++ {
			if told[seq] != 1 {
				t.Fatalf("event %d is told %d times", seq, told[seq])
			}
		}
		for _, options := range both {
			var b bytes.Buffer
			if err := explain.SVG(&b, run, options); err != nil {
				t.Fatal(err)
			}
			checkPicture(t, b.String())
			if found := collisions(t, b.String()); len(found) > 0 {
				t.Fatal(found)
			}
		}
	})
}

// A fault that only holds messages up is not drawn as a cut.
func TestDelayIsNoCut(t *testing.T) {
	draw := func(kind sim.Kind) string {
		run := cutting()
		run.Faults = nil
		for i := range run.Events {
			if e := &run.Events[i]; e.Kind == sim.Drop {
				e.Kind = kind
			}
		}
		var picture bytes.Buffer
		if err := explain.SVG(&picture, run, explain.StoryOptions{}); err != nil {
			t.Fatal(err)
		}
		return picture.String()
	}
	for kind, c := range map[sim.Kind]struct{ yes, no []string }{
		sim.Drop:  {[]string{"cut off from A", "messages are stopped"}, []string{"slow to A", "messages are delayed"}},
		sim.Delay: {[]string{"slow to A", "messages are delayed"}, []string{"cut off from A", "messages are stopped"}},
	} {
		picture := draw(kind)
		for _, want := range c.yes {
			if !strings.Contains(picture, want) {
				t.Errorf("%s: no %q in the picture", kind, want)
			}
		}
		for _, bad := range c.no {
			if strings.Contains(picture, bad) {
				t.Errorf("%s: %q in the picture", kind, bad)
			}
		}
	}
}

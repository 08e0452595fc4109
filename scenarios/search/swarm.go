package search

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Name is what plans that were drawn call their scenario.
const Name = "swarm"

// resource is the one that all clients of a drawn run fight for.
const resource = "r"

// rateErrorPPM is what the clocks of a drawn run may err: with two clocks that
// err against each other, just below the 1 % that the textbook takes off.
const rateErrorPPM = 4500

// Swarm draws a run: its whole configuration, which kinds of faults it knows and
// its faults come from the seed and nothing else. An error says what is wrong
// with the options.
func Swarm(seed uint64, o Trial) (*plan.Plan, error) {
	return drawScenario(seed, o, func(w *swarm) { w.drawStory(50) })
}

// Random draws a run as [Swarm] does, except that it knows every kind of fault.
func Random(seed uint64, o Trial) (*plan.Plan, error) {
	return drawScenario(seed, o, func(w *swarm) { w.drawStory(100) })
}

// swarm is a run in the making: where its draws come from, what they may not change, and what
// was drawn.
type swarm struct {
	draw
	Trial
	*plan.Scenario
}

// named is the swarm with knobs of its own.
func (w *swarm) named(knob string) *swarm {
	return &swarm{draw{w.seed, knob + " "}, w.Trial, w.Scenario}
}

// drawScenario draws a run's configuration, and lets story draw the rest.
func drawScenario(seed uint64, o Trial, story func(*swarm)) (*plan.Plan, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	w := &swarm{draw{seed: seed}, o, &plan.Scenario{
		Name: Name, Claim: Name, Title: "A run drawn from a number",
		Subjects: []plan.Subject{o.subject()},
		Bounds:   plan.Bounds{Virtual: 3 * time.Hour, Events: 500_000},
	}}
	w.Nodes = plan.Nodes{Count: pick(w.draw, "nodes", 1, 3, 5, 7, 4), Persistence: sim.AOFAlways}
	if o.breaks(checker.AssumptionVote) {
		w.Nodes.Persistence = pick(w.draw, "persistence", sim.NoPersistence, sim.RDB, sim.AOFEverySec)
	}
	w.Lock = w.drawLock()
	long := w.pace()
	low := pick(w.draw, "latency", 50*time.Microsecond, 500*time.Microsecond, long/200, long/50)
	w.Network.Latency = faults.Span{Low: low, High: low * time.Duration(pick(w.draw, "jitter", 1, 2, 5))}
	if !w.tidy() {
		w.Network.LossPPM = pick[int64](w.draw, "loss", 0, 0, 10_000, 50_000)
	}
	// A node has time for a connection, its greeting, a script that it does not know and
	// the script itself, four round trips; in some runs for an answer that comes too late.
	w.Lock.NodeTimeout = max(pick(w.draw, "node timeout", long/20, long/4, 2*long), 10*w.Network.Latency.High)
	w.Lock.Fencing = w.drawFencing()
	story(w)
	plan, err := w.Scenario.Plan(o.Subject, seed)
	if err != nil {
		return nil, err
	}
	if err := w.Faults.Validate(w.Topology()); err != nil {
		return nil, fmt.Errorf("seed %d drew faults that cannot apply: %w", seed, err)
	}
	return plan, plan.World.Validate()
}

// drawStory draws what clients do, what goes wrong, and what is demanded. The run knows each kind of
// harmless fault with a chance in percent.
func (w *swarm) drawStory(kindsPercent int) {
	switch {
	case w.breaks(checker.AssumptionBounded) && w.chance("starving", 50):
		w.starving()
		return
	case w.breaks(checker.AssumptionRandom) && w.chance("symmetric", 50):
		w.symmetric()
		return
	case w.breaks(checker.AssumptionTries) && w.chance("impatient", 50):
		w.impatient()
		return
	case w.breaks(checker.AssumptionCounter) && w.chance("counting", 50):
		w.forgetful()
		return
	}
	w.drawClients()
	if w.breaks(checker.AssumptionDistinct) {
		w.drawMembers()
	}
	w.Faults = applicable(w.drawFaults(kindsPercent), w.Topology())
	w.restartResource()
	w.fillDisks()
	w.drawDrivers()
	w.addLateClient()
}

func (w *swarm) drawClients() {
	for i := range 2 + w.below("clients", 3) {
		name := string(rune('A' + i))
		one := w.named(name)
		c := one.drawClient(name)
		if w.breaks(checker.AssumptionWall) && one.chance("has another date", 50) {
			c.Ahead = one.between("ahead", w.Lock.TTL/4, 5*w.Lock.TTL)
			if one.chance("behind", 50) {
				c.Ahead = -c.Ahead
			}
		}
		w.Clients = append(w.Clients, c)
	}
}

// tidy reports whether a run looks for what a lock leaves behind (see addOrder): leases outlive
// by far what clients do and what goes wrong, and nothing is lost unseen.
func (w *swarm) tidy() bool {
	return w.declaration().Abilities.BeyondTextbook && draw{seed: w.seed}.chance("long ttl", 25)
}

// pace is the length of time by which a run's messages, work and faults are drawn.
func (w *swarm) pace() time.Duration {
	if w.tidy() {
		return w.Lock.TTL / 10
	}
	return w.Lock.TTL
}

func (w *swarm) drawLock() plan.Lock {
	ttl := pick(w.draw, "ttl", 200*time.Millisecond, 500*time.Millisecond, time.Second, 3*time.Second)
	if w.tidy() {
		ttl = 10 * time.Second
	}
	// Some contenders come so often that they meet the end of a lease almost at once.
	least, tries := pick(w.draw, "retry", ttl/100, ttl/30, ttl/10), pick(w.draw, "tries", lateRounds, 50, 200)
	return plan.Lock{
		TTL: ttl, RateErrorPPM: rateErrorPPM, WallError: plan.DefaultWallError, Fencing: plan.FencingNone,
		Retry: plan.Retry{Delay: faults.Span{Low: least, High: 3 * least}, Tries: tries},
	}
}

// drawFencing draws where fencing tokens come from. The package's own are drawn where
// its counters are durable, also when nobody works too late: they must grow all the same.
func (w *swarm) drawFencing() plan.Fencing {
	switch {
	case w.option("fence", "none") != "none":
		return plan.FencingSubject
	case len(w.Break) > 0 && !w.breaks(checker.AssumptionWork):
		return plan.FencingNone
	case w.Subject == "SY-10" && !w.breaks(checker.AssumptionVote) && w.chance("own fencing", 50):
		return plan.FencingSubject
	case len(w.Break) == 0:
		return plan.FencingNone
	}
	return plan.FencingIdeal
}

// The steps at the resource.
var (
	locking   = plan.Step{Kind: plan.StepLock, Resource: resource}
	trying    = plan.Step{Kind: plan.StepTryLock, Resource: resource}
	extending = plan.Step{Kind: plan.StepExtend, Resource: resource}
	releasing = plan.Step{Kind: plan.StepRelease, Resource: resource}
)

// still is a length of time that does not vary.
func still(d time.Duration) faults.Span { return faults.Span{Low: d, High: d} }

func holding(d time.Duration) plan.Step { return plan.Step{Kind: plan.StepHold, Duration: still(d)} }
func waiting(d time.Duration) plan.Step { return plan.Step{Kind: plan.StepWait, Duration: still(d)} }

// drawClient draws what one client does: rounds of acquiring, holding, perhaps
// extending, perhaps for longer than its lease, and mostly releasing.
func (w *swarm) drawClient(name string) plan.Client {
	ttl := w.pace()
	span := func(knob string, low, high time.Duration) faults.Span {
		a := w.between(knob, low, high)
		return faults.Span{Low: a, High: a + (high-low)/10}
	}
	work := func(knob string) plan.Step {
		most := pick(w.draw, knob+" at most", ttl/4, ttl, 3*ttl/2)
		return plan.Step{Kind: plan.StepHold, Duration: span(knob, ttl/20, most)}
	}
	round := []plan.Step{pick(w.draw, "acquires", locking, locking, trying), work("works")}
	for i := range w.below("extensions", 3) {
		round = append(round, extending, work(fmt.Sprintf("goes on %d", i+1)))
	}
	if w.breaks(checker.AssumptionWork) {
		round = append(round, plan.Step{
			Kind: plan.StepWrite, Resource: resource, Guarded: true, Think: span("thinks", ttl/100, ttl/20),
		})
	}
	if w.chance("releases", 75) {
		round = append(round, releasing)
	}
	round = append(round, plan.Step{Kind: plan.StepWait, Duration: span("rests", 0, ttl/4)})
	return plan.Client{
		Name: name, Start: span("starts", 0, ttl/4),
		Steps: []plan.Step{{Kind: plan.StepRepeat, Times: 1 + w.below("rounds", 4), Steps: round}},
	}
}

// Knobs tells everything that was drawn, one knob a line. It ends without a newline.
func Knobs(p *plan.Plan) string {
	var lines []string
	add := func(format string, arguments ...any) { lines = append(lines, fmt.Sprintf(format, arguments...)) }
	add("seed          %d", p.Seed)
	subject := p.Subject.Title()
	for _, option := range p.Subject.Options {
		subject += fmt.Sprintf(" %s=%s", option.Name, option.Value)
	}
	add("subject       %s", subject)
	add("nodes         %d, persistence %s", len(p.World.Nodes), p.World.Nodes[0].Persistence)
	for _, n := range p.World.Nodes {
		if n.SameAs != "" {
			add("one server    %s and %s", n.SameAs, n.Name)
		}
	}
	add("network       latency %v..%v, loss %s", p.World.Network.Latency.Min, p.World.Network.Latency.Max, faults.FormatPercent(p.World.Network.LossPPM))
	for _, l := range p.World.Network.Links {
		add("link          %s %s of %s: latency %v..%v, loss %s", cmp.Or(l.Node, faults.All), l.Direction, cmp.Or(l.Process, faults.All),
			l.Latency.Min, l.Latency.Max, faults.FormatPercent(l.LossPPM))
	}
	tries := "tries without end"
	if p.Lock.Retry.Tries > 0 {
		tries = fmt.Sprintf("%d tries", p.Lock.Retry.Tries)
	}
	extensions := "any number of extensions"
	if p.Lock.Extensions > 0 {
		extensions = fmt.Sprintf("%d extensions", p.Lock.Extensions)
	}
	add("lock          ttl %v, node timeout %v, retry %v, %s, %s, rate error %d ppm, fencing %s",
		p.Lock.TTL, p.Lock.NodeTimeout, p.Lock.Retry.Delay, tries, extensions, p.Lock.RateErrorPPM, p.Lock.Fencing)
	if p.Lock.Pool > 0 || p.Lock.RESP > 0 {
		add("driver        RESP %d, pool %d", cmp.Or(p.Lock.RESP, 2), p.Lock.Pool)
	}
	for _, c := range p.Clients {
		knows := ""
		if c.Ahead != 0 {
			knows = fmt.Sprintf(", its time of day is ahead by %v", c.Ahead)
		}
		if len(c.Nodes) > 0 {
			knows += ", knows " + strings.Join(c.Nodes, " ")
		}
		if c.Lockers > 1 {
			knows += fmt.Sprintf(", has %d Lockers", c.Lockers)
		}
		add("client %-6s starts %v%s, %s", c.Name, c.Start, knows, steps(c.Steps))
	}
	for _, f := range p.Faults {
		add("fault         %s", f)
	}
	for _, g := range p.Liveness {
		add("demand        %s: %s", g.Claim, demand(g))
	}
	return strings.Join(lines, "\n")
}

// demand tells a goal on one line.
func demand(g plan.Goal) string {
	from := "the start"
	if !g.From.When.IsZero() {
		from = "when " + g.From.When.String()
	}
	return fmt.Sprintf("%s of %s %s, from %s, within %s = %v", g.Does, g.Client, cmp.Or(string(g.Each), "once"), from, g.Within.Text, g.Within.Value)
}

func steps(list []plan.Step) string {
	var words []string
	for _, s := range list {
		switch s.Kind {
		case plan.StepHold, plan.StepWait:
			words = append(words, fmt.Sprintf("%s %v", s.Kind, s.Duration))
		case plan.StepWrite:
			words = append(words, fmt.Sprintf("write after %v", s.Think))
		case plan.StepRepeat:
			words = append(words, fmt.Sprintf("%d × [%s]", s.Times, steps(s.Steps)))
		default:
			words = append(words, string(s.Kind))
		}
	}
	return strings.Join(words, ", ")
}

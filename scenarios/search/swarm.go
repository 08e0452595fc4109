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
func Swarm(seed uint64, o Trial) (*plan.Plan, error) { return drawPlan(seed, o, 50) }

// Random draws a run as [Swarm] does, except that it knows every kind of fault.
func Random(seed uint64, o Trial) (*plan.Plan, error) { return drawPlan(seed, o, 100) }

// drawPlan draws a run that knows each kind of harmless fault with a chance in percent.
func drawPlan(seed uint64, o Trial, kindsPercent int) (*plan.Plan, error) {
	return drawScenario(seed, o, func(d draw, s *plan.Scenario) error { return drawStory(d, s, o, kindsPercent) })
}

// drawScenario draws a run's configuration, and lets story draw the rest.
func drawScenario(seed uint64, o Trial, story func(draw, *plan.Scenario) error) (*plan.Plan, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	d := draw{seed}
	s := &plan.Scenario{
		Name: Name, Claim: Name, Title: "A run drawn from a number",
		Subjects: []plan.Subject{o.subject()},
		Bounds:   plan.Bounds{Virtual: 3 * time.Hour, Events: 500_000},
	}
	s.Nodes = plan.Nodes{Count: pick(d, "nodes", 1, 3, 5, 7, 4), Persistence: sim.AOFAlways}
	if o.breaks(checker.AssumptionVote) {
		s.Nodes.Persistence = pick(d, "persistence", sim.NoPersistence, sim.RDB, sim.AOFEverySec)
	}
	s.Lock = drawLock(d, o)
	long := pace(d, s, o)
	s.Network = drawNetwork(d, long)
	if tidy(d, o) {
		s.Network.LossPPM = 0
	}
	// A node has time for a connection, its greeting, a script that it does not know and
	// the script itself, four round trips; in some runs for an answer that comes too late.
	s.Lock.NodeTimeout = max(pick(d, "node timeout", long/20, long/4, 2*long), 10*s.Network.Latency.High)
	s.Lock.Fencing = drawFencing(d, o)
	if err := story(d, s); err != nil {
		return nil, err
	}
	plan, err := s.Plan(o.Subject, seed)
	if err != nil {
		return nil, err
	}
	if err := s.Faults.Validate(s.Topology()); err != nil {
		return nil, fmt.Errorf("seed %d drew faults that cannot apply: %w", seed, err)
	}
	return plan, plan.World.Validate()
}

// drawStory draws what clients do, what goes wrong, and what is demanded.
func drawStory(d draw, s *plan.Scenario, o Trial, kindsPercent int) error {
	switch {
	case o.breaks(checker.AssumptionBounded) && d.chance("starving", 50):
		return starving(d, s)
	case o.breaks(checker.AssumptionRandom) && d.chance("symmetric", 50):
		return symmetric(s)
	case o.breaks(checker.AssumptionTries) && d.chance("impatient", 50):
		return impatient(d, s)
	case o.breaks(checker.AssumptionCounter) && d.chance("counting", 50):
		forgetful(d, s, o)
		return nil
	}
	drawClients(d, s, o)
	if o.breaks(checker.AssumptionDistinct) {
		drawMembers(d, s, o)
	}
	s.Faults = applicable(drawFaults(d, s, o, kindsPercent), s.Topology())
	restartResource(d, s, o)
	fillDisks(d, s, o)
	drawDrivers(d, s, o)
	return addLateClient(s, o)
}

func drawClients(d draw, s *plan.Scenario, o Trial) {
	for i := range 2 + d.below("clients", 3) {
		c := drawClient(d, string(rune('A'+i)), pace(d, s, o), o)
		if o.breaks(checker.AssumptionWall) && d.chance(c.Name+" has another date", 50) {
			c.Ahead = d.between(c.Name+" ahead", s.Lock.TTL/4, 5*s.Lock.TTL)
			if d.chance(c.Name+" behind", 50) {
				c.Ahead = -c.Ahead
			}
		}
		s.Clients = append(s.Clients, c)
	}
}

// tidy reports whether a run looks for what a lock leaves behind (see addOrder): leases outlive
// by far what clients do and what goes wrong, and nothing is lost unseen.
func tidy(d draw, o Trial) bool {
	return o.declaration().Abilities.BeyondTextbook && d.chance("long ttl", 25)
}

// pace is the length of time by which a run's messages, work and faults are drawn.
func pace(d draw, s *plan.Scenario, o Trial) time.Duration {
	if tidy(d, o) {
		return s.Lock.TTL / 10
	}
	return s.Lock.TTL
}

func drawLock(d draw, o Trial) plan.Lock {
	ttl := pick(d, "ttl", 200*time.Millisecond, 500*time.Millisecond, time.Second, 3*time.Second)
	if tidy(d, o) {
		ttl = 10 * time.Second
	}
	// Some contenders come so often that they meet the end of a lease almost at once.
	least := pick(d, "retry", ttl/100, ttl/30, ttl/10)
	return plan.Lock{
		TTL: ttl, RateErrorPPM: rateErrorPPM, WallError: plan.DefaultWallError, Fencing: plan.FencingNone,
		Retry: plan.Retry{Delay: faults.Span{Low: least, High: 3 * least}, Tries: pick(d, "tries", lateRounds, 50, 200)},
	}
}

// drawFencing draws where fencing tokens come from. The package's own are drawn where
// its counters are durable, also when nobody works too late: they must grow all the same.
func drawFencing(d draw, o Trial) plan.Fencing {
	switch {
	case o.option("fence", "none") != "none":
		return plan.FencingSubject
	case len(o.Break) > 0 && !o.breaks(checker.AssumptionWork):
		return plan.FencingNone
	case o.Subject == "SY-10" && !o.breaks(checker.AssumptionVote) && d.chance("own fencing", 50):
		return plan.FencingSubject
	case len(o.Break) == 0:
		return plan.FencingNone
	}
	return plan.FencingIdeal
}

func drawNetwork(d draw, ttl time.Duration) plan.Network {
	low := pick(d, "latency", 50*time.Microsecond, 500*time.Microsecond, ttl/200, ttl/50)
	return plan.Network{
		Latency: faults.Span{Low: low, High: low * time.Duration(pick(d, "jitter", 1, 2, 5))},
		LossPPM: pick[int64](d, "loss", 0, 0, 10_000, 50_000),
	}
}

// drawClient draws what one client does: rounds of acquiring, holding, perhaps
// extending, perhaps for longer than its lease, and mostly releasing.
func drawClient(d draw, name string, ttl time.Duration, o Trial) plan.Client {
	knob := func(text string) string { return name + " " + text }
	span := func(text string, low, high time.Duration) faults.Span {
		a := d.between(knob(text), low, high)
		return faults.Span{Low: a, High: a + (high-low)/10}
	}
	round := []plan.Step{{Kind: pick(d, knob("acquires"), plan.StepLock, plan.StepLock, plan.StepTryLock), Resource: resource}}
	work := func(text string) {
		round = append(round, plan.Step{
			Kind:     plan.StepHold,
			Duration: span(text, ttl/20, pick(d, knob(text+" at most"), ttl/4, ttl, 3*ttl/2)),
		})
	}
	work("works")
	for i := range d.below(knob("extensions"), 3) {
		round = append(round, plan.Step{Kind: plan.StepExtend, Resource: resource})
		work(fmt.Sprintf("goes on %d", i+1))
	}
	if o.breaks(checker.AssumptionWork) {
		round = append(round, plan.Step{
			Kind: plan.StepWrite, Resource: resource, Guarded: true, Think: span("thinks", ttl/100, ttl/20),
		})
	}
	if d.chance(knob("releases"), 75) {
		round = append(round, plan.Step{Kind: plan.StepRelease, Resource: resource})
	}
	round = append(round, plan.Step{Kind: plan.StepWait, Duration: span("rests", 0, ttl/4)})
	return plan.Client{
		Name: name, Start: span("starts", 0, ttl/4),
		Steps: []plan.Step{{Kind: plan.StepRepeat, Times: 1 + d.below(knob("rounds"), 4), Steps: round}},
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

package faults

import (
	"slices"
	"sync"
	"time"

	"redlocklab/sim"
)

// Kind describes one kind of fault, for lists, editors and generators.
type Kind struct {
	Name    string // the word in files
	Summary string // what a fault of this kind does
	// Parameters are the words of this kind: first its own name, then the
	// others, then those that end it.
	Parameters []Parameter
	// Breaks are the ids of the assumptions that it can break. Condition says
	// when it does, or why it never breaks one.
	Breaks    []string
	Condition string
	Example   string // a fault of this kind, as [ParseLine] reads it
}

// definition is everything about one kind of fault. Its parameters and functions
// are bound to the fields of the effect that returned it.
type definition struct {
	summary    string
	breaks     []string
	condition  string
	example    string
	parameters []parameter // the first one's name is the kind
	ending     ending
	causes     []string // the pattern words that come true of its targets through such a fault only
	halts      bool     // its targets do nothing while it lasts

	// check reports what Problems cannot find from the parameters alone. It may be nil.
	check func(v *validator, f Fault)
	// prepare arranges what the effect needs from the start of the run. It may be nil.
	prepare func(action)
	// begin makes it happen, end undoes it. A kind that happens at one instant
	// has no end. Both are for controller context, as are all calls of a Target.
	begin, end func(action)
	// decide takes the place of begin and end where the effect is a rule about
	// messages. With onArrival the rule also decides about messages that are on their
	// way when the fault begins.
	decide    func(action, *sim.Message) sim.Ruling
	onArrival bool
	// endAfter calls back when the fault has lasted for d on another clock than
	// true time. It is nil where true time counts.
	endAfter func(t Target, d time.Duration, f func())
}

// ending says which words end the faults of a kind.
type ending struct {
	duration string        // a time from the beginning; empty for a kind that happens at one instant
	shortest time.Duration // the least duration that makes sense
	pattern  string        // a match after the beginning
	must     bool          // a fault without end makes no sense
}

var (
	instant     = ending{}
	mayEnd      = ending{duration: "for", shortest: 1, pattern: "until"}
	mustEnd     = ending{duration: "for", shortest: 1, pattern: "until", must: true}
	mayRestart  = ending{duration: "restart_after", pattern: "restart_when"}
	mustPromote = ending{duration: "promoted_after", pattern: "promoted_when", must: true}
)

// effects has a new effect of every kind, in the order of lists. A new kind goes here.
func effects() []Effect {
	return []Effect{
		new(Crash), new(Restart), new(Failover), new(Demote), new(Refuse), new(Evict), new(ScriptFlush),
		new(NodeClockStep), new(NodeClockRate), new(ClientClockStep), new(ClientClockRate),
		new(NodeClockDrift), new(ClientClockDrift),
		new(Partition), new(Lose), new(Delay), new(Reset), new(BlackHole), new(Drip),
		new(SlowNode), new(StopNode), new(SlowDisk), new(SlowClient), new(LateTimers), new(Pause), new(Suspend),
		new(OperatorDelete), new(OperatorFlush), new(ClientCrash),
		new(Move), new(ResourceRestart), new(FillDisk),
	}
}

// Kinds lists every kind of fault, in a fixed order.
func Kinds() []Kind { return slices.Clone(kinds()) }

// kinds is made once: the readers of files ask for it at every word.
var kinds = sync.OnceValue(func() []Kind {
	var list []Kind
	for _, e := range effects() {
		d := e.definition()
		list = append(list, Kind{
			Name: KindOf(e), Summary: d.summary, Parameters: described(d.words()),
			Breaks: d.breaks, Condition: d.condition, Example: d.example,
		})
	}
	return list
})

// words are the words of the kind: its own, then those that end it.
func (d definition) words() []parameter {
	return append(d.parameters, d.ending.parameters(new(Ending))...)
}

// parameters are the words that end a fault. An ending has one of them, or none.
func (e ending) parameters(into *Ending) []parameter {
	if e == instant {
		return nil
	}
	otherwise := "never"
	if e.must {
		otherwise = "none: one of the two must be given"
	}
	return []parameter{
		duration(e.duration, &into.For, e.shortest, "it ends this much true time after its beginning").
			or(otherwise).unless(func() bool { return !into.Ends || !into.When.IsZero() }),
		pattern(e.pattern, &into.When, "it ends at the first match after its beginning").
			or(otherwise).unless(func() bool { return !into.Ends || into.When.IsZero() }),
	}
}

// endingOf returns the words that end an effect. An instant has none: an ending
// that a caller gave it all the same is printed with the words of most kinds,
// and refused when it is read.
func endingOf(e Effect) ending {
	if words := e.definition().ending; words != instant {
		return words
	}
	return mayEnd
}

// newEffect returns an effect of a kind with its defaults, nil for an unknown kind.
func newEffect(kind string) Effect {
	i := slices.Index(kindNames(), kind)
	if i < 0 {
		return nil
	}
	e := effects()[i]
	for _, p := range e.definition().parameters {
		if p.Default == "" {
			continue
		}
		if err := p.set(p.Default); err != nil {
			panic("faults: default of " + kind + "." + p.Name + ": " + err.Error())
		}
	}
	return e
}

// kindNames lists the words that name a kind, in the order of effects.
var kindNames = sync.OnceValue(func() []string {
	var list []string
	for _, e := range effects() {
		list = append(list, KindOf(e))
	}
	return list
})

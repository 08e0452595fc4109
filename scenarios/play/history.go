package play

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// history turns what the clients noted and what the trace says into the
// checker's records. It reads no intention: a fault counts by what it did.
func (r *run) history(end time.Duration, events []sim.Event, subject lock.Implementation) *checker.History {
	h := &checker.History{Header: checker.Header{
		Version: checker.Version, Name: fmt.Sprintf("%s/%s/%d", r.plan.Scenario, r.plan.Subject.Title(), r.plan.Seed),
		EndNS: int64(end), TTLNS: int64(r.plan.Lock.TTL), RateErrorPPM: r.plan.Lock.RateErrorPPM,
	}}
	for _, n := range r.plan.World.Nodes {
		if r.uses(n.Name) {
			h.Header.Nodes = append(h.Header.Nodes, n.Name)
		}
	}
	h.Header.Quorum = len(h.Header.Nodes)/2 + 1
	for _, c := range r.clients {
		r.clientRecords(h, c, subject)
	}
	h.Accesses = r.accesses
	if r.plan.Stock != 0 {
		for _, resource := range slices.Sorted(maps.Keys(r.registers)) {
			for _, register := range r.registers[resource].kinds {
				h.Header.Registers = append(h.Header.Registers, checker.RegisterStart{Resource: resource, Register: register.name, Value: r.plan.Stock})
			}
		}
	}
	t := &translator{
		run: r, history: h, end: end, keys: map[[2]string]string{}, rates: map[string]*checker.Fact{}, open: map[string]*checker.Fact{},
		impairments: map[string]int{}, sent: map[int]time.Duration{}, extensions: map[string]int{},
	}
	t.initialRates()
	t.sameServers()
	executed := 0
	for i := range events {
		if events[i].Kind == sim.Execute {
			executed++
		}
	}
	h.NodeEvents = make([]checker.NodeEvent, 0, executed)
	for _, e := range events {
		t.take(e)
	}
	t.close()
	h.Facts = r.here(h.Facts)
	r.goalRecords(h)
	return h
}

// here leaves out what happened to nodes that the subject does not use.
func (r *run) here(facts []checker.Fact) []checker.Fact {
	unused := func(name string) bool {
		isNode := slices.ContainsFunc(r.plan.World.Nodes, func(n sim.NodeConfig) bool { return n.Name == name })
		return isNode && !r.uses(name)
	}
	return slices.DeleteFunc(facts, func(f checker.Fact) bool {
		return unused(f.Node) || unused(f.Who) || len(f.Nodes) > 0 && !slices.ContainsFunc(f.Nodes, r.uses)
	})
}

func (r *run) clientRecords(h *checker.History, c *client, subject lock.Implementation) {
	record := checker.Client{
		Name: c.plan.Name, Subject: r.plan.Subject.Title(), Clock: checker.Clock(c.clock),
		Validity: checker.ValidityLaboratory, ReleaseConfirms: subject.ReleaseConfirms,
	}
	if c.clock == "" {
		record.Clock = checker.ClockNone
	}
	for _, l := range c.leases {
		if l.reported {
			record.Validity = checker.ValidityReported
		}
	}
	h.Header.Clients = append(h.Header.Clients, record)
	for i, op := range c.operations {
		o := checker.Operation{
			ID: operationID(c, i), Client: c.plan.Name, Action: checker.Action(op.name), Resource: op.resource,
			Lease: op.lease, CallNS: int64(op.call), Outcome: checker.OutcomeOK, Token: op.token,
		}
		switch {
		case op.returned < 0:
			o.Outcome, o.Lease = checker.OutcomeUnknown, ""
			if op.name != "acquire" {
				o.Lease = op.lease
			}
		case op.failure != "":
			o.Outcome, o.Class = checker.OutcomeFail, op.failure
		}
		if op.returned >= 0 {
			o.ReturnNS = checker.At(int64(op.returned))
		}
		h.Operations = append(h.Operations, o)
	}
	for _, l := range c.leases {
		if c.operations[l.operation].returned < 0 {
			continue // it crashed before it knew
		}
		record := checker.Lease{
			ID: l.id, Client: c.plan.Name, Resource: l.resource, Token: l.token, Operation: operationID(c, l.operation),
		}
		if l.fence > 0 {
			record.Fence = checker.At(int64(l.fence))
		}
		for _, v := range l.validity {
			until, ok := c.whenReads(v.reading, v.at)
			if !ok {
				until = v.at + 365*24*time.Hour // a frozen clock never gets there
			}
			record.Validity = append(record.Validity, checker.Validity{AtNS: int64(v.at), UntilNS: int64(until)})
		}
		if l.releasedAt >= 0 {
			record.ReleasedNS = checker.At(int64(l.releasedAt))
		}
		h.Operations[len(h.Operations)-len(c.operations)+l.operation].Token = l.token
		h.Leases = append(h.Leases, record)
	}
	if r.fixedRetry() {
		h.Facts = append(h.Facts, checker.Fact{Fact: checker.FactRetryFixed, Client: c.plan.Name})
	}
}

// fixedRetry reports whether several clients retry after one and the same delay.
func (r *run) fixedRetry() bool {
	return r.plan.Subject.Option("retry", "random") == "fixed" && len(r.clients) > 1
}

func operationID(c *client, i int) string { return c.plan.Name + "." + strconv.Itoa(i+1) }

func (r *run) goalRecords(h *checker.History) {
	for i, g := range r.plan.Liveness {
		from, bound := int64(r.goals[i].at), fmt.Sprintf("%s = %v", g.Within.Text, g.Within.Value)
		if from < 0 { // a goal whose time never began to run is inconclusive, not met
			from = h.Header.EndNS
			bound += ", from what never happened"
		}
		goal := checker.Goal{
			ID: "goal " + strconv.Itoa(i+1), Claim: g.Claim, Bound: bound,
			Form: checker.GoalSome, Client: g.Client, Except: g.Except, Resource: g.Resource, Action: checker.Action(g.Does),
			FromNS: from, WithinNS: int64(g.Within.Value), Needs: g.Needs,
		}
		switch g.Each {
		case plan.EachReturns:
			goal.Form = checker.GoalEachReturns
		case plan.EachSucceeds:
			goal.Form = checker.GoalEachSucceeds
		case plan.EachFails:
			goal.Form = checker.GoalEachFails
		case plan.EachNever:
			goal.Form = checker.GoalNeverSent
		}
		if goal.Client == plan.AnyClient {
			goal.Client = ""
		}
		if g.Heal != nil {
			goal.HealNS = int64(g.Heal.Value)
		}
		h.Goals = append(h.Goals, goal)
	}
}

// translator turns events of the trace into facts and node events.
type translator struct {
	run     *run
	history *checker.History
	end     time.Duration
	keys    map[[2]string]string     // node, key → value, as the trace last showed it
	rates   map[string]*checker.Fact // who/clock → the rate that is on
	open    map[string]*checker.Fact // facts that last, by what ends them
	order   []string                 // keys of open and rates, in the order of their beginning

	impairments map[string]int // how many faults have a share in an open fact of this name

	third   string // who takes the keys whose removal the trace tells next
	sender  string // the last one
	members string // the set of nodes that it uses

	sent       map[int]time.Duration // message → when it left its process
	extensions map[string]int        // by lease
}

func (t *translator) initialRates() {
	for _, n := range t.run.plan.World.Nodes {
		t.rate(0, 0, n.Name, checker.ClockWall, n.RatePPM)
	}
	for _, p := range t.run.plan.World.Processes {
		for _, clock := range []checker.Clock{checker.ClockWall, checker.ClockMonotonic, checker.ClockBoottime} {
			t.rate(0, 0, p.Name, clock, p.RatePPM)
		}
	}
}

// sameServers notes which nodes are addresses of one server.
func (t *translator) sameServers() {
	for _, n := range t.run.plan.World.Nodes {
		if n.SameAs != "" {
			t.add(checker.Fact{Fact: checker.FactSameServer, Nodes: []string{n.SameAs, n.Name}})
		}
	}
}

// membership notes that a client uses another set of nodes than the one that
// sent before it.
func (t *translator) membership(e sim.Event) {
	if e.Process == t.sender {
		return
	}
	t.sender = e.Process
	for _, c := range t.run.plan.Clients {
		if c.Name != e.Process {
			continue
		}
		nodes := t.history.Header.Nodes
		if len(c.Nodes) > 0 {
			nodes = slices.DeleteFunc(slices.Clone(c.Nodes), func(name string) bool { return !t.run.uses(name) })
		}
		before := t.members
		if t.members = strings.Join(nodes, " "); before != "" && before != t.members {
			t.add(checker.Fact{Fact: checker.FactMembership, AtNS: int64(e.At), Event: int64(e.Seq), Nodes: nodes})
		}
	}
}

// rate ends the rate that a clock had and begins a new one.
func (t *translator) rate(at time.Duration, event int, who string, clock checker.Clock, ppm int64) {
	key := who + "/" + string(clock)
	t.finish(t.rates, key, at)
	if ppm == 0 {
		return
	}
	t.rates[key] = &checker.Fact{Fact: checker.FactClockRate, AtNS: int64(at), Event: int64(event), Who: who, Clock: clock, ErrorPPM: ppm}
	t.order = append(t.order, key)
}

func (t *translator) begin(key string, f checker.Fact) {
	if t.open[key] == nil {
		t.open[key] = &f
		t.order = append(t.order, key)
	}
}

// finish ends a fact that lasted.
func (t *translator) finish(from map[string]*checker.Fact, key string, at time.Duration) {
	f := from[key]
	if f == nil {
		return
	}
	delete(from, key)
	if at > 0 {
		f.UntilNS = checker.At(int64(at))
	}
	t.history.Facts = append(t.history.Facts, *f)
}

// close ends the run: what is still on never ended.
func (t *translator) close() {
	for _, key := range t.order {
		for _, from := range []map[string]*checker.Fact{t.rates, t.open} {
			if f := from[key]; f != nil {
				delete(from, key)
				t.history.Facts = append(t.history.Facts, *f)
			}
		}
	}
}

func (t *translator) add(f checker.Fact) { t.history.Facts = append(t.history.Facts, f) }

func (t *translator) take(e sim.Event) {
	who := e.Node
	if who == "" {
		who = e.Process
	}
	at, event := int64(e.At), int64(e.Seq)
	switch e.Kind {
	case sim.Send:
		t.sent[e.Message] = e.At
		t.membership(e)
	case sim.Execute:
		t.execute(e)
	case sim.Extended:
		t.extensions[e.Lease]++
		if limit := t.run.plan.Lock.Extensions; limit > 0 && t.extensions[e.Lease] == limit+1 {
			t.add(checker.Fact{Fact: checker.FactUnboundedExtension, AtNS: at, Event: event, Client: e.Process})
		}
	case sim.Expire:
		delete(t.keys, [2]string{e.Node, e.Key})
	case sim.ClockStep:
		t.keys[[2]string{who, "\x00stepped"}] = "since it ended"
		t.add(checker.Fact{Fact: checker.FactClockStep, AtNS: at, Event: event, Who: who, Clock: checker.Clock(e.Detail), DeltaNS: int64(e.Duration)})
	case sim.ClockRate:
		t.rate(e.At, e.Seq, who, checker.Clock(e.Detail), e.PPM)
	case sim.Pause:
		t.begin("pause "+e.Process, checker.Fact{Fact: checker.FactPaused, AtNS: at, Event: event, Client: e.Process})
	case sim.Resume:
		t.finish(t.open, "pause "+e.Process, e.At)
	case sim.Crash:
		if e.Node == "" {
			return // a client that is gone wants nothing any more
		}
		t.cause(e)
		t.begin("down "+e.Node, checker.Fact{Fact: checker.FactFault, AtNS: at, Event: event, Name: e.Node + " is down", Nodes: []string{e.Node}})
	case sim.Restart:
		t.finish(t.open, "down "+e.Node, e.At)
		if e.Detail == sim.Promoted {
			t.keys[[2]string{e.Node, "\x00end"}] = sim.Promoted
			t.add(checker.Fact{Fact: checker.FactFailover, AtNS: at, Event: event, Node: e.Node})
		}
	case sim.Forget, sim.Revive:
		t.forget(e)
	case sim.NodeCall:
		t.thirdParty(e)
	case sim.Impair, sim.Recover:
		t.impaired(e)
	case sim.Cut:
		t.cut(e)
	case sim.Heal:
		for _, c := range t.run.plan.Clients {
			t.finish(t.open, "cut "+e.Fault+" "+c.Name, e.At)
		}
	}
}

// thirdParty notes a key that was taken by somebody who is no client.
func (t *translator) thirdParty(e sim.Event) {
	switch e.Command {
	case "(removed)":
		delete(t.keys, [2]string{e.Node, e.Key})
		if e.TTL < 0 && !t.isResource(e.Key) { // a counter behind fencing tokens, not a vote
			t.add(checker.Fact{Fact: checker.FactCounterLost, AtNS: int64(e.At), Event: int64(e.Seq), Node: e.Node, Key: e.Key})
			return
		}
		t.add(checker.Fact{Fact: checker.FactOwner, AtNS: int64(e.At), Event: int64(e.Seq), Node: e.Node, Key: e.Key, RemainingNS: remaining(e.TTL), Name: t.third})
	case sim.Eviction:
		t.third = "an eviction"
	default:
		t.third = "operator"
	}
}

// endless stands for "no TTL": the checker wants a positive time below 2^61 ns.
const endless = 50 * 365 * 24 * time.Hour

func remaining(ttl time.Duration) int64 {
	if ttl < 0 {
		return int64(endless)
	}
	return int64(ttl)
}

// cause remembers how a node ended: what it forgets at its restart is due to that.
func (t *translator) cause(e sim.Event) {
	t.keys[[2]string{e.Node, "\x00end"}] = e.Detail
	delete(t.keys, [2]string{e.Node, "\x00stepped"})
}

func (t *translator) forget(e sim.Event) {
	if e.TTL < 0 && !t.isResource(e.Key) { // what has no TTL and is no lock's key is a counter behind fencing tokens
		t.add(checker.Fact{Fact: checker.FactCounterLost, AtNS: int64(e.At), Event: int64(e.Seq), Node: e.Node, Key: e.Key})
		return
	}
	cause := checker.CauseCrash
	switch t.keys[[2]string{e.Node, "\x00end"}] {
	case string(sim.PowerLoss):
		cause = checker.CausePowerLoss
	case sim.Promoted:
		cause = checker.CauseFailover
	}
	if t.keys[[2]string{e.Node, "\x00stepped"}] != "" && t.timedByNode(e.Fault) {
		cause = checker.CauseClockStep
	}
	name := checker.FactForgot
	if e.Kind == sim.Revive {
		name = checker.FactRevived
	}
	t.add(checker.Fact{
		Fact: name, AtNS: int64(e.At), Event: int64(e.Seq), Node: e.Node, Key: e.Key, Token: e.Value,
		RemainingNS: remaining(e.TTL), Cause: cause,
	})
	key := [2]string{e.Node, e.Key}
	if e.Kind == sim.Revive {
		t.keys[key] = e.Value
	} else {
		delete(t.keys, key)
	}
}

// timedByNode reports whether a fault's restart waits for the node's own clock.
func (t *translator) timedByNode(fault string) bool {
	for _, f := range t.run.plan.Faults {
		if c, ok := f.Effect.(*faults.Crash); ok && f.Name == fault {
			return c.TimedBy == faults.NodeClock
		}
	}
	return false
}

// cut notes which nodes a rule on messages takes from which client.
func (t *translator) cut(e sim.Event) {
	i := slices.IndexFunc(t.run.plan.Faults, func(f faults.Fault) bool { return f.Name == e.Fault })
	if i < 0 {
		return
	}
	var clients, nodes []string
	switch effect := t.run.plan.Faults[i].Effect.(type) {
	case *faults.Partition:
		clients, nodes = effect.Clients, effect.Nodes
	case *faults.BlackHole:
		clients, nodes = []string{faults.All}, effect.Nodes
	default:
		return // losses and delays by chance take no node away
	}
	for _, c := range t.run.plan.Clients {
		if !slices.Contains(clients, c.Name) && !slices.Contains(clients, faults.All) {
			continue
		}
		if slices.Contains(nodes, faults.All) {
			nodes = nil
		} else if used := slices.DeleteFunc(slices.Clone(nodes), func(name string) bool { return !t.run.uses(name) }); len(used) > 0 {
			nodes = used
		}
		t.begin("cut "+e.Fault+" "+c.Name, checker.Fact{
			Fact: checker.FactFault, AtNS: int64(e.At), Event: int64(e.Seq), Name: e.Fault, Client: c.Name, Nodes: nodes,
		})
	}
}

// unusable are the impairments of a node that take it away: it grants nothing.
// A slow node is none of them, for no bound on latencies is assumed.
var unusable = []string{sim.Stopped, sim.Loading, sim.MemoryFull, sim.ReadOnly, sim.DiskError}

// impaired notes that a node is of no use, or is again.
func (t *translator) impaired(e sim.Event) {
	if e.Node == "" || !slices.Contains(unusable, e.Detail) {
		return
	}
	name := e.Node + " is " + e.Detail
	if e.Kind == sim.Recover {
		if t.impairments[name]--; t.impairments[name] == 0 {
			t.finish(t.open, name, e.At)
		}
		return
	}
	t.impairments[name]++
	t.begin(name, checker.Fact{Fact: checker.FactFault, AtNS: int64(e.At), Event: int64(e.Seq), Name: name, Nodes: []string{e.Node}})
}

// asked says what a command or script of a subject asks for, where that is plain.
var asked = map[string]checker.Action{
	"SET": checker.ActionAcquire, "GETSET": checker.ActionAcquire, "acquire": checker.ActionAcquire, "acquire_fenced": checker.ActionAcquire,
	"extend": checker.ActionExtend, "PEXPIRE": checker.ActionExtend,
	"release": checker.ActionRelease, "DEL": checker.ActionRelease, "DELEX": checker.ActionRelease,
}

// Asked says what a command or script of a subject asks for; empty where that is not plain.
func Asked(command string) checker.Action { return asked[command] }

// execute turns a node's execution into what it did to a lock's key. What it did
// is read from the key before and after, so that it holds for any subject's commands.
func (t *translator) execute(e sim.Event) {
	if e.Key == "" || !t.isResource(e.Key) {
		return
	}
	key := [2]string{e.Node, e.Key}
	before, after := t.keys[key], e.Value
	n := checker.NodeEvent{
		Node: e.Node, AtNS: int64(e.At), Client: e.Process, Resource: e.Key, Result: e.Detail, Event: int64(e.Seq),
		Asked: asked[e.Command],
	}
	if sent, ok := t.sent[e.Message]; ok {
		n.SentNS = checker.At(int64(sent))
	}
	switch {
	case after != "" && after != before:
		n.What, n.Token, n.TTLNS = checker.NodeSet, after, max(int64(e.TTL), 0)
		t.keys[key] = after
	case after == "" && before != "":
		n.What, n.Token = checker.NodeDelete, before
		delete(t.keys, key)
	case n.Asked == checker.ActionExtend && after != "":
		n.What, n.Token, n.TTLNS = checker.NodeExtend, after, max(int64(e.TTL), 0)
		if e.Detail != "1" {
			n.What, n.Token, n.TTLNS = checker.NodeRefuse, "", 0
		}
	default:
		n.What = checker.NodeRefuse
	}
	n.Lease = t.leaseOf(n.Client, n.Resource, n.Token)
	t.history.NodeEvents = append(t.history.NodeEvents, n)
}

// leaseOf finds the lease of a client that a token belongs to.
func (t *translator) leaseOf(who, resource, token string) string {
	if token == "" {
		return ""
	}
	for i := range t.history.Leases {
		if l := &t.history.Leases[i]; l.Token == token && l.Client == who && l.Resource == resource {
			return l.ID
		}
	}
	return ""
}

func (t *translator) isResource(key string) bool {
	for i := range t.history.Operations {
		if t.history.Operations[i].Resource == key {
			return true
		}
	}
	return false
}

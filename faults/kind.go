package faults

// Kind describes one kind of fault, for lists, editors and generators.
type Kind struct {
	Name    string // the word in files
	Summary string
	// Parameters holds the words of this kind: its own name first, then the
	// others, then those that end it.
	Parameters []Parameter
	// Breaks are the ids of the assumptions that it can break, Condition says when.
	Breaks    []string
	Condition string
	Example   string // a fault of this kind, as [ParseLine] reads it
}

// kind is the registry's own entry.
type kind struct {
	summary   string
	new       func() Effect // with defaults not yet filled in
	ending    ending
	breaks    []string
	condition string
	example   string
}

// ending says which words end faults of a kind, and whether they must be there.
type ending struct {
	lasts    bool   // false: it happens at one instant
	must     bool   // it cannot go on for ever
	atOnce   bool   // a duration of zero makes sense
	duration string // "for"
	pattern  string // "until"
}

var (
	instant = ending{}
	may     = ending{lasts: true, duration: "for", pattern: "until"}
	must    = ending{lasts: true, must: true, duration: "for", pattern: "until"}
	reboot  = ending{lasts: true, atOnce: true, duration: "restart_after", pattern: "restart_when"}
	promote = ending{lasts: true, must: true, atOnce: true, duration: "promoted_after", pattern: "promoted_when"}
)

// registry lists every kind in the order of lists. A new kind goes here.
func registry() []kind {
	return []kind{
		{
			summary: "nodes end, without a word or cleanly, and may come back", new: func() Effect { return new(Crash) }, ending: reboot,
			breaks: []string{"A-VOTE"}, condition: "when a restart loses or revives a key whose TTL had not run out",
			example: "{name: n3 forgets, crash: n3, restart_after: 1ms, when: A acquired, after: 100ms}",
		},
		{
			summary: "nodes that crashed come back", new: func() Effect { return new(Restart) }, ending: instant,
			breaks: []string{"A-VOTE"}, condition: "as crash",
			example: "{name: n3 is back, restart: n3, when: n3 dies began, after: 11s}",
		},
		{
			summary: "nodes end, and their asynchronous replicas, which lag behind, are promoted", new: func() Effect { return new(Failover) }, ending: promote,
			breaks: []string{"A-DISTINCT"}, condition: "while a lease exists, or when the replica does not know a vote whose TTL had not run out",
			example: "{name: n3 fails over, failover: n3, lag: 200ms, promoted_after: 10ms, when: A acquired, after: 100ms}",
		},
		{
			summary: "nodes refuse commands", new: func() Effect { return new(Refuse) }, ending: may,
			breaks: []string{"A-HEAL"}, condition: "when it takes a majority away and does not end",
			example: "{name: n3 is full, refuse: n3, as: out of memory, for: 10s, at: 0s}",
		},
		{
			summary: "nodes that are short of memory evict keys", new: func() Effect { return new(Evict) }, ending: instant,
			breaks: []string{"A-OWNER", "A-COUNTER"}, condition: "when a vote, or a counter behind fencing tokens, is evicted",
			example: "{name: n3 needs room, evict: n3, when: A acquired, after: 100ms}",
		},
		{
			summary: "somebody who is no client empties the nodes' caches of scripts", new: func() Effect { return new(ScriptFlush) }, ending: instant,
			condition: "a lock must load its scripts again",
			example:   "{name: scripts are gone, script_flush: n1 n2 n3, when: A acquired}",
		},
		{
			summary: "the clocks of nodes are stepped", new: func() Effect { return new(NodeClockStep) }, ending: instant,
			breaks: []string{"A-STEP"}, condition: "while a lease exists",
			example: "{name: n3 leaps, node_clock_step: n3, by: 15s, when: A acquired}",
		},
		{
			summary: "the clocks of nodes run at another rate", new: func() Effect { return new(NodeClockRate) }, ending: may,
			breaks: []string{"A-RATE"}, condition: "when the rate error is larger than the scenario's rate_error_ppm",
			example: "{name: n3 runs fast, node_clock_rate: n3, ppm: 20000, at: 0s}",
		},
		{
			summary: "one clock of clients is stepped", new: func() Effect { return new(ClientClockStep) }, ending: instant,
			breaks: []string{"A-STEP"}, condition: "while a lease exists, when it is the clock that the subject uses",
			example: "{name: A's watch is set back, client_clock_step: A, clock: wall, by: -5s, when: A acquired}",
		},
		{
			summary: "one clock of clients runs at another rate", new: func() Effect { return new(ClientClockRate) }, ending: may,
			breaks: []string{"A-RATE"}, condition: "when the rate error is larger than rate_error_ppm and it is the clock that the subject uses",
			example: "{name: A runs slow, client_clock_rate: A, clock: boottime, ppm: -20000, at: 0s}",
		},
		{
			summary: "the clocks of nodes run at a rate that changes all the time", new: func() Effect { return new(NodeClockDrift) }, ending: may,
			breaks: []string{"A-RATE"}, condition: "when ppm is larger than the scenario's rate_error_ppm",
			example: "{name: n3 swings, node_clock_drift: n3, ppm: 4000, period: 8s, at: 0s}",
		},
		{
			summary: "one clock of clients runs at a rate that changes all the time", new: func() Effect { return new(ClientClockDrift) }, ending: may,
			breaks: []string{"A-RATE"}, condition: "when ppm is larger than rate_error_ppm and it is the clock that the subject uses",
			example: "{name: A wanders, client_clock_drift: A, clock: boottime, shape: non-ideal, ppm: 4000, period: 8s, at: 0s}",
		},
		{
			summary: "messages between clients and nodes vanish", new: func() Effect { return new(Partition) }, ending: may,
			breaks: []string{"A-HEAL"}, condition: "when it takes a majority away and does not end",
			example: "{name: A is cut off, partition: A, from: n4 n5, until: A acquired, at: 0s}",
		},
		{
			summary: "some messages vanish", new: func() Effect { return new(Lose) }, ending: may,
			breaks: []string{"A-HEAL"}, condition: "when so much is lost that nobody can acquire, and it does not end",
			example: "{name: replies vanish, lose: 20%, clients: A B, direction: replies, for: 10s, at: 0s}",
		},
		{
			summary: "some messages are held up", new: func() Effect { return new(Delay) }, ending: may,
			condition: "any latency is allowed",
			example:   "{name: slow n3, delay: 50ms..200ms, probability: 30%, nodes: n3, at: 0s}",
		},
		{
			summary: "connections are cut, and both ends learn of it", new: func() Effect { return new(Reset) }, ending: instant,
			condition: "a lost connection is a lost message",
			example:   "{name: a firewall restarts, reset: A, to: n1 n2, when: A sent SET to n1}",
		},
		{
			summary: "nodes accept connections and swallow what is sent on them", new: func() Effect { return new(BlackHole) }, ending: may,
			breaks: []string{"A-HEAL"}, condition: "when it takes a majority away and does not end",
			example: "{name: n2 swallows all, black_hole: n2, at: 0s}",
		},
		{
			summary: "replies arrive byte by byte", new: func() Effect { return new(Drip) }, ending: may,
			condition: "any latency is allowed",
			example:   "{name: a slow drip, drip: 2ms..5ms, nodes: n3, at: 0s}",
		},
		{
			summary: "nodes work on each request for some time, one after the other", new: func() Effect { return new(SlowNode) }, ending: may,
			condition: "any latency is allowed",
			example:   "{name: n3 is slow, slow_node: n3, by: 20ms..60ms, at: 0s}",
		},
		{
			summary: "nodes execute nothing, while their hosts take requests in", new: func() Effect { return new(StopNode) }, ending: may,
			breaks: []string{"A-HEAL"}, condition: "when it takes a majority away and does not end",
			example: "{name: n3 swaps, stop_node: n3, for: 3s, when: A sent SET to n3}",
		},
		{
			summary: "clients notice late what arrives; their clocks are right", new: func() Effect { return new(SlowClient) }, ending: may,
			breaks: []string{"A-WORK"}, condition: "when a holder touches the resource after the end of its validity",
			example: "{name: A is starved, slow_client: A, by: 1ms..20ms, at: 0s}",
		},
		{
			summary: "clients stop (GC, scheduler); their clocks go on", new: func() Effect { return new(Pause) }, ending: must,
			breaks: []string{"A-WORK"}, condition: "when a holder, or a message that it sent, touches the resource after the end of its validity",
			example: "{name: GC, pause: A, for: 15s, when: A called write, after: 5ms}",
		},
		{
			summary: "the hosts of clients sleep; their monotonic clocks do not count it", new: func() Effect { return new(Suspend) }, ending: must,
			breaks: []string{"A-RATE", "A-WORK"}, condition: "A-RATE while a lease exists, when the subject uses the monotonic clock; A-WORK as pause",
			example: "{name: the lid is closed, suspend: A, for: 15s, when: A acquired, after: 1s}",
		},
		{
			summary: "somebody who is no client deletes keys on nodes", new: func() Effect { return new(OperatorDelete) }, ending: instant,
			breaks: []string{"A-OWNER"}, condition: "when a key's TTL had not run out",
			example: "{name: a tidy operator, operator_delete: n3, keys: r, when: A acquired, after: 100ms}",
		},
		{
			summary: "somebody who is no client empties nodes", new: func() Effect { return new(OperatorFlush) }, ending: instant,
			breaks: []string{"A-OWNER", "A-COUNTER"}, condition: "when a vote, or a counter behind fencing tokens, was there",
			example: "{name: a wrong terminal, operator_flush: n3, when: A acquired, after: 100ms}",
		},
		{
			summary: "clients end without a word", new: func() Effect { return new(ClientCrash) }, ending: instant,
			condition: "a client that is gone wants nothing any more",
			example:   "{name: A dies, client_crash: A, when: A acquired, after: 1s}",
		},
	}
}

// Kinds lists every kind of fault, in a fixed order.
func Kinds() []Kind {
	var list []Kind
	for _, k := range registry() {
		effect := k.new()
		described := Kind{Name: effect.Kind(), Summary: k.summary, Breaks: k.breaks, Condition: k.condition, Example: k.example}
		for _, p := range effect.parameters() {
			described.Parameters = append(described.Parameters, p.Parameter)
		}
		described.Parameters = append(described.Parameters, k.ending.parameters()...)
		list = append(list, described)
	}
	return list
}

// parameters describes the words that end a fault.
func (e ending) parameters() []Parameter {
	if !e.lasts {
		return nil
	}
	valid, otherwise := "above 0s to 10000h", "never"
	if e.atOnce {
		valid = "0s to 10000h"
	}
	if e.must {
		otherwise = "none: one of the two must be given"
	}
	return []Parameter{
		{Name: e.duration, Unit: "duration", Range: valid, Default: otherwise, Meaning: "true time from its beginning to its end"},
		{Name: e.pattern, Unit: "pattern", Range: "see the package's grammar", Default: otherwise, Meaning: "it ends at the first match after its beginning"},
	}
}

// kindOf returns the registry's entry of a kind.
func kindOf(name string) (kind, bool) {
	for _, k := range registry() {
		if k.new().Kind() == name {
			return k, true
		}
	}
	return kind{}, false
}

// kindNames are all words that name a kind.
func kindNames() []string {
	var list []string
	for _, k := range registry() {
		list = append(list, k.new().Kind())
	}
	return list
}

// fillDefaults sets every parameter that has a default to it.
func fillDefaults(e Effect) {
	for _, p := range e.parameters() {
		if p.Default != "" {
			if err := p.set(p.Default); err != nil {
				panic("faults: default of " + e.Kind() + "." + p.Name + ": " + err.Error())
			}
		}
	}
}

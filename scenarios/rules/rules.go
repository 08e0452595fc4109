package rules

// Sort says where the unsafe numbers are.
type Sort string

// The sorts. Always: every number above zero is unsafe.
const (
	Never  Sort = "never"
	At     Sort = "at"
	Always Sort = "always"
)

// Border separates safe numbers from unsafe ones.
type Border struct {
	Sort Sort
	Safe int64 // the last number that is safe, counted from the safe side; of At
	// Harm is where a violation exists as soon as it is passed. It differs from Safe where the
	// promise ends before harm begins, as with a pause. Of At.
	Harm int64
	// If are the conditions under which it is so; none: unconditionally.
	If []string
	// Unless is the condition under which even the unsafe numbers are safe; empty: none.
	Unless string
}

// Rule is a line of the table.
type Rule struct {
	Name    string // that of the question
	Unit    string // ns, ppm, servers
	Below   bool   // the unsafe numbers lie below the border
	Formula string // of Safe
	Source  string // claims, theorems
	Border  func(Facts) Border
}

func never(conditions ...string) Border { return Border{Sort: Never, If: conditions} }

func at(safe, harm int64) Border { return Border{Sort: At, Safe: safe, Harm: harm} }

// The conditions that no setup states.
const (
	everyGuarded = "every client uses the guard with the same largest TTL"
	keepsIDs     = "repl-backlog-ttl is 0 or longer than the largest TTL"
	noFirstStep  = "no server's clock is set forwards before a client first reaches it"
	honestDisk   = "the disk keeps what it has synced"
	noFsync      = "no write waits for an fsync when the process dies"
	orderly      = "every server is stopped in order and has time to save"
	bootClock    = "the boot clock counts the time for which the machine stands still"
	growing      = "fencing tokens never go backwards (RS-4)"
)

// outage is the rule about a server that comes back with some memory.
func outage(memory func(Facts) Memory) func(Facts) Border {
	return func(f Facts) Border {
		b := at(up(f.Belief()), up(f.Belief()))
		switch m := memory(f); {
		case f.Guard && f.Stepped:
			return never(everyGuarded, noFirstStep)
		case f.Guard:
			return never(everyGuarded)
		case m == Keeps:
			return never()
		case m == Stalls:
			b.Unless = noFsync
		}
		return b
	}
}

// belief is the formula of [Facts.Belief].
const belief = "(ttl − allowance + grain)/(1 − ρ client)"

// table is the table. Borders are as the adversary finds them: the fault just after the last
// vote of the smallest majority, and messages that take no time.
var table = []Rule{
	{"restart", "ns", true, belief, "BA-2, RP-1, RP-2, RP-4; theorem majority_keeps_the_key",
		outage(func(f Facts) Memory { return f.Crash })},
	{"power", "ns", true, belief, "BA-3, RP-1, RP-2, RP-4; theorem majority_keeps_the_key", func(f Facts) Border {
		b := outage(func(f Facts) Memory { return f.Power })(f)
		if f.Power == Keeps && !f.Guard {
			b.If = []string{honestDisk}
		}
		return b
	}},
	{"move", "ns", true, belief, "BA-2, RP-1; theorem majority_keeps_the_key",
		outage(func(Facts) Memory { return Forgets })},
	{"rolling", "ns", true, "(" + belief + " − (lost − 1)·gap)/lost", "BA-2, RP-1; theorem majorities_meet", rolling},
	{"failover", "ns", false, "0: any lag that reaches back to the vote loses it; a guard sees the promotion",
		"BA-5; theorem each_is_needed", func(f Facts) Border {
			if f.Guard {
				return never(everyGuarded, keepsIDs)
			}
			return Border{Sort: Always}
		}},
	{"clocks", "ppm", false, "ρ with (ttl − grain)/(1 + ρ) = (ttl − allowance + grain)/(1 − ρ)",
		"BA-8, A-RATE; theorems allowance_formula, twice_the_grain_is_enough", clockRates},
	{"step", "ns", false, "ttl − grain − (ttl − allowance + grain)·(1 + ρ node)/(1 − ρ client)",
		"BA-1, A-STEP; theorem allowance_formula", func(f Facts) Border {
			spare := down(float64(f.TTL-f.Grain) - f.Belief()*(1+float64(f.NodeRate)/million))
			return at(spare, spare)
		}},
	{"suspend", "ns", false, "ttl − grain over 1 + ρ node, less the belief " + belief,
		"BA-8, A-RATE; theorem allowance_formula", func(f Facts) Border {
			if !f.Sleeps {
				return never(bootClock)
			}
			spare := down(f.Lifetime() - f.Belief())
			return at(spare, spare)
		}},
	{"pause", "ns", false, "the smaller of ttl − allowance and (ttl − grain)/(1 + ρ node)",
		"RS-1, RS-3, RP-5, A-WORK; theorem earlier_lease_is_shut_out", func(f Facts) Border {
			if f.Fenced {
				return never(growing)
			}
			return at(down(min(float64(f.TTL-f.Allowance), f.Lifetime())), down(f.Lifetime()))
		}},
	{"down", "servers", false, "nodes − quorum", "LV-2; theorem free_nodes_are_enough", func(f Facts) Border {
		if f.Pairs && !f.Guard { // guarded clients wait until a promotion is as old as the largest TTL
			return never("a replica takes over from each server that is down")
		}
		spare := int64(f.Nodes - f.Quorum())
		return at(spare, spare)
	}},
}

// rolling is the rule about a restart of all servers, one after the other. Two clients hold as soon
// as so many as two majorities share are back and have forgotten a vote that is still believed.
func rolling(f Facts) Border {
	lost := float64(f.Victims())
	switch b := outage(func(f Facts) Memory { return f.Rolled })(f); {
	case f.Guard:
		return b
	case b.Sort == Never:
		return never(orderly)
	default:
		away := up((f.Belief() - (lost-1)*float64(f.Gap)) / lost)
		if away == 0 {
			return never()
		}
		return at(away, away)
	}
}

// clockRates is where keys stop to outlive beliefs, with one rate for all clocks. Facts
// whose ClientRate is zero have clients that read true time.
func clockRates(f Facts) Border {
	key, belief := float64(f.TTL-f.Grain), float64(f.TTL-f.Allowance+f.Grain)
	if belief <= 0 {
		return never()
	}
	rate := key/belief - 1 // of the nodes alone
	if f.ClientRate > 0 {
		rate = (key - belief) / (key + belief)
	}
	return at(down(rate*million), down(rate*million))
}

// Of returns the rule of a name.
func Of(name string) (Rule, bool) {
	for _, r := range table {
		if r.Name == name {
			return r, true
		}
	}
	return Rule{}, false
}

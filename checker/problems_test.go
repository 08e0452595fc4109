package checker

import (
	"errors"
	"strings"
	"testing"
)

// sound is a history without problems that the cases below each spoil once.
func sound() *History {
	return &History{
		Header:     headerFor(1000),
		Operations: []Operation{acquire("1", "A#1", 0, 10), extend("2", "A#1", 12, 40), release("3", "A#1", 20, 30)},
		Leases:     []Lease{released(held("A#1", 10, 60), 20)},
		Accesses:   []Access{request(15, "A#1", RegisterUnfenced, ActionRead, 1, 0, true)},
		NodeEvents: []NodeEvent{{Node: "n1", AtNS: 5, Client: "A", Resource: "r", Lease: "A#1", Operation: "1", What: NodeSet, TTLNS: 50}},
		Facts:      []Fact{{Fact: FactPaused, Client: "A", AtNS: 1, UntilNS: At(2)}},
		Goals:      []Goal{{ID: "g", Bound: "b", Form: GoalSome, Action: ActionAcquire, WithinNS: 500}},
	}
}

func TestContradictionsAreFound(t *testing.T) {
	if problems := Judge(sound(), Options{}).Problems; len(problems) > 0 {
		t.Fatalf("a sound history: %v", problems)
	}
	cases := []struct {
		name  string
		spoil func(*History)
		line  int // the line that Write would give to the spoilt record
		words string
	}{
		{"client twice", func(h *History) { h.Header.Clients[1].Name = "A" }, 1, "twice"},
		{"node named as a client", func(h *History) { h.Header.Nodes = []string{"A"} }, 1, "used twice"},
		{"quorum too large", func(h *History) { h.Header.Quorum = 2 }, 1, "quorum"},
		{"op id twice", func(h *History) { h.Operations[2].ID = "1" }, 4, "line 2"},
		{"unknown client", func(h *History) { h.Operations[2].Client = "Z" }, 4, `"Z"`},
		{"return before call", func(h *History) { h.Operations[2].ReturnNS = At(19) }, 4, "before its call"},
		{"call after the run", func(h *History) { h.Operations[2].CallNS, h.Operations[2].ReturnNS = 1001, At(1002) }, 4, "after the end"},
		{"acquisition without a lease", func(h *History) { h.Operations[0].Lease = "" }, 2, "name its lease"},
		{"lease of another", func(h *History) { h.Operations[2].Client = "B" }, 4, "belongs to client"},
		{"two calls at once", func(h *History) { h.Operations[2].CallNS = 9 }, 4, "under way"},
		{"two renewals at once", func(h *History) { h.Operations = append(h.Operations, extend("4", "A#1", 39, 45)) }, 5, "under way"},
		{"release that the lease does not know", func(h *History) { h.Leases[0].ReleasedNS = nil }, 5, "released_ns"},
		{"release before the one that the lease knows", func(h *History) { h.Leases[0].ReleasedNS = At(21) }, 5, "released_ns"},
		{"lease twice", func(h *History) { h.Leases = append(h.Leases, h.Leases[0]) }, 6, "line 5"},
		{"lease before its acquisition", func(h *History) { h.Operations[0].CallNS, h.Operations[0].ReturnNS = 11, At(12) }, 2, "before the call"},
		{"lease acquired twice", func(h *History) { h.Operations = append(h.Operations, acquire("4", "A#1", 100, 110)) }, 5, "already acquired"},
		{"lease names no acquisition", func(h *History) { h.Leases[0].Operation = "3" }, 5, "not a successful acquisition"},
		{"released before it was acquired", func(h *History) { h.Leases[0].ReleasedNS = At(9) }, 5, "before it was acquired"},
		{"validity out of order", func(h *History) { h.Leases[0] = held("A#1", 10, 60, 10, 70) }, 5, "does not come after"},
		{"unknown node", func(h *History) { h.NodeEvents[0].Node = "n9" }, 6, `"n9"`},
		{"unknown op", func(h *History) { h.NodeEvents[0].Operation = "9" }, 6, `"9"`},
		{"arrival before it was sent", func(h *History) { h.Accesses[0].SentNS = 16 }, 7, "before it was sent"},
		{"access with another's lease", func(h *History) { h.Accesses[0].Client = "B" }, 7, "belongs to client"},
		{"unknown fact", func(h *History) { h.Facts[0].Fact = "rain" }, 8, `"rain"`},
		{"fact about nobody", func(h *History) { h.Facts[0] = Fact{Fact: FactClockStep, Who: "Z", DeltaNS: 1} }, 8, "neither"},
		{"unknown assumption", func(h *History) { h.Goals[0].Needs = []string{"A-LUCK"} }, 9, "A-LUCK"},
		{"goal twice", func(h *History) { h.Goals = append(h.Goals, h.Goals[0]) }, 10, "line 9"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			history := sound()
			test.spoil(history)
			problems := Judge(history, Options{}).Problems
			for _, problem := range problems {
				if problem.Line == test.line && strings.Contains(problem.Text, test.words) {
					return
				}
			}
			t.Errorf("want line %d and %q, got %v", test.line, test.words, problems)
		})
	}
}

// A call at the very instant of the last return is no second call at once.
func TestCallAtTheInstantOfAReturn(t *testing.T) {
	history := sound()
	history.Operations[2].CallNS, history.Leases[0].ReleasedNS = 10, At(10)
	if problems := Judge(history, Options{}).Problems; len(problems) > 0 {
		t.Error(problems)
	}
}

func TestReaderIsStrict(t *testing.T) {
	const header = `{"kind":"header","version":1,"name":"x","end_ns":9,"ttl_ns":1,"rate_error_ppm":0,"clients":[],"nodes":[],"quorum":0}` + "\n"
	for name, test := range map[string]struct {
		text  string
		line  int
		words string
	}{
		"nothing":               {"", 1, "empty"},
		"null":                  {header + `{"kind":"goal","id":null}`, 2, "null"},
		"kind is not first":     {header + `{"id":"g","kind":"goal"}`, 2, "first key"},
		"kind is no string":     {header + `{"kind":3}`, 2, "string"},
		"unknown kind":          {header + `{"kind":"rumour"}`, 2, "rumour"},
		"other letters":         {header + `{"kind":"goal","ID":"g"}`, 2, "small letters"},
		"repeated inside":       {header + `{"kind":"lease","validity":[{"at_ns":1,"at_ns":2}]}`, 2, "twice"},
		"two objects on a line": {header + `{"kind":"goal"}{"kind":"goal"}`, 2, "one whole"},
		"no object":             {header + `[1]`, 2, "one whole"},
		"an empty object":       {header + `{}`, 2, "first key"},
		"cut off":               {header + `{"kind":"goal"`, 2, ""},
		"kind twice":            {header + `{"kind":"goal","kind":"goal"}`, 2, `"kind" is given twice`},
		"null in a list":        {header + `{"kind":"lease","validity":[null]}`, 2, "null"},
		"two spellings":         {header + `{"kind":"goal","id":"g","i\u0064":"g"}`, 2, `"id" is given twice`},
		"an unknown key":        {header + `{"kind":"goal","colour":"red"}`, 2, `column 16: key "colour" is not known`},
		"a comma too many":      {header + `{"kind":"goal",}`, 2, "column 15"},
		"text for a time":       {header + `{"kind":"goal","from_ns":"now"}`, 2, `from_ns: found "now" (a string); allowed: an integer`},
		"a broken number":       {header + `{"kind":"goal","from_ns":1.5}`, 2, `from_ns: found 1.5; allowed: an integer`},
		"a flag that is a word": {header + `{"kind":"access","accepted":"yes"}`, 2, `accepted: found "yes" (a string); allowed: true or false`},
		"a list that is none":   {header + `{"kind":"lease","validity":{}}`, 2, `validity: found {; allowed: a list`},
		"no integer in a list":  {header + `{"kind":"lease","validity":[{"at_ns":true}]}`, 2, `validity.0.at_ns: found true; allowed: an integer`},
		"second header":         {header + header, 2, "second header"},
		"too long":              {header + `{"kind":"goal","id":"` + strings.Repeat("x", 1<<20) + `"}`, 2, "longer"},
	} {
		_, err := Read(strings.NewReader(test.text))
		var readError *ReadError
		if !errors.As(err, &readError) || readError.Line != test.line || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: got %v, want line %d and %q", name, err, test.line, test.words)
		}
	}
}

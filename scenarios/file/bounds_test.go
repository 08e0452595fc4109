package file

import (
	"strings"
	"testing"
)

// TestDefaultBoundOfEvents grows with the number of clients, unless the file states a bound.
func TestDefaultBoundOfEvents(t *testing.T) {
	const crowd = "claim: LV-1\ntitle: A crowd\nstory: A crowd.\nlock: { ttl: 10s }\n" +
		"clients: { W: { count: COUNT, steps: [ { lock: r } ] } }\nsubjects: { SY-0: { expect: any } }\n"
	for _, test := range []struct {
		count, bounds string
		want          int
	}{
		{"2", "", 200_000},
		{"200", "", 200_000},
		{"201", "", 201_000},
		{"1000", "", 1_000_000},
		{"1000", "bounds: { virtual: 1m }\n", 1_000_000},
		{"1000", "bounds: { events: 5000 }\n", 5000},
	} {
		s, err := Parse("LV-1.yaml", []byte(strings.Replace(crowd, "COUNT", test.count, 1)+test.bounds))
		if err != nil {
			t.Fatal(err)
		}
		if s.Bounds.Events != test.want {
			t.Errorf("%s clients, %q: %d events, want %d", test.count, test.bounds, s.Bounds.Events, test.want)
		}
	}
}

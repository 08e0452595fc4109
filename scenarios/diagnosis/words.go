package diagnosis

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"redlocklab/sim"
)

func (x *deed) when() string { return instant(x.at) + " on " + x.Node }

// who is the client with what it was doing: "B's release".
func (x *deed) who() string {
	if x.during == "" {
		return "a command of " + x.client + " outside of its calls"
	}
	return x.client + "'s " + x.during
}

func instant(t time.Duration) string {
	return strconv.FormatFloat(t.Seconds(), 'f', 3, 64) + " s"
}

func period(d time.Duration) string {
	switch {
	case d >= time.Second:
		return strconv.FormatFloat(d.Seconds(), 'g', 4, 64) + " s"
	case d >= time.Millisecond:
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'g', 4, 64) + " ms"
	}
	return strconv.FormatFloat(float64(d)/float64(time.Microsecond), 'g', 4, 64) + " µs"
}

// left is how long a key has to live.
func left(ends, at time.Duration) string {
	if ends == sim.Forever {
		return "no TTL"
	}
	return period(max(ends-at, 0))
}

// tokenLength is how much of a long token is shown: its beginning and its end.
const tokenLength = 20

// keyed is a key with its value, shortened in the middle so that tokens which differ at
// either end can be told apart.
func keyed(key, value string) string {
	if r := []rune(value); len(r) > tokenLength {
		value = string(r[:tokenLength/2]) + "…" + string(r[len(r)-tokenLength/2:])
	}
	if value == "" {
		value = "(no token)"
	}
	return key + " = " + value
}

func nodesWords(nodes []string, of int) string {
	if len(nodes) == 0 {
		return fmt.Sprintf("none of %d nodes", of)
	}
	return fmt.Sprintf("%s of %d nodes", strings.Join(nodes, ", "), of)
}

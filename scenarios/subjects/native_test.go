package subjects

import (
	"bufio"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"pgregory.net/rapid"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// TestNativeScripts holds every native script to its Lua, interpreted by
// miniredis: on any keyspace the answer, the keys and their times to live are the same.
func TestNativeScripts(t *testing.T) {
	compared := map[string]bool{} // sources: the planted subjects share those of SY-0
	for _, d := range plan.Systems() {
		for _, script := range scriptsOf(d.Name) {
			if script.Native == nil || compared[script.Source] {
				continue
			}
			compared[script.Source] = true
			t.Run(d.Name+"/"+script.Name, func(t *testing.T) {
				interpreted, native := miniredis.RunT(t), miniredis.RunT(t)
				connection, err := net.Dial("tcp", interpreted.Addr())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = connection.Close() })
				answers := bufio.NewReader(connection)
				outcomes := map[string]int{}
				rapid.Check(t, func(t *rapid.T) {
					for _, engine := range []*miniredis.Miniredis{interpreted, native} {
						engine.FlushAll()
					}
					for _, each := range drawKeys(t) {
						each.put(interpreted)
						each.put(native)
					}
					keys, arguments := drawCall(t, script)
					before := contents(native)
					want := eval(t, connection, answers, script.Source, keys, arguments)
					got := string(script.Native(sim.NewKeyspace(native), keys, arguments))
					if got == string(sim.Interpret) {
						if after := contents(native); after != before {
							t.Fatalf("keys %q, arguments %q: left to the interpreter after\n%s\nbecame\n%s", keys, arguments, before, after)
						}
						return
					}
					outcomes[want]++
					if !sameAnswer(got, want) {
						t.Fatalf("keys %q, arguments %q: native answers %q, Lua %q", keys, arguments, got, want)
					}
					if a, b := contents(native), contents(interpreted); a != b {
						t.Fatalf("keys %q, arguments %q: native leaves\n%s\nLua\n%s", keys, arguments, a, b)
					}
				})
				// Success, refusal, and a key that is no string; -short draws too little for that.
				if len(outcomes) < 3 && !testing.Short() {
					t.Errorf("only %v was ever answered: the keyspaces show too little", outcomes)
				}
			})
		}
	}
	if len(compared) < 5 {
		t.Errorf("%d native scripts; expected those of SY-0 and SY-10", len(compared))
	}
}

// sameAnswer compares answers. The interpreter wraps a command's error into one
// of its own; the native twin gives the command's, whose class is the one that a
// real server answers with.
func sameAnswer(native, lua string) bool {
	if strings.HasPrefix(native, "-") {
		return strings.HasPrefix(lua, "-") && strings.Contains(lua, strings.TrimSpace(native[1:]))
	}
	return native == lua
}

var (
	drawnNames  = []string{"a", "b", "c"}
	drawnTokens = []string{"mine", "other", ""}
	drawnCounts = []string{"0", "7", "100", "5000", "many"}
)

// drawnKey is one key of a random keyspace.
type drawnKey struct {
	name, value string
	list        bool
	ttl         time.Duration // 0: none
}

func (k drawnKey) put(engine *miniredis.Miniredis) {
	if k.list {
		_, _ = engine.Push(k.name, k.value)
	} else {
		_ = engine.Set(k.name, k.value) // the keyspace is empty: no key has another type
	}
	if k.ttl > 0 {
		engine.SetTTL(k.name, k.ttl)
	}
}

func drawKeys(t *rapid.T) []drawnKey {
	var keys []drawnKey
	for _, name := range drawnNames {
		if rapid.IntRange(0, 3).Draw(t, "missing") == 0 {
			continue
		}
		keys = append(keys, drawnKey{
			name: name, value: rapid.SampledFrom(drawnTokens).Draw(t, "value"),
			list: rapid.IntRange(0, 3).Draw(t, "list") == 0,
			ttl:  time.Duration(rapid.SampledFrom([]int{0, 1, 99, 100, 101, 5000}).Draw(t, "ttl")) * time.Millisecond,
		})
	}
	for _, name := range drawnNames {
		if rapid.IntRange(0, 2).Draw(t, "counted") > 0 {
			keys = append(keys, drawnKey{
				name: name + "#", value: rapid.SampledFrom(drawnCounts).Draw(t, "count"),
				list: rapid.IntRange(0, 9).Draw(t, "list") == 0,
			})
		}
	}
	return keys
}

// drawCall draws keys and arguments as the subject sends them.
func drawCall(t *rapid.T, script sim.Script) (keys, arguments []string) {
	count := 1
	if strings.HasPrefix(script.Source, "-- KEYS: every key") {
		count = rapid.IntRange(1, len(drawnNames)).Draw(t, "keys")
	}
	keys = slices.Clone(drawnNames[:count])
	if strings.Contains(script.Source, "the counter of each") {
		for _, name := range drawnNames[:count] {
			keys = append(keys, name+"#")
		}
	}
	arguments = []string{"mine"}
	if script.Name != "release" {
		times := []int{1, 100, 3000}
		// of a TTL below a millisecond
		if script.Source == redislockObtainSource || script.Source == redsyncExtendSource {
			times = append(times, 0)
		}
		arguments = append(arguments, strconv.Itoa(rapid.SampledFrom(times).Draw(t, "milliseconds")))
	}
	switch script.Name {
	case "extend":
		arguments = append(arguments, rapid.SampledFrom([]string{"keep", "restore"}).Draw(t, "mode"))
	case "fence":
		arguments = append(arguments, rapid.SampledFrom([]string{"0", "86400000"}).Draw(t, "retention"))
	}
	if strings.Contains(script.Source, "getrange") { // how much of the value is the token
		arguments = slices.Insert(arguments, 1, "4")
	}
	return keys, arguments
}

// eval sends EVAL and returns the raw answer, which is one line.
func eval(t *rapid.T, connection net.Conn, answers *bufio.Reader, source string, keys, arguments []string) string {
	words := slices.Concat([]string{"EVAL", source, strconv.Itoa(len(keys))}, keys, arguments)
	request := fmt.Sprintf("*%d\r\n", len(words))
	for _, word := range words {
		request += fmt.Sprintf("$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := connection.Write([]byte(request)); err != nil {
		t.Fatal(err)
	}
	line, err := answers.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// contents shows every key with its type, value and time to live.
func contents(engine *miniredis.Miniredis) string {
	var text strings.Builder
	for _, key := range engine.Keys() {
		value, err := engine.Get(key)
		if err != nil {
			list, _ := engine.List(key)
			value = fmt.Sprint("list ", list)
		}
		fmt.Fprintf(&text, "%s = %q for %v\n", key, value, engine.TTL(key))
	}
	return text.String()
}

func scriptsOf(subject string) []sim.Script {
	i, _ := lock.Of(subject)
	return i.Scripts
}

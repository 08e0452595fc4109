package checker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wholeLines holds a valid line of each kind, with every key that is required.
var wholeLines = map[Kind]string{
	KindHeader: `{"kind":"header","version":1,"name":"x","end_ns":9000,"ttl_ns":10,"rate_error_ppm":0,` +
		`"clients":[{"name":"A","clock":"boottime","validity":"reported"}],"nodes":["n1"],"quorum":1,` +
		`"registers":[{"resource":"r","register":"fenced","value":0}]}`,
	KindOperation: `{"kind":"op","id":"a","client":"A","op":"acquire","resource":"r","call_ns":0,"outcome":"unknown"}`,
	KindLease:     `{"kind":"lease","id":"L","client":"A","resource":"r","validity":[{"at_ns":1,"until_ns":2}]}`,
	KindNode:      `{"kind":"node","node":"n1","at_ns":1,"client":"A","resource":"r","what":"set"}`,
	KindAccess: `{"kind":"access","at_ns":1,"sent_ns":1,"client":"A","resource":"r","register":"unfenced",` +
		`"action":"read","accepted":false}`,
	KindFact: `{"kind":"fact","fact":"paused","at_ns":1,"client":"A"}`,
	KindGoal: `{"kind":"goal","id":"g","bound":"b","form":"some","op":"acquire","from_ns":0,"within_ns":1}`,
}

// readLineOf reads a line behind a header, or as the header.
func readLineOf(kind Kind, line string) (int, error) {
	if kind == KindHeader {
		_, err := Read(strings.NewReader(line))
		return 1, err
	}
	_, err := Read(strings.NewReader(wholeLines[KindHeader] + "\n" + line))
	return 2, err
}

// pair is a key with its value in a line.
var pair = regexp.MustCompile(`"([a-z_]+)":("[^"]*"|-?\d+|true|false|\[(\{[^}]*\}|"[^"]*")\])`)

// TestRequiredKeys takes each key out of a whole line. Without a key that its struct requires
// the reader refuses the line, and names the key. It also refuses null there.
func TestRequiredKeys(t *testing.T) {
	for kind, line := range wholeLines {
		number, err := readLineOf(kind, line)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		for _, m := range shapes[kind].members {
			name := m.name
			start := strings.Index(line, `"`+name+`":`)
			if !m.required || name == "kind" {
				continue
			}
			if start < 0 {
				t.Errorf("%s: the line lacks %s, which is required", kind, name)
				continue
			}
			end := start + len(pair.FindString(line[start:]))
			lacking := strings.ReplaceAll(line[:start]+line[end:], ",,", ",")
			lacking = strings.ReplaceAll(lacking, ",}", "}")
			_, err := readLineOf(kind, lacking)
			want := fmt.Sprintf("line %d: %s: missing", number, name)
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", lacking, err, want)
			} else if !strings.Contains(err.Error(), "allowed: ") {
				t.Errorf("%q does not say what is allowed", err)
			}
			_, err = readLineOf(kind, line[:start]+`"`+name+`":null`+line[end:])
			refused := err != nil && strings.Contains(err.Error(), name+": found null; allowed: ")
			if !refused || strings.Contains(err.Error(), "leave") {
				t.Errorf("%s: null for %s: %v", kind, name, err)
			}
		}
	}
}

// TestReadSaysWhatIsAllowed: an error names the field, the value found and what is allowed.
func TestReadSaysWhatIsAllowed(t *testing.T) {
	op := func(old, changed string) string {
		return strings.Replace(wholeLines[KindOperation], old, changed, 1)
	}
	for name, test := range map[string]struct {
		kind       Kind
		line, want string
	}{
		"no time":              {KindOperation, op(`"call_ns":0,`, ``), `line 2: call_ns: missing; allowed: an integer`},
		"no word":              {KindOperation, op(`,"outcome":"unknown"`, ``), `line 2: outcome: missing; allowed: ok, fail, unknown`},
		"no time in a list":    {KindLease, strings.Replace(wholeLines[KindLease], `"at_ns":1,`, ``, 1), `line 2: validity.0.at_ns: missing; allowed: an integer`},
		"no value in a list":   {KindHeader, strings.Replace(wholeLines[KindHeader], `,"value":0`, ``, 1), `line 1: registers.0.value: missing; allowed: an integer`},
		"another version":      {KindHeader, `{"kind":"header","version":2}`, `line 1: version: 2 is not known`},
		"null, optional":       {KindOperation, op(`"op":`, `"lease":null,"op":`), `lease: found null; allowed: to leave the key out`},
		"null, unknown":        {KindOperation, op(`"op":`, `"colour":null,"op":`), `key "colour" is not known`},
		"null in a list":       {KindLease, strings.Replace(wholeLines[KindLease], `{"at_ns":1,"until_ns":2}`, `null`, 1), `validity.0: found null; allowed: an object`},
		"digits in a string":   {KindOperation, op(`"call_ns":0`, `"call_ns":"0"`), `call_ns: found "0" (a string); allowed: an integer`},
		"a time of 64 bits":    {KindOperation, op(`"call_ns":0`, `"call_ns":9223372036854775807`), `call_ns: 9223372036854775807 is beyond 2305843009213693952`},
		"a larger time":        {KindOperation, op(`"call_ns":0`, `"call_ns":99999999999999999999`), `call_ns: 99999999999999999999 is beyond 2305843009213693952`},
		"far below zero":       {KindOperation, op(`"call_ns":0`, `"call_ns":-99999999999999999999`), `call_ns: -99999999999999999999 is negative`},
		"a larger number":      {KindOperation, op(`"op":`, `"fence":99999999999999999999,"op":`), `fence: 99999999999999999999 is beyond 9223372036854775807`},
		"a smaller difference": {KindFact, `{"kind":"fact","fact":"clock_step","at_ns":1,"who":"n1","delta_ns":-99999999999999999999}`, `delta_ns: -99999999999999999999 is below -2305843009213693952`},
		"a step beyond times":  {KindFact, `{"kind":"fact","fact":"clock_step","at_ns":1,"who":"n1","delta_ns":2305843009213693953}`, `line 2: delta_ns: found 2305843009213693953; allowed: -2305843009213693952 to 2305843009213693952`},
		"not UTF-8":            {KindOperation, op(`"id":"a"`, `"id":"`+"\xff"+`"`), `id: found bytes that are not UTF-8; allowed: valid Unicode`},
		"half a pair":          {KindOperation, op(`"id":"a"`, `"id":"\ud800"`), `id: found half of a surrogate pair; allowed: valid Unicode`},
		"half a pair in a key": {KindOperation, op(`"id":"a"`, `"\ud800":"a"`), `found half of a surrogate pair; allowed: valid Unicode`},
		"half a pair, deeper":  {KindHeader, strings.Replace(wholeLines[KindHeader], `"n1"`, `"\udc00"`, 1), `nodes.0: found half of a surrogate pair`},
	} {
		number, err := readLineOf(test.kind, test.line)
		refused := err != nil && strings.HasPrefix(err.Error(), fmt.Sprintf("line %d", number))
		if !refused || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want line %d and %q", name, err, number, test.want)
		}
	}
}

// TestHistoryNamesRequiredKeys compares HISTORY.md with the structs.
func TestHistoryNamesRequiredKeys(t *testing.T) {
	text, err := os.ReadFile("HISTORY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(text), "| record | required keys |\n|---|---|\n")
	rows, _, _ = strings.Cut(rows, "\n\n")
	got := map[string][]string{}
	for row := range strings.Lines(rows) {
		words := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row, -1)
		for _, word := range words[1:] {
			got[words[0][1]] = append(got[words[0][1]], word[1])
		}
	}
	want := map[string][]string{}
	var add func(record string, of *shape)
	add = func(record string, of *shape) {
		for _, m := range of.members {
			if m.required {
				want[record] = append(want[record], m.name)
			}
			if m.entry != nil && len(m.entry.members) > 0 {
				add(m.name, m.entry)
			}
		}
	}
	for kind, of := range shapes {
		add(string(kind), of)
	}
	for _, record := range slices.Sorted(maps.Keys(want)) {
		slices.Sort(got[record])
		slices.Sort(want[record])
		if !slices.Equal(got[record], want[record]) {
			t.Errorf("%s: HISTORY.md names %q, the struct %q", record, got[record], want[record])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d records in HISTORY.md, %d structs", len(got), len(want))
	}
}

// TestWriteKeepsZeros: what Write writes of nothing but zeros, Read accepts.
func TestWriteKeepsZeros(t *testing.T) {
	for kind, line := range wholeLines {
		lines := wholeLines[KindHeader]
		if kind != KindHeader {
			lines += "\n" + line
		}
		zeros := regexp.MustCompile(`_ns":\d+`).ReplaceAllString(lines, `_ns":0`)
		history, err := Read(strings.NewReader(zeros))
		if err != nil {
			t.Fatal(err)
		}
		history.Header.Clients, history.Header.Nodes = nil, nil
		var written bytes.Buffer
		if err := Write(&written, history); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&written); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestSummaryEscapesNames: no character of a name acts on the terminal. The verdict's JSON
// keeps the name.
func TestSummaryEscapesNames(t *testing.T) {
	const id = "a\x00\x1b[31m\u009b\u202eé"
	quoted, err := json.Marshal(id)
	if err != nil {
		t.Fatal(err)
	}
	operation := strings.Replace(wholeLines[KindOperation], `"a"`, string(quoted), 1)
	text := wholeLines[KindHeader] + "\n" + operation + "\n" + operation // twice: a problem that names it
	history, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	verdict := Judge(history, Options{})
	summary := verdict.Summary()
	raw := strings.ContainsAny(summary, "\x00\x1b\u009b\u202e")
	if raw || !strings.Contains(summary, `a\x00\x1b[31m\u009b\u202eé`) {
		t.Errorf("%q", summary)
	}
	_, err = Read(strings.NewReader(strings.Replace(text, `"boottime"`, `"`+"\u009b"+`"`, 1)))
	if err == nil || strings.Contains(err.Error(), "\u009b") {
		t.Errorf("%q", err)
	}
}

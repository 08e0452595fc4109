package explain_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"redlocklab/sim"
)

func written(events []sim.Event) []byte {
	var b []byte
	for i := range events {
		b = append(events[i].AppendJSON(b), '\n')
	}
	return b
}

func TestTraceRoundTrip(t *testing.T) {
	for _, s := range stories {
		run := s.make()
		got, err := sim.ReadTrace(iotest.OneByteReader(bytes.NewReader(written(run.Events))))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, run.Events) {
			t.Errorf("%s: events changed on their way through the file", s.name)
		}
	}
}

func TestTraceErrorsNameTheLine(t *testing.T) {
	good := strings.Split(strings.TrimSuffix(string(written(forgetting().Events)), "\n"), "\n")
	for name, c := range map[string]struct {
		line int
		with string
		says string
	}{
		"not JSON":        {3, "{", "not an event"},
		"empty line":      {2, "", "empty"},
		"unknown field":   {5, `{"seq":5,"at_ns":0,"kind":"send","colour":"red"}`, "colour"},
		"wrong type":      {4, `{"seq":"4","at_ns":0,"kind":"send"}`, "not an event"},
		"gap":             {4, good[5], "found event 6; allowed: 4"},
		"time goes back":  {40, `{"seq":40,"at_ns":1,"kind":"timer"}`, "found the time 1 ns"},
		"unknown kind":    {1, `{"seq":1,"at_ns":0,"kind":"miracle"}`, `"miracle"`},
		"two in one line": {1, good[0] + good[1], "more than one"},
		"far too long":    {6, strings.Repeat(" ", 2<<20), "longer than"},
	} {
		lines := append([]string{}, good...)
		lines[c.line-1] = c.with
		read, err := sim.ReadTrace(strings.NewReader(strings.Join(lines, "\n")))
		var where *sim.LineError
		if !errors.As(err, &where) || !errors.Is(err, sim.ErrTrace) {
			t.Errorf("%s: error %v is no LineError", name, err)
			continue
		}
		if where.Line != c.line || !strings.Contains(err.Error(), c.says) ||
			!strings.Contains(err.Error(), "line "+strconv.Itoa(c.line)) {
			t.Errorf("%s: error %q, want line %d and %q", name, err, c.line, c.says)
		}
		if len(read) != c.line-1 {
			t.Errorf("%s: %d events before the bad line %d", name, len(read), c.line)
		}
	}
}

func TestTraceGivesTheReadersOwnError(t *testing.T) {
	broken := errors.New("disk is gone")
	_, err := sim.ReadTrace(io.MultiReader(bytes.NewReader(written(forgetting().Events)), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || errors.Is(err, sim.ErrTrace) {
		t.Errorf("error %v, want the reader's own", err)
	}
}

// The reader must know every kind of event that the simulator's source declares.
func TestEveryDeclaredKindIsKnown(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); !ok || name.Name != "Kind" {
			return true
		}
		kind, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		kinds++
		line := `{"seq":1,"at_ns":0,"kind":"` + kind + `"}`
		if _, err := sim.ReadTrace(strings.NewReader(line)); err != nil {
			t.Errorf("kind %s: %v", kind, err)
		}
		return true
	})
	if kinds == 0 {
		t.Error("no kind is declared in sim/event.go")
	}
}

func FuzzTrace(f *testing.F) {
	f.Add(written(forgetting().Events[:20]))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		events, err := sim.ReadTrace(bytes.NewReader(data))
		if err != nil {
			return
		}
		again, err := sim.ReadTrace(bytes.NewReader(written(events)))
		if err != nil || !reflect.DeepEqual(events, again) && len(events) > 0 {
			t.Errorf("an accepted trace is not accepted again: %v", err)
		}
	})
}

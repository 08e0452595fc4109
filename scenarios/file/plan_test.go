package file

import (
	"bytes"
	"encoding/json"
	"redlocklab/scenarios/plan"
	"strings"
	"testing"
)

// A plan is meant to be edited, so each slip is an error that names the place, the
// value and what is allowed; and every plan that the suite makes is none.
func TestEditedPlanIsChecked(t *testing.T) {
	s, err := Parse("BA-2.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Plan("SY-0", 7)
	if err != nil {
		t.Fatal(err)
	}
	p.Lock.Retry.Delay = plan.Span{Low: 5, High: 6}
	text, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.DecodePlan(text); err != nil {
		t.Fatalf("the plan as it is: %v", err)
	}
	type object = map[string]any
	at := func(list any, i int) object { return list.([]any)[i].(object) }
	for _, test := range []struct {
		name string
		edit func(p object)
		want []string
	}{
		{"client without a process", func(p object) {
			p["clients"] = append(p["clients"].([]any), object{"name": "C", "steps": []any{}})
		}, []string{"world.processes: ", `"C"`}},
		{"process without a client", func(p object) { at(p["world"].(object)["processes"], 1)["name"] = "Z" }, []string{"world.processes[1].name: ", `"Z"`, "A, B"}},
		{"no process", func(p object) { p["world"].(object)["processes"] = []any{} }, []string{"world.processes: ", `"A"`, `"B"`}},
		{"no client", func(p object) { p["clients"] = []any{} }, []string{"clients: found none"}},
		{"two clients of one name", func(p object) { at(p["clients"], 1)["name"] = "A" }, []string{"clients[1].name: ", `"A" twice`}},
		{"client named like a node", func(p object) { at(p["clients"], 1)["name"] = "n1" }, []string{"clients[1].name: ", `"n1"`}},
		{"follows nobody", func(p object) { at(p["clients"], 1)["follows"] = "Z" }, []string{"clients[1].follows: ", `"Z"`, "allowed: A"}},
		{"unknown value of an option", func(p object) { at(p["subject"].(object)["options"], 0)["value"] = "sundial" }, []string{"subject.options[0]: ", `"sundial"`, "boottime, monotonic, wall"}},
		{"unknown option", func(p object) { at(p["subject"].(object)["options"], 0)["name"] = "x" }, []string{"subject.options[0]: ", `"x"`, "clock, token"}},
		{"option twice", func(p object) {
			o := p["subject"].(object)["options"].([]any)
			p["subject"].(object)["options"] = append(o, o[0])
		}, []string{"subject.options[1]: ", "twice"}},
		{"unknown verdict", func(p object) { p["subject"].(object)["expect"].(object)["overlap"] = "perhaps" }, []string{"subject.expect.overlap: ", `"perhaps"`, "holds, violated"}},
		{"unknown oracle", func(p object) { p["subject"].(object)["expect"].(object)["delphi"] = "holds" }, []string{"subject.expect.delphi: ", "overlap, linearizability"}},
		{"unknown assumption", func(p object) { p["subject"].(object)["broken"] = []any{"A-FOO"} }, []string{"subject.broken[0]: ", `"A-FOO"`, "A-RATE"}},
		{"runs", func(p object) { p["subject"].(object)["runs"] = "many" }, []string{"subject.runs: ", `"many"`, "all, some"}},
		{"loss", func(p object) { p["world"].(object)["network"].(object)["loss_ppm"] = 99999999 }, []string{"world.network.loss_ppm: ", "99999999", "0 to 1000000"}},
		{"direction", func(p object) { at(p["world"].(object)["network"].(object)["links"], 0)["direction"] = "up" }, []string{"world.network.links[0].direction: ", `"up"`, "to node"}},
		{"end of a link", func(p object) { at(p["world"].(object)["network"].(object)["links"], 0)["node"] = "n9" }, []string{"world.network.links[0].node: ", `"n9"`}},
		{"backward start", func(p object) { at(p["clients"], 0)["start"] = object{"low_ns": 10, "high_ns": 1} }, []string{"clients[0].start: ", "10..1 ns"}},
		{"negative retry", func(p object) {
			p["lock"].(object)["retry"].(object)["delay"] = object{"low_ns": -5, "high_ns": -1}
		}, []string{"lock.retry.delay: ", "-5..-1 ns"}},
		{"fencing", func(p object) { p["lock"].(object)["fencing"] = "x" }, []string{"lock.fencing: ", `"x"`, "none, ideal, subject"}},
		{"no TTL", func(p object) { p["lock"].(object)["ttl_ns"] = 0 }, []string{"lock.ttl_ns: ", "found 0"}},
		{"negative TTL", func(p object) { p["lock"].(object)["ttl_ns"] = -5 }, []string{"lock.ttl_ns: ", "found -5"}},
		{"unknown node of a client", func(p object) { at(p["clients"], 0)["nodes"] = []any{"n9"} }, []string{"clients[0].nodes[0]: ", `"n9"`, "n1, n2"}},
		{"no node of a client", func(p object) { at(p["clients"], 0)["nodes"] = []any{} }, []string{"clients[0].nodes: ", "empty list"}},
		{"name of a node", func(p object) { at(p["world"].(object)["nodes"], 1)["name"] = "n7" }, []string{"world.nodes[1].name: ", `"n7"`, "n2"}},
		{"kind of a step", func(p object) { at(at(p["clients"], 0)["steps"], 1)["kind"] = "dance" }, []string{"clients[0].steps[1].kind: ", `"dance"`, "trylock"}},
		{"step without a resource", func(p object) { delete(at(at(p["clients"], 0)["steps"], 0), "resource") }, []string{"clients[0].steps[0].resource: ", `""`}},
		{"loop without an end", func(p object) { delete(at(at(p["clients"], 1)["steps"], 1), "times") }, []string{"clients[1].steps[1]: ", "one of the two"}},
		{"goal about nobody", func(p object) { at(p["liveness"], 0)["client"] = "Z" }, []string{"liveness[0].client: ", `"Z"`, "A, B, any"}},
		{"goal of nothing", func(p object) { at(p["liveness"], 0)["does"] = "dance" }, []string{"liveness[0].does: ", `"dance"`}},
		{"goal from somebody unknown", func(p object) { at(p["liveness"], 0)["from"].(object)["when"] = "Z released" }, []string{"liveness[0].from.when: ", `"Z"`}},
		{"bound of a goal", func(p object) { at(p["liveness"], 0)["within"].(object)["value_ns"] = -1 }, []string{"liveness[0].within.value_ns: ", "found -1"}},
		{"seed in one place", func(p object) { p["seed"] = 8 }, []string{"world.seed: ", "found 7", "8"}},
		{"two slips", func(p object) { p["lock"].(object)["ttl_ns"], p["lock"].(object)["fencing"] = 0, "x" }, []string{"lock.ttl_ns: ", "lock.fencing: "}},
	} {
		var p object
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		test.edit(p)
		edited, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		_, err = plan.DecodePlan(edited)
		for _, want := range append(test.want, "found", "allowed") {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", test.name, err, want)
			}
		}
	}
}

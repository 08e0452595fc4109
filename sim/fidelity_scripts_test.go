package sim_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"redlocklab/redlock"
	"redlocklab/sim"
)

// The distlock page's scripts, as every other subject sends them.
const (
	pageRelease = `if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end`
	pageExtend  = `if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("pexpire",KEYS[1],ARGV[2]) else return 0 end`
)

// script is one script with the arguments that it is tried with.
type script struct {
	name, source string
	fenced       bool // a counter behind every key
	arguments    [][]string
}

// arguments says what each of the package's scripts is tried with.
var arguments = map[string][][]string{
	"acquire":        {{"own", "5000"}},
	"extend":         {{"own", "5000", "keep"}, {"own", "5000", "restore"}},
	"release":        {{"own"}},
	"check":          {{"own", "1000"}},
	"holder":         {{"own"}},
	"acquire_fenced": {{"own", "5000"}},
	"fence":          {{"own", "7", "0"}, {"own", "7", "86400000"}},
}

// scriptRows plays every script on every keyspace of one and of two keys.
func scriptRows() []row {
	scripts := []script{
		{name: "distlock release", source: pageRelease, arguments: [][]string{{"own"}}},
		{name: "distlock extend", source: pageExtend, arguments: [][]string{{"own", "5000"}}},
	}
	for _, s := range redlock.Scripts() {
		scripts = append(scripts, script{
			name: "redlock " + s.Name, source: s.Source, arguments: arguments[s.Name],
			fenced: strings.Contains(s.Source, "#KEYS / 2"),
		})
	}
	var list []row
	for _, s := range scripts {
		list = append(list, row{name: "script: " + s.name, body: s.play})
	}
	return list
}

// What a key, or a counter, may be before a script runs.
var (
	keyStates = map[string]string{
		"absent": "", "own": "SET %s own PX 9000", "own, late": "SET %s own PX 800", "other": "SET %s other PX 9000",
		"no TTL": "SET %s own", "a list": "RPUSH %s x",
	}
	counterStates = map[string]string{"absent": "", "5": "SET %s 5", "7": "SET %s 7", "a list": "RPUSH %s x", "words": "SET %s words"}
)

func (s script) play(p *conversation) {
	if len(s.arguments) == 0 {
		panic("nobody says with which arguments " + s.name + " is tried")
	}
	for _, args := range s.arguments {
		for _, one := range sortedNames(keyStates) {
			if s.fenced {
				for _, counter := range sortedNames(counterStates) {
					s.try(p, args, []string{one}, []string{counter})
				}
			} else {
				s.try(p, args, []string{one}, nil)
			}
			if strings.HasPrefix(s.name, "distlock") {
				continue // it knows one key only
			}
			for _, two := range sortedNames(keyStates) {
				var counters []string
				if s.fenced {
					counters = []string{"5", "absent"}
				}
				s.try(p, args, []string{one, two}, counters)
			}
		}
	}
}

// try prepares a keyspace, runs the script, and looks at what it left.
func (s script) try(p *conversation, args, states, counters []string) {
	var keys []string
	p.ask(p.client(), "FLUSHALL")
	prepare := func(name, command string) {
		keys = append(keys, name)
		if command != "" {
			p.ask(p.client(), strings.Fields(fmt.Sprintf(command, name))...)
		}
	}
	for i, state := range states {
		prepare(fmt.Sprintf("k%d", i+1), keyStates[state])
	}
	for i, state := range counters {
		prepare(fmt.Sprintf("c%d", i+1), counterStates[state])
	}
	call := append([]string{fmt.Sprint(len(keys))}, append(keys, args...)...)
	answer := p.ask(p.client(), append([]string{"EVALSHA", sim.SHA1(s.source)}, call...)...)
	if answer == "-NOSCRIPT" {
		answer = p.ask(p.client(), append([]string{"EVAL", s.source}, call...)...)
	}
	left := answer
	for _, k := range keys {
		left += fmt.Sprintf("; %s %s PTTL %s", k, p.ask(p.client(), "GET", k), p.ask(p.client(), "PTTL", k))
	}
	p.note(fmt.Sprintf("%s of %s, counters %s", strings.Join(args, " "), strings.Join(states, " | "), strings.Join(counters, " | ")), left)
}

func sortedNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

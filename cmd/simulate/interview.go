package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/ask"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// inquiry is a question of the interview.
type inquiry struct {
	asks    string
	look    string                // how to find out
	when    func(*ask.Setup) bool // nil: always
	field   string                // of the setup, whose values are answers, too; empty: only choices are
	choices []choice
	unknown choice // what counts where the answer is not known: the unsafe one
}

// choice is an answer to choose, with the fields that it sets.
type choice struct {
	says string
	sets []string // name, value, name, value
}

func several(s *ask.Setup) bool { return s.Lock == "redsync" || s.Lock == "redlock" }
func disk(s *ask.Setup) bool    { return s.Persistence != "none" }

// inquiries are the questions of the interview, in their order.
var inquiries = []inquiry{
	{
		asks: "Which lock does your program use?",
		look: "the imports of your program: go.mod, composer.json",
		choices: []choice{
			{"redsync, on one or several servers", []string{"lock", "redsync"}},
			{"package redlock of this project", []string{"lock", "redlock"}},
			{"redislock, on one server", []string{"lock", "redislock", "nodes", "1"}},
			{"our own code: SET with NX and PX, on one server", []string{"lock", "single", "nodes", "1"}},
		},
		unknown: choice{"our own code, on one server", []string{"lock", "single", "nodes", "1"}},
	},
	{
		asks: "Does your program switch on its restart guard (WithRestartGuard)?",
		look: "grep -r WithRestartGuard in your program",
		when: func(s *ask.Setup) bool { return s.Lock == "redlock" },
		choices: []choice{
			{"yes", []string{"guard", "true"}}, {"no", []string{"guard", "false"}},
		},
		unknown: choice{"no guard", []string{"guard", "false"}},
	},
	{
		asks: "How many servers does one lock ask? Replicas do not count. (1 to 15)",
		look: "the addresses that your program gives to the lock",
		when: several, field: "nodes",
		unknown: choice{"one server", []string{"nodes", "1"}},
	},
	{
		asks: "For how long may a lock live without being renewed? (a time, such as 10s)",
		look: "the TTL or expiry in your program; redis-cli pttl KEY while it is held", field: "ttl",
		unknown: choice{"8s, the default of redsync; no value is the unsafe one", []string{"ttl", "8s"}},
	},
	{
		asks: "Does a replica take over when a server dies?",
		look: "redis-cli info replication; Sentinel, Cluster and managed services do that",
		choices: []choice{
			{"yes", []string{"failover_lag", "200ms"}}, {"no", []string{"failover_lag", "none"}},
		},
		unknown: choice{"yes, and it is 200ms behind", []string{"failover_lag", "200ms"}},
	},
	{
		asks: "What do the servers write to their disks?",
		look: "redis-cli config get 'append*' and redis-cli config get save",
		choices: []choice{
			{"nothing: appendonly no, save empty", []string{"persistence", "none"}},
			{"snapshots only: appendonly no, save not empty", []string{"persistence", "rdb"}},
			{"a log, synced every second: appendfsync everysec", []string{"persistence", "aof-everysec"}},
			{"a log, synced at every write: appendfsync always", []string{"persistence", "aof-always"}},
		},
		unknown: choice{"nothing", []string{"persistence", "none", "disk", "empty"}},
	},
	{
		asks: "Do the servers keep their data when they move to another machine?",
		look: "kubectl get pvc; kubectl get statefulset NAME -o yaml, and look for emptyDir", when: disk,
		choices: []choice{
			{"yes, or they never move: a volume, or their own machine", []string{"disk", "kept"}},
			{"no, but when only the container restarts: emptyDir", []string{"disk", "pod"}},
			{"no, never", []string{"disk", "empty", "persistence", "none"}},
		},
		unknown: choice{"no, never", []string{"disk", "empty", "persistence", "none"}},
	},
	{
		asks: "How soon is a server back that died? (a time, such as 100ms; the shortest counts)",
		look: "systemctl show -p RestartUSec redis; kubectl get events", field: "restart_after",
		unknown: choice{"at once", []string{"restart_after", "0s"}},
	},
	{
		asks: "How soon is a pod back on another machine? (a time; the shortest counts)",
		look: "kubectl get events", when: func(s *ask.Setup) bool { return s.Disk == "pod" }, field: "move_after",
		unknown: choice{"at once", []string{"move_after", "0s"}},
	},
	{
		asks: "Are all servers ever restarted one after the other, as in an update? Then how long is the pause between two? (no, or a time)",
		look: "kubectl get statefulset NAME -o jsonpath={.spec.minReadySeconds}", when: several,
		choices: []choice{{"no", []string{"rolling", "none"}}},
		field:   "rolling", unknown: choice{"yes, without a pause", []string{"rolling", "0s"}},
	},
	{
		asks: "Who keeps the clocks of the machines right?",
		look: "timedatectl; systemctl status chrony; grep maxslewrate /etc/chrony/chrony.conf",
		choices: []choice{
			{"chrony without maxslewrate", []string{"clock_rate_ppm", "83333"}},
			{"chrony with maxslewrate 500, or ntpd", []string{"clock_rate_ppm", "500"}},
			{"nobody: they drift", []string{"clock_rate_ppm", "200"}},
		},
		unknown: choice{"chrony without maxslewrate", []string{"clock_rate_ppm", "83333"}},
	},
	{
		asks: "By how much may a server's clock be set forwards while it serves? (0s: never; or a time)",
		look: "makestep in chrony.conf; systemd-timesyncd steps; a virtual machine that is resumed steps", field: "clock_step",
		unknown: choice{"an hour", []string{"clock_step", "1h"}},
	},
	{
		asks: "For how long may a machine of your program sleep, or be moved while it runs? (0s: never; or a time)",
		look: "the logs of your cloud: live migration, suspended machines", field: "suspend",
		unknown: choice{"a minute", []string{"suspend", "1m"}},
	},
	{
		asks: "For how long may your program stand still while it holds the lock? (a time, such as 1s)",
		look: "pauses of the garbage collector, processor limits of its container, slow disks", field: "pause",
		unknown: choice{"a minute", []string{"pause", "1m"}},
	},
	{
		asks: "Does what the lock protects refuse accesses with an old fencing token?",
		look: "a column or field with a number that only grows, compared at each access",
		choices: []choice{
			{"no", []string{"fencing", "none"}}, {"writes only", []string{"fencing", "writes"}},
			{"reads and writes", []string{"fencing", "every"}},
		},
		unknown: choice{"no", []string{"fencing", "none"}},
	},
}

// asked is the setup of the interview, or of the arguments and flags. It notes the command that asks
// about it again.
func (p *program) asked(command *cobra.Command, f *askFlags, args []string) (s ask.Setup, err error) {
	if f.interview {
		if err := f.onlyInterview(command, args); err != nil {
			return s, err
		}
		if s, err = p.interview(command.Context()); err != nil {
			return s, err
		}
		f.again = strings.TrimSpace("./simulate ask " + s.Flags())
		fmt.Fprintf(p.out, "\nYour setup, as a file:\n\n%s\n", s.File())
	} else {
		if s, err = f.setup(command, args); err != nil {
			return s, err
		}
		f.again = again(command, command.Flags().Arg(0), append(plan.Texts(ask.Fields(), flagOf), "set")...)
	}
	if f.writeSetup == "" {
		return s, nil
	}
	err = createFile(f.writeSetup, s.File())
	if errors.Is(err, os.ErrExist) {
		return s, fmt.Errorf("--write-setup: found %s, which exists; allowed: a new file", f.writeSetup)
	}
	if err == nil {
		f.again = "./simulate ask " + campaign.Quote(f.writeSetup)
		for _, o := range s.Options {
			f.again += " --set " + campaign.Quote(o.String())
		}
		fmt.Fprintf(p.err, "written: %s\n", f.writeSetup)
	}
	return s, err
}

// onlyInterview refuses what describes a setup beside the interview.
func (f *askFlags) onlyInterview(command *cobra.Command, args []string) error {
	beside := ""
	for _, field := range ask.Fields() {
		if flag := flagOf(field); command.Flags().Changed(flag) {
			beside = "--" + flag
		}
	}
	switch {
	case len(args) > 0:
		beside = args[0]
	case len(f.set) > 0:
		beside = "--set"
	case f.json:
		beside = "--json"
	}
	if beside != "" {
		return fmt.Errorf("found %s beside --interview, which asks for the setup; allowed: one of them", beside)
	}
	return nil
}

func (p *program) interview(ctx context.Context) (ask.Setup, error) {
	lines := linesOf(p.in)
	fmt.Fprint(p.out, "Answer with a number, a value, \"?\" where you do not know, or \"back\".\n")
	var given []choice // one for each question that was asked
	var order []int    // which these are
	for next := 0; next < len(inquiries); {
		s, err := described(given)
		if err != nil {
			return s, err
		}
		q := &inquiries[next]
		if q.when != nil && !q.when(&s) {
			next++
			continue
		}
		p.pose(q, len(given)+1)
		answer, back, err := p.reply(ctx, lines, q, &s)
		switch {
		case err != nil:
			return s, err
		case back && len(order) > 0:
			next = order[len(order)-1]
			order, given = order[:len(order)-1], given[:len(given)-1]
		case !back:
			order, given = append(order, next), append(given, answer)
			next++
		}
	}
	return described(given)
}

// described is the setup that answers describe.
func described(given []choice) (ask.Setup, error) {
	s := ask.NewSetup()
	for _, c := range given {
		for i := 0; i < len(c.sets); i += 2 {
			if err := s.Set(c.sets[i], c.sets[i+1]); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

func (p *program) pose(q *inquiry, number int) {
	fmt.Fprintf(p.out, "\n%d. %s\n   look at: %s\n", number, q.asks, q.look)
	for i, c := range q.choices {
		if q.field == "" {
			fmt.Fprintf(p.out, "   %d  %s\n", i+1, c.says)
		}
	}
	fmt.Fprintf(p.out, "   ?  I do not know; counts as: %s\n", q.unknown.says)
}

// reply reads lines until one is an answer, or the word that goes back.
func (p *program) reply(
	ctx context.Context, lines <-chan string, q *inquiry, s *ask.Setup,
) (c choice, back bool, err error) {
	for {
		fmt.Fprint(p.out, "> ")
		select {
		case <-ctx.Done():
			return c, false, &exitError{exitInterrupted, errors.New("interrupted; nothing was played")}
		case line, open := <-lines:
			if !open {
				fmt.Fprintln(p.out)
				if ctx.Err() != nil {
					continue
				}
				return c, false, errors.New("the answers end before the questions do; nothing was played. Allowed: an answer to each question, one a line")
			}
			switch word := strings.ToLower(strings.TrimSpace(line)); word {
			case "back", "b":
				return c, true, nil
			case "?", "don't know", "do not know", "i do not know":
				fmt.Fprintf(p.out, "   taken as: %s\n", q.unknown.says)
				return q.unknown, false, nil
			default:
				if c, err = q.answer(word, s); err == nil {
					return c, false, nil
				}
				fmt.Fprintf(p.out, "   %v\n", err)
			}
		}
	}
}

// answer is what a word means: the number of a choice, its words, or a value of the field.
func (q *inquiry) answer(word string, s *ask.Setup) (choice, error) {
	var allowed []string
	for i, c := range q.choices {
		first, _, _ := strings.Cut(c.says, ",")
		shown := first
		if q.field == "" {
			shown = fmt.Sprint(i + 1)
		}
		if word != "" && (word == shown || word == first) {
			return c, nil
		}
		allowed = append(allowed, shown)
	}
	if q.field != "" {
		next := *s
		err := next.Set(q.field, word)
		if err == nil {
			return choice{word, []string{q.field, word}}, nil
		}
		var wrong ask.FieldError
		if errors.As(err, &wrong) {
			allowed = append(allowed, strings.TrimPrefix(wrong.Allowed, "none, or "))
		}
	}
	allowed = append(allowed, "?", "back")
	return choice{}, fmt.Errorf("found %q; allowed: %s", word, strings.Join(slices.Compact(allowed), ", "))
}

// linesOf reads lines in the background, so that a signal is not kept waiting.
func linesOf(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	return lines
}

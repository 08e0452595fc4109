package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/faults"
	"redlocklab/scenarios/ask"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
)

const askHelp = `Says whether a lock is safe in one setup. The setup is a ready one, a file, or flags;
flags override the file. Each question has a rule, a formula with its source, and is
played with the setup's numbers. The program looks for the worst moment and network, and
varies one number, such as how long a server is away. It states the border on the
strict side. There, and at your number, %d runs of drawn moments must be without a
violation. Where rule and runs disagree, the answer says so and is unsafe. Where the
setup is unsafe, the program plays changes and lists those that hold.

An answer is evidence, not proof. "safe if" names a condition that must stay true.

Ready setups, and "ask NAME --print" prints one to begin with:
%s

A file is a mapping of the same names, with _ in place of -:

  lock: redsync
  nodes: 3
  persistence: aof-everysec
  restart_after: 5s
`

// standardEvidence is how many runs the safe side of a border must have.
const standardEvidence = 200

type askFlags struct {
	playFlags
	fields  map[string]*string
	set     []string
	drawn   checkSpec
	budget  time.Duration
	resume  string
	json    bool
	print   bool
	details bool
	show    string
	out     string
	write   string

	interview  bool
	writeSetup string
	again      string // the command that asks about the same setup again
}

func (p *program) askCommand() *cobra.Command {
	f := &askFlags{fields: map[string]*string{}}
	ready := tables.Fold("  "+strings.Join(ask.Ready(), ", "), 88)
	command := &cobra.Command{
		Use:   "ask [NAME|FILE]",
		Short: "say whether a lock is safe in your setup",
		Long: fmt.Sprintf(askHelp, standardEvidence, strings.Join(ready, "\n")) + exitCodes(`
  0    safe, or safe if
  1    unsafe, or rule and runs disagree
  4    undecided: too few runs showed anything`),
		Example: `  simulate ask docker
  simulate ask docker --lock redlock --restart-after 30s
  simulate ask --lock redlock --nodes 5 --ttl 10s --persistence aof-everysec --restart-after 5s
  simulate ask k8s-statefulset --show restart --out story && simulate explain story`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			return p.ask(command, f, args)
		},
	}
	standard := ask.NewSetup()
	for _, field := range ask.Fields() {
		usage := field.Doc + "; `VALUE` is " + field.Allowed
		f.fields[field.Name] = command.Flags().String(flagOf(field), field.Get(&standard), usage)
	}
	command.Flags().StringArrayVar(&f.set, "set", nil, "an option of the lock, as `NAME=VALUE`: clock_rate_bound=800, drift_factor=2%; may be repeated")
	command.Flags().IntVar(&f.drawn.Evidence, "runs", standardEvidence, "how many runs without a violation the safe side of a border must have")
	command.Flags().Uint64Var(&f.drawn.Seed, "seed", 1, "from which moments, networks and seeds are drawn")
	command.Flags().DurationVar(&f.budget, "budget", 0, "look harder for about so long: each question plays further runs on the safe side")
	command.Flags().BoolVar(&f.json, "json", false, "print the answers as JSON")
	command.Flags().IntVar(&f.drawn.Setups, "check", 0, "ask about `N` drawn setups for each question, and attack the safe side of the answers")
	command.Flags().StringVar(&f.resume, "resume", "", "continue the interrupted --check whose journal is in `DIR`")
	command.Flags().BoolVar(&f.details, "details", false, "print the formula of each rule, its source, the worst moment that was found, and the lines of every change")
	command.Flags().BoolVar(&f.print, "print", false, "print the setup as a file, and play nothing")
	command.Flags().StringVar(&f.show, "show", "", "save the run behind the answer to this `QUESTION`, in the folder of --out")
	command.Flags().StringVar(&f.out, "out", "", "`DIR` for the run of --show; it is created")
	command.Flags().StringVar(&f.write, "write", "", "write the story behind each answer as a scenario file into `DIR`, for run and map")
	command.Flags().BoolVar(&f.interview, "interview", false, "ask a few questions about the setup, in plain words, and then answer")
	command.Flags().StringVar(&f.writeSetup, "write-setup", "", "write the setup into a new `FILE`, which ask can read")
	f.playFlags.add(command)
	return command
}

func flagOf(field ask.Field) string { return strings.ReplaceAll(field.Name, "_", "-") }

// setup is what the argument and the flags say.
func (f *askFlags) setup(command *cobra.Command, args []string) (ask.Setup, error) {
	s := ask.NewSetup()
	told := len(f.set) > 0
	if len(args) > 0 {
		told = true
		text, err := os.ReadFile(args[0])
		if err != nil {
			text, err = ask.ReadyText(args[0])
		}
		if err == nil {
			s, err = ask.Parse(args[0], text)
		}
		if err != nil {
			return s, err
		}
	}
	for _, field := range ask.Fields() {
		if flag := flagOf(field); command.Flags().Changed(flag) {
			told = true
			if err := s.Set(field.Name, *f.fields[field.Name]); err != nil {
				return s, errors.New("--" + strings.Replace(err.Error(), field.Name, flag, 1))
			}
		}
	}
	options, err := parseSettings("--set", f.set)
	if err != nil {
		return s, err
	}
	s.Options = append(s.Options, options...)
	if !told {
		return s, fmt.Errorf("found no setup; allowed: a ready one (%s), a file, or flags such as --nodes 3 --lock redsync", strings.Join(ask.Ready(), ", "))
	}
	return s, s.Check()
}

// together refuses flags that exclude each other.
func (f *askFlags) together() error {
	switch {
	case f.print && f.write != "":
		return errors.New("found --print beside --write; allowed: one of them")
	case f.print && (f.show != "" || f.out != ""):
		return errors.New("found --show or --out beside --print, which plays nothing; allowed: --show and --out, or --print")
	case f.write != "" && (f.show != "" || f.out != ""):
		return errors.New("found --show or --out beside --write; allowed: --show and --out, or --write")
	case f.drawn.Setups == 0 && f.resume == "" && (f.show == "") != (f.out == ""):
		return errors.New("found one of --show and --out; allowed: both, or none")
	}
	return nil
}

func (p *program) ask(command *cobra.Command, f *askFlags, args []string) error {
	err := f.apply(p)
	if command.Flags().Changed("check") {
		err = cmp.Or(err, within("check", f.drawn.Setups, 1, 100_000))
	}
	if err = cmp.Or(err, within("runs", f.drawn.Evidence, 1, 1_000_000), f.together()); err != nil {
		return err
	}
	players := newPlayers(p.settings)
	defer players.close()
	asker := &ask.Asker{
		Evidence: f.drawn.Evidence, Seed: f.drawn.Seed, Workers: p.settings.Workers,
		Laboratory: players.laboratory(command.Context()),
	}
	if f.drawn.Setups > 0 || f.resume != "" {
		return p.checkAsk(command.Context(), f, asker)
	}
	s, err := p.asked(command, f, args)
	if err != nil {
		return err
	}
	questions := ask.Questions(&s)
	if f.print {
		for _, field := range ask.Fields() {
			fmt.Fprintf(p.out, "%s: %s # %s: %s\n", field.Name, field.Get(&s), field.Doc, field.Allowed)
		}
		return nil
	}
	asker.Budget = f.budget / time.Duration(len(questions))
	if f.show != "" {
		return p.showAnswer(command.Context(), f, asker, &s, questions)
	}
	return p.answer(command, asker, &s, questions, f)
}

// answer plays all questions and prints each answer as soon as it is there.
func (p *program) answer(
	command *cobra.Command, asker *ask.Asker, s *ask.Setup, questions []ask.Question, f *askFlags,
) error {
	if !f.json {
		lines := [][2]string{{s.Name + ":", s.Describe()}}
		_, notes := s.Notes()
		for _, n := range notes {
			lines = append(lines, [2]string{"note:", n.Says})
		}
		if err := p.folded(lines...); err != nil {
			return err
		}
		fmt.Fprintln(p.out)
	}
	var answers []ask.Answer
	runs, counts := 0, map[ask.Status]int{}
	for i := range questions {
		q := &questions[i]
		line := tables.NewProgress(p.err, q.Name+": played", 4*f.drawn.Evidence)
		asker.Step = line.Step
		a, err := asker.Ask(command.Context(), s, q)
		line.End()
		if errors.Is(err, context.Canceled) {
			done := fmt.Errorf("interrupted; %d of %d questions are answered", i, len(questions))
			return &exitError{exitInterrupted, done}
		}
		if err == nil && !f.json {
			err = p.tellAnswer(f, q, &a)
		}
		if err == nil && f.write != "" {
			err = p.writeAnswer(s, q, &a, f)
		}
		if err != nil {
			return err
		}
		answers = append(answers, a)
		runs += a.Play.Runs
		counts[a.Status]++
	}
	var err error
	if f.json {
		err = p.printJSON(answers)
	} else {
		first := slices.IndexFunc(answers, func(a ask.Answer) bool { return a.Status == ask.Unsafe })
		shown := answers[max(0, first)].Question
		_, err = fmt.Fprintf(p.out, "\nunsafe: %d of %d answers; %d runs. The run behind any answer, such as %s:\n"+
			"  %s --show %s --out story && ./simulate explain story\n",
			counts[ask.Unsafe], len(answers), runs, shown, f.again, shown)
	}
	return cmp.Or(err, exitIf(counts[ask.Unsafe] > 0, exitSafety), exitIf(counts[ask.Undecided] > 0, exitInconclusive))
}

// tellAnswer prints an answer: its words, what rule and play say, and what to do.
func (p *program) tellAnswer(f *askFlags, q *ask.Question, a *ask.Answer) error {
	head := func(question string, status ask.Status) string { return fmt.Sprintf("%-8s  %-9s", question, status) }
	indent, says := head("", ""), a.Says+". ["+a.Claim+"]"
	lines := [][2]string{{head(a.Question, a.Status), says}}
	if a.Defaults != "" { // what decides the answer stands before it
		lines = [][2]string{{head(a.Question, ""), a.Defaults + "."}, {head("", a.Status), says}}
	}
	if f.details {
		lines = append(lines, [2]string{indent, q.ByRule(a)}, [2]string{indent, q.ByPlay(a)})
	} else {
		lines = append(lines, [2]string{indent, q.Brief(a)})
	}
	if len(a.Changes) > 0 {
		lines = append(lines, [2]string{indent, "changes that hold, the cheapest first:"})
	} else if a.Status == ask.Unsafe {
		lines = append(lines, [2]string{indent, "no change that was tried helps"})
	}
	if err := p.folded(lines...); err != nil {
		return err
	}
	for i, change := range a.Changes {
		if err := p.folded([2]string{indent, fmt.Sprintf("%d. %s", i+1, change.Says)}); err != nil {
			return err
		}
		if i > 0 && !f.details {
			continue
		}
		for _, line := range change.Lines { // whole, to be copied
			fmt.Fprintf(p.out, "%s     %s\n", indent, line)
		}
	}
	if a.Status == ask.Unsafe && a.Violated != nil { // a command stands whole on its line
		fmt.Fprintf(p.out, "  see it: %s --show %s --out story\n", f.again, a.Question)
	}
	return nil
}

// folded prints heads with texts beside them, each folded to the window by itself.
func (p *program) folded(lines ...[2]string) error {
	for _, line := range lines {
		if err := tables.New(p.out, line[:]...).Flush(); err != nil {
			return err
		}
	}
	return nil
}

// showAnswer saves the run that an answer is about.
func (p *program) showAnswer(
	ctx context.Context, f *askFlags, asker *ask.Asker, s *ask.Setup, questions []ask.Question,
) error {
	i := slices.IndexFunc(questions, func(q ask.Question) bool { return q.Name == f.show })
	if i < 0 {
		names := plan.Texts(questions, func(q ask.Question) string { return q.Name })
		return fmt.Errorf("--show: found %q, which this setup does not raise; %s", f.show, faults.Allowed(f.show, names))
	}
	q := &questions[i]
	if err := canSave(f.out); err != nil {
		return err
	}
	a, err := asker.Ask(ctx, s, q)
	if err != nil {
		return err
	}
	shown, err := q.PlanOf(s, &a)
	if err != nil {
		return err
	}
	report, err := p.playPlan(ctx, shown, f.out)
	if err == nil && report.Failure != "" {
		err = errors.New(report.Failure)
	}
	if err == nil {
		fmt.Fprintf(p.out, "%s: %s. [%s]\n%s, seed %d: saved in %s\ntell it: ./simulate explain %s\n",
			a.Status, a.Says, a.Claim, q.Numbers+": "+q.Say(a.Show), a.Seed, f.out, f.out)
	}
	return err
}

// writeAnswer writes the story behind an answer as a scenario file.
func (p *program) writeAnswer(s *ask.Setup, q *ask.Question, a *ask.Answer, f *askFlags) error {
	scenario, err := q.ScenarioOf(s, a)
	if err != nil {
		return err
	}
	path := filepath.Join(f.write, scenario.Name+".yaml")
	text, err := file.Print(scenario)
	if err == nil {
		err = journal.WriteFile(path, text)
	}
	if err == nil && !f.json {
		fmt.Fprintf(p.out, "written: %s\n", path)
	}
	return err
}

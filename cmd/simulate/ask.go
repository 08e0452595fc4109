package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/faults"
	"redlocklab/scenarios/ask"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

const askHelp = `Says whether a lock is safe in one setup. The setup is a ready one, a file, or flags;
flags override the file. Each question is a story of a claim, played with the setup's
numbers. The program varies one number, such as how long a server is away, and finds the
boundary between safe and unsafe runs. Where the setup is unsafe, the program plays
changes, the cheapest first, until one holds.

An answer is valid for the story that was played. It is evidence, not proof. "safe if"
names a condition that must stay true.

Ready setups, and "ask NAME --print" prints one to begin with:
  %s
A file is a mapping of the same names, with _ in place of -:

  lock: redsync
  nodes: 3
  persistence: aof-everysec
  restart_after: 5s
`

// askFlags are what ask was told.
type askFlags struct {
	playFlags
	fields map[string]*string
	set    []string
	seeds  int
	json   bool
	print  bool
	show   string
	out    string
	write  string
}

func (p *program) askCommand() *cobra.Command {
	f := &askFlags{fields: map[string]*string{}}
	command := &cobra.Command{
		Use:   "ask [NAME|FILE]",
		Short: "say whether a lock is safe in your setup",
		Long: fmt.Sprintf(askHelp, strings.Join(ask.Ready(), ", ")) + exitCodes(`
  0    safe, or safe if
  1    unsafe`),
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
		flag, usage := strings.ReplaceAll(field.Name, "_", "-"), field.Doc+"; `VALUE` is "+field.Allowed
		f.fields[field.Name] = command.Flags().String(flag, field.Get(&standard), usage)
	}
	command.Flags().StringArrayVar(&f.set, "set", nil, "an option of the lock, as `NAME=VALUE`: clock_rate_bound=800, drift_factor=2%; may be repeated")
	command.Flags().IntVar(&f.seeds, "seeds", 4, "how many seeds are played at each point")
	command.Flags().BoolVar(&f.json, "json", false, "print the answers as JSON")
	command.Flags().BoolVar(&f.print, "print", false, "print the setup as a file, and play nothing")
	command.Flags().StringVar(&f.show, "show", "", "save the run behind the answer to this `QUESTION`, in the folder of --out")
	command.Flags().StringVar(&f.out, "out", "", "`DIR` for the run of --show; it is created")
	command.Flags().StringVar(&f.write, "write", "", "write the questions as scenario files into `DIR`, for run and map; play nothing")
	f.playFlags.add(command)
	return command
}

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
		flag := strings.ReplaceAll(field.Name, "_", "-")
		if !command.Flags().Changed(flag) {
			continue
		}
		told = true
		if err := s.Set(field.Name, *f.fields[field.Name]); err != nil {
			return s, errors.New("--" + strings.Replace(err.Error(), field.Name, flag, 1))
		}
	}
	for _, text := range f.set {
		setting, err := plan.ParseSetting(text)
		if err != nil {
			return s, fmt.Errorf("--set: %w", err)
		}
		s.Options = append(s.Options, setting)
	}
	if !told {
		return s, fmt.Errorf("found no setup; allowed: a ready one (%s), a file, or flags such as --nodes 3 --lock redsync", strings.Join(ask.Ready(), ", "))
	}
	return s, s.Check()
}

// together refuses flags that exclude each other.
func (f *askFlags) together() error {
	chosen := ""
	switch {
	case f.print && f.write != "":
		return errors.New("found --print beside --write; allowed: one of them")
	case f.print:
		chosen = "--print"
	case f.write != "":
		chosen = "--write"
	}
	switch {
	case chosen != "" && (f.show != "" || f.out != ""):
		return fmt.Errorf("found --show or --out beside %s, which plays nothing; allowed: --show and --out, or %s", chosen, chosen)
	case (f.show == "") != (f.out == ""):
		return errors.New("found one of --show and --out; allowed: both, or none")
	}
	return nil
}

func (p *program) ask(command *cobra.Command, f *askFlags, args []string) error {
	settings, err := f.settings(p)
	if err == nil {
		err = within("seeds", f.seeds, 1, 1000)
	}
	if err == nil {
		err = f.together()
	}
	if err != nil {
		return err
	}
	s, err := f.setup(command, args)
	if err != nil {
		return err
	}
	questions := ask.Questions(&s)
	switch {
	case f.print:
		for _, field := range ask.Fields() {
			fmt.Fprintf(p.out, "%s: %s # %s: %s\n", field.Name, field.Get(&s), field.Doc, field.Allowed)
		}
		return nil
	case f.write != "":
		return p.writeQuestions(&s, questions, f.write)
	}
	laboratory := func(plan *plan.Plan) (*play.Result, error) { return p.laboratory(plan, settings.Options) }
	asker := &ask.Asker{Seeds: f.seeds, Workers: min(f.workers, runtime.NumCPU()), Laboratory: laboratory}
	if f.show != "" {
		return p.showAnswer(command.Context(), settings, asker, &s, questions, f)
	}
	return p.answer(command, asker, &s, questions, f.json)
}

// answer plays all questions and prints each answer as soon as it is there.
func (p *program) answer(
	command *cobra.Command, asker *ask.Asker, s *ask.Setup, questions []ask.Question, asJSON bool,
) error {
	unsafe, runs := 0, 0
	var answers []ask.Answer
	if !asJSON {
		if err := p.folded(s.Name+":", s.Describe()); err != nil {
			return err
		}
		fmt.Fprintln(p.out)
	}
	for i := range questions {
		a, err := asker.Ask(command.Context(), s, &questions[i])
		if err != nil {
			return err
		}
		answers = append(answers, a)
		runs += a.Runs
		if a.Status == ask.Unsafe {
			unsafe++
		}
		if asJSON {
			continue
		}
		lines := []string{a.Says + ". [" + a.Claim + "]"}
		if a.Change != "" {
			lines = append(lines, "cheapest change that holds: "+a.Change)
		} else if a.Status == ask.Unsafe {
			lines = append(lines, "no change that was tried helps")
		}
		if a.Status == ask.Unsafe {
			lines = append(lines, "see it: "+told(command, s.Name)+" --show "+a.Question+" --out story")
		}
		for n, line := range lines {
			head := fmt.Sprintf("%-8s  %-7s", a.Question, a.Status)
			if n > 0 {
				head = fmt.Sprintf("%-8s  %-7s", "", "")
			}
			if err := p.folded(head, line); err != nil {
				return err
			}
		}
	}
	if asJSON {
		if err := p.printJSON(answers); err != nil {
			return err
		}
	} else {
		first := slices.IndexFunc(answers, func(a ask.Answer) bool { return a.Status == ask.Unsafe })
		shown := answers[max(0, first)].Question
		fmt.Fprintf(p.out, "\nunsafe: %d of %d answers; %d runs. The run behind any answer, such as %s:\n", unsafe, len(answers), runs, shown)
		fmt.Fprintf(p.out, "  %s --show %s --out story && ./simulate explain story\n", told(command, s.Name), shown)
	}
	if unsafe > 0 {
		return exit(exitSafety)
	}
	return nil
}

// folded prints text beside a head, folded to the window.
func (p *program) folded(head, text string) error {
	w := tables.New(p.out)
	fmt.Fprintf(w, "%s\t%s\n", head, text)
	return w.Flush()
}

// told is the command line as it was given, without what says how to print.
func told(command *cobra.Command, name string) string {
	text := "./simulate ask"
	if args := command.Flags().Args(); len(args) > 0 {
		text += " " + campaign.Quote(args[0])
	}
	for _, field := range ask.Fields() {
		flag := strings.ReplaceAll(field.Name, "_", "-")
		if command.Flags().Changed(flag) {
			text += " --" + flag + " " + campaign.Quote(command.Flags().Lookup(flag).Value.String())
		}
	}
	set, _ := command.Flags().GetStringArray("set")
	for _, setting := range set {
		text += " --set " + campaign.Quote(setting)
	}
	return text
}

// showAnswer saves the run that an answer is about.
func (p *program) showAnswer(
	ctx context.Context, settings campaign.Settings, asker *ask.Asker, s *ask.Setup, questions []ask.Question,
	f *askFlags,
) error {
	var names []string
	for i := range questions {
		q := &questions[i]
		if names = append(names, q.Name); q.Name != f.show {
			continue
		}
		if err := canSave(f.out); err != nil {
			return err
		}
		a, err := asker.Ask(ctx, s, q)
		if err != nil {
			return err
		}
		plan, err := q.Plan(s, a.Show, a.Seed)
		if err != nil {
			return err
		}
		job := campaign.PlanJob(plan)
		job.Save = f.out
		report, err := campaign.PlayOne(ctx, settings, job)
		if err == nil && report.Failure != "" {
			err = errors.New(report.Failure)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "%s: %s. [%s]\n%s, seed %d: saved in %s\ntell it: ./simulate explain %s\n", a.Status, a.Says, a.Claim, q.Numbers+" "+q.Say(a.Show), a.Seed, f.out, f.out)
		return nil
	}
	return fmt.Errorf("--show: found %q, which this setup does not raise; %s", f.show, faults.Allowed(f.show, names))
}

// writeQuestions writes the questions as scenario files.
func (p *program) writeQuestions(s *ask.Setup, questions []ask.Question, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range questions {
		q := &questions[i]
		scenario, err := q.Scenario(s, q.Own(s))
		if err != nil {
			return err
		}
		text, err := file.Print(scenario)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, scenario.Name+".yaml")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(p.out, "written: %s\n", path)
	}
	return nil
}

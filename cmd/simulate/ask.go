package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/folder"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/faults"
	"redlocklab/scenarios/ask"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

const askHelp = `Says whether a lock is safe in one setup. The setup is a ready one, a file, or flags;
flags go before what a file says. Each question that the setup raises is a story of the
claims, played with the setup's numbers. One of them, such as how long a server is away,
is searched for the boundary between runs that hold and runs that do not. Where the setup
is unsafe, changes are played until one holds, the cheapest first.

An answer is about the story that was played. It is evidence, not proof. "safe if" says
what must stay true.

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
		Short: "is my lock safe? A setup in, answers out",
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
		f.fields[field.Name] = command.Flags().String(strings.ReplaceAll(field.Name, "_", "-"), field.Get(&standard), field.Doc+"; `VALUE` is "+field.Allowed)
	}
	command.Flags().StringArrayVar(&f.set, "set", nil, "an option of the lock, as `NAME=VALUE`: clock_rate_bound=800, drift_factor=2%; may be repeated")
	command.Flags().IntVar(&f.seeds, "seeds", 4, "how many seeds are played at each point")
	command.Flags().BoolVar(&f.json, "json", false, "print the answers as JSON")
	command.Flags().BoolVar(&f.print, "print", false, "print the setup as a file, and play nothing")
	command.Flags().StringVar(&f.show, "show", "", "save the run that an answer to this `QUESTION` is about, in the folder of --out")
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

func (p *program) ask(command *cobra.Command, f *askFlags, args []string) error {
	settings, err := f.settings(p)
	if err == nil {
		err = within("seeds", f.seeds, 1, 1000)
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
	case (f.show == "") != (f.out == ""):
		return errors.New("found one of --show and --out; allowed: both, or none")
	}
	asker := &ask.Asker{Seeds: f.seeds, Workers: min(f.workers, runtime.NumCPU()), Laboratory: func(plan *plan.Plan) (*play.Result, error) {
		return p.laboratory(plan, settings.Options)
	}}
	if f.show != "" {
		return p.showAnswer(command.Context(), settings, asker, &s, questions, f)
	}
	return p.answer(command, asker, &s, questions, f.json)
}

// answer plays all questions and prints each answer as soon as it is there.
func (p *program) answer(command *cobra.Command, asker *ask.Asker, s *ask.Setup, questions []ask.Question, asJSON bool) error {
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
		encoder := json.NewEncoder(p.out)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(answers); err != nil {
			return err
		}
	} else {
		shown := answers[max(0, slices.IndexFunc(answers, func(a ask.Answer) bool { return a.Status == ask.Unsafe }))].Question
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
func (p *program) showAnswer(ctx context.Context, settings campaign.Settings, asker *ask.Asker, s *ask.Setup, questions []ask.Question, f *askFlags) error {
	var names []string
	for i := range questions {
		q := &questions[i]
		if names = append(names, q.Name); q.Name != f.show {
			continue
		}
		if err := folder.CanSave(f.out); err != nil {
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
		text, err := q.Text(s, max(q.Own(s), 1))
		if err != nil {
			return err
		}
		path := filepath.Join(dir, q.Claim+"-"+q.Name+".yaml")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(p.out, "written: %s\n", path)
	}
	return nil
}

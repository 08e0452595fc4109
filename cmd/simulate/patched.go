package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/overlay"
)

// patchedPrograms are this program with patches of package redlock in it. Each is
// built when it is first needed and goes when this program ends.
type patchedPrograms struct {
	folder string            // empty: none was built
	paths  map[string]string // by patch
}

// carrying returns settings whose workers carry a patch.
func (p *program) carrying(ctx context.Context, settings campaign.Settings, patch string) (campaign.Settings, error) {
	if patch == overlay.Carried {
		return settings, nil
	}
	path, err := p.patched.build(ctx, patch)
	switch {
	case ctx.Err() != nil:
		return settings, &exitError{exitInterrupted, errors.New("interrupted while a patched program was built")}
	case errors.Is(err, overlay.ErrNoSource):
		return settings, &exitError{exitToolMissing, err}
	case err != nil:
		return settings, &exitError{exitBug, err}
	}
	settings.Command = func() *exec.Cmd { return exec.Command(path, workerCommand) }
	return settings.WithEnvironment(workerEnvironment...), nil
}

func (b *patchedPrograms) build(ctx context.Context, name string) (string, error) {
	if path, built := b.paths[name]; built {
		return path, nil
	}
	patch, known := overlay.Find(name)
	if !known {
		return "", fmt.Errorf("found the patch %q, which this program does not know", name)
	}
	root, err := overlay.Root()
	if err != nil {
		return "", err
	}
	if b.folder == "" {
		b.paths = map[string]string{}
		if b.folder, err = os.MkdirTemp("", "simulate-patched-"); err != nil {
			return "", err
		}
	}
	path := filepath.Join(b.folder, name)
	if err := patch.Build(ctx, root, path); err != nil {
		return "", err
	}
	b.paths[name] = path
	return path, nil
}

// remove deletes what was built.
func (b *patchedPrograms) remove() {
	if b.folder != "" {
		_ = os.RemoveAll(b.folder)
	}
}

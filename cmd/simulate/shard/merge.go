package shard

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redlocklab/scenarios/journal"
)

// Errors of [Find] that are no slip of the user.
var (
	ErrIncomplete = errors.New("not all shards are finished; nothing was written")
	ErrDiffers    = errors.New("a shard was played twice, with different results")
)

// part is a shard with its folder.
type part struct {
	*Manifest
	dir string
}

// Parts are all shards of one command, finished, in order.
type Parts []part

// Find opens the shards in folders. Each dir is the folder of a shard, or one that holds such
// folders. It checks that they belong together and are all there; of a shard that came
// twice, say is told.
func Find(dirs []string, say func(string)) (Parts, error) {
	var parts []part
	for _, dir := range dirs {
		files := []string{filepath.Join(dir, File)}
		if _, err := os.Stat(files[0]); errors.Is(err, fs.ErrNotExist) {
			if files, err = filepath.Glob(filepath.Join(dir, "*", File)); err != nil {
				return nil, err
			}
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: found no %s; allowed: the folder of a shard, or one that holds such folders", dir, File)
		}
		for _, file := range files {
			folder := filepath.Dir(file)
			known := func(p part) bool { return filepath.Clean(p.dir) == filepath.Clean(folder) }
			if slices.ContainsFunc(parts, known) {
				continue
			}
			m, err := Open(folder)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part{m, folder})
		}
	}
	return complete(parts, say)
}

// Command is the word of the command whose shards they are.
func (parts Parts) Command() string {
	word, _, _ := strings.Cut(parts[0].Manifest.Command, " ")
	return word
}

// Merge writes into a folder the journal that one machine would have kept.
func (parts Parts) Merge(out string) error {
	return journal.Write(filepath.Join(out, journal.File), parts.interleave)
}

// complete checks that shards belong together, and returns one finished folder of each, in order.
func complete(parts []part, say func(string)) (Parts, error) {
	if len(parts) == 0 {
		return nil, errors.New("found no folder; allowed: folders of shards")
	}
	first := parts[0]
	chosen := make([]part, first.Of)
	for _, p := range parts {
		difference := p.differs(first.Manifest)
		switch {
		case difference != "":
		case p.Told != first.Told:
			difference = "scenario, seeds or settings"
		case p.Items != first.Items:
			difference = "count of results"
		}
		if difference != "" {
			return nil, fmt.Errorf("%s and %s do not belong together: found another %s; allowed: shards of one campaign", first.dir, p.dir, difference)
		}
		at := &chosen[p.Shard-1]
		switch {
		case at.Manifest == nil:
			*at = p
		case at.Finished() && p.Finished() && at.Journal != p.Journal:
			return nil, fmt.Errorf("shard %s: %w: %s", p.Part(), ErrDiffers, firstDifference(at.dir, p.dir))
		default:
			if p.Finished() && !at.Finished() {
				*at, p = p, *at
			}
			say(fmt.Sprintf("shard %s came twice: %s is taken, %s left", p.Part(), at.dir, p.dir))
		}
	}
	return chosen, whole(chosen, first)
}

// whole says which shards are missing or not finished, and what plays them; nil when none is.
func whole(chosen []part, first part) error {
	var gaps []string
	for i, p := range chosen {
		s := Shard{i + 1, first.Of}
		switch {
		case p.Manifest == nil:
			gaps = append(gaps, fmt.Sprintf("shard %s is missing; play it: ./simulate %s --shard %s --out %s", s, first.Command, s, filepath.Dir(first.dir)))
		case !p.Finished():
			gaps = append(gaps, fmt.Sprintf("shard %s in %s is not finished; continue it: ./simulate %s --shard %s --out %s", s, p.dir, first.Command, s, filepath.Dir(p.dir)))
		default:
			if found, err := journalHash(p.dir); err != nil {
				return err
			} else if found != p.Journal {
				return fmt.Errorf("%s: found a journal that was changed after the shard was finished; allowed: that of its %s, or play it again", p.dir, File)
			}
		}
	}
	if len(gaps) > 0 {
		return fmt.Errorf("%w\n  %s", ErrIncomplete, strings.Join(gaps, "\n  "))
	}
	return nil
}

// firstDifference names the first line in which the journals of two folders differ.
func firstDifference(a, b string) string {
	a, b = filepath.Join(a, journal.File), filepath.Join(b, journal.File)
	one, err1 := os.ReadFile(a)
	two, err2 := os.ReadFile(b)
	if err := cmp.Or(err1, err2); err != nil {
		return err.Error()
	}
	same := 0
	for same < min(len(one), len(two)) && one[same] == two[same] {
		same++
	}
	line := bytes.Count(one[:same], []byte("\n")) + 1
	return fmt.Sprintf("%s:%d and %s:%d", a, line, b, line)
}

// interleave writes the first line once, then the results of all shards in turn. It holds
// one line at a time, however many there are.
func (parts Parts) interleave(w io.Writer) error {
	readers := make([]*bufio.Reader, len(parts))
	for i, p := range parts {
		file, err := os.Open(filepath.Join(p.dir, journal.File))
		if err != nil {
			return err
		}
		defer file.Close()
		readers[i] = bufio.NewReader(file)
		head, err := readers[i].ReadBytes('\n')
		if err == nil && i == 0 {
			_, err = w.Write(head)
		}
		if err != nil {
			return err
		}
	}
	for item := range parts[0].Items {
		at := item % len(parts)
		line, err := readers[at].ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: found fewer results than its %s says: %w", filepath.Join(parts[at].dir, journal.File), File, err)
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	for i, p := range parts {
		if _, err := readers[i].ReadByte(); !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: found more results than items of its shard", filepath.Join(p.dir, journal.File))
		}
	}
	return nil
}

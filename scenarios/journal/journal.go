// Package journal keeps the results of a long command, so that an interrupted
// command can continue.
//
//	{"version":6,"command":"run","told":{…}}   what is to be played
//	{…}                                        one result
//	{…}                                        the next one
//
// A journal is append-only, one JSON object a line. When the process dies, at most
// the last line is torn: [Open] removes it. The package knows neither commands nor
// results. [Write] replaces any other file atomically.
package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// File is the name of a journal in its folder.
const File = "journal.jsonl"

// Version is the version of the format, which FORMATS.md describes. It changes
// when an older journal cannot be continued.
const Version = 6

// older lists the files that earlier versions of this program wrote instead.
var older = []string{"campaign.jsonl", "exploration.jsonl"}

// ErrNone is wrapped when a folder has no journal that can be continued.
var ErrNone = errors.New("no journal to continue")

type header struct {
	Version int    `json:"version"`
	Command string `json:"command"`
	Told    any    `json:"told"`
}

// Journal is an open journal. It is in a temporary file until it has a folder.
// Methods are not safe for concurrent use.
type Journal struct {
	file   *os.File
	dir    string // "" for a temporary file
	err    error  // of the first write that failed
	failed func() // is called then
}

// New begins the journal of a command in a temporary file. told is what the
// command was told: all that its results depend on. An error of this or any later
// write is returned by KeepIn and Close.
func New(command string, told any) *Journal {
	j := &Journal{}
	if j.file, j.err = os.CreateTemp("", "simulate-journal-"); j.err == nil {
		j.Add(header{Version, command, told})
	}
	return j
}

// Add appends a result.
func (j *Journal) Add(result any) {
	if j.err != nil {
		return
	}
	if j.err = json.NewEncoder(j.file).Encode(result); j.err != nil && j.failed != nil {
		j.failed()
	}
}

// OnFailure has stop called when a result cannot be written: what comes later is not kept, either.
func (j *Journal) OnFailure(stop func()) { j.failed = stop }

// KeepIn moves the journal from its temporary file into a folder, which is created.
// A journal that is there is replaced.
func (j *Journal) KeepIn(dir string) error {
	if j.err != nil {
		return j.err
	}
	return j.replace(dir, func(w io.Writer) error { _, err := io.Copy(w, j.content()); return err })
}

// replace goes on with a new text in a folder.
func (j *Journal) replace(dir string, write func(io.Writer) error) error {
	path := filepath.Join(dir, File)
	if err := Write(path, write); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	err = j.Close()
	j.file, j.dir = file, dir
	return err
}

// Dir is the folder of the journal; "" for a temporary file.
func (j *Journal) Dir() string { return j.dir }

// Close closes the journal, and removes it when it has no folder. It returns the
// first error of any write. A second call does nothing.
func (j *Journal) Close() error {
	if j.file == nil {
		return j.err
	}
	if j.dir == "" {
		j.err = errors.Join(j.err, j.file.Close(), os.Remove(j.file.Name()))
	} else {
		j.err = errors.Join(j.err, j.file.Sync(), j.file.Close())
	}
	j.file = nil
	return j.err
}

// Open opens the journal of a command in a folder, to continue it there, and
// decodes into told what the command was told. Errors of the content name the file and
// the line, and wrap ErrNone.
func Open(dir, command string, told any) (*Journal, error) {
	path := filepath.Join(dir, File)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing(dir)
	}
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file, dir: dir}
	first, size := []byte(nil), 0
	err = j.lines(func(number int, line []byte) error {
		if number == 1 {
			first = line
		}
		size += len(line)
		return nil
	})
	if err == nil {
		if err = decodeHeader(first, command, dir, told); err != nil {
			err = fmt.Errorf("%s:1: %w: %w", path, ErrNone, err)
		} else {
			err = file.Truncate(int64(size)) // without a torn line
		}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// decodeHeader reads the first line of a journal.
func decodeHeader(line []byte, command, dir string, told any) error {
	var raw json.RawMessage
	h := header{Told: &raw}
	if err := json.Unmarshal(line, &h); err != nil {
		return err
	}
	switch {
	case h.Version != Version:
		return fmt.Errorf("found version %d; allowed: %d, that of this program", h.Version, Version)
	case h.Command != command:
		return fmt.Errorf("found the journal of %q; allowed: that of %q, or: ./simulate %s --resume %s", h.Command, command, h.Command, dir)
	}
	return strict(raw, told)
}

// strict reads JSON in which no key is unknown.
func strict(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// missing is the error for a folder without a journal. It names the version of
// what an earlier program kept there.
func missing(dir string) error {
	for _, name := range older {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		var h header
		_ = json.NewDecoder(bytes.NewReader(text)).Decode(&h) // what cannot be read has version 0
		return fmt.Errorf("%s:1: %w: found version %d; allowed: %d in %s; begin again in another folder", filepath.Join(dir, name), ErrNone, h.Version, Version, File)
	}
	return fmt.Errorf("%s: %w: found no %s; allowed: the folder given to --out, or the one that the interrupted command printed", dir, ErrNone, File)
}

// Read calls take for every result in the journal, in order. An error of take comes
// back with the file and the line, and wraps ErrNone.
func Read[Result any](j *Journal, take func(Result) error) error {
	if j.err != nil {
		return j.err
	}
	return j.lines(func(number int, line []byte) error {
		if number == 1 {
			return nil
		}
		var r Result
		err := strict(line, &r)
		if err == nil {
			err = take(r)
		}
		if err != nil {
			err = fmt.Errorf("%s:%d: %w: %w", j.file.Name(), number, ErrNone, err)
		}
		return err
	})
}

// Settle sorts the results of a finished command by their numbers. Of several results with one number
// it keeps the last that was added, and it drops results with a negative number. Then the journal does
// not depend on interruptions, nor on the order in which runs ended. A journal without a folder stays
// as it is.
func Settle[Result any](j *Journal, number func(Result) int) error {
	type line struct {
		number     int
		from, size int64
	}
	var all []line
	at, first := int64(0), int64(0)
	if j.dir == "" || j.err != nil {
		return j.err
	}
	err := j.lines(func(n int, text []byte) error {
		var r Result
		if n == 1 {
			first = int64(len(text))
		} else if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("%s:%d: %w: %w", j.file.Name(), n, ErrNone, err)
		} else if number := number(r); number >= 0 {
			all = append(all, line{number, at, int64(len(text))})
		}
		at += int64(len(text))
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b line) int { return cmp.Compare(a.number, b.number) })
	return j.replace(j.dir, func(w io.Writer) error {
		if _, err := io.Copy(w, io.NewSectionReader(j.file, 0, first)); err != nil {
			return err
		}
		for i, l := range all {
			if i+1 < len(all) && all[i+1].number == l.number {
				continue
			}
			if _, err := io.Copy(w, io.NewSectionReader(j.file, l.from, l.size)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (j *Journal) content() io.Reader { return io.NewSectionReader(j.file, 0, math.MaxInt64) }

// lines reads all whole lines.
func (j *Journal) lines(read func(number int, line []byte) error) error {
	reader := bufio.NewReader(j.content())
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = read(number, line)
		}
		if err != nil {
			return err
		}
	}
}

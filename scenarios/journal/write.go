package journal

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write replaces a file atomically: a reader finds the old text or the new one,
// also after a crash. The folder is created. An error leaves the file unchanged. A
// device or a pipe is not replaced: it takes the text as it comes.
func Write(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	next := path + ".new"
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		next = path
	}
	file, err := os.Create(next)
	if err != nil {
		return err
	}
	text := bufio.NewWriter(file)
	if err = write(text); err == nil {
		err = text.Flush()
	}
	if next == path {
		return errors.Join(err, file.Close())
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return nil
}

// WriteFile is [Write] for a text in memory.
func WriteFile(path string, text []byte) error {
	return Write(path, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// WriteJSON is [Write] for a value as indented JSON.
func WriteJSON(path string, value any) error {
	text, err := Indented(value)
	if err != nil {
		return err
	}
	return WriteFile(path, text)
}

// Indented is a value as indented JSON.
func Indented(value any) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	return append(text, '\n'), err
}

// Hash is the SHA-256 of a file, in hexadecimal.
func Hash(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), err
}

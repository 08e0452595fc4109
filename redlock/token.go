package redlock

import (
	"encoding/hex"
	"fmt"
	"io"
)

// tokenBytes of randomness make tokens unique across clients and attempts for
// all practical purposes (assumption A-TOKEN).
const tokenBytes = 20

// newToken draws a fresh token in the caller's goroutine.
func newToken(random io.Reader) (string, error) {
	var raw [tokenBytes]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", fmt.Errorf("redlock: no randomness for a token: %w", err)
	}
	return hex.EncodeToString(raw[:]), nil
}

// digestOfToken is what logs may show of a token: enough to tell two apart, too
// little to release or extend with.
func digestOfToken(token string) string {
	const shown = 6
	if len(token) <= shown {
		return "…"
	}
	return token[:shown] + "…"
}

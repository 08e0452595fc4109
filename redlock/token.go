package redlock

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// tokenBytes is the length of a token in random bytes. It makes tokens unique across
// clients and attempts for all practical purposes (assumption A-TOKEN).
const tokenBytes = 20

func newToken(random io.Reader) (string, error) {
	var raw [tokenBytes]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", fmt.Errorf("redlock: reading randomness for a token: %w", err)
	}
	return hex.EncodeToString(raw[:]), nil
}

// withoutToken shortens the token, or the beginning of it, where a server repeats a command's
// arguments in an error, which may be cut.
func withoutToken(text, token string) string {
	prefix := strings.TrimSuffix(tokenPrefix(token), "…")
	before, after, found := strings.Cut(text, prefix)
	if prefix == "" || !found {
		return text
	}
	rest := token[len(prefix):]
	for rest != "" && after != "" && rest[0] == after[0] {
		rest, after = rest[1:], after[1:]
	}
	return before + prefix + "…" + withoutToken(after, token)
}

// tokenPrefix returns the part of a token that logs may show: enough to tell two tokens
// apart, too little to release or extend with.
func tokenPrefix(token string) string {
	const shown = 6
	if len(token) <= shown {
		return "…"
	}
	return token[:shown] + "…"
}

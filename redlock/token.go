package redlock

import (
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
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

// MaximumOwnerBytes is the longest text of [WithOwner].
const MaximumOwnerBytes = 64

// WithOwner writes beside the token who holds a lease and since when, for [Locker.Holder]: for
// example host and process id. The text is 1 to [MaximumOwnerBytes] bytes long. Everybody who
// may read the keys sees it. Since when is the wall clock's time just before the first send.
// The default is no owner.
func WithOwner(owner string) LockOption {
	return lockOption(func(s *lockSettings) error {
		s.owner = owner
		return between("WithOwner: bytes", len(owner), 1, MaximumOwnerBytes)
	})
}

// signed returns a token with the owner and the time. The token alone makes it unique.
func signed(token, owner string) string {
	if owner == "" {
		return token
	}
	return token + " " + strconv.FormatInt(time.Now().UnixMilli(), 10) + " " + owner
}

// ownerOf reads what signed wrote. It returns zero values for any other value.
func ownerOf(value string) (owner string, since time.Time) {
	fields := strings.SplitN(value, " ", 3)
	if len(fields) < 3 || len(fields[0]) != 2*tokenBytes {
		return "", time.Time{}
	}
	milliseconds, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return "", time.Time{}
	}
	return fields[2], time.UnixMilli(milliseconds)
}

package redlock

import (
	"strconv"
	"strings"
	"time"
)

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

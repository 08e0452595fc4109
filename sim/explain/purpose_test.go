package explain

import "testing"

func TestPurposes(t *testing.T) {
	for _, c := range []struct {
		command, key, operation string
		want                    purpose
	}{
		{"SET", "r", "acquire", ask},
		{"SET", "r", "", ask},
		{"SET", "r", "extend", renew}, // of a lock that extends with it
		{"SETNX", "r", "acquire", ask},
		{"GETSET", "r", "acquire", ask},
		{"acquire_fenced", "r", "acquire", ask},
		{"extend", "r", "extend", renew},
		{"PEXPIRE", "r", "", renew},
		{"release", "r", "acquire", give}, // clean-up after a failed attempt
		{"DEL", "r", "release", give},
		{"DELEX", "r", "", give},
		{"EVALSHA", "r", "release", give},
		{"EVALSHA", "r", "acquire", ask},
		{"EVALSHA", "r", "", other},
		{"GET", "r", "release", other}, // the look before a DEL is no release yet
		{"INCR", "r:fence", "acquire", other},
		{"fence", "r", "acquire", other},
		{"INFO", "", "acquire", inspect},
		{"HELLO", "", "", inspect},
		{"EXEC", "", "release", other},
	} {
		if got := purposeOf(c.command, c.key, c.operation); got != c.want {
			t.Errorf("%s of %q while in %q: purpose %d, want %d", c.command, c.key, c.operation, got, c.want)
		}
	}
}

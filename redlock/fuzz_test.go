package redlock

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Reading a raw reply in two pieces must not fail, and only the token itself may equal the
// token.
func FuzzReply(f *testing.F) {
	for _, seed := range []string{"$-1\r\n", "_\r\n", "$5\r\ntoken\r\n", ":1\r\n", ":-2\r\n", "+OK\r\n",
		"-NOSCRIPT No matching script\r\n", "$99\r\nx", "*1\r\n:1\r\n", "", "\r\n", "$5\r\n"} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, raw []byte, cut int) {
		cut = max(0, min(cut, len(raw)))
		var r reply
		if n, err := r.Write(raw[:cut]); n != cut || err != nil {
			t.Fatal(n, err)
		}
		if n, err := r.Write(raw[cut:]); n != len(raw)-cut || err != nil {
			t.Fatal(n, err)
		}
		r.parse()
		if r.is("token") {
			text := string(raw)
			if !strings.HasPrefix(text, "$5\r\ntoken") && !strings.HasPrefix(text, "+token") {
				t.Fatalf("%q was taken for the token", raw)
			}
		}
		if r.kind == replyInteger && !strings.HasPrefix(string(raw), ":") {
			t.Fatalf("%q was taken for an integer", raw)
		}
	})
}

// Any text up to the capacity is read as itself. A longer one is read as a text that equals
// no token.
func TestReplyReadsEveryText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.Byte(), 0, 2*replyCapacity).Draw(t, "text"))
		raw := fmt.Sprintf("$%d\r\n%s\r\n", len(text), text)
		cut := rapid.IntRange(0, len(raw)).Draw(t, "cut")
		var r reply
		_, _ = r.Write([]byte(raw[:cut]))
		_, _ = r.Write([]byte(raw[cut:]))
		r.parse()
		fits := strings.Index(raw, "\r\n")+2+len(text) <= replyCapacity
		if r.is(text) != (fits || text == "") {
			t.Fatalf("text of %d bytes: read as %q", len(text), r.text)
		}
	})
}

// Any INFO text is read or refused, and what is read was in the text.
func FuzzServerInfo(f *testing.F) {
	f.Add("# Server\r\nredis_version:8.4.1\r\nrun_id:abc\r\nuptime_in_seconds:12\r\n")
	f.Add("run_id:\nuptime_in_seconds:99999999999999999999")
	f.Add("uptime_in_seconds:-1\nrun_id:x")
	f.Fuzz(func(t *testing.T, info string) {
		seen, err := parseServerInfo(info)
		if err != nil {
			return
		}
		if !strings.Contains(info, "run_id:"+seen.runID) || seen.runID == "" || seen.uptime < 0 {
			t.Fatalf("%q was read as %+v", info, seen)
		}
	})
}

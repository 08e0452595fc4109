package resp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func encode(args []string) []byte {
	b := []byte("*" + strconv.Itoa(len(args)) + "\r\n")
	for _, a := range args {
		b = append(b, "$"+strconv.Itoa(len(a))+"\r\n"+a+"\r\n"...)
	}
	return b
}

// FuzzCut: what is cut off was there in this very form; a part of a
// command is never an error nor a command.
func FuzzCut(f *testing.F) {
	f.Add([]byte("*2\r\n$3\r\nGET\r\n$1\r\nr\r\n*1\r\n$4\r\nPING\r\n"), 7)
	f.Add([]byte("*1\r\n$99999999999999999999\r\nx\r\n"), 3)
	f.Add([]byte("*0\r\n"), 2)
	f.Add([]byte("*1\r\n$1\r\nabc"), 9)
	f.Add([]byte("*\r\n"), 1)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		args, size, err := Cut(b)
		Describe(b, func(s string) string { return s })
		if err != nil || size == 0 {
			if args != nil {
				t.Fatal("arguments of no command")
			}
			return
		}
		again, _, err := Cut(encode(args))
		if err != nil || !slices.Equal(args, again) {
			t.Fatalf("%q became %q, %v", args, again, err)
		}
		part := b[:max(0, min(cut, size-1))]
		if args, took, err := Cut(part); args != nil || took != 0 || err != nil {
			t.Fatalf("part %q: %q, %d, %v", part, args, took, err)
		}
	})
}

func TestCutRefuses(t *testing.T) {
	for _, text := range []string{
		"+OK\r\n", "*0\r\n", "*\r\n", "*x\r\n", "*1\rx", "*1\r\n:1\r\n", "*1\r\n$-1\r\n", "*1\r\n$1\r\nabc",
		"*1\r\n$9223372036854775800\r\n", "*99999999999999999999\r\n",
	} {
		if args, size, err := Cut([]byte(text)); err == nil {
			t.Errorf("%q: %q, %d; want an error", text, args, size)
		}
	}
}

// TestCutInParts: a stream cut at random places gives the same commands.
func TestCutInParts(t *testing.T) {
	word := rapid.OneOf(rapid.String(), rapid.Just("\r\n$1\r\n"))
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.SliceOfN(word, 1, 4), 1, 5).Draw(t, "commands")
		var stream, held []byte
		for _, args := range want {
			stream = append(stream, encode(args)...)
		}
		var got [][]string
		for len(stream) > 0 {
			n := rapid.IntRange(1, len(stream)).Draw(t, "part")
			held, stream = append(held, stream[:n]...), stream[n:]
			for {
				args, size, err := Cut(held)
				if err != nil {
					t.Fatal(err)
				}
				if size == 0 {
					break
				}
				got, held = append(got, args), held[size:]
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || len(got) != len(want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func TestDescribe(t *testing.T) {
	long := strings.Repeat("x", 40)
	for reply, want := range map[string]string{
		"+OK\r\n": "OK", ":-1\r\n": "-1", "$-1\r\n": "nil", "_\r\n": "nil", "*-1\r\n": "nil", "-ERR no\r\n": "ERR no",
		"$2\r\nab\r\n": "ab", "*2\r\n:1\r\n*1\r\n$1\r\na\r\n": "[1 [a]]",
		"$40\r\n" + long + "\r\n": "T", "$9\r\nab\r\n": "?", "": "?",
	} {
		got := Describe([]byte(reply), func(s string) string {
			if s == long {
				return "T"
			}
			return s
		})
		if got != want {
			t.Errorf("%q: %q, want %q", reply, got, want)
		}
	}
}

package words_test

import (
	"fmt"
	"testing"
	"time"

	"redlocklab/sim/words"
)

func ExampleListed() {
	fmt.Println(words.Listed(nil) + ".")
	fmt.Println(words.Listed([]string{"n1"}) + ".")
	fmt.Println(words.Listed([]string{"n1", "n2"}) + ".")
	fmt.Println(words.Listed([]string{"n1", "n2", "n3"}) + ".")
	// Output:
	// .
	// n1.
	// n1 and n2.
	// n1, n2 and n3.
}

func ExampleCounted() {
	fmt.Println(words.Counted(0, "vote"), words.Counted(1, "vote"), words.Counted(2, "vote"))
	// Output: 0 votes 1 vote 2 votes
}

func ExamplePlural() {
	for n := range 3 {
		fmt.Println(words.Cardinal(n), words.Plural(n, "reply is", "replies are"), "missing")
	}
	// Output:
	// no replies are missing
	// one reply is missing
	// two replies are missing
}

func ExampleInstant() {
	fmt.Println(words.Instant(1500 * time.Millisecond))
	// Output: 1.500 s
}

func ExampleRounded() {
	fmt.Println(words.Rounded("A held until t=1.2345678s, 350ns or 33.333333ms too long, and 1h5m0s in all"))
	// Output: A held until 1.235 s, 350 ns or 33.3 ms too long, and 3900 s in all
}

func TestPeriod(t *testing.T) {
	for _, test := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0 ns"},
		{999, "999 ns"},
		{1000, "1 µs"},
		{9994, "9.99 µs"},
		{9996, "10 µs"},
		{99960, "100 µs"},
		{87321 * time.Microsecond, "87.3 ms"},
		{-1500 * time.Millisecond, "-1.5 s"},
		{2 * time.Hour, "7200 s"},
	} {
		if got := words.Period(test.d); got != test.want {
			t.Errorf("Period(%d) = %q, want %q", test.d, got, test.want)
		}
	}
}

func TestCardinal(t *testing.T) {
	for n, want := range map[int]string{-1: "-1", 0: "no", 10: "ten", 11: "11"} {
		if got := words.Cardinal(n); got != want {
			t.Errorf("Cardinal(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestDecimal(t *testing.T) {
	for _, test := range []struct {
		v        float64
		decimals int
		want     string
	}{{1, 1, "1"}, {1.26, 1, "1.3"}, {10, 0, "10"}, {100.5, 3, "100.5"}, {-2.04, 1, "-2"}} {
		if got := words.Decimal(test.v, test.decimals); got != test.want {
			t.Errorf("%v with %d decimals: %s, want %s", test.v, test.decimals, got, test.want)
		}
	}
}

func ExampleVisibleLines() {
	fmt.Println(words.VisibleLines("n1 \x1b[31mred\nn2 \u202ebackwards"))
	// Output:
	// n1 \x1b[31mred
	// n2 \u202ebackwards
}

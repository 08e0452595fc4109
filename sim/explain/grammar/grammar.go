// Package grammar puts numbers and lists of names into a sentence.
package grammar

import (
	"strconv"
	"strings"
)

// List joins names as in a sentence: "n1, n2 and n3".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Plural returns the form of a verb or noun for n things.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

var smallNumbers = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

// InWords writes a number up to ten in letters.
func InWords(n int) string {
	if n >= 0 && n < len(smallNumbers) {
		return smallNumbers[n]
	}
	return strconv.Itoa(n)
}

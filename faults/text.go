package faults

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"redlocklab/sim/random"
)

// Span is a duration or a range of durations, both ends possible; a fixed one
// has Low == High. Its text is "5ms" or "1ms..5ms".
type Span struct {
	Low  time.Duration `json:"low_ns"`
	High time.Duration `json:"high_ns"`
}

// ParseSpan reads "5ms" or "1ms..5ms". A negative duration is an error, and so is
// a range that ends below its beginning.
func ParseSpan(text string) (Span, error) {
	low, high, isRange := strings.Cut(text, "..")
	if !isRange {
		high = low
	}
	from, err := ParseDuration(low)
	to, err2 := ParseDuration(high)
	switch {
	case err != nil || err2 != nil:
		return Span{}, fmt.Errorf("found %q; allowed: a duration like 20ms or a range like 1ms..5ms", text)
	case from < 0:
		return Span{}, fmt.Errorf("found %q; allowed: no negative durations", text)
	case to < from:
		return Span{}, fmt.Errorf("found %q; allowed: a range whose end is not below its beginning", text)
	}
	return Span{from, to}, nil
}

// String is the inverse of ParseSpan.
func (s Span) String() string {
	if s.Low == s.High {
		return s.Low.String()
	}
	return s.Low.String() + ".." + s.High.String()
}

// draw maps a random value to a duration in the span.
func (s Span) draw(drawn uint64) time.Duration { return random.Between(drawn, s.Low, s.High) }

// ParseDuration reads a Go duration with its unit. Blanks around it are allowed.
func ParseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil {
		return 0, fmt.Errorf("found %q; allowed: a duration with its unit, like 20ms, 1.5s or 2m%s", text, UnitHint(text))
	}
	return d, nil
}

// UnitHint ends a message about a duration that is a number without its unit: "; 10s?".
func UnitHint(text string) string {
	if _, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
		return ""
	}
	return "; " + strings.TrimSpace(text) + "s?"
}

var percentForm = regexp.MustCompile(`^([0-9]{1,3})(?:\.([0-9]{1,4}))?%$`)

// ParsePercent reads "2.5%" as parts per million, exactly.
func ParsePercent(text string) (ppm int64, err error) {
	if m := percentForm.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		ppm, err = strconv.ParseInt(m[1]+(m[2] + "0000")[:4], 10, 64)
		if err == nil && ppm <= 1_000_000 {
			return ppm, nil
		}
	}
	return 0, fmt.Errorf("found %q; allowed: a percentage from 0%% to 100%% with at most four decimals, like 2.5%%", text)
}

// FormatPercent is the inverse of ParsePercent.
func FormatPercent(ppm int64) string {
	text := fmt.Sprintf("%d.%04d", ppm/10_000, ppm%10_000)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}

// Allowed ends a message about a word that is not allowed: it lists those that
// are, and names the nearest when the word looks like a slip of it.
func Allowed(found string, words []string) string {
	if len(words) == 0 {
		return "allowed: nothing"
	}
	text := "allowed: " + strings.Join(words, ", ")
	best, distance := "", len(found)/2+1
	for _, w := range words {
		if d := editDistance(strings.ToLower(found), strings.ToLower(w)); d < distance {
			best, distance = w, d
		}
	}
	if best == "" || len(words) == 1 {
		return text
	}
	return text + "; nearest: " + best
}

// editDistance is Levenshtein's, over bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

var (
	nameForm      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`) // of a client, a node or a resource
	faultNameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.'-]*( [A-Za-z0-9_.'-]+)*$`)
)

// isNodeName reports whether s has the form of a node's name: n1, n2, …
func isNodeName(s string) bool {
	digits, found := strings.CutPrefix(s, "n")
	return found && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// isClientName reports whether s can be the name of a client.
func isClientName(s string) bool {
	return nameForm.MatchString(s) && !isNodeName(s) && s != All && s != anyone
}

// CheckClientName says what is wrong with a client's name; nil when nothing is.
func CheckClientName(name string) error {
	if !isClientName(name) {
		return fmt.Errorf("found %q; allowed: a letter followed by letters, digits, _ or -, but not all, any, or the form of a node (n1)", name)
	}
	return nil
}

// checkName says what is wrong with a fault's name.
func checkName(name string) error {
	if !faultNameForm.MatchString(name) {
		return fmt.Errorf("found %q; allowed for a fault's name: a letter, then letters, digits, single blanks and _ . ' -", name)
	}
	return nil
}

package faults

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Span is a duration or a range of durations, both ends possible; a fixed one
// has Low == High. Its text is "5ms" or "1ms..5ms".
type Span struct {
	Low  time.Duration `json:"low_ns"`
	High time.Duration `json:"high_ns"`
}

// ParseSpan reads "5ms" or "1ms..5ms". Negative durations and ranges that end
// before they begin are errors.
func ParseSpan(text string) (Span, error) {
	low, high, isRange := strings.Cut(text, "..")
	first, err := ParseDuration(low)
	if err != nil {
		return Span{}, fmt.Errorf("found %q; allowed: a duration like 20ms or a range like 1ms..5ms", text)
	}
	span := Span{Low: first, High: first}
	if isRange {
		if span.High, err = ParseDuration(high); err != nil {
			return Span{}, fmt.Errorf("found %q; allowed: a duration like 20ms or a range like 1ms..5ms", text)
		}
	}
	if span.Low < 0 {
		return Span{}, fmt.Errorf("found %q; allowed: no negative durations", text)
	}
	if span.High < span.Low {
		return Span{}, fmt.Errorf("found %q; allowed: a range whose end is not below its beginning", text)
	}
	return span, nil
}

// String is the inverse of ParseSpan.
func (s Span) String() string {
	if s.Low == s.High {
		return s.Low.String()
	}
	return s.Low.String() + ".." + s.High.String()
}

// ParseDuration reads a Go duration with its unit, blanks around it allowed.
func ParseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil {
		return 0, fmt.Errorf("found %q; allowed: a duration with its unit, like 20ms, 1.5s or 2m", text)
	}
	return d, nil
}

// percentRange is what a probability may be.
const percentRange = "a percentage from 0% to 100% with at most four decimals, like 2.5%"

// ParsePercent reads "2.5%" as parts per million, exactly.
func ParsePercent(text string) (ppm int64, err error) {
	number, isPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	whole, decimals, _ := strings.Cut(number, ".")
	if !isPercent || !allDigits(whole) || len(whole) > 3 || len(decimals) > 4 ||
		decimals != "" && !allDigits(decimals) || strings.HasSuffix(number, ".") {
		return 0, fmt.Errorf("found %q; allowed: %s", text, percentRange)
	}
	ppm, err = strconv.ParseInt(whole+(decimals + "0000")[:4], 10, 64)
	if err != nil || ppm > 1_000_000 {
		return 0, fmt.Errorf("found %q; allowed: %s", text, percentRange)
	}
	return ppm, nil
}

// FormatPercent is the inverse of ParsePercent.
func FormatPercent(ppm int64) string {
	text := fmt.Sprintf("%d.%04d", ppm/10_000, ppm%10_000)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// Allowed ends a message about a word that is none of the allowed ones: it lists
// them, and names the nearest when the word looks like a slip of it.
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

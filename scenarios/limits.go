package scenarios

import "time"

// longest keeps sums of times far from overflow.
const longest = 10_000 * time.Hour

// Bounds of what a file may say, and of what a plan that was edited may.
const (
	million          = 1_000_000 // of whatever is counted: seeds, rounds, tries, extensions
	mostRateError    = 500_000   // ppm
	mostEvents       = 1_000_000_000
	leastTTL         = time.Millisecond
	leastNodeTimeout = time.Microsecond
)

// MostNodes bounds how many nodes a scenario has.
const MostNodes = 15

// MostIncarnations bounds how many lives a client has.
const MostIncarnations = 100

package plan

import "time"

// Longest bounds all times. It keeps sums of times far from overflow.
const Longest = 10_000 * time.Hour

// Bounds of what a file may say, and of what a plan that was edited may.
const (
	Million          = 1_000_000 // of whatever is counted: seeds, rounds, tries, extensions
	MostRateError    = 500_000   // ppm
	MostEvents       = 1_000_000_000
	LeastTTL         = time.Millisecond
	LeastNodeTimeout = time.Microsecond
)

// MostNodes bounds how many nodes a scenario has.
const MostNodes = 15

// MostIncarnations bounds how many lives a client has.
const MostIncarnations = 100

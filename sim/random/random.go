// Package random draws by identity: a value depends on a seed, a stream and an index, never
// on earlier draws.
package random

import "time"

// Value returns the value with this identity. It is the only source of randomness
// of a world. The same seed, stream and index give the same value on any machine
// and in any order of calls, so racing goroutines do not change each other's
// values. The mixer is that of SplitMix64 (Steele, Lea, Flood 2014).
func Value(seed uint64, stream string, index uint64) uint64 {
	return Draw(Stream(seed, stream), index)
}

// Stream returns the part of a value's identity that all values of a stream share.
func Stream(seed uint64, stream string) uint64 { return Mix(seed ^ hashString(stream)) }

// Draw returns the value with an index in a stream.
func Draw(base, index uint64) uint64 { return Mix(base ^ index*0x9e3779b97f4a7c15) }

// hashString is 64-bit FNV-1a.
func hashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// Mix is the mixer alone: another value of the same identity.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Between maps a random value to a duration in [low, high].
func Between(random uint64, low, high time.Duration) time.Duration {
	if high <= low {
		return low
	}
	return low + time.Duration(random%uint64(high-low+1))
}

// Chance reports whether an event of the given probability, in parts per
// million, happens under this random value.
func Chance(random uint64, ppm int64) bool {
	return int64(random%1_000_000) < ppm
}

// Reader is an io.Reader of the bytes of a stream. Processes get it in place
// of crypto/rand. It is not safe for concurrent use.
type Reader struct {
	seed   uint64
	stream string
	index  uint64
}

// NewReader returns a reader at the first byte of a stream.
func NewReader(seed uint64, stream string) *Reader {
	return &Reader{seed: seed, stream: stream}
}

// Read fills b. It never fails.
func (r *Reader) Read(b []byte) (int, error) {
	var word uint64
	for i := range b {
		if i%8 == 0 {
			word = Value(r.seed, r.stream, r.index)
			r.index++
		}
		b[i] = byte(word)
		word >>= 8
	}
	return len(b), nil
}

package atlas_test

import (
	"math"
	"testing"

	"redlocklab/scenarios/atlas"
)

// binomial is the probability of k successes in n.
func binomial(n, k int, p float64) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log(1-p))
}

// The interval of a share holds the true probability in about 95 of 100 atlass,
// computed over all that a atlas could show. A plain normal interval would fail
// here: at p = 0.02 and n = 50 it covers 63 of 100.
func TestShareCoversTheTruth(t *testing.T) {
	for _, n := range []int{20, 50, 400} {
		sum, count := 0.0, 0
		for p := 0.02; p < 0.99; p += 0.02 {
			covered := 0.0
			for k := range n + 1 {
				if s := atlas.NewShare(k, n); s.Low <= p && p <= s.High {
					covered += binomial(n, k, p)
				}
			}
			if covered < 0.86 {
				t.Errorf("n %d, p %.2f: covered in %.3f", n, p, covered)
			}
			sum, count = sum+covered, count+1
		}
		if mean := sum / float64(count); mean < 0.94 || mean > 0.97 {
			t.Errorf("n %d: covered in %.3f on average, want 0.95", n, mean)
		}
	}
}

func TestShareOfNothingSaysNothing(t *testing.T) {
	if s := atlas.NewShare(0, 0); s.Low != 0 || s.High != 1 || s.Value() != 0 {
		t.Errorf("%+v", s)
	}
	// Wilson's own numbers for 0 and 5 of 10.
	for count, want := range map[int][2]float64{0: {0, 0.2775}, 5: {0.2366, 0.7634}, 10: {0.7225, 1}} {
		s := atlas.NewShare(count, 10)
		if math.Abs(s.Low-want[0]) > 1e-4 || math.Abs(s.High-want[1]) > 1e-4 {
			t.Errorf("%d of 10: %.4f to %.4f, want %v", count, s.Low, s.High, want)
		}
	}
}

// The interval of a median holds the true one with a probability that is known
// for every distribution: that of the count of values below it.
func TestSpreadCoversTheMedian(t *testing.T) {
	for n := 6; n <= 200; n++ {
		values := make([]int64, n)
		for i := range values {
			values[i] = int64((i*7919)%n) + 1 // 1 to n, mixed
		}
		s := atlas.NewSpread(values)
		if s.Runs != n || n%7919 != 0 && (s.Min != 1 || s.Max != int64(n)) {
			t.Fatalf("n %d: %+v", n, s)
		}
		covered := 0.0 // the median lies between ranks Low and High when Low to High−1 values are below it
		for below := s.Low; below < s.High; below++ {
			covered += binomial(n, int(below), 0.5)
		}
		if covered < 0.95 || n > 20 && covered > 0.99 {
			t.Errorf("n %d: ranks %d to %d cover the median in %.3f", n, s.Low, s.High, covered)
		}
		if s.Median < s.Low || s.Median > s.High {
			t.Errorf("n %d: median %d outside of %d to %d", n, s.Median, s.Low, s.High)
		}
	}
	if atlas.NewSpread(nil) != nil {
		t.Error("the spread of nothing is something")
	}
}

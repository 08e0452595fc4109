package sim

import (
	"math"
	"time"

	"redlocklab/sim/random"
)

// link draws the latencies and losses of one direction between a process and a node.
type link struct {
	latency Latency
	lossPPM int64
	base    uint64 // of the stream that the link's random values come from
	index   uint64 // of the next message
}

type linkKey struct {
	process, node string
	direction     Direction
}

func newLink(seed uint64, network *NetworkConfig, key linkKey) *link {
	stream := "link/" + key.process + "/" + key.node + "/" + string(key.direction)
	l := &link{latency: network.Latency, lossPPM: network.LossPPM, base: random.Stream(seed, stream)}
	for _, c := range network.Links {
		if (c.Process == "" || c.Process == key.process) && (c.Node == "" || c.Node == key.node) && (c.Direction == "" || c.Direction == key.direction) {
			l.latency, l.lossPPM = c.Latency, c.LossPPM
			break
		}
	}
	return l
}

// next draws the latency of the link's next message, and whether it is lost.
func (l *link) next() (latency time.Duration, lost bool) {
	drawn := random.Draw(l.base, l.index)
	l.index++
	lost = l.lossPPM > 0 && random.Chance(random.Mix(drawn), l.lossPPM)
	if l.latency.Shape == "exponential" {
		u := float64(drawn>>11+1) / (1 << 53)
		mean := float64(l.latency.Max-l.latency.Min) / 4
		return min(l.latency.Min+time.Duration(-math.Log(u)*mean), l.latency.Max), lost
	}
	return random.Between(drawn, l.latency.Min, l.latency.Max), lost
}

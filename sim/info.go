package sim

import (
	"fmt"
	"strconv"
	"time"
)

// info returns the answer to INFO server, which miniredis lacks. As in Redis, the
// uptime comes from the wall clock: a step of the clock changes it.
func (n *Node) info() string {
	uptime := seconds(n.clock.Read(n.world.now)) - seconds(n.started)
	return "# Server\r\nredis_version:7.4.0\r\nredis_mode:standalone\r\nrun_id:" + n.runID() +
		"\r\nuptime_in_seconds:" + strconv.FormatInt(uptime, 10) + "\r\n"
}

// runID returns the run id of this life of the server.
func (n *Node) runID() string {
	stream := "run id/" + n.Name
	return fmt.Sprintf("%016x%016x%08x",
		n.world.Random(stream, uint64(n.life)*3), n.world.Random(stream, uint64(n.life)*3+1), uint32(n.world.Random(stream, uint64(n.life)*3+2)))
}

// seconds returns a reading in whole seconds, rounded down, as Redis keeps it. An
// uptime, the difference of two, may be almost a second too long.
func seconds(reading time.Duration) int64 {
	return epoch.Add(reading).Unix()
}

package live

import (
	"encoding/json"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// The ground and a client's process talk in JSON lines over the process' standard
// input and output. The client asks and the ground answers, but for the first two
// lines, which say what to play, and when to begin.

// order is a line to a client.
type order struct {
	// The first line: which client of which plan, and where its nodes are.
	Plan      *plan.Plan `json:"plan,omitempty"`
	Client    string     `json:"client,omitempty"`
	Addresses []string   `json:"addresses,omitempty"`
	// The second: begin, with true time counted from this reading of the machine's clock.
	Origin time.Duration `json:"origin_ns,omitempty"`
	// The answer to the question of that number, from 1.
	Answers int                        `json:"answers,omitempty"`
	Numbers play.Numbers               `json:"numbers,omitzero"`
	Results map[checker.Register]int64 `json:"results,omitempty"`
}

// line is a line of a client: one of its fields is set.
type line struct {
	Ready  bool        `json:"ready,omitempty"`
	Notes  *play.Notes `json:"notes,omitempty"`
	Asks   int         `json:"asks,omitempty"` // number of the question in one of the two below
	Event  *sim.Event  `json:"event,omitempty"`
	Access *access     `json:"access,omitempty"`
	Error  string      `json:"error,omitempty"` // it cannot play
}

// access is a request to the protected resource.
type access struct {
	There   time.Duration `json:"there_ns"`
	Back    time.Duration `json:"back_ns"`
	Request play.Request  `json:"request"`
}

// writeLine writes one line in one piece.
func writeLine(w interface{ Write([]byte) (int, error) }, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

package live

import (
	"encoding/json"
	"io"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// The cluster and a client's process exchange JSON lines over the process' standard
// input and output. After the first two instructions, what to play and when to
// begin, the process asks and the cluster answers.

// instruction is a line to a client's process.
type instruction struct {
	// The first line: which client of which plan, and where the plan's nodes are.
	Plan      *plan.Plan `json:"plan,omitempty"`
	Client    string     `json:"client,omitempty"`
	Addresses []string   `json:"addresses,omitempty"`
	// The second: begin. True time counts from this reading of the machine's clock.
	Origin time.Duration `json:"origin_ns,omitempty"`
	// The others: the answer to the question of that number, from 1.
	Answers int                        `json:"answers,omitempty"`
	Numbers play.Numbers               `json:"numbers,omitzero"`
	Results map[checker.Register]int64 `json:"results,omitempty"`
}

// report is a line from a client's process. One of its fields is set, and Question
// beside Event and Access, which wait for an answer.
type report struct {
	Ready    bool        `json:"ready,omitempty"`
	Notes    *play.Notes `json:"notes,omitempty"`
	Question int         `json:"question,omitempty"`
	Event    *sim.Event  `json:"event,omitempty"`
	Access   *access     `json:"access,omitempty"`
	Error    string      `json:"error,omitempty"` // why it cannot play
}

// access is a request to the protected resource.
type access struct {
	There   time.Duration `json:"there_ns"`
	Back    time.Duration `json:"back_ns"`
	Request play.Request  `json:"request"`
}

// writeLine writes one line in one piece.
func writeLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

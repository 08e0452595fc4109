package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"redlocklab/faults"
	"redlocklab/sim"
	"redlocklab/sim/random"
)

// PlanVersion is the version of the plan's format, which FORMATS.md describes. Readers
// reject every other.
const PlanVersion = 2

// Plan is everything that a run depends on, as plain data. It can be played without the
// scenario file that it was made from. It includes what is expected.
type Plan struct {
	Version  int             `json:"version"`
	Scenario string          `json:"scenario"`
	Claim    string          `json:"claim"`
	Title    string          `json:"title"`
	Subject  Subject         `json:"subject"`
	Seed     uint64          `json:"seed"`
	Lock     Lock            `json:"lock"`
	Clients  []Client        `json:"clients"`
	Faults   faults.Schedule `json:"faults,omitempty"`
	Liveness []Goal          `json:"liveness,omitempty"`
	Stock    int64           `json:"stock,omitempty"` // the value that the protected registers begin with
	World    sim.Config      `json:"world"`
}

// drain is how long a run goes on after its last client is done, so that the messages
// that are under way arrive.
const drain = 2 * time.Second

// nodeAge is how long the servers have been up when a run begins: longer than any restart
// guard demands.
const nodeAge = 30 * 24 * time.Hour

// Plan makes the plan of one run of a row, by its title: "SY-10 guarded".
func (s *Scenario) Plan(title string, seed uint64) (*Plan, error) {
	if row := s.Row(title); row != nil {
		return s.PlanOf(*row, seed), nil
	}
	titles := strings.Join(Texts(s.Subjects, Subject.Title), ", ")
	return nil, fmt.Errorf("scenario %s has no subject %q; allowed: %s", s.Name, title, titles)
}

// Row is the row with a title; nil when there is none.
func (s *Scenario) Row(title string) *Subject {
	i := slices.IndexFunc(s.Subjects, func(row Subject) bool { return row.Title() == title })
	if i < 0 {
		return nil
	}
	return &s.Subjects[i]
}

// With is the scenario with one row more.
func (s *Scenario) With(row Subject) *Scenario {
	with := *s
	with.Subjects = append(slices.Clone(s.Subjects), row)
	return &with
}

// PlanOf makes the plan of one run of any subject.
func (s *Scenario) PlanOf(subject Subject, seed uint64) *Plan {
	p := &Plan{
		Version: PlanVersion, Scenario: s.Name, Claim: s.Claim, Title: s.Title, Subject: subject, Seed: seed,
		Lock: s.Lock, Clients: s.Clients, Liveness: s.Liveness, Stock: s.Stock,
		World: sim.Config{
			Seed:    seed,
			Network: s.network(),
			Bounds:  sim.Bounds{Events: s.Bounds.Events, Virtual: s.Bounds.Virtual, Bytes: s.Bounds.Bytes},
			Drain:   drain,
		},
	}
	if p.Lock.RESP == 2 {
		p.Lock.RESP = 0 // as in plans that are older than the field
	}
	draw := func(stream string, index uint64) uint64 { return random.Value(seed, stream, index) }
	p.Faults = s.Faults.Select(s.Nodes.Names(), draw)
	for _, name := range s.Nodes.Names() {
		p.World.Nodes = append(p.World.Nodes, sim.NodeConfig{
			Name: name, Persistence: s.Nodes.Persistence, SnapshotEvery: time.Minute, Age: nodeAge,
			Offset: s.wallOffset(seed, name),
		})
	}
	for i, n := range p.World.Nodes {
		if one := s.Nodes.OneServer; len(one) > 0 && n.Name != one[0] && slices.Contains(one, n.Name) {
			p.World.Nodes[i] = sim.NodeConfig{Name: n.Name, SameAs: one[0]}
		}
	}
	for _, c := range s.Clients {
		p.World.Processes = append(p.World.Processes, sim.ProcessConfig{
			Name:           c.Name,
			WallOffset:     s.wallOffset(seed, "clients") + c.Ahead,
			BoottimeOffset: random.Between(random.Value(seed, "offset/"+c.Name, 1), 0, time.Hour),
		})
	}
	return p
}

// wallOffset draws by how much a wall clock is ahead of true time when a run begins: by less
// than the scenario's bound.
func (s *Scenario) wallOffset(seed uint64, who string) time.Duration {
	return random.Between(random.Value(seed, "offset/"+who, 0), 0, time.Minute) % max(s.Lock.WallError, 1)
}

func (s *Scenario) network() sim.NetworkConfig {
	network := sim.NetworkConfig{Latency: latency(s.Network.Latency), LossPPM: s.Network.LossPPM}
	clients := func(name string) bool {
		return slices.ContainsFunc(s.Clients, func(c Client) bool { return c.Name == name })
	}
	for _, l := range s.PlainLinks() {
		c := sim.LinkConfig{
			Latency: latency(l.Latency), LossPPM: l.LossPPM, Direction: sim.ToNode, Process: l.From, Node: l.To,
		}
		if clients(l.To) || slices.Contains(s.Nodes.Names(), l.From) {
			c.Direction, c.Process, c.Node = sim.ToProcess, l.To, l.From
		}
		if c.Process == faults.All {
			c.Process = ""
		}
		if c.Node == faults.All {
			c.Node = ""
		}
		network.Links = append(network.Links, c)
	}
	return network
}

func latency(s Span) sim.Latency { return sim.Latency{Min: s.Low, Max: s.High} }

// Encode writes the plan as indented JSON, always the same bytes for one plan.
func (p *Plan) Encode() ([]byte, error) {
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("plan of %s: %w", p.Scenario, err)
	}
	return append(b, '\n'), nil
}

// Hash is the plan's identity: the SHA-256 of its compact JSON.
func (p *Plan) Hash() string {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // a plan holds nothing that JSON cannot carry
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// LoadPlan reads a plan from a file. Unknown fields and other versions are errors.
func LoadPlan(path string) (*Plan, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := DecodePlan(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// DecodePlan reads a plan from its JSON and checks it. A plan of another version is
// reported as such, not by its fields.
func DecodePlan(b []byte) (*Plan, error) {
	var header struct {
		Version int `json:"version"`
	}
	if json.Unmarshal(b, &header) == nil && header.Version != PlanVersion {
		return nil, fmt.Errorf("found a plan of version %d; allowed: %d, the version of this program; the scenario makes the run anew: ./simulate run NAME --seed N --out DIR", header.Version, PlanVersion)
	}
	p := &Plan{}
	if err := DecodeStrict(b, p); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}

// DecodeStrict reads a JSON value in which no field is unknown. Its errors name the line,
// where that is known.
func DecodeStrict(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil {
		return nil
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("line %d: the file was cut short here; allowed: the whole file, as it was written",
			1+bytes.Count(text, []byte("\n")))
	}
	offset := -1
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	name, unknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	switch {
	case errors.As(err, &syntax):
		offset = int(syntax.Offset)
	case errors.As(err, &mismatch):
		offset = int(mismatch.Offset)
	case unknown: // such an error has no offset
		offset = bytes.Index(text, []byte(name))
	}
	if offset < 0 {
		return err
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:min(offset, len(text))], []byte("\n")), err)
}

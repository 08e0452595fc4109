package checker

import (
	"iter"
)

// Version is the version of the history format that this package reads and
// writes. The reader refuses all other versions.
const Version = 1

// Kind is the first field of every line. It says which record the line holds.
type Kind string

// The kinds of records, in the order in which Write writes them.
const (
	KindHeader    Kind = "header"
	KindOperation Kind = "op"
	KindLease     Kind = "lease"
	KindNode      Kind = "node"
	KindAccess    Kind = "access"
	KindFact      Kind = "fact"
	KindGoal      Kind = "goal"
)

// History is the record of one run. Every list may be empty. The order inside a
// list carries no meaning: the times of the records do.
type History struct {
	Header     Header
	Operations []Operation
	Leases     []Lease
	NodeEvents []NodeEvent
	Accesses   []Access
	Facts      []Fact
	Goals      []Goal
}

// Head is what every record begins with. A producer may leave it empty: Write fills in the kind,
// and Read the number of the line, from 1.
type Head struct {
	Kind Kind `json:"kind"`
	Line int  `json:"-"`
}

func (head *Head) head() *Head { return head }

// record is one line of a history.
type record interface {
	head() *Head
	name() string // for problems
	validate() error
}

// recordOf is a pointer to a record of one kind.
type recordOf[T any] interface {
	*T
	record
}

// each goes through pointers to the entries of a list.
func each[T any](list []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// Lease returns the lease with an id; nil when there is none.
func (history *History) Lease(id string) *Lease {
	return find(history.Leases, func(lease *Lease) bool { return lease.ID == id })
}

// Goal returns the goal with an id; nil when there is none.
func (history *History) Goal(id string) *Goal {
	return find(history.Goals, func(goal *Goal) bool { return goal.ID == id })
}

// find returns the first record that fits; nil when there is none.
func find[T any](records []T, fits func(*T) bool) *T {
	for record := range each(records) {
		if fits(record) {
			return record
		}
	}
	return nil
}

// At returns a pointer to a value, for fields that may be absent.
func At(value int64) *int64 { return &value }

// Clock names one of a process's clocks.
type Clock string

// The clocks of a process. ClockNone means that the lock reads no clock.
// ClockTrue means that it reads true time, which cannot err.
const (
	ClockWall      Clock = "wall"
	ClockMonotonic Clock = "monotonic" // stops while the host is suspended
	ClockBoottime  Clock = "boottime"  // counts suspension
	ClockNone      Clock = "none"
	ClockTrue      Clock = "true"
)

// ValiditySource says who determined the end of a lease's validity.
type ValiditySource string

// The sources of the end of validity. ValidityReported: the lock reports it.
// ValidityLaboratory: the lock reports none, and whoever recorded the history
// took the call of the acquisition + TTL, on the client's clock.
const (
	ValidityReported   ValiditySource = "reported"
	ValidityLaboratory ValiditySource = "laboratory"
)

// Header describes the run as a whole. It is the first line of a file.
type Header struct {
	Head
	Version int    `json:"version"`
	Name    string `json:"name"`
	// EndNS is when the run ended. An unmet goal whose deadline lies later is
	// inconclusive.
	EndNS int64 `json:"end_ns"`
	// ClientsDone says that every client has ended: nobody would have called later. An unmet
	// goal whose last call failed is then violated, also if its deadline lies later.
	ClientsDone bool `json:"clients_done,omitempty"`
	// TTLNS is the largest TTL that any client asked for.
	TTLNS int64 `json:"ttl_ns"`
	// RateErrorPPM is the clock error ρ that A-RATE allows, in parts per million.
	// Zero allows no error. See DefaultRateErrorPPM.
	RateErrorPPM int64 `json:"rate_error_ppm"`
	// WallErrorNS is how far wall clocks may differ by A-WALL, in nanoseconds.
	WallErrorNS int64    `json:"wall_error_ns,omitempty"`
	Clients     []Client `json:"clients"`
	Nodes       []string `json:"nodes"`
	// Quorum is how many nodes must agree.
	Quorum int `json:"quorum"`
	// Registers lists the protected registers that do not start at zero.
	Registers []RegisterStart `json:"registers,omitempty"`
}

// DefaultRateErrorPPM is the customary clock error that A-RATE allows.
const DefaultRateErrorPPM = 4500

// Client is one process that uses the lock.
type Client struct {
	Name string `json:"name"`
	// Subject names the lock under test, for readers only.
	Subject string `json:"subject,omitempty"`
	// Clock is the clock that the client's validity is measured on.
	Clock    Clock          `json:"clock"`
	Validity ValiditySource `json:"validity"`
	// ReleaseConfirms says that an "ok" of release means that the client still
	// owned the lock. Otherwise "ok" only means that the call is done.
	ReleaseConfirms bool `json:"release_confirms,omitempty"`
}

// RegisterStart is the value of a protected register before the run.
type RegisterStart struct {
	Resource string   `json:"resource"`
	Register Register `json:"register"`
	Value    int64    `json:"value"`
}

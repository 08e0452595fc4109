package play

import "time"

// Notes are what a client has noted of its run so far: what its part of the
// history is made of. A real process sends them to the laboratory.
type Notes struct {
	Operations []OperationNote `json:"operations,omitempty"` // all of them, or none when they have not changed
	Leases     []LeaseNote     `json:"leases,omitempty"`     // by id; one that is known already replaces it
}

// OperationNote is one call.
type OperationNote struct {
	Name     string        `json:"name"`
	Resource string        `json:"resource"`
	Lease    string        `json:"lease,omitempty"`
	Call     time.Duration `json:"call_ns"`
	Returned time.Duration `json:"returned_ns"` // -1: it has not
	Failure  string        `json:"failure,omitempty"`
	Token    string        `json:"token,omitempty"` // of a failed acquisition
}

// LeaseNote is one lease.
type LeaseNote struct {
	ID         string         `json:"id"`
	Resource   string         `json:"resource"`
	Token      string         `json:"token,omitempty"`
	Fence      uint64         `json:"fence,omitempty"`
	Operation  int            `json:"operation"` // number of the acquisition, from 0
	Reported   bool           `json:"reported,omitempty"`
	Validity   []ValidityNote `json:"validity"`
	ReleasedAt time.Duration  `json:"released_ns"` // -1: it was not
}

// ValidityNote says what end the client knew from At on, on its clock.
type ValidityNote struct {
	At      time.Duration `json:"at_ns"`
	Reading time.Duration `json:"reading_ns"`
}

// notes are all that the client has noted. Only its own goroutine calls it.
func (c *client) notes() Notes {
	var n Notes
	for _, o := range c.operations {
		n.Operations = append(n.Operations, OperationNote{o.name, o.resource, o.lease, o.call, o.returned, o.failure, o.token})
	}
	for _, l := range c.leases {
		n.Leases = append(n.Leases, l.note())
	}
	return n
}

func (l *lease) note() LeaseNote {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := LeaseNote{
		ID: l.id, Resource: l.resource, Token: l.token, Fence: l.fence, Operation: l.operation,
		Reported: l.reported, ReleasedAt: l.releasedAt,
	}
	for _, v := range l.validity {
		n.Validity = append(n.Validity, ValidityNote{v.at, v.reading})
	}
	return n
}

// take adds what a client has noted since.
func (c *client) take(n Notes) {
	if len(n.Operations) > 0 {
		c.operations = c.operations[:0]
	}
	for _, o := range n.Operations {
		c.operations = append(c.operations, operation{o.Name, o.Resource, o.Lease, o.Call, o.Returned, o.Failure, o.Token})
	}
	for _, noted := range n.Leases {
		l := &lease{
			id: noted.ID, resource: noted.Resource, token: noted.Token, fence: noted.Fence, operation: noted.Operation,
			reported: noted.Reported, releasedAt: noted.ReleasedAt,
		}
		for _, v := range noted.Validity {
			l.validity = append(l.validity, validity{at: v.At, reading: v.Reading})
		}
		known := false
		for i := range c.leases {
			if c.leases[i].id == l.id {
				c.leases[i], known = l, true
			}
		}
		if !known {
			c.leases = append(c.leases, l)
		}
	}
}

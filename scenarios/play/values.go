package play

import (
	"cmp"

	"redlocklab/sim"
)

// ValuesOf returns the value that the keys of each lease have, as the trace names it. That is
// the token that the lease reports, if its client wrote it into a key. A lock may write more
// than its token, such as metadata behind it: then it is what the client wrote last in the
// lease's acquisition.
func ValuesOf(events []sim.Event) map[string]string {
	var keys sim.Keys
	values, wrote, last := map[string]string{}, map[[2]string]bool{}, map[string]string{}
	acquiring := map[string]bool{} // by process
	for i := range events {
		e := &events[i]
		change, ok := keys.Apply(e)
		switch e.Kind {
		case sim.Call:
			delete(last, e.Process)
			acquiring[e.Process] = e.Detail == string(sim.PurposeAcquire)
		case sim.Execute:
			if ok && change.Gained() {
				if wrote[[2]string{e.Process, change.After.Value}] = true; acquiring[e.Process] {
					last[e.Process] = change.After.Value
				}
			}
		case sim.Acquired:
			values[e.Lease] = e.Value
			if !wrote[[2]string{e.Process, e.Value}] {
				values[e.Lease] = cmp.Or(last[e.Process], e.Value)
			}
			acquiring[e.Process] = false
		}
	}
	return values
}

// tokensInValues returns the tokens that leases report, by the values of their keys, where the
// two differ.
func (r *Referee) tokensInValues(events []sim.Event) map[string]string {
	missing := map[string]bool{}
	for _, c := range r.clients {
		for _, l := range c.leases {
			if l.Token != "" {
				missing[l.Token] = true
			}
		}
	}
	for i := range events {
		if len(missing) == 0 {
			return nil // as it should be: the value is the token
		}
		if e := &events[i]; e.Kind == sim.Execute {
			delete(missing, e.Value)
		}
	}
	tokens, values := map[string]string{}, ValuesOf(events)
	for _, c := range r.clients {
		for _, l := range c.leases {
			if value := values[l.ID]; missing[l.Token] && value != "" {
				tokens[value] = l.Token
			}
		}
	}
	return tokens
}

package faults

import "slices"

// Replace returns the schedule with other names of clients and nodes in the place of those that
// stand for several. members returns none for all other names.
func (s Schedule) Replace(members func(name string) (clients, nodes []string)) Schedule {
	result := slices.Clone(s)
	for i, f := range s {
		if f.Effect == nil {
			continue
		}
		copied, problems := Parse(f.Fields())
		if len(problems) > 0 {
			continue // Problems reports it
		}
		changed := false
		for _, p := range copied.Effect.definition().parameters {
			if p.Unit != UnitClients && p.Unit != UnitNodes {
				continue
			}
			var names []string
			for _, name := range *p.names {
				clients, nodes := members(name)
				if p.Unit == UnitNodes {
					clients = nodes
				}
				if len(clients) == 0 {
					clients = []string{name}
				} else {
					changed = true
				}
				for _, one := range clients {
					if !slices.Contains(names, one) {
						names = append(names, one)
					}
				}
			}
			if changed {
				*p.names = names
			}
		}
		if changed {
			result[i] = copied
		}
	}
	return result
}

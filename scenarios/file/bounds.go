package file

import "redlocklab/scenarios/plan"

// eventsFor lets the default bound of events grow with the number of clients. A bound that the
// file states stays.
func (r *reader) eventsFor(s *plan.Scenario) {
	if r.places["bounds.events"] == nil {
		s.Bounds.Events = max(s.Bounds.Events, plan.EventsPerClient*len(s.Clients))
	}
}

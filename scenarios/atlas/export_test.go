package atlas

// Borders are the borders that were found, narrowed.
func (m *Map) Borders() []Border { return m.borders }

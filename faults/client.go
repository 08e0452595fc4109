package faults

// Pause stops clients as a garbage collector or a scheduler does: nothing that
// they do goes on, while their clocks do.
type Pause struct {
	Clients []string
}

// Kind implements [Effect].
func (*Pause) Kind() string { return "pause" }

func (p *Pause) parameters() []parameter {
	return []parameter{clientList("pause", &p.Clients, false, "the clients that stop")}
}

// Suspend puts the hosts of clients to sleep: nothing that they do goes on, and
// their monotonic clocks stand still. Wall and boottime go on.
type Suspend struct {
	Clients []string
}

// Kind implements [Effect].
func (*Suspend) Kind() string { return "suspend" }

func (s *Suspend) parameters() []parameter {
	return []parameter{clientList("suspend", &s.Clients, false, "the clients whose hosts sleep")}
}

// ClientCrash ends clients without a word: they release nothing.
type ClientCrash struct {
	Clients []string
}

// Kind implements [Effect].
func (*ClientCrash) Kind() string { return "client_crash" }

func (k *ClientCrash) parameters() []parameter {
	return []parameter{clientList("client_crash", &k.Clients, false, "the clients that end")}
}

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

// SlowClient lets clients notice late what arrives, as a process does that has
// too little of the processor. Its clocks are right.
type SlowClient struct {
	Clients []string
	By      Span
}

// Kind implements [Effect].
func (*SlowClient) Kind() string { return "slow_client" }

func (s *SlowClient) parameters() []parameter {
	return []parameter{
		clientList("slow_client", &s.Clients, false, "the clients that are slow"),
		span("by", &s.By, "how late they notice each reply, connection and timer"),
	}
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

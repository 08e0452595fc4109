package live

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"

	"redlocklab/faults"
	"redlocklab/sim"
)

// client is one client's process, as the ground sees it.
type client struct {
	faults.ProcessHandle // what Unplayable refuses is never called

	ground  *ground
	name    string
	follows string // the client that it is, started again after a crash; empty: none
	process *exec.Cmd
	in      io.WriteCloser
	ready   bool
	done    bool // it has played all its steps
	crashed bool
	pauses  sim.Causes
}

// start starts the process and tells it what to play.
func (c *client) start(command *exec.Cmd, addresses []string) error {
	in, err := command.StdinPipe()
	if err != nil {
		return err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	command.Stderr = os.Stderr
	apart(command)
	if err := command.Start(); err != nil {
		return err
	}
	c.process, c.in = command, in
	if err := writeLine(in, order{Plan: c.ground.plan, Client: c.name, Addresses: addresses}); err != nil {
		return err
	}
	go c.listen(out)
	return nil
}

// begin lets the client play its steps.
func (c *client) begin() { c.answer(order{Origin: c.ground.origin}) }

// Follow implements play.Cluster.
func (g *ground) Follow(name string, crashed bool) {
	for _, c := range g.clients {
		switch {
		case c.name != name || c.done:
		case crashed:
			c.begin()
		default:
			c.done = true
		}
	}
}

// listen takes in what the process says, until it ends.
func (c *client) listen(out io.Reader) {
	decoder := json.NewDecoder(out)
	for {
		var l line
		if err := decoder.Decode(&l); err != nil {
			c.ground.do(func() {
				if !c.crashed {
					c.ground.fail("the process of client %s ended by itself: %w", c.name, err)
				}
			})
			return
		}
		if !c.ground.do(func() { c.hear(l) }) {
			return
		}
	}
}

// hear is one line of the process.
func (c *client) hear(l line) {
	g := c.ground
	switch {
	case l.Error != "":
		g.fail("client %s: %s", c.name, l.Error)
	case l.Ready:
		c.ready = true
	case l.Notes != nil:
		g.referee.Take(c.name, *l.Notes)
	case c.crashed: // what it said last is not heard any more
	case l.Event != nil:
		e := *l.Event
		e.Process, e.Value = c.name, g.notation.Name(e.Value)
		if e.Kind == sim.Done {
			c.done = true
		}
		g.Emit(e)
		c.answer(order{Answers: l.Asks, Numbers: g.referee.Numbers(c.name, e.Lease)})
	case l.Access != nil:
		a := l.Access
		g.in(a.There, func() {
			results := g.referee.Arrive(c.name, a.Request)
			g.in(a.Back, func() { c.answer(order{Answers: l.Asks, Results: results}) })
		})
	}
}

// answer writes to the process; one that was paused meanwhile reads it later.
func (c *client) answer(o order) {
	if !c.crashed {
		_ = writeLine(c.in, o) // a process that is gone shows in listen
	}
}

// Pause implements faults.ProcessHandle.
func (c *client) Pause(fault string) {
	if c.crashed || !c.pauses.Add(fault) {
		return
	}
	c.signal(stop)
	if err := awaitStop(c.process.Process); err != nil {
		c.ground.fail("client %s, which is to stand still: %w", c.name, err)
	}
	c.ground.Emit(sim.Event{Kind: sim.Pause, Process: c.name, Fault: fault})
}

// Resume implements faults.ProcessHandle.
func (c *client) Resume(fault string) {
	if c.crashed || !c.pauses.Remove(fault) {
		return
	}
	c.ground.Emit(sim.Event{Kind: sim.Resume, Process: c.name, Fault: fault})
	c.signal(goOn)
}

// Crash implements faults.ProcessHandle.
func (c *client) Crash(fault string) {
	if c.crashed {
		return
	}
	c.crashed = true
	c.signal(os.Kill)
	c.ground.Emit(sim.Event{Kind: sim.Crash, Process: c.name, Detail: string(sim.ProcessCrash), Fault: fault})
}

func (c *client) signal(s os.Signal) {
	if err := c.process.Process.Signal(s); err != nil {
		c.ground.fail("client %s: %w", c.name, err)
	}
}

// end ends the process, when the run is over.
func (c *client) end() {
	if c.process == nil {
		return
	}
	_ = c.process.Process.Kill()
	_ = c.process.Wait()
}

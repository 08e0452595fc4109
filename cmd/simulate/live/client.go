package live

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"

	"redlocklab/faults"
	"redlocklab/sim"
)

// client is one client's process, as the cluster sees it.
type client struct {
	faults.ProcessHandle // for what Unplayable refuses, which is never called

	cluster *cluster
	name    string
	process *exec.Cmd
	in      io.WriteCloser
	ready   bool
	done    bool // it has played all its steps, or never will
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
	inOwnGroup(command)
	if err := command.Start(); err != nil {
		return err
	}
	c.process, c.in = command, in
	if err := writeLine(in, instruction{Plan: c.cluster.plan, Client: c.name, Addresses: addresses}); err != nil {
		return err
	}
	go c.read(out)
	return nil
}

// begin lets the client play its steps.
func (c *client) begin() { c.write(instruction{Origin: c.cluster.origin}) }

// read takes in what the process reports, until it ends.
func (c *client) read(out io.Reader) {
	decoder := json.NewDecoder(out)
	for {
		var r report
		if err := decoder.Decode(&r); err != nil {
			c.cluster.inLoop(func() {
				if !c.crashed {
					c.cluster.fail("the process of client %s ended by itself: %w", c.name, err)
				}
			})
			return
		}
		if !c.cluster.inLoop(func() { c.take(r) }) {
			return
		}
	}
}

// take takes in one report.
func (c *client) take(r report) {
	cl := c.cluster
	switch {
	case r.Error != "":
		cl.fail("client %s: %s", c.name, r.Error)
	case r.Ready:
		c.ready = true
	case r.Notes != nil:
		cl.referee.Take(c.name, *r.Notes)
	case c.crashed: // it may have reported an event or an access just before
	case r.Event != nil:
		e := *r.Event
		e.Process, e.Value = c.name, cl.notation.Name(e.Value)
		if e.Kind == sim.Done {
			c.done = true
		}
		at := cl.emit(e)
		c.write(instruction{Answers: r.Question, Receipt: cl.referee.Receipt(c.name, e.Lease, at)})
	case r.Access != nil:
		a := r.Access
		cl.after(a.There, func() {
			results := cl.referee.Arrive(c.name, a.Request)
			cl.after(a.Back, func() { c.write(instruction{Answers: r.Question, Results: results}) })
		})
	}
}

// write writes to the process; one that is paused reads it later.
func (c *client) write(i instruction) {
	if !c.crashed {
		_ = writeLine(c.in, i) // a process that is gone shows in read
	}
}

// Pause implements faults.ProcessHandle.
func (c *client) Pause(fault string) {
	if c.crashed || !c.pauses.Add(fault) {
		return
	}
	c.signal(stopSignal)
	if err := awaitStop(c.process.Process); err != nil {
		c.cluster.fail("client %s does not stop: %w", c.name, err)
	}
	c.cluster.Emit(sim.Event{Kind: sim.Pause, Process: c.name, Fault: fault})
}

// Resume implements faults.ProcessHandle.
func (c *client) Resume(fault string) {
	if c.crashed || !c.pauses.Remove(fault) {
		return
	}
	c.cluster.Emit(sim.Event{Kind: sim.Resume, Process: c.name, Fault: fault})
	c.signal(continueSignal)
}

// Crash implements faults.ProcessHandle.
func (c *client) Crash(fault string) {
	if c.crashed {
		return
	}
	c.crashed = true
	c.signal(os.Kill)
	c.cluster.Emit(sim.Event{Kind: sim.Crash, Process: c.name, Detail: string(sim.ProcessCrash), Fault: fault})
}

func (c *client) signal(s os.Signal) {
	if err := c.process.Process.Signal(s); err != nil {
		c.cluster.fail("client %s: %w", c.name, err)
	}
}

// kill ends the process, when the run is over.
func (c *client) kill() {
	if c.process != nil {
		_ = c.process.Process.Kill()
		_ = c.process.Wait()
	}
}

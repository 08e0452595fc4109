package sim

// Suspend puts the host of the process to sleep, as closing a laptop or
// migrating a virtual machine does: the gate closes, and the monotonic clock
// stands still while wall and boottime go on. Controller context only.
func (p *Process) Suspend(fault string) {
	if p.Crashed() {
		return
	}
	p.Pause(fault)
	p.SetClockRate(Monotonic, Frozen, fault)
}

// Wake ends a suspension: the monotonic clock goes on where it stood, at the
// rate that it had. Controller context only.
func (p *Process) Wake(fault string) {
	if p.Crashed() {
		return
	}
	p.EndClockRate(Monotonic, fault)
	p.Resume(fault)
}

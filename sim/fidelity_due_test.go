package sim_test

import (
	"time"

	"redlocklab/sim"
)

// dueRows are about what a server does by itself when its time has come: it removes keys,
// takes snapshots, rewrites its append-only file, and tells its replica.
func dueRows() []row {
	var list []row
	for _, mode := range []sim.Persistence{sim.NoPersistence, sim.RDB, sim.AOFEverySec, sim.AOFAlways} {
		for _, how := range []sim.End{sim.ProcessCrash, sim.Shutdown} {
			list = append(list, row{name: "expired keys: " + string(mode) + ", " + string(how), persistence: mode, body: expired(how)})
		}
	}
	return append(list,
		row{name: "expired while down", persistence: sim.RDB, body: expiredWhileDown},
		row{name: "expired keys: failover, unheard", body: expiredUnheard},
		row{name: "expired keys: failover, heard", body: expiredHeard},
		row{name: "expired keys: full disk, everysec", persistence: sim.AOFEverySec, body: expiredOnFullDisk},
		row{name: "expired keys: full disk, always", persistence: sim.AOFAlways, body: expiredOnFullDisk},
	)
}

// expired lets a key end after the snapshot and the rewrite that follow its SET, sets the
// clock back to when it lived, and restarts the server. Nothing else is written meanwhile.
func expired(how sim.End) func(*conversation) {
	return func(p *conversation) {
		p.do("SET kept a PX 60000", "SET short a PX 4000", "HSET hash f 1")
		p.rewrite()
		p.snapshot()
		p.advance(5 * time.Second)
		p.do("GET short", "EXISTS short", "PTTL kept")
		p.snapshot() // of which there is none: a key that ends is no change
		p.step(-5 * time.Second)
		p.do("GET short", "PTTL short", "PTTL kept")
		p.end(how)
		p.start()
		p.do("GET short", "PTTL short", "PTTL kept", "HGET hash f", "SET short b NX PX 2000", "PTTL short")
		p.snapshot()
		p.advance(2001 * time.Millisecond)
		p.do("GET short", "SET other c PX 60000")
		p.snapshot() // without the key that has ended
		p.step(-2 * time.Second)
		p.end(how)
		p.start()
		p.do("GET short", "GET other", "PTTL kept")
	}
}

// expiredWhileDown sets the clock forward and back around a restart.
func expiredWhileDown(p *conversation) {
	p.do("SET kept a PX 60000", "SET short a PX 4000")
	p.snapshot()
	p.end(sim.ProcessCrash)
	p.step(5 * time.Second)
	p.start()
	p.do("GET short", "PTTL kept")
	p.step(-5 * time.Second)
	p.do("GET short", "PTTL kept")
	p.end(sim.ProcessCrash)
	p.start()
	p.do("GET short", "PTTL short", "PTTL kept")
}

// expiredUnheard promotes a replica that has not heard of the end of a key, when the clock
// has been set back.
func expiredUnheard(p *conversation) {
	p.replicate()
	p.do("SET kept a PX 30000", "SET short a PX 3000")
	p.fallBehind()
	p.advance(4 * time.Second)
	p.do("GET short", "EXISTS short")
	p.step(-4 * time.Second)
	p.do("GET short", "PTTL kept")
	p.promote()
	p.do("GET short", "PTTL short", "PTTL kept", "SET short b NX PX 1000")
}

// expiredHeard promotes a replica that has heard of it.
func expiredHeard(p *conversation) {
	p.replicate()
	p.do("SET kept a PX 30000", "SET short a PX 3000")
	p.advance(4 * time.Second)
	p.do("GET short", "EXISTS short")
	p.fallBehind()
	p.step(-4 * time.Second)
	p.promote()
	p.do("GET short", "PTTL kept", "SET short b NX PX 1000")
}

// expiredOnFullDisk lets a key end when the file has no room for that.
func expiredOnFullDisk(p *conversation) {
	p.do("SET kept a PX 60000", "SET short a PX 1000")
	p.fillDisk()
	p.advance(1001 * time.Millisecond)
	p.do("GET short", "GET kept")
	p.tried()
	p.do("PING", "SET kept b")
	p.end(sim.ProcessCrash)
	p.freeDisk()
	p.step(-1001 * time.Millisecond)
	p.start()
	p.do("GET short", "PTTL short", "GET kept")
}

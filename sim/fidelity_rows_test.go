package sim_test

import (
	"strings"
	"time"

	"redlocklab/sim"
)

// rows lists everything that is compared.
func rows() []row {
	list := []row{
		{name: "commands of locks", body: commands},
		{name: "refused commands", body: refusals},
		{name: "numbers", body: numbers},
		{name: "transactions", body: transactions},
		{name: "expiry boundary", body: boundary},
		{name: "clock steps", body: steps},
		{name: "script cache", body: scriptCache},
		{name: "uptime and run id", body: uptime},
	}
	list = append(list, scriptRows()...)
	for _, mode := range []sim.Persistence{sim.NoPersistence, sim.RDB, sim.AOFEverySec, sim.AOFAlways} {
		for _, how := range []sim.End{sim.ProcessCrash, sim.Shutdown} {
			list = append(list, row{name: "restart: " + string(mode) + ", " + string(how), persistence: mode, body: restart(how)})
		}
	}
	list = append(list, row{name: "slow disk", persistence: sim.AOFEverySec, body: slowDisk})
	return append(append(append(list, dueRows()...), newerRows()...), stateRows()...)
}

func commands(p *conversation) {
	p.do("SET r a NX PX 10000", "SET r b NX PX 10000", "GET r", "PTTL r", "TTL r",
		"SET r b NX GET PX 10000", "SET s b NX GET PX 10000", "GET s", "SET s c XX PX 500", "PTTL s",
		"PEXPIRE r 2500", "PTTL r", "PEXPIRE absent 2500", "PTTL absent", "TTL absent", "EXPIRE r 3", "PTTL r",
		"SET r c", "PTTL r", "SET r d EX 3", "PTTL r", "SET r e KEEPTTL", "PTTL r", "PERSIST r", "PTTL r",
		"EXISTS r s absent", "TYPE r", "DEL r s absent", "DEL r", "GET r", "PEXPIRE r -1",
		"SET gone v PX 1000", "PEXPIRE gone -1", "GET gone", "SET gone v PX 1000", "PEXPIRE gone 0", "EXISTS gone",
		"INCR n", "INCR n", "PTTL n", "INCRBY n 40", "GET n",
		"SETNX t 1767225600", "SETNX t 2", "GETSET t 3", "GETSET u 4", "GET t", "GET u", "SET t x PX 700", "GETSET t y", "PTTL t",
		"HSET h f 1", "HGET h f", "HSET h f 2 g 3", "HLEN h", "DEL h",
		"MGET t u absent", "FLUSHALL", "GET t", "PING")
}

func refusals(p *conversation) {
	p.do("RPUSH list a", "GET list", "INCR list", "GETSET list x", "SET list x NX GET PX 1000", "SET list x NX PX 1000", "TYPE list",
		"PTTL list", "SET list x PX 1000", "TYPE list", "SET text words", "INCR text", "HSET text f 1",
		"SET k v PX 0", "SET k v PX -5", "SET k v PX soon", "SET k v NX XX", "SET k v EX 1 PX 1", "SET k", "SET k v UNKNOWN", "GET", "GET k l",
		"DEL", "PEXPIRE k", "PEXPIRE text soon", "NOSUCHCOMMAND", "GET k",
		"EVALSHA 0123456789012345678901234567890123456789 1 k", "EVAL", "EVALSHA short 0", "EXEC", "DISCARD")
}

// numbers are times and counts as a careless client writes them.
func numbers(p *conversation) {
	for _, n := range []string{"+100", "0100", "-0", "1e3", "9223372036854775807", "9223372036854775808", "-9223372036854775808"} {
		p.do("SET k v PX "+n, "SET k v EX "+n, "SET k v NX PX "+n, "SET k v NX GET PX "+n, "PSETEX k "+n+" v", "SETEX k "+n+" v",
			"SET n 1 PX 60000", "PEXPIRE n "+n, "EXPIRE n "+n, "EXISTS n")
		p.note("in a script: "+n, p.ask(p.client(), "EVAL", "local r = redis.pcall('set',KEYS[1],'v','px',ARGV[1]) return type(r) == 'table' and r.err and 'refused' or 'done'", "1", "q", n))
	}
	p.do("SET k v PX 100 KEEPTTL", "SET k v KEEPTTL PX 100", "SET k v KEEPTTL PX soon", "SET k v KEEPTTL EX 1 NX", "GET k",
		"SET d v PX 100 NX PX 5000", "PTTL d", "SET d w PX 100 NX PX 5000", "SET d w NX NX", "GET d", "SET d x XX XX GET GET", "SET d y KEEPTTL KEEPTTL", "PTTL d",
		"SET d w EX 1 EX 2", "PTTL d", "PEXPIRE d 5000 NX", "SET d w PX soon PX 100", "SET d w PX 100 PX soon", "SET d w PX 100 EX 1", "SET d w NX XX", "SET d w PX PX", "SET d w PX PX 100", "SET d w EX 1 PX 5 EX 2", "GET d",
		"INCRBY c +5", "INCRBY c 05", "DECRBY c -0", "INCRBY c 5", "GET c")
}

// transactions compares WATCH and MULTI, which LockTake and LockRelease use.
func transactions(p *conversation) {
	c := p.client().Conn()
	defer func() { _ = c.Close() }()
	script := func(name string, lines ...string) {
		for _, line := range lines {
			who, command, _ := strings.Cut(line, " ")
			if who == "other" {
				p.note(name+" "+line, p.ask(p.client(), strings.Fields(command)...))
			} else {
				p.note(name+" "+line, p.ask(c, strings.Fields(command)...))
			}
		}
	}
	script("undisturbed:", "own SET k a PX 5000", "own WATCH k", "own GET k", "own MULTI", "own DEL k", "own SET l b NX PX 100", "own EXEC", "other GET k", "other GET l")
	script("disturbed:", "own SET k a PX 5000", "own WATCH k", "own GET k", "other SET k b PX 5000", "own MULTI", "own DEL k", "own EXEC", "other GET k")
	script("same value:", "own SET k a PX 5000", "own WATCH k", "other SET k a PX 5000", "own MULTI", "own DEL k", "own EXEC", "other GET k")
	script("other key:", "own SET k a PX 5000", "own WATCH k", "other SET m b", "own MULTI", "own DEL k", "own EXEC", "other GET k")
	script("unwatched:", "own SET k a", "own WATCH k", "other SET k b", "own UNWATCH", "own MULTI", "own DEL k", "own EXEC")
	script("discarded:", "own SET k a", "own MULTI", "own DEL k", "own DISCARD", "own GET k")
	script("nested:", "own MULTI", "own MULTI", "own EXEC")
	script("watch inside:", "own MULTI", "own WATCH k", "own EXEC")
	script("bad command:", "own MULTI", "own NOSUCHCOMMAND", "own SET k never", "own EXEC", "own GET k")
	script("failing command:", "own RPUSH q a", "own MULTI", "own INCR q", "own SET k yes", "own EXEC", "own GET k")
	script("expired:", "own SET k a PX 1000", "own WATCH k")
	p.advance(2 * time.Second)
	script("expired:", "own MULTI", "own SET k c", "own EXEC", "own GET k")
}

// boundary compares the milliseconds around a deadline.
func boundary(p *conversation) {
	p.do("SET r a PX 1000", "SET s a PX 1000", "SET before a PX 1000", "SET then a PX 1000", "SET after a PX 1000")
	for _, at := range []struct {
		label, key string
		d          time.Duration
	}{{"1 ms before", "before", 999 * time.Millisecond}, {"at the deadline", "then", time.Millisecond}, {"1 ms after", "after", time.Millisecond}} {
		p.advance(at.d)
		for _, c := range []string{"GET r", "PTTL r", "EXISTS s", "PEXPIRE absent 1", "SET " + at.key + " b NX PX 50"} {
			p.note(at.label+": "+c, p.ask(p.client(), strings.Fields(c)...))
		}
	}
	p.do("SET u a EX 1")
	p.advance(500 * time.Millisecond)
	p.do("PTTL u", "TTL u", "PEXPIRE u 800")
	p.advance(700 * time.Millisecond)
	p.do("GET u", "PTTL u")
	p.advance(200 * time.Millisecond)
	p.do("GET u", "PTTL u", "SET u b NX PX 10")
}

// steps steps the clock while keys exist: Redis keeps deadlines, not remaining times.
func steps(p *conversation) {
	p.do("SET back a PX 10000", "SET endless a")
	p.step(-5 * time.Second)
	p.do("PTTL back", "GET back", "PTTL endless", "SET back b NX PX 10000", "SET young a PX 10000")
	p.advance(11 * time.Second)
	p.do("GET back", "PTTL back", "GET young")
	p.advance(5 * time.Second)
	p.do("GET back", "GET endless", "SET far a PX 10000", "SET near a PX 3000")
	p.step(4 * time.Second)
	p.do("PTTL far", "GET near", "SET near b NX PX 10000")
	p.step(7 * time.Second)
	p.do("GET far", "PTTL near", "SET far b NX PX 10000")
	p.step(-20 * time.Second)
	p.do("PTTL far", "PTTL near", "GET near")
	p.step(20 * time.Second)
	p.do("PTTL far", "PTTL near")
}

// scriptCache follows a script through the server's cache and a restart.
func scriptCache(p *conversation) {
	const source = "return redis.call('get',KEYS[1])"
	sha := sim.SHA1(source)
	eval := func(label, command, script string) {
		p.note(label, p.ask(p.client(), command, script, "1", "k"))
	}
	p.do("SET k v")
	eval("EVALSHA before", "EVALSHA", sha)
	eval("EVAL", "EVAL", source)
	eval("EVALSHA after EVAL", "EVALSHA", sha)
	eval("EVALSHA in capitals", "EVALSHA", strings.ToUpper(sha))
	p.note("SCRIPT EXISTS", p.ask(p.client(), "SCRIPT", "EXISTS", sha, sim.SHA1("other")))
	p.note("SCRIPT FLUSH", p.ask(p.client(), "SCRIPT", "FLUSH"))
	eval("EVALSHA after SCRIPT FLUSH", "EVALSHA", sha)
	p.note("SCRIPT LOAD", p.ask(p.client(), "SCRIPT", "LOAD", source))
	eval("EVALSHA after SCRIPT LOAD", "EVALSHA", sha)
	eval("EVAL of what does not compile", "EVAL", "return (")
	eval("EVAL of what fails", "EVAL", "return redis.call('nosuchcommand')")
	eval("EVAL that returns an error", "EVAL", "return redis.error_reply('STALE token')")
	eval("EVAL that returns false", "EVAL", "return false")
	eval("EVAL that returns a fraction", "EVAL", "return 3.7")
	eval("EVAL that returns a table", "EVAL", "return {1,'a',false}")
	for _, how := range []sim.End{sim.ProcessCrash, sim.Shutdown} {
		p.end(how)
		p.start()
		eval("EVALSHA after "+string(how), "EVALSHA", sha)
		eval("EVAL after "+string(how), "EVAL", source)
	}
}

// uptime compares what a restart guard reads.
func uptime(p *conversation) {
	u := uptimes{}
	info := func(label string) { u.note(p, label) }
	info("at the start")
	p.advance(500 * time.Millisecond)
	info("after 0.5 s")
	p.advance(600 * time.Millisecond)
	info("after 1.1 s")
	p.step(100 * time.Second)
	info("clock set forward by 100 s")
	p.step(-200 * time.Second)
	info("clock set back by 200 s")
	p.step(100 * time.Second)
	for _, how := range []sim.End{sim.ProcessCrash, sim.Shutdown} {
		p.advance(2600 * time.Millisecond)
		p.end(how)
		p.advance(10 * time.Second)
		p.start()
		info("after " + string(how))
		p.advance(1200 * time.Millisecond)
		info("1.2 s after " + string(how))
	}
}

// restart follows keys through an end and a restart.
func restart(how sim.End) func(*conversation) {
	return func(p *conversation) {
		c := p.client()
		p.do("SET saved a PX 30000", "SET released a PX 30000", "SET changed a PX 30000", "SET short a PX 12000", "INCR counter", "HSET hash f 1")
		p.snapshot()
		p.do("SET fresh a PX 30000", "DEL released", "SET changed b PX 20000", "PEXPIRE saved 25000", "INCR counter", "HSET hash f 2")
		p.advance(2 * time.Second)
		p.end(how)
		p.advance(8 * time.Second)
		p.note("old connection", p.ask(c, "PING"))
		p.start()
		p.do("PTTL saved", "GET saved", "GET released", "PTTL released", "GET changed", "PTTL changed", "GET fresh", "PTTL fresh",
			"GET counter", "HGET hash f", "PTTL short", "SET fresh b NX PX 1000", "INCR counter")
		p.advance(2001 * time.Millisecond)
		p.do("GET short", "PTTL saved")
	}
}

// slowDisk kills a server while a sync runs, and again when the sync has lasted for
// longer than writes may wait for it.
func slowDisk(p *conversation) {
	p.do("SET synced a PX 60000")
	p.slowDisk()
	p.do("SET waiting a PX 60000", "GET waiting")
	p.end(sim.ProcessCrash)
	p.start()
	p.do("GET synced", "PTTL synced", "GET waiting", "SET waiting b NX PX 60000")
	p.slowDisk()
	p.do("SET waited a PX 60000")
	p.advance(2 * time.Second)
	p.held()
	p.do("SET fresh a PX 60000")
	p.end(sim.ProcessCrash)
	p.start()
	p.do("GET synced", "GET waiting", "GET waited", "PTTL waited", "GET fresh")
}

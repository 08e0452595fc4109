package sim_test

import (
	"fmt"
	"strings"
	"time"

	"redlocklab/sim"
)

// stateRows are about servers that refuse commands, lose keys to a third party, or
// are replaced by a replica.
func stateRows() []row {
	return []row{
		{name: "refusing node: " + sim.MemoryFull, body: refusing(sim.MemoryFull)},
		{name: "refusing node: " + sim.ReadOnly, body: refusing(sim.ReadOnly)},
		{name: "refusing node: " + sim.DiskError, persistence: sim.RDB, body: refusing(sim.DiskError)},
		{name: "refusing node: " + sim.Loading, persistence: sim.RDB, body: loading},
		{name: "refusing node: " + sim.Busy, body: refusing(sim.Busy)},
		{name: "refusing node: " + sim.MasterDown, body: refusing(sim.MasterDown)},
		{name: "refusing node: " + sim.Forbidden, body: refusing(sim.Forbidden)},
		{name: "refusing node: " + sim.Password, body: refusing(sim.Password)},
		{name: "refusing node: " + sim.Crowded, body: refusing(sim.Crowded)},
		{name: "refused transaction: " + sim.MemoryFull, body: refusedTransactions(sim.MemoryFull)},
		{name: "refused transaction: " + sim.ReadOnly, body: refusedTransactions(sim.ReadOnly)},
		{name: "refused transaction: " + sim.DiskError, persistence: sim.RDB, body: refusedTransactions(sim.DiskError)},
		{name: "refused transaction: " + sim.Busy, body: refusedTransactions(sim.Busy)},
		{name: "refused transaction: " + sim.MasterDown, body: refusedTransactions(sim.MasterDown)},
		{name: "full disk: everysec", persistence: sim.AOFEverySec, body: fullDisk(sim.ProcessCrash, sim.Shutdown, "room")},
		{name: "full disk: always", persistence: sim.AOFAlways, body: fullDisk(sim.ProcessCrash)},
		{name: "expiry on a replica", body: expiringReplica},
		{name: "eviction", body: eviction},
		{name: "third party", body: thirdParty},
		{name: "failover", body: failover},
		{name: "demotion", body: demotion},
	}
}

// shown are the commands that are sent to a node that refuses: all that locks send,
// and others that need memory, write without it, or only read.
var shown = []string{
	"PING", "GET k", "EXISTS k", "PTTL k", "MGET k l", "TYPE k", "HGET h f", "STRLEN k",
	"SET k b", "SET k b NX PX 1000", "SET n b NX GET PX 1000", "SETNX k b", "SETEX k 10 b", "PSETEX k 10 b", "GETSET k b", "MSET k b l c", "APPEND k b",
	"INCR n", "INCRBY n 2", "DECR n", "HSET h f 2", "HINCRBY h f 1", "RPUSH q a", "LPUSH q a",
	"GETDEL absent", "DEL absent", "UNLINK absent", "PEXPIRE absent 1", "EXPIRE absent 1", "PERSIST absent", "HDEL h absent", "RPOP q", "LPOP q",
	"MULTI", "GET k", "DISCARD",
}

// refusing sends commands to a node that refuses some of them for a reason.
func refusing(why string) func(*conversation) {
	return func(p *conversation) {
		c := p.wire()
		defer c.close()
		p.do("SET k a PX 60000", "HSET h f 1")
		p.refuse(why)
		if why == sim.Password || why == sim.Crowded { // connections that are older are served
			askAll(p, c, "older", []string{"PING", "SET k b", "GET k"})
			later := p.wire()
			defer later.close()
			askAll(p, later, why, shown)
			p.grant(why)
			askAll(p, later, "later", []string{"PING", "GET k"})
			askAll(p, c, "older again", []string{"PING", "GET k"})
			return
		}
		askAll(p, c, why, shown)
		scripts(p, c, why)
		if why == sim.MemoryFull {
			askAll(p, c, "ill-formed", []string{"SET k"})
		}
		p.grant(why)
		askAll(p, c, "again", []string{"PING", "SET k b PX 1000", "GET k", "DEL k"})
	}
}

func askAll(p *conversation, c *wire, label string, commands []string) {
	for _, command := range commands {
		p.note(label+": "+command, c.ask(strings.Fields(command)...))
	}
}

// scripts runs scripts that read, write, or do both.
func scripts(p *conversation, c *wire, label string) {
	for _, s := range []struct{ name, source string }{
		{"reads", "return redis.call('get',KEYS[1])"},
		{"sets", "return redis.call('set',KEYS[1],'x')"},
		{"deletes", "return redis.call('del','absent')"},
		{"reads and sets", "local v = redis.call('get',KEYS[1]) redis.call('set',KEYS[1],'x') return v"},
		{"catches", "local r = redis.pcall('set',KEYS[1],'x') return r.err and 'refused' or 'done'"},
	} {
		p.note(label+": a script that "+s.name, c.ask("EVAL", s.source, "1", "k"))
	}
	p.note(label+": EVALSHA", c.ask("EVALSHA", sim.SHA1("return redis.call('get',KEYS[1])"), "1", "k"))
}

// loading sends commands to a node while it reads its data, and afterwards.
func loading(p *conversation) {
	p.do("SET k a PX 60000", "SET short a PX 1000", "HSET h f 1")
	p.end(sim.Shutdown)
	p.advance(2 * time.Second)
	p.startLoading()
	c := p.wire()
	defer c.close()
	askAll(p, c, "loading", shown)
	scripts(p, c, "loading")
	p.grant(sim.Loading)
	askAll(p, c, "loaded", []string{"PING", "GET k", "PTTL k", "GET short", "HGET h f", "SET k b NX", "DEL k"})
}

// refusedTransactions begins a refusal before, between and after the commands of a
// transaction.
func refusedTransactions(why string) func(*conversation) {
	return func(p *conversation) {
		c := p.wire()
		defer c.close()
		for _, queued := range [][]string{{"GET k"}, {"DEL k"}, {"SET k b"}, {"GET k", "SET k b", "DEL l"}, {"PING"}} {
			label := strings.Join(queued, ", ")
			p.do("SET k a PX 60000", "SET l a PX 60000")
			p.refuse(why)
			askAll(p, c, "refused before "+label, append(append([]string{"WATCH k", "MULTI"}, queued...), "EXEC", "GET k"))
			p.grant(why)
			askAll(p, c, "refused between "+label, append([]string{"MULTI"}, queued...))
			p.refuse(why)
			askAll(p, c, "refused between "+label, []string{"EXEC", "GET k"})
			p.grant(why)
			askAll(p, c, "granted between "+label, append([]string{"GET k"}, "MULTI"))
			p.refuse(why)
			askAll(p, c, "granted between "+label, queued)
			p.grant(why)
			askAll(p, c, "granted between "+label, []string{"EXEC", "GET k"})
		}
	}
}

// fullDisk writes to a server whose append-only file cannot grow, and then ends it, or makes
// room before it ends.
func fullDisk(ends ...sim.End) func(*conversation) {
	return func(p *conversation) {
		for _, how := range ends {
			key := strings.ReplaceAll(string(how), " ", "-")
			p.do("SET kept a PX 60000", "SET released a PX 60000")
			p.fillDisk()
			p.do("GET kept", "DEL absent", "SET "+key+" b NX PX 60000", "PING", "GET kept", "GET "+key, "DEL released", "SET "+key+" c", "PEXPIRE kept 1000")
			p.note("a script that sets", p.ask(p.client(), "EVAL", "return redis.call('set',KEYS[1],'x')", "1", key))
			p.note("a script that reads", p.ask(p.client(), "EVAL", "return redis.call('get',KEYS[1])", "1", key))
			if how == "room" {
				p.freeDisk()
				p.do("PING", "GET "+key, "SET later d")
				p.end(sim.ProcessCrash)
			} else {
				p.end(how)
				p.freeDisk()
			}
			p.start()
			p.do("GET kept", "PTTL kept", "GET released", "GET "+key, "GET later")
		}
	}
}

// expiringReplica lets keys expire on a replica, which hides them and waits for its
// master to delete them, until it is promoted.
func expiringReplica(p *conversation) {
	c := p.wire()
	defer c.close()
	ids := replicationIDs{strings.Repeat("0", 40): 0}
	p.do("SET r a PX 1000", "SET s a PX 1000")
	ids.note(p, "master")
	p.refuse(sim.ReadOnly)
	ids.note(p, "replica")
	p.advance(1001 * time.Millisecond)
	askAll(p, c, "replica", []string{"GET r", "EXISTS r s", "PTTL r", "TYPE r", "SET r b NX PX 1000", "MGET r s"})
	p.note("a script", c.ask("EVAL", "return redis.call('get',KEYS[1])", "1", "r"))
	p.grant(sim.ReadOnly)
	ids.note(p, "promoted")
	askAll(p, c, "promoted", []string{"GET r", "SET r b NX PX 1000", "PTTL r", "EXISTS s", "SET s b NX GET PX 1000"})
}

// eviction takes all keys, so that it does not matter which one goes first.
func eviction(p *conversation) {
	c := p.wire()
	defer c.close()
	p.do("SET r own PX 5000", "SET counter 7", "HSET h f 1")
	p.note("SCRIPT LOAD", c.ask("SCRIPT", "LOAD", pageRelease))
	askAll(p, c, "watching", []string{"WATCH r", "GET r"})
	p.evictAll()
	askAll(p, c, "watching", []string{"MULTI", "SET r own", "EXEC"})
	p.do("GET r", "PTTL r", "EXISTS r counter h", "DEL r", "PEXPIRE r 1000", "SET r other NX PX 1000", "GET r", "INCR counter")
	p.note("release by the owner", c.ask("EVALSHA", sim.SHA1(pageRelease), "1", "r", "own"))
	p.note("release by the other", c.ask("EVALSHA", sim.SHA1(pageRelease), "1", "r", "other"))
}

// thirdParty runs commands of an operator.
func thirdParty(p *conversation) {
	c := p.wire()
	defer c.close()
	for _, command := range []string{"DEL r", "DEL absent", "FLUSHALL", "SCRIPT FLUSH"} {
		p.do("SET r own PX 5000", "SET counter 7")
		p.note("SCRIPT LOAD", c.ask("SCRIPT", "LOAD", pageRelease))
		askAll(p, c, command, []string{"WATCH r", "MULTI", "SET r new"})
		p.operator(command)
		askAll(p, c, command, []string{"EXEC", "GET r", "GET counter"})
		p.note(command+": EVALSHA", c.ask("EVALSHA", sim.SHA1(pageRelease), "1", "r", "own"))
	}
}

// failover ends a master whose last writes have not reached its replica.
func failover(p *conversation) {
	u := uptimes{}
	ids := replicationIDs{strings.Repeat("0", 40): 0}
	ids.note(p, "a server without replicas")
	p.replicate()
	u.note(p, "the master")
	ids.note(p, "the master")
	p.operator("FLUSHALL")
	ids.note(p, "after FLUSHALL")
	p.do("SET kept a PX 30000", "SET released a PX 30000", "SET changed a PX 30000", "SET prolonged a PX 20000", "SET short a PX 3000", "INCR counter", "HSET h f 1")
	p.note("SCRIPT LOAD", p.ask(p.client(), "SCRIPT", "LOAD", pageRelease))
	p.advance(1300 * time.Millisecond)
	p.fallBehind()
	p.do("SET fresh a PX 30000", "DEL released", "SET changed b PX 10000", "PEXPIRE prolonged 25000", "INCR counter", "HSET h f 2")
	old := p.client()
	p.promote()
	p.note("old connection", p.ask(old, "PING"))
	u.note(p, "the promoted replica")
	ids.note(p, "the promoted replica")
	p.do("GET kept", "PTTL kept", "GET released", "PTTL released", "GET changed", "PTTL changed", "PTTL prolonged", "GET fresh", "SET fresh b NX PX 5000",
		"GET counter", "INCR counter", "HGET h f", "PTTL short")
	p.note("EVALSHA", p.ask(p.client(), "EVALSHA", sim.SHA1(pageRelease), "1", "kept", "a"))
	p.note("EVAL", p.ask(p.client(), "EVAL", pageRelease, "1", "kept", "a"))
	p.advance(2001 * time.Millisecond)
	u.note(p, "2 s later")
	p.do("GET short", "PTTL changed", "GET kept")
}

// demotion makes a master the replica of its own replica, which has not heard of its last
// writes, and then the master again. Its process goes on.
func demotion(p *conversation) {
	u, ids := uptimes{}, replicationIDs{strings.Repeat("0", 40): 0}
	p.replicate()
	u.note(p, "the master")
	ids.note(p, "the master")
	p.do("SET kept a PX 30000", "SET released a PX 30000", "INCR counter")
	p.note("SCRIPT LOAD", p.ask(p.client(), "SCRIPT", "LOAD", pageRelease))
	p.fallBehind()
	p.do("SET fresh a PX 30000", "DEL released", "INCR counter")
	old := p.wire()
	defer old.close()
	p.demote()
	askAll(p, old, "demoted", []string{"SET fresh b NX PX 5000"})
	p.promoteAgain()
	askAll(p, old, "promoted again", []string{"GET fresh", "GET kept", "PTTL kept", "GET released", "GET counter", "SET fresh b NX PX 5000"})
	p.note("EVALSHA", p.ask(p.client(), "EVALSHA", sim.SHA1(pageRelease), "1", "kept", "a"))
	u.note(p, "promoted again")
	ids.note(p, "promoted again")
}

// replicationIDs numbers the replication ids of servers, as they appear.
type replicationIDs map[string]int

func (r replicationIDs) note(p *conversation, label string) {
	text, err := p.client().Info(p.ctx, "replication").Result()
	if err != nil {
		p.note(label, "broken connection")
		return
	}
	number := func(id string) int {
		if _, known := r[id]; !known {
			r[id] = len(r)
		}
		return r[id]
	}
	p.note(label, fmt.Sprintf("role %s, id %d, second id %d", infoField(text, "role"), number(infoField(text, "master_replid")), number(infoField(text, "master_replid2"))))
}

func infoField(text, name string) string {
	_, rest, _ := strings.Cut(text, "\n"+name+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

// uptimes tells the lives of a server apart by their run ids.
type uptimes map[string]int

func (u uptimes) note(p *conversation, label string) {
	text, err := p.client().Info(p.ctx, "server").Result()
	if err != nil {
		p.note(label, "broken connection")
		return
	}
	field := func(name string) string { return infoField(text, name) }
	id := field("run_id")
	if _, known := u[id]; !known {
		u[id] = len(u) + 1
	}
	p.note(label, fmt.Sprintf("life %d, run id of %d digits, up %s s, mode %s", u[id], len(id), field("uptime_in_seconds"), field("redis_mode")))
}

package sim_test

import "strings"

// newerRows are about commands that Redis 7 lacks. They are compared with Valkey.
func newerRows() []row {
	return []row{{name: "conditional commands", newer: true, body: conditions}}
}

func conditions(p *conversation) {
	p.do("SET k a PX 9000", "DELIFEQ k b", "GET k", "DELIFEQ k a", "GET k", "DELIFEQ k a", "DELIFEQ absent a", "DELIFEQ k", "DELIFEQ k a b",
		"SET k a PX 9000", "SET k b IFEQ x", "GET k", "SET k b IFEQ a", "GET k", "PTTL k", "SET k b IFEQ b PX 500", "PTTL k",
		"SET k c PX 700 IFEQ b KEEPTTL", "SET k c IFEQ b KEEPTTL", "PTTL k", "GET k", "SET k d IFEQ c GET", "SET k e GET IFEQ c EX 3", "GET k", "PTTL k",
		"SET absent a IFEQ a", "SET absent a IFEQ a GET", "EXISTS absent", "SET k e IFEQ d NX", "SET k e XX IFEQ d", "SET k e IFEQ", "SET k e IFEQ d IFEQ d",
		"SET k e IFEQ d PX soon", "SET k e IFEQ d PX 0", "SET k e IFEQ x PX 0", "SET k e IFEQ d PX", "SET k IFEQ IFEQ d", "GET k", "SET k PX ifeq IFEQ px 100", "GET k",
		"SET empty x", "SET empty y IFEQ nothing", "RPUSH list a", "DELIFEQ list a", "SET list a IFEQ a", "SET list a IFEQ a GET", "TYPE list")
	c := p.client().Conn()
	defer func() { _ = c.Close() }()
	for _, line := range []string{
		"SET k a", "MULTI", "SET k b IFEQ a PX 800", "DELIFEQ k x", "GET k", "DELIFEQ k b", "SET k c IFEQ b", "EXEC", "GET k",
		"SET k a", "WATCH k", "DELIFEQ k x", "MULTI", "GET k", "EXEC", "WATCH k", "SET k b IFEQ a", "MULTI", "GET k", "EXEC",
		"MULTI", "DELIFEQ k", "EXEC",
	} {
		p.note(line, p.ask(c, strings.Fields(line)...))
	}
}

// Package purpose says what a request is for, by its command and the operation that is open.
package purpose

import (
	"strings"

	"redlocklab/sim"
)

// Other is the purpose of requests that are neither about a lock nor about the
// node itself.
const Other = sim.PurposeUnknown

// Of returns what a request is for. If the name of the command does not say
// it, as with EVALSHA, the open operation does. It also decides about SET, which
// some locks use to extend.
func Of(command, key, operation string) sim.Purpose {
	open, named := OfOperation(operation), sim.PurposeOf(command)
	switch {
	case command == "SET" && open == sim.PurposeExtend:
		return open
	case named == sim.PurposeRead: // neither vote nor release, whatever operation is open
		return Other
	case named == sim.PurposeUnknown && key != "":
		return open
	}
	return named
}

// OfOperation returns the purpose of the requests of an operation.
func OfOperation(operation string) sim.Purpose {
	if p := sim.Purpose(operation); p.AboutLock() {
		return p
	}
	return Other
}

// Operation returns the operation in the detail of a call or a failure: "acquire"
// for "acquire: contended".
func Operation(detail string) string {
	name, _, _ := strings.Cut(detail, ":")
	name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
	return name
}

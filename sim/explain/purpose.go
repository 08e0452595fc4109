package explain

import (
	"strings"

	"redlocklab/sim"
)

// other is the purpose of requests that are neither about a lock nor about the
// node itself.
const other = sim.PurposeUnknown

// purposeOf returns what a request is for. If the name of the command does not say
// it, as with EVALSHA, the open operation does. It also decides about SET, which
// some locks use to extend.
func purposeOf(command, key, operation string) sim.Purpose {
	open, named := operationPurpose(operation), sim.PurposeOf(command)
	switch {
	case command == "SET" && open == sim.PurposeExtend:
		return open
	case named == sim.PurposeRead: // neither vote nor release, whatever operation is open
		return other
	case named == sim.PurposeUnknown && key != "":
		return open
	}
	return named
}

// operationPurpose returns the purpose of the requests of an operation.
func operationPurpose(operation string) sim.Purpose {
	if p := sim.Purpose(operation); p.AboutLock() {
		return p
	}
	return other
}

// operationName returns the operation in the detail of a call or a failure: "acquire"
// for "acquire: contended".
func operationName(detail string) string {
	name, _, _ := strings.Cut(detail, ":")
	name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
	return name
}

package faults

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	nameForm      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`) // of a client, a node or a resource
	faultNameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.'-]*( [A-Za-z0-9_.'-]+)*$`)
)

// isNodeName reports whether s has the form of a node's name: n1, n2, …
func isNodeName(s string) bool {
	digits, found := strings.CutPrefix(s, "n")
	return found && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// isClientName reports whether s can be the name of a client.
func isClientName(s string) bool {
	return nameForm.MatchString(s) && !isNodeName(s) && s != All && s != anyone
}

// CheckClientName says what is wrong with a client's name; nil when nothing is.
func CheckClientName(name string) error {
	if !isClientName(name) {
		return fmt.Errorf("found %q; allowed: a letter followed by letters, digits, _ or -, but not all, any, or the form of a node (n1)", name)
	}
	return nil
}

// checkName says what is wrong with a fault's name.
func checkName(name string) error {
	if !faultNameForm.MatchString(name) {
		return fmt.Errorf("found %q; allowed for a fault's name: a letter, then letters, digits, single blanks and _ . ' -", name)
	}
	return nil
}

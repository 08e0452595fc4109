package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is the version of this source; CITATION.cff and CHANGELOG.md have it, too.
const release = "0.1.0"

// version says the release, and the commit that the program was built from.
func version() string {
	commit, changed := "unknown (built outside of a checkout)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = ", with changes"
			}
		}
	}
	return fmt.Sprintf("redlocklab %s, commit %s%s, %s", release, commit, changed, runtime.Version())
}

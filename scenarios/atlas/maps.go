package atlas

import (
	"embed"

	"redlocklab/scenarios/file"
)

//go:embed maps/*.yaml
var maps embed.FS

var ready = file.Ready{Files: maps, Folder: "maps", Is: "no ready map"}

// Ready returns the names of the maps that come with the package.
func Ready() []string { return ready.Names() }

// ReadyText returns the file of a ready map.
func ReadyText(name string) ([]byte, error) { return ready.Text(name) }

package atlas

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"

	"redlocklab/faults"
)

//go:embed maps/*.yaml
var maps embed.FS

// Ready returns the names of the maps that come with the package.
func Ready() []string {
	entries, err := maps.ReadDir("maps")
	if err != nil {
		panic(err) // they are embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// ReadyText returns the file of a ready map.
func ReadyText(name string) ([]byte, error) {
	text, err := maps.ReadFile(path.Join("maps", name+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("found %s, which is no ready map; %s", strconv.Quote(name), faults.Allowed(name, Ready()))
	}
	return text, nil
}

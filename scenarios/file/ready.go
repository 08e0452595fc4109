package file

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"

	"redlocklab/faults"
)

// Ready are the YAML files of a folder that comes with the program.
type Ready struct {
	Files  embed.FS
	Folder string
	Is     string // what an unknown name is not, for messages: "no ready map"
}

// Names returns the names of the files without their ending, in order.
func (r Ready) Names() []string {
	entries, err := r.Files.ReadDir(r.Folder)
	if err != nil {
		panic(err) // they are embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Text returns a file.
func (r Ready) Text(name string) ([]byte, error) {
	text, err := r.Files.ReadFile(path.Join(r.Folder, name+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("found %s, which is %s; %s", strconv.Quote(name), r.Is, faults.Allowed(name, r.Names()))
	}
	return text, nil
}

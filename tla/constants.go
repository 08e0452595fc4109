package tla

import (
	"fmt"
	"strings"
)

// Constants are the constants of a model's configuration, as text: "3", "TRUE",
// `"half"`, "{c1, c2}".
func (m Model) Constants() (map[string]string, error) {
	text, err := files.ReadFile("models/" + m.Name + ".cfg")
	if err != nil {
		return nil, fmt.Errorf("tla: %w", err)
	}
	constants := map[string]string{}
	inside := false
	for line := range strings.Lines(string(text)) {
		name, value, assigned := strings.Cut(strings.TrimSpace(line), " = ")
		switch {
		case strings.TrimSpace(line) == "CONSTANTS":
			inside = true
		case inside && assigned:
			constants[name] = value
		case !strings.HasPrefix(line, " "):
			inside = false
		}
	}
	return constants, nil
}

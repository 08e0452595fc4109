package file

import (
	"bytes"
	"encoding/json"
	"redlocklab/scenarios/plan"
)

// Schema is the JSON schema of scenario files, for editors. It is made from the
// same tables that read the files; schema.json is a copy of it.
func Schema() ([]byte, error) {
	schema := scenario(new(plan.Scenario)).schema
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "A scenario of redlocklab"
	schema["$defs"] = map[string]any{"step": stepSchema(), "parametrised": parametrisedSchema()}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

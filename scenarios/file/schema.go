package file

import (
	"bytes"
	"encoding/json"

	"redlocklab/scenarios/plan"
)

// schemaJSON is the JSON schema of scenario files, for editors. It is made from the
// shapes that read the files. A test writes schema.json from it.
func schemaJSON() ([]byte, error) {
	file := scenario(new(plan.Scenario)).
		with("$schema", "https://json-schema.org/draft/2020-12/schema").
		with("title", "A scenario of redlocklab").
		with("$defs", schema{"step": stepSchema(), "parametrised": parametrisedSchema()})
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(file.schema()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

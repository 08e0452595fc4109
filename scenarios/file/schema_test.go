package file

import (
	"bytes"
	"encoding/json"

	"redlocklab/scenarios/plan"
)

// schemaJSON is the JSON schema of scenario files, for editors. It is made from the
// shapes that read the files. The test of schema.json compares it, or writes it.
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

// stepSchema is the definition to which every list of steps refers.
func stepSchema() schema {
	forms := []any{schema{"const": string(plan.StepCrash)}}
	for _, kind := range plan.StepsWithFields() {
		forms = append(forms, object(stepProperties(&plan.Step{Kind: kind}, 0)...).schema())
	}
	return schema{"oneOf": forms}
}

// parametrisedSchema is the definition to which parametrised refers.
func parametrisedSchema() schema {
	return schema{"type": "string", "pattern": `\$[a-z][a-z0-9_]*`, "description": "with the values of parameters"}
}

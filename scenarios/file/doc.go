// Package file reads scenario files: YAML in, a [plan.Scenario] or a list of
// [FileErrors] out.
//
//	YAML ──parse──▶ nodes ──shapes──▶ Scenario ──Validate──▶ Scenario
//	                  │       │                      │
//	                  │       └── the values of a field: the reader and the schema
//	                  └── line and column of every field ──▶ FileErrors
//
// A shape defines the values that one field of a file may have. It reads the file and
// makes schema.json, the JSON schema for editors. Package plan checks whether the parts
// fit together; this package maps each problem's path back to its position in the file.
//
// [With] sets parameters of a scenario to other values.
//
// In files, durations carry their unit (20ms), probabilities are percent (2.5%), and
// rates are whole parts per million. WRITING.md explains every field.
//
// Errors come all at once, sorted by position: file:line:column, the field, the
// found value, the allowed values. If a field cannot be read, the checks that need
// it are skipped.
//
// [Print] writes a scenario as a file, without its map and without the file's comments.
package file

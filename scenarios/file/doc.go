// Package file reads scenario files: YAML in, a [plan.Scenario] or a list of
// [FileErrors] out.
//
//	YAML ──parse──▶ nodes ──shapes──▶ Scenario ──Validate──▶ Scenario
//	                  │       │                      │
//	                  │       └── what a place may hold: the reader and the schema
//	                  └── line and column of every field ──▶ FileErrors
//
// A shape says what one place in a file may hold. It reads the file and makes the JSON
// schema for editors, schema.json. Package plan says whether the parts fit together; this
// package maps each problem's path back to its position in the file.
//
// [With] sets parameters of a scenario to other values.
//
// In files, durations carry their unit (20ms), probabilities are percent (2.5%), and
// rates are whole parts per million. WRITING.md explains every field.
//
// Errors come all at once, sorted by position: file:line:column, the field, what was
// found, what is allowed. When a field cannot be read, checks that need it are left
// out. The package does not promise that a file can be written back from a scenario.
package file

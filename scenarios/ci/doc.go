// Package ci writes the results of a lock's test in the formats that CI systems read.
//
//	[]Case ──Write──▶ md      a table, for GitHub's step summary or a file
//	                  junit   JUnit XML
//	                  github  annotations, on standard output
//
// A [Case] is one scenario. The package judges nothing, and its output depends only on the
// cases. FORMATS.md shows the output for one failing test. Errors are those of writing the
// file.
package ci

// Package ci writes what a test of a lock found as systems of continuous integration read it.
//
//	[]Case ──Write──▶ md      a table, for GitHub's step summary or a file
//	                  junit   JUnit XML
//	                  github  annotations, on standard output
//
// A [Case] is one scenario. The package judges nothing, and its output depends on the cases
// alone: FORMATS.md shows it for one failing test. Errors are those of the file.
package ci

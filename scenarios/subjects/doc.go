// Package subjects contains every lock of the matrix, one file each: the textbook
// algorithm, package redlock, redsync and redislock, and the locks of the sources
// that the claims come from. Import it for its side effect: each lock registers itself.
//
//	textbook.go             SY-0, the algorithm of the distlock page; switches plant bugs
//	single.go               SY-1, SY-2, SY-3
//	timestamp.go            SY-4, SY-5          ──init──▶ lock.Register
//	locktake.go             SY-6
//	watchdog.go             SY-7
//	article.go              SY-8
//	php.go                  SY-9
//	redlock.go              SY-10, this project's package; patches plant bugs
//	redsync.go, redislock.go    SY-11
//	planted.go              locks that misbehave on purpose, to test the laboratory
//
// A declaration names the subject's options and abilities: they decide which
// scenarios are applicable to it.
//
// A subject sees its [redlocklab/scenarios/lock.Environment] and nothing else of the
// laboratory. Scripts have native twins, so that a run needs no Lua interpreter; a
// differential test holds each pair equal.
//
// The locks of other authors follow their source, mistakes included; a comment marks
// each necessary difference. The package exports nothing and promises nothing about
// its locks: the suite judges them.
package subjects

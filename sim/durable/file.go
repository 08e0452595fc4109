// Package durable says what the disk of a node keeps when it crashes: an append-only
// file with appendfsync everysec, or snapshots.
//
// Redis writes a command to the file before it sends the reply, and another thread
// syncs the file once a second. While that sync runs, Redis holds writes back in its
// own memory, for two seconds at most, and replies all the same (flushAppendOnlyFile
// in aof.c). So the end of the process loses what it held back, and a loss of power
// loses what no finished sync has seen.
//
// Syncs begin at whole multiples of an interval. A real server that has been idle syncs
// the first write at once. Here, other clients' writes are taken to keep it busy.
package durable

import "time"

const holdBack = 2 * time.Second // for so long, at most, a write waits for a sync

// File is a file that is synced at each multiple of Every, unless a sync runs then.
// Snapshots are a file, too: one that only its syncs write. M is an image of the memory.
//
// Images are taken as late as possible: the memory is an image of itself until it
// changes. So [File.Change] must be called before each change, with times that do
// not fall. All times are true times.
type File[M any] struct {
	Every time.Duration // 0: never

	takes    time.Duration // how long a sync takes
	changed  time.Duration // when the memory changed last
	synced   M             // survives a loss of power
	syncing  M             // what the sync that runs will have synced
	until    time.Duration // when the last sync ends
	running  bool
	written  M // what the file holds without the writes held back
	held     bool
	heldFrom time.Duration
}

// Slow lets the syncs that begin from now on take so long.
func (f *File[M]) Slow(now, takes time.Duration, memory func() M) {
	f.pass(now, memory)
	f.takes = takes
}

// Change is to be called before the memory changes.
func (f *File[M]) Change(now time.Duration, memory func() M) {
	f.pass(now, memory)
	f.changed = now
	if f.running && (!f.held || now-f.heldFrom >= holdBack) {
		f.written, f.held, f.heldFrom = memory(), true, now
	}
}

// pass lets the syncs begin and end that do so up to now. The memory has not changed
// since the last call of Change.
func (f *File[M]) pass(now time.Duration, memory func() M) {
	if f.running && now >= f.until {
		f.synced, f.running, f.held = f.syncing, false, false
	}
	if f.running || f.Every == 0 {
		return
	}
	begins := (max(f.changed, f.until)/f.Every + 1) * f.Every // the first second after the change
	switch {
	case begins > now:
	case begins+f.takes <= now:
		f.synced, f.until = memory(), begins+f.takes
	default:
		f.syncing, f.running, f.until = memory(), true, begins+f.takes
	}
}

// AfterKill returns what the file holds when the process ends abruptly.
func (f *File[M]) AfterKill(now time.Duration, memory func() M) M {
	f.pass(now, memory)
	if f.running && f.held && now-f.heldFrom < holdBack {
		return f.written
	}
	return memory()
}

// AfterPowerLoss returns what the file holds when the machine loses its power.
func (f *File[M]) AfterPowerLoss(now time.Duration, memory func() M) M {
	f.pass(now, memory)
	return f.synced
}

// Begin replaces the file at the start of a process: all of it is synced.
func (f *File[M]) Begin(now time.Duration, content M) {
	*f = File[M]{Every: f.Every, takes: f.takes, changed: now, until: now, synced: content}
}

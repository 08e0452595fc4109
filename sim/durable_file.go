package sim

import "time"

const holdBack = 2 * time.Second // for so long, at most, a write waits for a sync

// durableFile is the file that a node keeps when it crashes: an append-only file
// with appendfsync everysec, or snapshots. M is an image of the memory.
//
// Redis writes a command to the file before it sends the reply, and another thread
// syncs the file once a second. While that sync runs, Redis holds writes back in its
// own memory, for two seconds at most, and replies all the same (flushAppendOnlyFile
// in aof.c). So the end of the process loses the writes held back, and a loss of power
// loses those that no finished sync has seen. Snapshots are a file that only its syncs write.
//
// Syncs begin at each multiple of every, unless a sync runs then. A real server that has
// been idle syncs the first write at once. Here, other clients' writes keep it busy.
//
// Images are taken as late as possible: the memory is an image of itself until it
// changes. So change must be called before each change, with times that do
// not fall. All times are true times.
type durableFile[M any] struct {
	every time.Duration // 0: never

	takes    time.Duration // how long a sync takes
	changed  time.Duration // when the memory changed last
	synced   M             // survives a loss of power
	syncing  M             // the contents of synced after the running sync
	until    time.Duration // when the last sync ends
	running  bool
	written  M // the contents of the file, without the writes held back
	held     bool
	heldFrom time.Duration
}

// slow lets the syncs that begin from now on take so long.
func (f *durableFile[M]) slow(now, takes time.Duration, memory func() M) {
	f.pass(now, memory)
	f.takes = takes
}

// change is to be called before the memory changes.
func (f *durableFile[M]) change(now time.Duration, memory func() M) {
	f.pass(now, memory)
	f.changed = now
	if f.running && (!f.held || now-f.heldFrom >= holdBack) {
		f.written, f.held, f.heldFrom = memory(), true, now
	}
}

// pass lets the syncs begin and end that do so up to now. The memory has not changed
// since the last call of change.
func (f *durableFile[M]) pass(now time.Duration, memory func() M) {
	if f.running && now >= f.until {
		f.synced, f.running, f.held = f.syncing, false, false
	}
	if f.running || f.every == 0 {
		return
	}
	begins := (max(f.changed, f.until)/f.every + 1) * f.every // the first second after the change
	switch {
	case begins > now:
	case begins+f.takes <= now:
		f.synced, f.until = memory(), begins+f.takes
	default:
		f.syncing, f.running, f.until = memory(), true, begins+f.takes
	}
}

// afterKill returns the contents of the file after an abrupt end of the process.
func (f *durableFile[M]) afterKill(now time.Duration, memory func() M) M {
	f.pass(now, memory)
	if f.running && f.held && now-f.heldFrom < holdBack {
		return f.written
	}
	return memory()
}

// afterPowerLoss returns the contents of the file after the machine has lost its power.
func (f *durableFile[M]) afterPowerLoss(now time.Duration, memory func() M) M {
	f.pass(now, memory)
	return f.synced
}

// begin replaces the file at the start of a process: all of it is synced.
func (f *durableFile[M]) begin(now time.Duration, content M) {
	*f = durableFile[M]{every: f.every, takes: f.takes, changed: now, until: now, synced: content}
}

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
// Syncs begin at each multiple of every, unless a sync runs then or the server is stopped:
// it begins one when it continues. A real server that has been idle syncs the first write
// at once; here, other clients' writes keep it busy. A snapshot needs a change since the last.
//
// Images are taken as late as possible. So [Node.tick] calls pass before the memory
// loses what has expired, and change must be called before each change, with times that do
// not fall. memory returns the image of the memory at a time since the last call. All
// times are true times.
type durableFile[M any] struct {
	every time.Duration // 0: never
	busy  bool          // a sync needs no change, for other clients write all the time

	takes    time.Duration // how long a sync takes
	changed  time.Duration // when the memory changed last
	dirty    bool          // it has changed since the last sync began
	synced   M             // survives a loss of power
	syncing  M             // the contents of synced after the running sync
	until    time.Duration // when the last sync ends
	running  bool
	stopped  bool          // the server executes nothing
	resumed  time.Duration // when it continued
	written  M             // the contents of the file, without the writes held back
	held     bool
	heldFrom time.Duration
}

// slow lets the syncs that begin from now on take so long.
func (f *durableFile[M]) slow(now, takes time.Duration, memory func(at time.Duration) M) {
	f.pass(now, memory)
	f.takes = takes
}

// halt says that the server stops, or continues.
func (f *durableFile[M]) halt(now time.Duration, stopped bool, memory func(at time.Duration) M) {
	f.pass(now, memory)
	f.stopped, f.resumed = stopped, now
}

// change is to be called before the memory changes.
func (f *durableFile[M]) change(now time.Duration, memory func(at time.Duration) M) {
	f.pass(now, memory)
	f.changed, f.dirty = now, true
	if f.running && (!f.held || now-f.heldFrom >= holdBack) {
		f.written, f.held, f.heldFrom = memory(now), true, now
	}
}

// due reports whether a sync begins or ends by now.
func (f *durableFile[M]) due(now time.Duration) bool {
	if f.running {
		return now >= f.until
	}
	return (f.busy || f.dirty) && !f.stopped && f.begins() <= now
}

// begins is when the next sync begins: at the first multiple of every after the change.
func (f *durableFile[M]) begins() time.Duration {
	return max((max(f.changed, f.until)/f.every+1)*f.every, f.resumed)
}

// pass lets the syncs begin and end that do so up to now. The memory has not changed
// since the last call of change.
func (f *durableFile[M]) pass(now time.Duration, memory func(at time.Duration) M) {
	for f.every > 0 && f.due(now) {
		if f.running {
			f.synced, f.running, f.held = f.syncing, false, false
			continue
		}
		begins := f.begins()
		f.syncing, f.running, f.until, f.dirty = memory(begins), true, begins+f.takes, false
	}
}

// afterKill returns the contents of the file after an abrupt end of the process.
func (f *durableFile[M]) afterKill(now time.Duration, memory func(at time.Duration) M) M {
	f.pass(now, memory)
	if f.running && f.held && now-f.heldFrom < holdBack {
		return f.written
	}
	return memory(now)
}

// afterPowerLoss returns the contents of the file after the machine has lost its power.
func (f *durableFile[M]) afterPowerLoss(now time.Duration, memory func(at time.Duration) M) M {
	f.pass(now, memory)
	return f.synced
}

// begin replaces the file at the start of a process: all of it is synced.
func (f *durableFile[M]) begin(now time.Duration, content M) {
	*f = durableFile[M]{
		every: f.every, busy: f.busy, takes: f.takes, stopped: f.stopped, changed: now, until: now, synced: content,
	}
}

// Package fence is the resource's side of fencing: it refuses accesses that
// carry a smaller fencing token than one that was seen before.
//
// A lock alone cannot protect a resource: a holder can be paused, or its message
// delayed, until another holds the lock (claims RS-1 to RS-3). redlock.WithFencing
// gives each lease a larger number than the one before. The resource keeps the
// largest number that it has seen, its high-water mark, and refuses smaller ones.
//
// The mark must be checked and raised on every access, reads included. Checked on
// writes only, updates are still lost: holder 33 reads, is paused, holder 34
// reads, 33 writes (its number is not smaller than any written one), 34 writes
// over it (claim RS-3).
//
// Check and access must be one atomic step of the resource:
//
//   - Table for a resource that lives in this process,
//   - Get and Set for a value in Redis, AdmitLua to begin your own scripts with,
//   - the SQL texts for a row that is changed in the same transaction.
//
// The mark must be as durable as the resource: a mark that is lost admits stale
// accesses again (claim RS-4).
package fence

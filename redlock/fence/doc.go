// Package fence is the resource's side of fencing. It refuses an access whose fencing
// token is smaller than the largest token seen so far.
//
// A lock alone cannot protect a resource: a holder can be paused, or its message delayed,
// until another holds the lock (claims RS-1 to RS-3). redlock.WithFencing gives each lease a
// larger number than any lease before. The resource keeps the largest number that it has
// seen, its high-water mark, and refuses smaller ones (claim RP-5).
//
// The resource must check and raise the mark on every access, reads included. If it checks
// writes only, updates are still lost (claim RS-3): 33 reads and is paused, 34 reads, 33
// writes and is admitted, 34 writes over it.
//
// The check and the access must be one atomic step. The package provides [Table] for a
// resource in this process, [Get] and [Set] for a value in Redis, and [AdmitLua] as the
// beginning of your own scripts. In a database, begin every transaction that reads or
// writes the resource with this statement (of PostgreSQL and SQLite), and roll back unless
// it affects one row:
//
//	INSERT INTO fence (resource, mark) VALUES ($1, $2)
//	ON CONFLICT (resource) DO UPDATE SET mark = excluded.mark WHERE fence.mark <= excluded.mark
//
// The mark must be as durable as the resource. If the mark is lost, stale accesses are
// admitted again (claim RS-4).
package fence

// Package faults is the vocabulary of what can go wrong: plain data that says
// which thing breaks, when, and for how long, and the code that makes it happen
// in a [redlocklab/sim.World].
//
// # The picture
//
//	Schedule ──Validate(Topology)──▶ problems, all at once
//	   │
//	   └──Install(World)──▶ triggers wait ──▶ Effect begins ──▶ Effect ends
//	                        (time, event,      (Crash, Pause,
//	                         other fault)       Partition, …)
//
// A [Fault] is a name, an [Effect] (one small type per kind), a [Trigger] and an
// [Ending]. It is the same object in a scenario file, in a run's plan and in a
// report: a flat list of words, in one fixed order. All three notations are
// read back to the same fault.
//
//	YAML  - {name: n3 forgets, crash: n3, restart_after: 1ms, when: A acquired, after: 100ms}
//	JSON  {"name":"n3 forgets","crash":"n3","restart_after":"1ms","when":"A acquired","after":"100ms"}
//	line  {name: n3 forgets, crash: n3, restart_after: 1ms, when: A acquired, after: 100ms}
//
// The line is valid YAML: what a report prints can be pasted into a file.
//
// # Triggers
//
// A fault begins at a true time, or at an event, or at another fault:
//
//	at: 150ms                      150 ms of true time after the start
//	when: A acquired               at the first event that matches
//	nth: 2                         … at the second one instead
//	after: 20ms                    … that much true time later
//	every: 2s                      again, that long after each beginning
//	repeat: 5                      so often in all; without every, at each further match of when
//
// What `when` (and `until`, `restart_when`) may say:
//
//	pattern  = client-pattern | node-pattern | fault-pattern .
//	client-pattern
//	         = client ( "called" | "failed" ) [ operation ] [ "of" resource ]
//	         | client ( "acquired" | "extended" | "released" | "lapsed" | "accessed" ) [ resource ]
//	         | client ( "paused" | "resumed" | "crashed" | "finished" | "woke" )
//	         | client ( "impaired" | "recovered" | "stepped" | "drifted" )
//	         | client ( "sent" | "lost" | "delayed" ) [ command ] [ "to" node ]
//	         | client ( "dialed" | "connected" | "closed" | "reset" ) [ "to" node ] .
//	node-pattern
//	         = node ( "received" | "executed" ) [ command ] [ "of" client ]
//	         | node "replied" [ command ] [ "to" client ]
//	         | node "refused" [ "to" client ]
//	         | node ( "crashed" | "restarted" | "promoted" | "expired" | "forgot" | "revived" )
//	         | node ( "impaired" | "recovered" | "refusing" | "loading" | "loaded" | "stopped" | "continued" )
//	         | node ( "evicted" | "removed" | "stepped" | "drifted" )
//	         | node "operated" [ command ] .
//	fault-pattern
//	         = fault-name ( "began" | "ended" ) .
//	operation = "acquire" | "extend" | "release" | "read" | "write" | "decrement" .
//
// "any" stands for every client or every node. Words are separated by blanks.
// A node is said to have replied when its answer arrives at the client, and to have
// refused when it refuses a connection; "refusing" is the beginning of a fault refuse.
// A client woke when one of its timers fired. A clock stepped, or drifted when its
// rate changed. A node evicted when it makes room; "removed" is each key that somebody
// who is no client takes, "operated" a command of such a one.
//
// # Units
//
// Durations are Go durations and carry their unit ("1.5s", "20ms"), rate errors
// are whole parts per million (positive: fast), probabilities are percent
// ("2.5%"). Times are true time since the start of the run.
//
// # Errors
//
// [Parse] and [ParseLine] say which word is wrong, what was found and what is
// allowed. [Schedule.Problems] lists everything that cannot apply: a fault that
// would be a no-op is an error.
//
// # What it does not promise
//
// A fault names the assumption that it can break ([Kind.Breaks]); whether it did
// break it is for the checker to find from what happened. And it cannot promise that a trigger fires:
// [Installed.Fired] counts.
package faults

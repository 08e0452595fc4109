// Package faults is the vocabulary of faults: plain data that states what
// breaks, when and for how long, and the code that injects the fault into a
// [redlocklab/sim.World] or any other [Target].
//
// # The picture
//
//	Schedule ──Validate(Topology)──▶ all problems at once
//	   │
//	   └──Install(World)──▶ triggers wait ──▶ Effect begins ──▶ Effect ends
//	                        (time, event,      (Crash, Pause,
//	                         other fault)       Partition, …)
//
// A [Fault] is a name, an [Effect] (one small type per kind), a [Trigger], an
// [Ending] and a [Repetition]. The file of each kind holds its type, its
// parameters, the assumptions that it can break, and its effect. A fault has
// three notations, each a flat list of words in one fixed order, and each is read
// back as the same fault:
//
//	YAML  - {name: n3 forgets, crash: n3, restart_after: 1ms, when: A acquired, after: 100ms}
//	JSON  {"name":"n3 forgets","crash":"n3","restart_after":"1ms","when":"A acquired","after":"100ms"}
//	line  {name: n3 forgets, crash: n3, restart_after: 1ms, when: A acquired, after: 100ms}
//
// The line is valid YAML: a fault that a report prints can be pasted into a scenario file.
//
// # Triggers
//
// A fault begins at a true time, or at an event, or at another fault:
//
//	at: 150ms                      150 ms of true time after the start
//	when: A acquired               at the first event that matches
//	nth: 2                         … at the second one instead
//	after: 20ms                    … 20 ms of true time later
//	every: 2s                      again, 2 s after each beginning
//	repeat: 5                      five times in all; without every, at each further match of when
//
// The words `when`, `until`, `restart_when` and `promoted_when` take a pattern:
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
//	         | node ( "evicted" | "removed" | "stepped" | "drifted" | "moved" )
//	         | node "operated" [ command ] .
//	fault-pattern
//	         = fault-name ( "began" | "ended" ) .
//	operation = "acquire" | "extend" | "release" | "read" | "write" | "decrement" .
//
// "any" stands for every client or every node. Words are separated by blanks.
//
// A node "replied" when its answer arrives at the client. It "refused" a connection,
// and is "refusing" from the beginning of a fault refuse. It "evicted" keys to make room.
// "removed" is each key that an operator or an eviction takes away, and "operated" is
// each command of an operator. A client "woke" when one of its timers fired. A clock
// "stepped", or "drifted" when its rate changed.
//
// # Units
//
// Durations are Go durations and carry their unit ("1.5s", "20ms"), rate errors
// are whole parts per million (positive: fast), probabilities are percent
// ("2.5%"). Times are true time since the start of the run.
//
// # Errors
//
// [Parse] and [ParseLine] name the wrong word, and list the allowed ones.
// [Schedule.Problems] lists every fault that cannot apply: a fault that cannot
// have an effect is an error.
//
// # What it does not promise
//
// A kind names the assumptions that its faults can break ([Kind.Breaks]); the checker
// decides from the history whether one did. The package does not promise that a trigger
// fires; [Installed.Fired] counts.
package faults

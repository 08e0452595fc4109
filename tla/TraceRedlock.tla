---------------------------- MODULE TraceRedlock ----------------------------
(***************************************************************************)
(* Code to model: is a trace of the running code a behaviour of Redlock?   *)
(*                                                                         *)
(* TraceData.tla is generated.  It holds many traces, lists of events in   *)
(* true time, in microseconds, and the constants that they share.  Every   *)
(* trace is one initial state.  Before an event, time advances to its      *)
(* instant, and keys that are overdue go.  Then the event must be a step   *)
(* of the specification, with what its node answered.                      *)
(*                                                                         *)
(* The core forgets which attempt an orphan came from; here every key      *)
(* keeps its token (client and attempt), so that what a node answers to    *)
(* the comparing commands is held to it exactly.                           *)
(*                                                                         *)
(* A trace is accepted when all of its events were explained.  Its first   *)
(* unexplained event is the one behind the longest explained prefix, which *)
(* Report prints as it grows, with the action that explained the event:    *)
(* that is how one run of TLC checks many traces.  One worker only.        *)
(***************************************************************************)
EXTENDS Redlock, TraceData, Sequences

VARIABLES
    trace,      \* which trace
    position,   \* its next event
    now,        \* true time, in microseconds
    attempt,    \* per client: number of its current attempt
    granting,   \* per client: nodes that said yes to its current SET
    read,       \* per client: nodes whose vote its running round has read
    key         \* per node: client and attempt whose token its key carries

traceVars == <<trace, position, now, attempt, granting, read, key>>

\* TraceData packs an event into four numbers: the instant; kind, client, node
\* and answer as places in the lists of names, in base 64; attempt; what is left.
Unpacked(numbers, i) ==
    LET place(unit) == (numbers[i + 2] \div unit) % 64
        name(names, p) == IF p = 0 THEN "" ELSE names[p]
    IN [at |-> numbers[i + 1], kind |-> name(KindNames, place(262144)),
        client |-> name(ClientNames, place(4096)), node |-> name(NodeNames, place(64)),
        answer |-> name(AnswerNames, place(1)),
        attempt |-> numbers[i + 3], left |-> numbers[i + 4]]

Traces == [t \in 1 .. Len(Packed) |->
              [i \in 1 .. Len(Packed[t]) \div 4 |-> Unpacked(Packed[t], 4 * (i - 1))]]

Event == Traces[trace][position]

NoToken == <<"none", 0>>

TraceInit ==
    /\ Init
    /\ trace \in 1 .. Len(Traces)
    /\ TLCSet(trace, 0)
    /\ position = 1
    /\ now = 0
    /\ attempt = [c \in Clients |-> 0]
    /\ granting = [c \in Clients |-> {}]
    /\ read = [c \in Clients |-> {}]
    /\ key = [n \in Nodes |-> NoToken]

\* Time goes to the instant of the event, and every overdue key goes.
Elapse(ticks) ==
    /\ client' = OlderClients(ticks)
    /\ node' = [n \in Nodes |->
          LET older == Older(node[n], ticks)
          IN IF node[n].owner # "none" /\ node[n].age + ticks > LongestAge
             THEN Free(older) ELSE older]
    /\ UNCHANGED faults

----------------------------------------------------------------------------
(* Words. *)

Current(c) == Event.attempt = attempt[c] /\ client[c].phase \in {"acquiring", "held"}

Sent(c) == <<c, Event.attempt>>

\* The key at the event's node carries the token of the command.
Matches(c, n) == node[n].owner # "none" /\ key[n] = Sent(c)

Same == UNCHANGED vars
SameKeys == UNCHANGED key
SameReads == UNCHANGED read
SameGrants == UNCHANGED granting
SameAttempts == UNCHANGED attempt
Carries(n, token) == key' = [key EXCEPT ![n] = token]

\* What a lease is said to have left is no more than its validity, on the slowest
\* permitted clock, since the start of its round (claim MX-3; the allowance).
Honest(elapsed) == Event.left + elapsed - Drift <= TTL - Margin

----------------------------------------------------------------------------
(* Commands at a node. *)

\* A SET: "won", "own" (it found the token of its own attempt) or "held".
TraceSet(c, n) ==
    CASE Event.answer = "won" ->
            /\ node[n].owner = "none"
            /\ IF Current(c) THEN SetExecutes(c, n) ELSE LateSetExecutes(n)
            /\ Carries(n, Sent(c))
      [] Event.answer = "own" ->
            /\ Matches(c, n) /\ SameKeys
            /\ IF client[c].phase = "acquiring" /\ Current(c) /\ c \notin node[n].votes
               THEN SetExecutes(c, n) ELSE Same
      [] Event.answer = "held" ->
            Answers(n) /\ node[n].owner # "none" /\ ~Matches(c, n) /\ Same /\ SameKeys

Grants(c, n) ==
    IF Event.answer # "held" /\ Current(c)
    THEN granting' = [granting EXCEPT ![c] = @ \union {n}] ELSE SameGrants

\* A compare-and-delete: "removed" or "kept".
TraceDelete(c, n) ==
    IF Event.answer = "removed"
    THEN Matches(c, n) /\ ReleaseExecutes(n) ELSE ~Matches(c, n) /\ Same

\* A compare-and-pexpire: "extended", "topped up" (the key was missing) or "kept".
TraceExtend(c, n) ==
    CASE Event.answer = "extended" ->
            /\ Matches(c, n) /\ SameKeys
            /\ ExtendExecutes(c, n) \/ \E d \in Clients : LateExtendExecutes(d, n)
      [] Event.answer = "topped up" ->
            /\ node[n].owner = "none" /\ Carries(n, Sent(c))
            /\ ExtendExecutes(c, n) \/ (Current(c) /\ SetExecutes(c, n)) \/ LateSetExecutes(n)
      [] Event.answer = "kept" -> ~Matches(c, n) /\ Same /\ SameKeys

\* A crash: the node "forgot" the key, or "kept" it, as with Persistence = "always".
TraceCrash(n) ==
    IF Event.answer = "forgot" THEN Crash(n)
    ELSE /\ Fault("crash")
         /\ node' = [node EXCEPT ![n].away = RestartTicks]
         /\ UNCHANGED client

----------------------------------------------------------------------------

\* The event is a step of the specification.
Explained(c, n) ==
    CASE Event.kind = "start" ->
            /\ Start(c)
            /\ attempt' = [attempt EXCEPT ![c] = Event.attempt]
            /\ granting' = [granting EXCEPT ![c] = {}]
            /\ read' = [read EXCEPT ![c] = {}]
            /\ SameKeys
      [] Event.kind = "set" -> TraceSet(c, n) /\ Grants(c, n) /\ SameAttempts /\ SameReads
      [] Event.kind = "vote read" ->
            \* An answer that may be read may still not count: the guard after a restart.
            /\ client[c].phase = "acquiring" /\ n \in granting[c]
            /\ read' = [read EXCEPT ![c] = IF c \in node[n].votes THEN @ \union {n} ELSE @]
            /\ Same /\ SameAttempts /\ SameGrants /\ SameKeys
      [] Event.kind = "granted" ->
            /\ Quorum(read[c]) /\ Decide(c) /\ Honest(client[c].elapsed)
            /\ SameAttempts /\ SameReads /\ SameGrants /\ SameKeys
      [] Event.kind = "given up" -> GiveUp(c) /\ SameAttempts /\ SameReads /\ SameGrants /\ SameKeys
      [] Event.kind = "released" -> Release(c) /\ SameAttempts /\ SameReads /\ SameGrants /\ SameKeys
      [] Event.kind = "delete" ->
            TraceDelete(c, n) /\ SameAttempts /\ SameReads /\ SameGrants /\ SameKeys
      [] Event.kind = "extend start" ->
            /\ ExtendStart(c)
            /\ read' = [read EXCEPT ![c] = {}]
            /\ SameAttempts /\ SameGrants /\ SameKeys
      [] Event.kind = "extend" -> TraceExtend(c, n) /\ SameAttempts /\ SameReads /\ SameGrants
      [] Event.kind = "extension read" ->
            /\ client[c].extension # NoExtension /\ c \in node[n].extended
            /\ read' = [read EXCEPT ![c] = @ \union {n}]
            /\ Same /\ SameAttempts /\ SameGrants /\ SameKeys
      [] Event.kind = "extended" ->
            /\ Quorum(read[c]) /\ ExtendDecide(c) /\ Honest(client[c].extension)
            /\ SameAttempts /\ SameReads /\ SameGrants /\ SameKeys
      [] Event.kind = "extend failed" ->
            ExtendGiveUp(c) /\ SameAttempts /\ SameReads /\ SameGrants /\ SameKeys
      [] Event.kind = "expire" ->
            \* The world may notice later than the model that a key is gone.
            /\ IF node[n].owner = "none" THEN Same ELSE Expire(n)
            /\ SameAttempts /\ SameReads /\ SameGrants /\ SameKeys
      [] Event.kind = "crash" -> TraceCrash(n) /\ SameAttempts /\ SameReads /\ SameGrants /\ SameKeys
      [] Event.kind = "clock step" ->
            /\ IF node[n].owner = "none" THEN Same ELSE ClockSteps(n)
            /\ SameAttempts /\ SameReads /\ SameGrants /\ SameKeys
      [] Event.kind = "key removed" ->
            /\ IF node[n].owner = "none" THEN Same ELSE KeyRemoved(n)
            /\ SameAttempts /\ SameReads /\ SameGrants /\ SameKeys

\* The action of Redlock that the event is; empty for what changes nothing there.
Action(c, n) ==
    LET changes(name) == IF node[n].owner = "none" THEN "" ELSE name
    IN CASE Event.kind = "start"         -> "Start"
         [] Event.kind = "set"           -> IF Event.answer # "won" THEN ""
                                            ELSE IF Current(c) THEN "SetExecutes" ELSE "LateSetExecutes"
         [] Event.kind = "granted"       -> "Decide"
         [] Event.kind = "given up"      -> "GiveUp"
         [] Event.kind = "released"      -> "Release"
         [] Event.kind = "delete"        -> IF Event.answer = "removed" THEN "ReleaseExecutes" ELSE ""
         [] Event.kind = "extend start"  -> "ExtendStart"
         [] Event.kind = "extend"        -> IF Event.answer = "kept" THEN ""
                                            ELSE IF Current(c) /\ client[c].extension # NoExtension
                                            THEN "ExtendExecutes" ELSE "LateExtendExecutes"
         [] Event.kind = "extended"      -> "ExtendDecide"
         [] Event.kind = "extend failed" -> "ExtendGiveUp"
         [] Event.kind = "expire"        -> changes("Expire")
         [] Event.kind = "crash"         -> "Crash"
         [] Event.kind = "clock step"    -> changes("ClockSteps")
         [] Event.kind = "key removed"   -> changes("KeyRemoved")
         [] OTHER                        -> ""

\* Prints a prefix that is longer than any before it.
Report(t, length, action) ==
    IF length > TLCGet(t)
    THEN TLCSet(t, length) /\ PrintT(<<"explained", t, length, action>>)
    ELSE TRUE

TraceNext ==
    /\ position <= Len(Traces[trace])
    /\ IF now < Event.at
       THEN /\ Elapse(Event.at - now)
            /\ now' = Event.at
            /\ UNCHANGED <<trace, position, attempt, granting, read, key>>
       ELSE /\ Explained(Event.client, Event.node)
            /\ position' = position + 1
            /\ Report(trace, position, Action(Event.client, Event.node))
            /\ UNCHANGED <<trace, now>>

TraceSpec == TraceInit /\ [][TraceNext]_<<vars, traceVars>>
=============================================================================

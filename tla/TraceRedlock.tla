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
    granting,   \* per client: nodes that said yes in its running round
    read,       \* per client: nodes whose vote its running round has read
    key,        \* per node: client and attempt whose token its key carries
    counter,    \* per node: its fencing counter
    raised      \* per client: nodes whose counter its attempt has raised

traceVars == <<trace, position, now, attempt, granting, read, key, counter, raised>>

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
    /\ counter = [n \in Nodes |-> 0]
    /\ raised = [c \in Clients |-> {}]

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

\* What only the events of fencing change.
SameFence == UNCHANGED <<counter, raised>>

\* What only the events of a client's rounds change.
SameRounds == UNCHANGED <<attempt, granting, read>>

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

\* An answer that the running round of c, if the command is of it, may read.
Grants(c, n, running) ==
    IF Event.answer \notin {"held", "kept"} /\ Current(c) /\ running
    THEN granting' = [granting EXCEPT ![c] = @ \union {n}] ELSE UNCHANGED granting

\* The running round of c reads an answer.  It may not count: the guard after a
\* restart, of which the specification has taken note at the node.
Reads(c, n, counts) ==
    /\ n \in granting[c]
    /\ read' = [read EXCEPT ![c] = IF counts THEN @ \union {n} ELSE @]

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

\* On the fastest permitted clock nothing of the validity is left.
Lapsed(c) == client[c].elapsed + Drift >= TTL - Margin

\* What leaves a client, before anything has arrived.  Where TraceStrict, a SET belongs to
\* an attempt that runs or holds and has not lapsed (MX-8); the textbook algorithm promises
\* less: what waited for a connection leaves when its attempt is over, maybe when the next one
\* has begun.  A release belongs to an attempt that is over or has lapsed, an extension to the
\* lease that is held and has not lapsed (MX-10).  Attempt 0 could send no SET.
TraceSent(c) ==
    /\ CASE Event.kind = "set sent"    -> TraceStrict => Current(c) /\ Valid(client[c].elapsed)
         [] Event.kind = "extend sent" -> IF TraceStrict THEN Current(c) /\ Believes(c) ELSE Event.attempt \in 1 .. attempt[c]
         [] OTHER                      -> ~Current(c) \/ Lapsed(c)
    /\ Same /\ SameKeys /\ SameRounds /\ SameFence

\* A key goes by itself when its lease was never over, or when the client had sent a release
\* of it (MX-3); otherwise the trace says why not.
ReleaseWasSent(n) ==
    \/ key[n] = NoToken
    \/ \E i \in 1 .. position - 1 :
          LET e == Traces[trace][i]
          IN e.kind \in {"delete sent", "unreached"} /\ <<e.client, e.attempt>> = key[n] /\ e.node = n
    \/ key[n][2] = attempt[key[n][1]] /\ client[key[n][1]].phase \in {"acquiring", "held"}

\* A write-back of a fencing token executes: "raised" where the key carries the token of
\* the command and the counter was lower, "kept" elsewhere.  A restart may lose counters.
TraceFence(c, n) ==
    /\ IF Event.answer = "raised"
       THEN /\ Matches(c, n) /\ Current(c) /\ counter[n] < Event.left
            /\ counter' = [counter EXCEPT ![n] = Event.left]
            /\ raised' = [raised EXCEPT ![c] = @ \union {n}]
       ELSE /\ ~Matches(c, n) \/ counter[n] >= Event.left
            /\ UNCHANGED <<counter, raised>>
    /\ Same /\ SameKeys /\ SameRounds

\* The event is a step of the specification.
Explained(c, n) ==
    CASE Event.kind = "start" ->
            /\ Start(c)
            /\ attempt' = [attempt EXCEPT ![c] = Event.attempt]
            /\ granting' = [granting EXCEPT ![c] = {}]
            /\ read' = [read EXCEPT ![c] = {}]
            /\ raised' = [raised EXCEPT ![c] = {}]
            /\ SameKeys /\ UNCHANGED counter
      [] Event.kind \in {"set sent", "delete sent", "extend sent"} -> TraceSent(c)
      [] Event.kind = "unreached" -> Same /\ SameKeys /\ SameRounds /\ SameFence
      [] Event.kind = "fence" -> TraceFence(c, n)
      [] Event.kind = "set" ->
            /\ TraceSet(c, n) /\ Grants(c, n, client[c].phase = "acquiring")
            /\ UNCHANGED <<attempt, read>> /\ SameFence
      [] Event.kind = "vote read" ->
            /\ client[c].phase = "acquiring"
            /\ Reads(c, n, c \in node[n].votes)
            /\ Same /\ UNCHANGED <<attempt, granting>> /\ SameKeys /\ SameFence
      [] Event.kind = "granted" ->
            /\ Quorum(c, read[c]) /\ Decide(c) /\ Honest(client[c].elapsed)
            /\ TraceFenced => Quorum(c, raised[c])
            /\ SameRounds /\ SameKeys /\ SameFence
      [] Event.kind = "given up" -> GiveUp(c) /\ SameRounds /\ SameKeys /\ SameFence
      [] Event.kind = "released" -> Release(c) /\ SameRounds /\ SameKeys /\ SameFence
      [] Event.kind = "delete" -> TraceDelete(c, n) /\ SameRounds /\ SameKeys /\ SameFence
      [] Event.kind = "extend start" ->
            /\ ExtendStart(c)
            /\ granting' = [granting EXCEPT ![c] = {}]
            /\ read' = [read EXCEPT ![c] = {}]
            /\ UNCHANGED attempt /\ SameKeys /\ SameFence
      [] Event.kind = "extend" ->
            /\ TraceExtend(c, n)
            /\ Grants(c, n, client[c].extension # NoExtension)
            /\ UNCHANGED <<attempt, read>> /\ SameFence
      [] Event.kind = "extension read" ->
            /\ client[c].extension # NoExtension
            /\ Reads(c, n, c \in node[n].extended)
            /\ Same /\ UNCHANGED <<attempt, granting>> /\ SameKeys /\ SameFence
      [] Event.kind = "extended" ->
            /\ Quorum(c, read[c]) /\ ExtendDecide(c) /\ Honest(client[c].extension)
            /\ SameRounds /\ SameKeys /\ SameFence
      [] Event.kind = "extend failed" -> ExtendGiveUp(c) /\ SameRounds /\ SameKeys /\ SameFence
      [] Event.kind = "expire" ->
            \* The world may notice later than the model that a key is gone.
            /\ ReleaseWasSent(n)
            /\ IF node[n].owner = "none" THEN Same ELSE Expire(n)
            /\ SameRounds /\ SameKeys /\ SameFence
      [] Event.kind = "crash" ->
            /\ TraceCrash(n)
            /\ counter' = [counter EXCEPT ![n] = 0]
            /\ SameRounds /\ SameKeys /\ UNCHANGED raised
      [] Event.kind = "clock step" ->
            /\ IF node[n].owner = "none" THEN Same ELSE ClockSteps(n)
            /\ SameRounds /\ SameKeys /\ SameFence
      [] Event.kind = "key removed" ->
            /\ IF node[n].owner = "none" THEN Same ELSE KeyRemoved(n)
            /\ SameRounds /\ SameKeys /\ SameFence

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
            /\ UNCHANGED <<trace, position, attempt, granting, read, key, counter, raised>>
       ELSE /\ Explained(Event.client, Event.node)
            /\ position' = position + 1
            /\ Report(trace, position, Action(Event.client, Event.node))
            /\ UNCHANGED <<trace, now>>

TraceSpec == TraceInit /\ [][TraceNext]_<<vars, traceVars>>
=============================================================================

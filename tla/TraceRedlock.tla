---------------------------- MODULE TraceRedlock ----------------------------
(***************************************************************************)
(* Code to model: is a trace of the running code a behaviour of Redlock?   *)
(*                                                                         *)
(* TraceData.tla is generated.  It holds many traces, lists of events in   *)
(* true time, in microseconds, and the constants that they share.  Every   *)
(* trace is one initial state.  Before an event, time advances to its      *)
(* instant, and keys that are overdue go; a key that may have expired at   *)
(* the event's node goes if the event needs it.  Then the event must be a  *)
(* step of the specification, with what its node answered.                 *)
(*                                                                         *)
(* A trace is accepted when all of its events were explained.  Its first   *)
(* unexplained event is the one behind the longest explained prefix, which *)
(* Report prints as it grows: that is how one run of TLC judges many       *)
(* traces.  One worker only.                                               *)
(***************************************************************************)
EXTENDS Redlock, TraceData, Sequences

VARIABLES
    trace,      \* which trace
    position,   \* its next event
    now,        \* true time, in microseconds
    attempt,    \* per client: number of its current attempt
    read        \* per client: nodes whose vote its running round has read

traceVars == <<trace, position, now, attempt, read>>

Event == Traces[trace][position]

TraceInit ==
    /\ Init
    /\ trace \in 1 .. Len(Traces)
    /\ TLCSet(trace, 0)
    /\ position = 1
    /\ now = 0
    /\ attempt = [c \in Clients |-> 0]
    /\ read = [c \in Clients |-> {}]

\* Time goes to the instant of the event, and every overdue key goes.
Elapse(ticks) ==
    /\ client' = OlderClients(ticks)
    /\ node' = [n \in Nodes |->
          LET older == Older(node[n], ticks)
          IN IF node[n].owner # "none" /\ node[n].age + ticks > LongestAge
             THEN Free(older) ELSE older]
    /\ UNCHANGED faults

Current(c) == Event.attempt = attempt[c] /\ client[c].phase \in {"acquiring", "held"}

Same == UNCHANGED vars

\* A SET of the current attempt, or of one that is over; the node's answer is
\* "won", "own" (it found the attempt's own token) or "held".
TraceSet(c, n) ==
    CASE Event.answer = "won" ->
            node[n].owner = "none" /\ IF Current(c) THEN SetExecutes(c, n) ELSE LateSetExecutes(n)
      [] Event.answer = "own" /\ Current(c) ->
            node[n].owner = c /\ (SetExecutes(c, n) \/ (c \in node[n].votes /\ Same))
      [] Event.answer = "own" /\ ~Current(c) -> node[n].owner = "orphan" /\ Same
      [] Event.answer = "held" ->
            Answers(n) /\ node[n].owner # "none" /\ (Current(c) => node[n].owner # c) /\ Same

\* A compare-and-delete; "removed" or "kept".
TraceDelete(n) ==
    IF Event.answer = "removed" THEN ReleaseExecutes(n) ELSE Same

\* A compare-and-pexpire; "extended" or "kept".
TraceExtend(c, n) ==
    IF Event.answer = "extended"
    THEN ExtendExecutes(c, n) \/ LateExtendExecutes(c, n)
    ELSE (Current(c) => node[n].owner # c) /\ Same

Attempted(c) == attempt' = [attempt EXCEPT ![c] = Event.attempt]
SameAttempts == UNCHANGED attempt
Reads(c, nodes) == read' = [read EXCEPT ![c] = nodes]
SameReads == UNCHANGED read

\* The event is a step of the specification.
Explained(c, n) ==
    CASE Event.kind = "start"          -> Start(c) /\ Attempted(c) /\ Reads(c, {})
      [] Event.kind = "set"            -> TraceSet(c, n) /\ SameAttempts /\ SameReads
      [] Event.kind = "vote read"      -> /\ client[c].phase = "acquiring"
                                          /\ c \in node[n].votes
                                          /\ Same /\ SameAttempts
                                          /\ Reads(c, read[c] \union {n})
      [] Event.kind = "granted"        -> /\ Quorum(read[c]) /\ Decide(c)
                                          /\ SameAttempts /\ SameReads
      [] Event.kind = "given up"       -> GiveUp(c) /\ SameAttempts /\ SameReads
      [] Event.kind = "released"       -> Release(c) /\ SameAttempts /\ SameReads
      [] Event.kind = "delete"         -> TraceDelete(n) /\ SameAttempts /\ SameReads
      [] Event.kind = "extend start"   -> ExtendStart(c) /\ SameAttempts /\ Reads(c, {})
      [] Event.kind = "extend"         -> TraceExtend(c, n) /\ SameAttempts /\ SameReads
      [] Event.kind = "extension read" -> /\ client[c].extension # NoExtension
                                          /\ c \in node[n].extended
                                          /\ Same /\ SameAttempts
                                          /\ Reads(c, read[c] \union {n})
      [] Event.kind = "extended"       -> /\ Quorum(read[c]) /\ ExtendDecide(c)
                                          /\ SameAttempts /\ SameReads
      [] Event.kind = "extend failed"  -> ExtendGiveUp(c) /\ SameAttempts /\ SameReads
      [] Event.kind = "crash"          -> Crash(n) /\ SameAttempts /\ SameReads
      [] Event.kind = "clock step"     -> /\ IF node[n].owner = "none" THEN Same ELSE ClockSteps(n)
                                          /\ SameAttempts /\ SameReads
      [] Event.kind = "key removed"    -> /\ IF node[n].owner = "none" THEN Same ELSE KeyRemoved(n)
                                          /\ SameAttempts /\ SameReads

\* Prints a prefix that is longer than any before it.
Report(t, length) ==
    IF length > TLCGet(t)
    THEN TLCSet(t, length) /\ PrintT(<<"explained", t, length>>)
    ELSE TRUE

TraceNext ==
    /\ position <= Len(Traces[trace])
    /\ IF now < Event.at
       THEN /\ Elapse(Event.at - now)
            /\ now' = Event.at
            /\ UNCHANGED <<trace, position, attempt, read>>
       ELSE \/ /\ Event.node \in Nodes
               /\ Expire(Event.node)
               /\ UNCHANGED traceVars
            \/ /\ Explained(Event.client, Event.node)
               /\ position' = position + 1
               /\ Report(trace, position)
               /\ UNCHANGED <<trace, now>>

TraceSpec == TraceInit /\ [][TraceNext]_<<vars, traceVars>>
=============================================================================

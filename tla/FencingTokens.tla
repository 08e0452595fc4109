--------------------------- MODULE FencingTokens ---------------------------
(***************************************************************************)
(* Fencing tokens from counters on a quorum, while contenders read them     *)
(* concurrently and the lock fails: votes come and go as they like, so      *)
(* several clients may be granted at once.  Whatever the clocks do, tokens  *)
(* must differ, and a lease that wins its votes after another was handed    *)
(* out must have the larger one.  (Fencing.tla has the resource, and one holder at a *)
(* time; tla/proof/Fencing.v has the theorem for every number of nodes.)    *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    Clients,
    Nodes,          \* each keeps a vote and a counter
    MaxLeases,      \* attempts in one behaviour
    MaxCounter      \* bound on counters

VARIABLES
    client,         \* per client: phase, token, nodes that told and that took it, floor
    vote,           \* per node: who has its vote, or "none"
    counter,        \* per node
    leases,         \* attempts so far
    largest         \* largest token that was handed out

vars == <<client, vote, counter, leases, largest>>

Quorum(nodes) == Cardinality(nodes) >= Cardinality(Nodes) \div 2 + 1

Larger(a, b) == IF a > b THEN a ELSE b

Resting == [phase |-> "idle", token |-> 0, told |-> {}, took |-> {}, floor |-> 0]

Init ==
    /\ client = [c \in Clients |-> Resting]
    /\ vote = [n \in Nodes |-> "none"]
    /\ counter = [n \in Nodes |-> 0]
    /\ leases = 0
    /\ largest = 0

\* acquisition.attempt.
Begin(c) ==
    /\ client[c].phase = "idle" /\ leases < MaxLeases
    /\ leases' = leases + 1
    /\ client' = [client EXCEPT ![c] = [Resting EXCEPT !.phase = "asking"]]
    /\ UNCHANGED <<vote, counter, largest>>

\* acquire_fenced.lua: the vote tells the counter; a repeated SET finds its own key and tells
\* it once more.
Told(c, n) ==
    /\ client[c].phase = "asking" /\ vote[n] \in {"none", c}
    /\ vote' = [vote EXCEPT ![n] = c]
    /\ client' = [client EXCEPT ![c].told = @ \union {n}, ![c].token = Larger(@, counter[n] + 1)]
    /\ UNCHANGED <<counter, leases, largest>>

\* fanout.wait: a quorum has told, and the token is larger than all it was told.
Decided(c) ==
    /\ client[c].phase = "asking" /\ Quorum(client[c].told)
    /\ client' = [client EXCEPT ![c].phase = "writing", ![c].floor = largest]
    /\ UNCHANGED <<vote, counter, leases, largest>>

\* fence.lua: the counter is raised where the vote still is and it is lower.
Took(c, n) ==
    /\ client[c].phase = "writing" /\ n \notin client[c].took
    /\ vote[n] = c
    /\ counter[n] < client[c].token /\ client[c].token <= MaxCounter
    /\ counter' = [counter EXCEPT ![n] = client[c].token]
    /\ client' = [client EXCEPT ![c].took = @ \union {n}]
    /\ UNCHANGED <<vote, leases, largest>>

\* Locker.raiseFence: a quorum has it, and the lease is handed out.
HandedOut(c) ==
    /\ client[c].phase = "writing" /\ Quorum(client[c].took)
    /\ client' = [client EXCEPT ![c].phase = "ready"]
    /\ largest' = Larger(largest, client[c].token)
    /\ UNCHANGED <<vote, counter, leases>>

\* Lease.Release, or the attempt is given up; the token may still be on its way.
End(c) ==
    /\ client[c].phase # "idle"
    /\ client' = [client EXCEPT ![c] = Resting]
    /\ vote' = [n \in Nodes |-> IF vote[n] = c THEN "none" ELSE vote[n]]
    /\ UNCHANGED <<counter, leases, largest>>

\* page, step 2: the PX of the SET; faults.Crash: a vote goes at any moment.  Counters stay.
VoteGoes(n) ==
    /\ vote[n] # "none"
    /\ vote' = [vote EXCEPT ![n] = "none"]
    /\ UNCHANGED <<client, counter, leases, largest>>

\* page, step 2: a SET of an attempt that has its token already.
LateVote(c, n) ==
    /\ client[c].phase = "writing" /\ vote[n] = "none"
    /\ vote' = [vote EXCEPT ![n] = c]
    /\ UNCHANGED <<client, counter, leases, largest>>

Next ==
    \/ \E c \in Clients :
          \/ Begin(c) \/ Decided(c) \/ HandedOut(c) \/ End(c)
          \/ \E n \in Nodes : Told(c, n) \/ Took(c, n) \/ LateVote(c, n)
    \/ \E n \in Nodes : VoteGoes(n)

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
(* Claims. *)

TypeOK ==
    /\ vote \in [Nodes -> Clients \union {"none"}]
    /\ counter \in [Nodes -> 0 .. MaxCounter]
    /\ \A c \in Clients : client[c].phase \in {"idle", "asking", "writing", "ready"}

Ready(c) == client[c].phase = "ready"

\* RS-4: no two leases that were handed out have one token.
TokensDiffer ==
    \A c, d \in Clients : Ready(c) /\ Ready(d) /\ client[c].token = client[d].token => c = d

\* RS-4, RP-5: a lease has a larger token than every one that was handed out before it won its
\* votes.
TokensGrow == \A c \in Clients : Ready(c) => client[c].token > client[c].floor

\* Reachability: must be violated.
NeverBothReady == \A c, d \in Clients : Ready(c) /\ Ready(d) => c = d

Symmetric == Permutations(Clients) \union Permutations(Nodes)
=============================================================================

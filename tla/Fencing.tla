------------------------------ MODULE Fencing ------------------------------
(***************************************************************************)
(* At the resource: the lock is correct, the effect is late.               *)
(*                                                                         *)
(* The lock itself is abstract here.  At most one client holds at a time,  *)
(* and a lease may end while its client is paused (page, "Is the algorithm *)
(* asynchronous?"; Kleppmann's GC pause and 90 s network delay).  Each     *)
(* holder draws a token by counters on N nodes, reads the resource, and    *)
(* writes what it read plus one: the inventory counter.                    *)
(*                                                                         *)
(* Counter schemes of a token:                                             *)
(*   "max"       INCR on a quorum, the largest answer is the token;        *)
(*   "writeback" the same, and before it is used the token is written back *)
(*               to a quorum that keeps the larger of the two values.      *)
(* Package redlock writes back.  It only reads the counters and adds one   *)
(* to the largest; the model counts at each node as well, which draws more *)
(* tokens from the same counters.                                          *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    Clients,        \* clients; each takes MaxGrants grants in all
    Nodes,          \* nodes that keep a counter
    MaxGrants,      \* bound on grants of the lock in one behaviour
    MaxCounter,     \* bound on a counter, a token and the resource
    Skewed,         \* TRUE: counters start apart (a node missed many INCRs)
    Scheme,         \* "max" or "writeback"
    Durable,        \* FALSE: one node may lose its counter (breaks A-COUNTER)
    InTime,         \* TRUE: the work ends before the validity (A-WORK)
    Fence           \* "none", "writes", or "all": accesses that the resource checks

ASSUME
    /\ Scheme \in {"max", "writeback"}
    /\ Fence \in {"none", "writes", "all"}
    /\ {Skewed, Durable, InTime} \subseteq BOOLEAN

VARIABLES
    holder,     \* the client that the lock serves, or "none"
    grants,     \* grants so far
    client,     \* per client: phase, token, value read, nodes answered
    counter,    \* per node
    resource,   \* value, highest token seen, last token that touched it
    stale,      \* a write was accepted after a larger grant had touched
    lost,       \* an accepted write overwrote one that its client had not read
    forgotten   \* one counter was lost

vars == <<holder, grants, client, counter, resource, stale, lost, forgotten>>

IsQuorum(nodes) == Cardinality(nodes) >= Cardinality(Nodes) \div 2 + 1

Largest(values) == CHOOSE v \in values : \A w \in values : w <= v

Resting == [phase |-> "idle", grant |-> 0, token |-> 0, read |-> 0,
            drawn |-> {}, written |-> {}]

Init ==
    /\ holder = "none"
    /\ grants = 0
    /\ client = [c \in Clients |-> Resting]
    /\ IF Skewed
       THEN \E ahead \in Nodes : counter = [n \in Nodes |-> IF n = ahead THEN 2 ELSE 0]
       ELSE counter = [n \in Nodes |-> 0]
    /\ resource = [value |-> 0, version |-> 0, token |-> 0, grant |-> 0]
    /\ stale = FALSE
    /\ lost = FALSE
    /\ forgotten = FALSE

----------------------------------------------------------------------------
(* The lock and its token. *)

\* page, steps 1 to 3; acquisition.attempt: the lock is granted; grants are numbered in their true order.
Grant(c) ==
    /\ holder = "none" /\ client[c].phase = "idle" /\ grants < MaxGrants
    /\ holder' = c
    /\ grants' = grants + 1
    /\ client' = [client EXCEPT ![c] = [Resting EXCEPT !.phase = "drawing",
                                                       !.grant = grants + 1]]
    /\ UNCHANGED <<counter, resource, stale, lost, forgotten>>

\* INCR at one node; the answer joins the maximum (acquire_fenced.lua reads the
\* counter with the vote; textbook.TryLock counts).
Draw(c, n) ==
    /\ client[c].phase = "drawing" /\ holder = c
    /\ n \notin client[c].drawn
    /\ counter[n] < MaxCounter
    /\ counter' = [counter EXCEPT ![n] = @ + 1]
    /\ client' = [client EXCEPT ![c].drawn = @ \union {n},
                                ![c].token = Largest({@, counter[n] + 1})]
    /\ UNCHANGED <<holder, grants, resource, stale, lost, forgotten>>

\* A quorum has answered: the largest is the token (fanout.wait).
TokenDecided(c) ==
    /\ client[c].phase = "drawing" /\ holder = c
    /\ IsQuorum(client[c].drawn)
    /\ client' = [client EXCEPT ![c].phase = IF Scheme = "writeback" THEN "writingback"
                                             ELSE "ready"]
    /\ UNCHANGED <<holder, grants, counter, resource, stale, lost, forgotten>>

\* fence.lua: conditional write-back at one node: the counter never goes down.
WriteBack(c, n) ==
    /\ client[c].phase = "writingback" /\ holder = c
    /\ n \notin client[c].written
    /\ counter' = [counter EXCEPT ![n] = Largest({@, client[c].token})]
    /\ client' = [client EXCEPT ![c].written = @ \union {n}]
    /\ UNCHANGED <<holder, grants, resource, stale, lost, forgotten>>

\* Locker.raiseFence: a quorum has it, and the lease is handed out.
WrittenBack(c) ==
    /\ client[c].phase = "writingback" /\ holder = c
    /\ IsQuorum(client[c].written)
    /\ client' = [client EXCEPT ![c].phase = "ready"]
    /\ UNCHANGED <<holder, grants, counter, resource, stale, lost, forgotten>>

\* Lease.Release, or Lease.Until is over.  A client whose work is not done
\* does not notice, because it is paused, unless A-WORK is assumed.
LeaseEnds ==
    /\ holder # "none"
    /\ InTime => client[holder].phase = "done"
    /\ holder' = "none"
    /\ client' = [client EXCEPT ![holder].phase =
                    IF @ \in {"drawing", "writingback", "done"} THEN "idle" ELSE @]
    /\ UNCHANGED <<grants, counter, resource, stale, lost, forgotten>>

----------------------------------------------------------------------------
(* The resource. *)

Passes(c, kind) ==
    \/ Fence = "none"
    \/ Fence = "writes" /\ kind = "read"
    \/ client[c].token >= resource.token

Raised(c, kind) ==
    IF Fence = "all" \/ (Fence = "writes" /\ kind = "write")
    THEN Largest({resource.token, client[c].token})
    ELSE resource.token

\* register.apply: a read arrives.  The validity check was before it, at the client.
Read(c) ==
    /\ client[c].phase = "ready"
    /\ IF Passes(c, "read")
       THEN /\ client' = [client EXCEPT ![c].phase = "computing",
                                        ![c].read = resource.version]
            /\ resource' = [resource EXCEPT !.token = Raised(c, "read"),
                                            !.grant = Largest({@, client[c].grant})]
       ELSE /\ client' = [client EXCEPT ![c].phase = "done"]
            /\ UNCHANGED resource
    /\ UNCHANGED <<holder, grants, counter, stale, lost, forgotten>>

\* register.apply: a write arrives.  It is stale when a later grant has touched the resource,
\* and it loses an update when the value is not the one that was read.
Write(c) ==
    /\ client[c].phase = "computing"
    /\ IF Passes(c, "write")
       THEN /\ resource' = [resource EXCEPT !.value = client[c].read + 1,
                                            !.version = @ + 1,
                                            !.token = Raised(c, "write"),
                                            !.grant = Largest({@, client[c].grant})]
            /\ stale' = (stale \/ resource.grant > client[c].grant)
            /\ lost' = (lost \/ resource.version # client[c].read)
       ELSE UNCHANGED <<resource, stale, lost>>
    /\ client' = [client EXCEPT ![c].phase = "done"]
    /\ UNCHANGED <<holder, grants, counter, forgotten>>

\* A client that lost its lease in the middle (Lease.lapsed) is done and rests.
Rest(c) ==
    /\ client[c].phase = "done" /\ holder # c
    /\ client' = [client EXCEPT ![c] = Resting]
    /\ UNCHANGED <<holder, grants, counter, resource, stale, lost, forgotten>>

\* page, "Performance, crash recovery and fsync"; faults.Crash: a restart without
\* persistence takes the counter of one node back to zero.
CounterForgotten(n) ==
    /\ ~Durable /\ ~forgotten /\ counter[n] > 0
    /\ counter' = [counter EXCEPT ![n] = 0]
    /\ forgotten' = TRUE
    /\ UNCHANGED <<holder, grants, client, resource, stale, lost>>

Next ==
    \/ LeaseEnds
    \/ \E c \in Clients :
          \/ Grant(c) \/ TokenDecided(c) \/ WrittenBack(c)
          \/ Read(c) \/ Write(c) \/ Rest(c)
          \/ \E n \in Nodes : Draw(c, n) \/ WriteBack(c, n)
    \/ \E n \in Nodes : CounterForgotten(n)

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
(* Claims. *)

TypeOK ==
    /\ holder \in Clients \union {"none"}
    /\ grants \in 0 .. MaxGrants
    /\ counter \in [Nodes -> 0 .. MaxCounter]
    /\ \A c \in Clients :
          client[c].phase \in {"idle", "drawing", "writingback", "ready", "computing", "done"}

\* RS-4: a later grant has a larger token (checked while both are in use).
InUse(c) == client[c].phase \in {"ready", "computing", "done"}

TokensGrow ==
    \A c, d \in Clients :
        (InUse(c) /\ InUse(d) /\ client[c].grant < client[d].grant)
           => client[c].token < client[d].token

\* RS-1, RS-2, RP-5: no write is accepted after a later grant has touched.
NoStaleWrite == ~stale

\* RS-3: no sold-twice item.
NoLostUpdate == ~lost

\* Reachability: must be violated.
NeverTwoWrites == resource.version < 2
NeverRejected == \A c \in Clients :
    ~(client[c].phase \in {"ready", "computing"} /\ client[c].token < resource.token)

Symmetric == Permutations(Clients) \union Permutations(Nodes)
=============================================================================

-------------------------- MODULE RedlockLiveness --------------------------
(***************************************************************************)
(* Progress, without time.  A lease may lapse at any moment and a key may  *)
(* expire once its attempt is over; what is asked is whether somebody gets *)
(* the lock again and again.                                               *)
(*                                                                         *)
(* A SET goes to every node that is up.  The fairness that is assumed is   *)
(* stated in Fairness, one line per reason.  Unconditional progress is     *)
(* FALSE even with all nodes up: two clients can split the vote for ever   *)
(* (LV-4).  True is: if from some moment on only one client tries, and it  *)
(* tries again and again, it holds again and again.  Random delays make    *)
(* that moment come with probability one (A-RANDOM), which a model without *)
(* probabilities can only assume.                                          *)
(*                                                                         *)
(* No SYMMETRY and no VIEW here: they are unsound for temporal properties. *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    Clients, Nodes,
    DownForEver,        \* nodes that never answer
    RestartsAll,        \* TRUE: nodes may crash, one majority crash included,
                        \* and are barred until they restart
    Expires,            \* FALSE: keys without a TTL (mutant)
    HolderDies,         \* TRUE: a holder may crash without release
    ReleasesPartial,    \* FALSE: partial votes are left until they expire
    ExtensionsBounded,  \* FALSE: a holder may extend without end (A-BOUNDED broken)
    WaitsForAll         \* TRUE: a round decides only when all nodes answered (mutant)

MaxExtensions == 2

VARIABLES
    client,     \* per client: "resting", "trying", "held", "dead"
    key,        \* per node: owner or "none"
    up,         \* the nodes that are up
    asked,      \* per client: nodes that have answered this round
    crashed,    \* the crash of RestartsAll has happened
    fresh,      \* the current lease was granted or extended lately
    extended    \* its extensions, counted where they are bounded

vars == <<client, key, up, asked, crashed, fresh, extended>>

Majority(nodes) == Cardinality(nodes) >= Cardinality(Nodes) \div 2 + 1

Keys(c) == {n \in Nodes : key[n] = c}

Init ==
    /\ client = [c \in Clients |-> "resting"]
    /\ key = [n \in Nodes |-> "none"]
    /\ up = Nodes \ DownForEver
    /\ asked = [c \in Clients |-> {}]
    /\ crashed = FALSE
    /\ fresh = FALSE
    /\ extended = 0

\* page, step 1; acquisition.attempt.
Try(c) ==
    /\ client[c] = "resting"
    /\ client' = [client EXCEPT ![c] = "trying"]
    /\ asked' = [asked EXCEPT ![c] = {}]
    /\ UNCHANGED <<key, up, crashed, fresh, extended>>

\* page, step 2; fanout.recordAnswer: a node answers, with a vote when its key is free.
Answer(c, n) ==
    /\ client[c] = "trying" /\ n \in up /\ n \notin asked[c]
    /\ asked' = [asked EXCEPT ![c] = @ \union {n}]
    /\ key' = IF key[n] = "none" THEN [key EXCEPT ![n] = c] ELSE key
    /\ UNCHANGED <<client, up, crashed, fresh, extended>>

\* A round may wait for every node that is up; for the others it has its
\* per-node timeout.
Decided(c) == IF WaitsForAll THEN asked[c] = Nodes ELSE up \subseteq asked[c]

\* page, step 3; Round.Add: the quorum decides.
Win(c) ==
    /\ client[c] = "trying"
    /\ Majority(Keys(c))
    /\ WaitsForAll => Decided(c)
    /\ client' = [client EXCEPT ![c] = "held"]
    /\ fresh' = TRUE
    /\ extended' = 0
    /\ UNCHANGED <<key, up, asked, crashed>>

Freed(c) == [n \in Nodes |-> IF key[n] = c /\ n \in up THEN "none" ELSE key[n]]

\* page, "Retry on failure"; fanout.giveUp: the round is lost and partial votes are released.
Lose(c) ==
    /\ client[c] = "trying" /\ Decided(c) /\ ~Majority(Keys(c))
    /\ client' = [client EXCEPT ![c] = "resting"]
    /\ key' = IF ReleasesPartial THEN Freed(c) ELSE key
    /\ UNCHANGED <<up, asked, crashed, fresh, extended>>

Ends(c) ==
    /\ client' = [client EXCEPT ![c] = "resting"]
    /\ key' = Freed(c)
    /\ UNCHANGED <<up, asked, crashed, fresh, extended>>

\* Lease.Release, which nobody promises.
Release(c) == client[c] = "held" /\ Ends(c)

\* Lease.Remaining shrinks: a good part of the TTL has gone by since the grant or the
\* last extension.
Elapse(c) ==
    /\ client[c] = "held" /\ fresh
    /\ fresh' = FALSE
    /\ UNCHANGED <<client, key, up, asked, crashed, extended>>

\* Lease.Until: the lease was not extended and its validity ends.
Lapse(c) == client[c] = "held" /\ ~fresh /\ Ends(c)

\* Lease.renew: the watchdog extends in time.
Extend(c) ==
    /\ client[c] = "held" /\ ~fresh
    /\ fresh' = TRUE
    /\ IF ExtensionsBounded
       THEN extended < MaxExtensions /\ extended' = extended + 1
       ELSE UNCHANGED extended
    /\ UNCHANGED <<client, key, up, asked, crashed>>

\* faults.ClientCrash: the holder crashes, or is cut off for ever.
Die(c) ==
    /\ HolderDies /\ client[c] = "held"
    /\ \A d \in Clients : client[d] # "dead"
    /\ client' = [client EXCEPT ![c] = "dead"]
    /\ UNCHANGED <<key, up, asked, crashed, fresh, extended>>

\* page, step 2: the PX of the SET. The TTL of a key whose owner no longer holds runs out.
Expire(n) ==
    /\ Expires /\ key[n] # "none" /\ client[key[n]] \in {"resting", "dead"}
    /\ key' = [key EXCEPT ![n] = "none"]
    /\ UNCHANGED <<client, up, asked, crashed, fresh, extended>>

\* LV-8; faults.Crash: a majority crashes at once and forgets; each node restarts later.
MajorityCrashes ==
    /\ RestartsAll /\ ~crashed
    /\ crashed' = TRUE
    /\ \E nodes \in SUBSET Nodes :
          /\ Majority(nodes)
          /\ up' = up \ nodes
          /\ key' = [n \in Nodes |-> IF n \in nodes THEN "none" ELSE key[n]]
    /\ client' = [c \in Clients |-> IF client[c] = "held" THEN "resting" ELSE client[c]]
    /\ UNCHANGED <<asked, fresh, extended>>

\* page, "Performance, crash recovery and fsync": it was barred for long enough.
Restart(n) ==
    /\ RestartsAll /\ n \notin up /\ n \notin DownForEver
    /\ up' = up \union {n}
    /\ UNCHANGED <<client, key, asked, crashed, fresh, extended>>

Next ==
    \/ MajorityCrashes
    \/ \E c \in Clients : Try(c) \/ Win(c) \/ Lose(c) \/ Die(c)
                         \/ Release(c) \/ Elapse(c) \/ Lapse(c) \/ Extend(c)
    \/ \E n \in Nodes : Expire(n) \/ Restart(n) \/ \E c \in Clients : Answer(c, n)

\* Nothing makes a client try: trying is the hypothesis of the claims.
Fairness ==
    /\ \A c \in Clients :
          /\ WF_vars(Win(c)) /\ WF_vars(Lose(c))    \* rounds decide
          /\ WF_vars(Elapse(c)) /\ WF_vars(Lapse(c)) \* time goes on for leases
          /\ \A n \in Nodes : WF_vars(Answer(c, n)) \* a node that is up answers
    /\ \A n \in Nodes : WF_vars(Expire(n))          \* and for keys
    /\ \A n \in Nodes : WF_vars(Restart(n))         \* restarts end (A-HEAL)

Spec == Init /\ [][Next]_vars /\ Fairness

----------------------------------------------------------------------------
(* Claims. *)

TypeOK ==
    /\ client \in [Clients -> {"resting", "trying", "held", "dead"}]
    /\ key \in [Nodes -> Clients \union {"none"}]
    /\ up \subseteq Nodes

AtMostOneHolds == Cardinality({c \in Clients : client[c] = "held"}) <= 1

Solo(c) == \A d \in Clients \ {c} : client[d] \in {"resting", "dead"}
Trying(c) == client[c] = "trying"

\* LV-1, LV-2, LV-8, and LV-3 in the form that is true: a client that tries
\* again and again, alone from some moment on, holds again and again.
SoloProgress ==
    \A c \in Clients :
        (<>[]Solo(c) /\ []<>Trying(c)) => []<>(client[c] = "held")

\* LV-3: a split vote is not a deadlock: whoever tries decides, every time.
RoundsDecide == \A c \in Clients : Trying(c) ~> ~Trying(c)

\* LV-4: false, even with all nodes up.
AnyProgress == ([]<>(\E c \in Clients : Trying(c))) => []<>(\E c \in Clients : client[c] = "held")

\* LV-9: a client that keeps trying while another extends gets a turn free of
\* holders again and again.
NobodyHoldsForEver == []<>(\A c \in Clients : client[c] # "held")

\* Reachability: must be violated.
NeverHeld == \A c \in Clients : client[c] # "held"
NeverSplitVote ==
    ~ (\A c \in Clients : client[c] = "trying" /\ Decided(c) /\ ~Majority(Keys(c)))
=============================================================================

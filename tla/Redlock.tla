------------------------------ MODULE Redlock ------------------------------
(***************************************************************************)
(* The core of Redlock: clients acquire one resource on N independent      *)
(* nodes in parallel, check the elapsed time at the deciding reply, hold   *)
(* until their validity ends, extend, release.  Nodes expire keys, crash   *)
(* and forget.                                                             *)
(*                                                                         *)
(* The steps named "page, step k" are the five steps of the redis.io       *)
(* distlock page.  Names with a dot are functions and scripts of the Go    *)
(* packages redlock and redlock/round, and faults of package faults.  Each *)
(* action names the one or the other, and a test looks the names up.       *)
(*                                                                         *)
(* TIME.  There is no global clock.  Every key has an age and every client *)
(* has the time since its first send, all in ticks of true time, and Tick  *)
(* adds one to each.  Clocks err by at most Drift ticks over one TTL:      *)
(*   - a node MAY expire a key from age TTL-Drift on and MUST by TTL+Drift;*)
(*   - a client MAY still believe while elapsed-Drift < TTL-Margin.        *)
(* A timer that can no longer change anything stays where it is            *)
(* (saturates), so the state space is finite without bounding behaviours.  *)
(* Safety never rests on a key being GONE in time.  Models therefore drop  *)
(* the "must" (ExactAges = FALSE): more behaviours, fewer states.  One     *)
(* model and all traces keep it.                                           *)
(*                                                                         *)
(* MESSAGES.  A command executes at its node and its reply counts in one   *)
(* step; Decide comes any time later, so delays and pauses are covered.    *)
(* Lost requests never execute.  Replies that are lost, retried commands   *)
(* and late DELs are in RedlockMessages.                                   *)
(*                                                                         *)
(* TOKENS.  A key is owned by the client whose current attempt set it, or  *)
(* it is an "orphan": set by an attempt that was given up or released.     *)
(* An orphan blocks everybody and can be removed at any moment by the      *)
(* release that is still under way; if that is lost, it expires.           *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    Clients,            \* clients that contend for the one resource
    Nodes,              \* the fixed set of N independent nodes
    TTL,                \* time to live of a key, in ticks
    Drift,              \* error of any clock over one TTL, in ticks
    Margin,             \* allowance the client takes off its validity, in ticks
    QuorumRule,         \* "majority"; mutants "half" and "responders"
    ElapsedCheck,       \* FALSE: validity counted from the deciding reply (mutant)
    TokenRule,          \* "fresh" per attempt; mutants "reused" and "shared"
    ReleaseRule,        \* "compare" and delete; mutant "plain" DEL
    LateSets,           \* TRUE: SETs of decided or abandoned attempts still land
    Extensions,         \* TRUE: holders may extend
    DeadlineRule,       \* FALSE: extensions count after the deadline (mutant)
    TopUp,              \* TRUE: an extension sets the key where it is missing
    Membership,         \* "fixed"; "changed": one client counts on one node (BA-9)
    Faults,             \* subset of {"crash", "rollback", "step", "delete"}
    MaxFaults,          \* how many faults one behaviour may contain
    Persistence,        \* "none" forgets at a crash; "always" forgets nothing
    RestartRule,        \* "barred": node stays away; "guarded": votes do not count
    RestartTicks,       \* how long, in ticks of true time; 0: restart at once
    SimultaneousStart,  \* TRUE: every client has just sent its first SET
    ExactAges           \* TRUE: keys are gone by TTL+Drift, orphans too

ASSUME
    /\ TTL \in Nat /\ Drift \in Nat /\ Margin \in Nat /\ Margin < TTL
    /\ QuorumRule \in {"majority", "half", "responders"}
    /\ TokenRule \in {"fresh", "reused", "shared"}
    /\ ReleaseRule \in {"compare", "plain"}
    /\ Membership \in {"fixed", "changed"}
    /\ Faults \subseteq {"crash", "rollback", "step", "delete"}
    /\ MaxFaults \in Nat /\ RestartTicks \in Nat
    /\ Persistence \in {"none", "always"}
    /\ RestartRule \in {"barred", "guarded"}
    /\ {ElapsedCheck, LateSets, Extensions, DeadlineRule, TopUp, SimultaneousStart, ExactAges}
          \subseteq BOOLEAN

VARIABLES
    client,     \* per client: phase, elapsed, extension, overtaken
    node,       \* per node: owner, age, away, votes, extended
    faults      \* faults so far

vars == <<client, node, faults>>

NoExtension == -1

----------------------------------------------------------------------------
(* What a client and a node can be. *)

\* First tick at which no client, however slow its clock, can still believe.
Unbelievable == TTL - Margin + Drift

LongestAge == IF ExactAges THEN TTL + Drift ELSE TTL - Drift

ClientState == [
    phase     : {"idle", "acquiring", "held", "released"},
    elapsed   : 0 .. Unbelievable,              \* since before the first send
    extension : NoExtension .. Unbelievable,    \* the same, for a running extension
    overtaken : BOOLEAN ]                       \* somebody was granted since our grant

NodeState == [
    owner    : Clients \union {"none", "orphan"},
    age      : 0 .. LongestAge,
    away     : 0 .. RestartTicks,               \* ticks left of bar or guard
    votes    : SUBSET Clients,                  \* whose round counts this node
    extended : SUBSET Clients ]                 \* whose running extension does

TypeOK ==
    /\ client \in [Clients -> ClientState]
    /\ node \in [Nodes -> NodeState]
    /\ faults \in 0 .. MaxFaults

Idle == [phase |-> "idle", elapsed |-> 0, extension |-> NoExtension, overtaken |-> FALSE]
Acquiring == [Idle EXCEPT !.phase = "acquiring"]
Released == [Idle EXCEPT !.phase = "released"]

EmptyNode == [owner |-> "none", age |-> 0, away |-> 0, votes |-> {}, extended |-> {}]

Init ==
    /\ client = [c \in Clients |-> IF SimultaneousStart THEN Acquiring ELSE Idle]
    /\ node = [n \in Nodes |-> EmptyNode]
    /\ faults = 0

----------------------------------------------------------------------------
(* Words used by the actions and by the claims. *)

\* Whether a node is up, and whether serverIdentity.admit lets its vote count.
Answers(n) == RestartRule = "barred" => node[n].away = 0
Counts(n) == RestartRule = "guarded" => node[n].away = 0

\* The compare in compare-and-delete and compare-and-extend.
Owns(c, n) ==
    CASE TokenRule = "shared" -> node[n].owner # "none"
      [] OTHER -> node[n].owner = c

Free(record) == [record EXCEPT !.owner = "none", !.age = 0]

Voters(c) == {n \in Nodes : c \in node[n].votes}
Extenders(c) == {n \in Nodes : c \in node[n].extended}

\* The nodes that a client was told of.  When they were changed while a lock was held,
\* somebody counts on others.  (The view below is unsound for that, which cannot invent
\* a counterexample; the model of it must fail.)
Told(c) ==
    IF Membership = "changed" /\ c = CHOOSE d \in Clients : TRUE
    THEN {CHOOSE n \in Nodes : TRUE} ELSE Nodes

\* round.Quorum is "majority".
Quorum(c, voters) ==
    CASE QuorumRule = "majority"   -> Cardinality(voters \cap Told(c)) >= Cardinality(Told(c)) \div 2 + 1
      [] QuorumRule = "half"       -> Cardinality(voters) * 2 >= Cardinality(Nodes)
      [] QuorumRule = "responders" ->
            Cardinality(voters) * 2 > Cardinality({n \in Nodes : Answers(n)})

\* Lease.Remaining: the slowest permitted clock of a client still shows some left.
Valid(elapsed) == elapsed - Drift < TTL - Margin

Believes(c) == client[c].phase = "held" /\ Valid(client[c].elapsed)

Holding(c) == client[c].phase = "held"

\* A node after the attempt of client c has ended.  Fresh tokens make its key
\* an orphan; a reused token is still the one that c will compare with.
Forget(c, record) ==
    LET orphaned == record.owner = c /\ TokenRule # "reused"
    IN [record EXCEPT !.votes = @ \ {c},
                      !.extended = @ \ {c},
                      !.owner = IF orphaned THEN "orphan" ELSE @,
                      !.age = IF orphaned /\ ~ExactAges THEN 0 ELSE @]

----------------------------------------------------------------------------
(* Acquisition. *)

\* page, step 1; acquisition.attempt: draw a token, read the clock before the first send.
Start(c) ==
    /\ client[c].phase \in {"idle", "released"}
    /\ client' = [client EXCEPT ![c] = Acquiring]
    /\ UNCHANGED <<node, faults>>

\* page, step 2: SET key token NX PX ttl executes at one node, in any order
\* among the nodes, and may never execute (command.arguments, acquire.lua).  An
\* answer that shows our own token is a vote as well: the driver has retried and
\* our key was there.
SetExecutes(c, n) ==
    /\ client[c].phase = "acquiring" \/ (LateSets /\ Holding(c))
    /\ Answers(n)
    /\ c \notin node[n].votes
    /\ node[n].owner = "none" \/ (Owns(c, n) /\ ~Holding(c))
    /\ LET vote == IF Counts(n) /\ ~Holding(c) THEN {c} ELSE {}
           record == IF node[n].owner = "none"
                     THEN [node[n] EXCEPT !.owner = c, !.age = 0]
                     ELSE node[n]
       IN /\ record # node[n] \/ vote # {}
          /\ node' = [node EXCEPT ![n] = [record EXCEPT !.votes = @ \union vote]]
    /\ UNCHANGED <<client, faults>>

\* A SET that its attempt no longer waits for: fanout.wait is over.  Not bounded and not tied to an
\* attempt: more than can happen, so what holds here holds for every late SET.
LateSetExecutes(n) ==
    /\ LateSets
    /\ Answers(n)
    /\ node[n].owner = "none"
    /\ node' = [node EXCEPT ![n].owner = "orphan", ![n].age = 0]
    /\ UNCHANGED <<client, faults>>

\* page, step 3; Round.Add, Granted: a quorum has answered and the elapsed time at
\* the deciding reply leaves validity.
Decide(c) ==
    /\ client[c].phase = "acquiring"
    /\ Quorum(c, Voters(c)) /\ Voters(c) # {}
    /\ ElapsedCheck => Valid(client[c].elapsed)
    /\ client' = [d \in Clients |->
          IF d = c
          THEN [client[c] EXCEPT !.phase = "held",
                                 !.elapsed = IF ElapsedCheck THEN @ ELSE 0]
          ELSE [client[d] EXCEPT !.overtaken = @ \/ (Extensions /\ Holding(d))]]
    /\ UNCHANGED <<node, faults>>

\* page, step 5; Round.Add, Lost, and fanout.giveUp: no quorum, too late, or cancelled.
GiveUp(c) ==
    /\ client[c].phase = "acquiring"
    /\ client' = [client EXCEPT ![c] = Released]
    /\ node' = [n \in Nodes |-> Forget(c, node[n])]
    /\ UNCHANGED faults

----------------------------------------------------------------------------
(* Release. *)

\* Lease.Release: the call ends belief at once, before any DEL has arrived.
Release(c) ==
    /\ Holding(c)
    /\ client' = [client EXCEPT ![c] = Released]
    /\ node' = [n \in Nodes |-> Forget(c, node[n])]
    /\ UNCHANGED faults

\* page, step 5; release.lua: compare-and-delete executes at one node, late or never, and
\* removes the key of the attempt that sent it.
ReleaseExecutes(n) ==
    /\ Answers(n)
    /\ node[n].owner = "orphan"
    /\ node' = [node EXCEPT ![n] = Free(@)]
    /\ UNCHANGED <<client, faults>>

\* Mutants only: a release that removes the key of a running attempt, because
\* it does not compare as release.lua does, or compares with a token that is used again.
ForeignReleaseExecutes(c, n) ==
    /\ client[c].phase = "released" \/ TokenRule = "reused"
    /\ Answers(n)
    /\ node[n].owner \in Clients
    /\ \/ ReleaseRule = "plain"
       \/ TokenRule = "shared"
       \/ TokenRule = "reused" /\ node[n].owner = c
    /\ node' = [node EXCEPT ![n] = Free(@)]
    /\ UNCHANGED <<client, faults>>

----------------------------------------------------------------------------
(* Extension: a second round beside the lease, with its own start. *)

\* Lease.Extend.
ExtendStart(c) ==
    /\ Extensions
    /\ Holding(c)
    /\ client[c].extension = NoExtension
    /\ client' = [client EXCEPT ![c].extension = 0]
    /\ UNCHANGED <<node, faults>>

\* page, "Making the algorithm more reliable"; extend.lua: compare-and-pexpire at
\* one node.  Topping up sets a missing key, which is not a vote: only a node that still
\* had the owner's key counts.  Locker.restoreKeys does it after an extension has
\* succeeded; here it may come at any time of an extension, which is more.
ExtendExecutes(c, n) ==
    /\ Holding(c) /\ client[c].extension # NoExtension
    /\ Answers(n)
    /\ c \notin node[n].extended
    /\ \/ /\ Owns(c, n)
          /\ node' = [node EXCEPT ![n].age = 0,
                                  ![n].extended = IF Counts(n) THEN @ \union {c} ELSE @]
          /\ node' # node
       \/ /\ TopUp
          /\ node[n].owner = "none"
          /\ node' = [node EXCEPT ![n].owner = c, ![n].age = 0]
    /\ UNCHANGED <<client, faults>>

\* The same, extend.lua, when its round has been decided or given up, or the lease
\* released: the key lives longer and nobody counts it.
LateExtendExecutes(c, n) ==
    /\ Extensions /\ LateSets
    /\ Answers(n)
    /\ node[n].owner = IF Holding(c) THEN c ELSE "orphan"
    /\ node' = [node EXCEPT ![n].age = 0]
    /\ UNCHANGED <<client, faults>>

\* Round.Add and Lease.applyExtension: the deciding reply was read before the current deadline.
ExtendDecide(c) ==
    /\ Holding(c) /\ client[c].extension # NoExtension
    /\ Quorum(c, Extenders(c)) /\ Extenders(c) # {}
    /\ DeadlineRule => Valid(client[c].elapsed)
    /\ Valid(client[c].extension)
    /\ client' = [client EXCEPT ![c].elapsed = client[c].extension,
                                ![c].extension = NoExtension]
    /\ node' = [n \in Nodes |->
          [node[n] EXCEPT !.extended = @ \ {c},
                          !.votes = IF n \in Extenders(c) THEN @ \union {c} ELSE @ \ {c}]]
    /\ UNCHANGED faults

\* Lease.extensionError: the old deadline stands.
ExtendGiveUp(c) ==
    /\ Holding(c) /\ client[c].extension # NoExtension
    /\ client' = [client EXCEPT ![c].extension = NoExtension]
    /\ node' = [n \in Nodes |-> [node[n] EXCEPT !.extended = @ \ {c}]]
    /\ UNCHANGED faults

----------------------------------------------------------------------------
(* Nodes and time. *)

Ages(owner) == owner \in Clients \/ (ExactAges /\ owner = "orphan")

\* page, step 2: the PX of the SET, on the node's own clock.
Expire(n) ==
    /\ Ages(node[n].owner)
    /\ node[n].age >= TTL - Drift
    /\ node' = [node EXCEPT ![n] = Free(@)]
    /\ UNCHANGED <<client, faults>>

Fault(kind) ==
    /\ kind \in Faults
    /\ faults < MaxFaults
    /\ faults' = faults + 1

\* page, "Performance, crash recovery and fsync"; faults.Crash: crash and restart.
\* How long the node stays away, or its votes do not
\* count, is measured from the crash.
Crash(n) ==
    /\ Fault("crash")
    /\ node' = [node EXCEPT ![n] =
          [(IF Persistence = "none" THEN Free(@) ELSE @) EXCEPT !.away = RestartTicks]]
    /\ UNCHANGED client

\* page, "Performance, crash recovery and fsync"; faults.Crash with persistence that loses
\* the last writes: the key comes back with an older deadline, as before an extension (BA-3).
\* A released key that comes back is a late SET.
RollsBack(n) ==
    /\ Fault("rollback")
    /\ Ages(node[n].owner)
    /\ \E older \in node[n].age .. LongestAge :
          node' = [node EXCEPT ![n].age = older, ![n].away = RestartTicks]
    /\ UNCHANGED client

\* page, "Is the algorithm asynchronous?"; faults.NodeClockStep: the node's clock
\* jumps forward past the TTL.
ClockSteps(n) ==
    /\ Fault("step")
    /\ node[n].owner # "none"
    /\ node' = [node EXCEPT ![n] = Free(@)]
    /\ UNCHANGED client

\* faults.OperatorDelete: a third party removes the key: DEL, FLUSHALL, eviction.
KeyRemoved(n) ==
    /\ Fault("delete")
    /\ node[n].owner # "none"
    /\ node' = [node EXCEPT ![n] = Free(@)]
    /\ UNCHANGED client

Smaller(a, b) == IF a < b THEN a ELSE b
Larger(a, b) == IF a > b THEN a ELSE b

OlderClients(ticks) ==
    [c \in Clients |->
        IF client[c].phase \in {"idle", "released"} THEN client[c]
        ELSE [client[c] EXCEPT
                !.elapsed = Smaller(@ + ticks, Unbelievable),
                !.extension = IF @ = NoExtension THEN @
                              ELSE Smaller(@ + ticks, Unbelievable)]]

Older(record, ticks) ==
    [record EXCEPT
        !.age = IF Ages(record.owner) THEN Smaller(@ + ticks, LongestAge) ELSE @,
        !.away = Larger(@ - ticks, 0)]

\* True time goes on, unless a key is overdue.
Advance(ticks) ==
    /\ ExactAges => \A n \in Nodes :
          node[n].owner # "none" => node[n].age + ticks <= LongestAge
    /\ client' = OlderClients(ticks)
    /\ node' = [n \in Nodes |-> Older(node[n], ticks)]
    /\ UNCHANGED faults

Tick == Advance(1)

Next ==
    \/ Tick
    \/ \E c \in Clients :
          \/ Start(c) \/ Decide(c) \/ GiveUp(c) \/ Release(c)
          \/ ExtendStart(c) \/ ExtendDecide(c) \/ ExtendGiveUp(c)
          \/ \E n \in Nodes :
                SetExecutes(c, n) \/ ForeignReleaseExecutes(c, n)
                \/ ExtendExecutes(c, n) \/ LateExtendExecutes(c, n)
    \/ \E n \in Nodes :
          \/ LateSetExecutes(n) \/ ReleaseExecutes(n) \/ Expire(n)
          \/ Crash(n) \/ RollsBack(n) \/ ClockSteps(n) \/ KeyRemoved(n)

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
(* Claims, by id: see simulate list claims. *)

\* MX-1 (and every BA and RP row): no two beliefs overlap.
MutualExclusion == \A c, d \in Clients : Believes(c) /\ Believes(d) => c = d

\* MX-2: while a client believes, no node of its majority has granted the
\* resource to another.
MajorityKept ==
    \A c \in Clients : Believes(c) =>
        \A n \in Voters(c) : node[n].owner \in {c, "none", "orphan"}

\* MX-2, the stronger form that the proof rests on: the keys are still there.
MajorityHasKey ==
    \A c \in Clients : Believes(c) => \A n \in Voters(c) : node[n].owner = c

\* MX-3, MX-4: at the moment of the grant a majority carries the key.  An acquisition
\* that took too long, or was paused, is granted nothing that has expired.
LateIsRefused ==
    [][\A c \in Clients :
          client[c].phase = "acquiring" /\ client'[c].phase = "held"
             => Quorum(c, {n \in Nodes : node[n].owner = c})]_vars

\* MX-5: the key of an attempt that runs or holds goes when its time is over, or in a
\* fault, or when its client ends the attempt; nothing that others send removes it.
ForeignKeysStay ==
    [][\A c \in Clients, n \in Nodes :
          node[n].owner = c /\ node'[n].owner # c
             => \/ node[n].age >= TTL - Drift
                \/ faults' # faults
                \/ client'[c].phase = "released"]_vars

\* MX-5: nor does anybody but its holder make a key live longer.
OnlyOwnersExtend ==
    [][\A c \in Clients, n \in Nodes :
          node[n].owner = c /\ node'[n].owner = c /\ node'[n].age < node[n].age
             => Holding(c)]_vars

\* MX-8: belief that has ended does not come back without a new acquisition.  What a
\* user sees of it is NotOvertaken, below.
NeverRevived ==
    [][\A c \in Clients :
          Holding(c) /\ ~Believes(c) => ~Believes(c)']_vars

\* MX-8: nobody who believes was overtaken: from its grant through all of its
\* extensions no other client has been granted the resource.
NotOvertaken == \A c \in Clients : Believes(c) => ~client[c].overtaken

----------------------------------------------------------------------------
(* Reachability: each of these must be VIOLATED, or the model is empty. *)

NeverHeld == \A c \in Clients : ~Holding(c)
NeverLapses == \A c \in Clients : Holding(c) => Believes(c)
NeverExtends == [][\A c \in Clients : ~ExtendDecide(c)]_vars
NeverSplitVote ==
    ~ \E winners \in [Nodes -> Clients] :
        /\ \A n \in Nodes : node[n].owner = winners[n]
        /\ \A c \in Clients : client[c].phase = "acquiring" /\ ~Quorum(c, Voters(c))
NeverHeldAfterCrash ==
    ~ \E c \in Clients : Believes(c) /\ faults = MaxFaults

----------------------------------------------------------------------------
(* A view that is equal for states that differ only in names of nodes and   *)
(* clients: nodes as a bag, clients under every renaming.  For invariants   *)
(* and action properties only, never with a liveness property.              *)

Bag(records) ==
    [r \in {records[n] : n \in Nodes} |-> Cardinality({n \in Nodes : records[n] = r})]

RenamedOwner(renaming, owner) == IF owner \in Clients THEN renaming[owner] ELSE owner

Renamed(renaming) ==
    << {<<renaming[c], client[c]>> : c \in Clients},
       Bag(TLCEval([n \in Nodes |->
              [node[n] EXCEPT !.owner = RenamedOwner(renaming, @),
                              !.votes = {renaming[c] : c \in @},
                              !.extended = {renaming[c] : c \in @}]])) >>

Renamings == Permutations(Clients)

Orbit == <<faults, {Renamed(renaming) : renaming \in Renamings}>>
=============================================================================

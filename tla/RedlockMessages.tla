-------------------------- MODULE RedlockMessages --------------------------
(***************************************************************************)
(* The network of Redlock: every SET, DEL and reply is a message of its    *)
(* own, delivered in any order, late or never, and a driver may send a     *)
(* SET again.  The core (Redlock.tla) merges a command with its reply; this*)
(* module shows that nothing is hidden there.                              *)
(*                                                                         *)
(* Time is that of the core: relative ages, clock error Drift, allowance   *)
(* Margin; no claim rests on a key being gone in time, so it may stay.  A  *)
(* token is <<client, attempt>>, fresh per attempt.  Keys are              *)
(* set by SET key token NX GET PX ttl, whose answer is nil when it has won *)
(* and the token it found otherwise.                                       *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    Clients, Nodes,
    TTL, Drift, Margin,     \* as in Redlock.tla
    MaxAttempts,            \* attempts of all clients together
    MaxRetries,             \* SETs that drivers send again
    TokenRule,              \* "fresh" per attempt; mutant "reused"
    AnswerRule,             \* "token": an answer showing our token is a vote;
                            \* mutants "nil" (it is a refusal) and "silence"
                            \* (a node that does not answer is a vote)
    ReleaseTo,              \* "all" nodes that a SET was sent to; mutant "voters"
    Renewals                \* TRUE: a watchdog sends extensions

ASSUME
    /\ TTL \in Nat /\ Drift \in Nat /\ Margin \in Nat /\ Margin < TTL
    /\ TokenRule \in {"fresh", "reused"}
    /\ AnswerRule \in {"token", "nil", "silence"}
    /\ ReleaseTo \in {"all", "voters"}
    /\ Renewals \in BOOLEAN

VARIABLES
    client,         \* per client: phase, attempt, elapsed, votes
    node,           \* per node: owner (a token or <<>>), age, and whether the key
                    \* was set when its attempt was over
    network,        \* messages under way
    attempts,       \* attempts so far
    retries,        \* retries so far
    selfRefused     \* some client was refused because of its own key

vars == <<client, node, network, attempts, retries, selfRefused>>

Nobody == <<>>

Unbelievable == TTL - Margin + Drift
Valid(elapsed) == elapsed - Drift < TTL - Margin
Majority(nodes) == Cardinality(nodes) >= Cardinality(Nodes) \div 2 + 1

\* The token that client c uses now.
Token(c) == <<c, IF TokenRule = "reused" THEN 1 ELSE client[c].attempt>>

Message(kind, token, n) == [kind |-> kind, token |-> token, node |-> n]

\* A DEL or an extension that can meet its token no more is dropped: it would change
\* nothing.
Alive(messages, nodes) ==
    IF TokenRule = "reused" THEN messages
    ELSE {m \in messages : m.kind \in {"del", "extend"} =>
             \/ nodes[m.node].owner = m.token
             \/ Message("set", m.token, m.node) \in messages}

Holding(c) == client[c].phase = "held"
Believes(c) == Holding(c) /\ Valid(client[c].elapsed)

NoKey == [owner |-> Nobody, age |-> 0, late |-> FALSE]

Init ==
    /\ client = [c \in Clients |-> [phase |-> "idle", attempt |-> 0, elapsed |-> 0,
                                    votes |-> {}]]
    /\ node = [n \in Nodes |-> NoKey]
    /\ network = {}
    /\ attempts = 0
    /\ retries = 0
    /\ selfRefused = FALSE

----------------------------------------------------------------------------
(* The client. *)

\* page, steps 1 and 2: a fresh token, the clock, and a SET to every node.
Start(c) ==
    /\ client[c].phase = "idle"
    /\ attempts < MaxAttempts
    /\ attempts' = attempts + 1
    /\ client' = [client EXCEPT ![c] = [phase |-> "acquiring", elapsed |-> 0,
                                        attempt |-> @.attempt + 1, votes |-> {}]]
    /\ network' = network \union {Message("set", Token(c)', n) : n \in Nodes}
    /\ UNCHANGED <<node, retries, selfRefused>>

\* page, step 2, once more: the connection broke and the same SET is sent again, with the same
\* token (request.claimResend; a driver that retries does it behind its lock's back).
DriverRetries(c, n) ==
    /\ client[c].phase = "acquiring"
    /\ retries < MaxRetries
    /\ Message("set", Token(c), n) \notin network
    /\ retries' = retries + 1
    /\ network' = network \union {Message("set", Token(c), n)}
    /\ UNCHANGED <<client, node, attempts, selfRefused>>

\* Round.Add: a reply that proves a key with our token is read.
VoteIsRead(c, n) ==
    /\ client[c].phase = "acquiring"
    /\ Message("vote", Token(c), n) \in network
    /\ network' = network \ {Message("vote", Token(c), n)}
    /\ client' = [client EXCEPT ![c].votes = @ \union {n}]
    /\ UNCHANGED <<node, attempts, retries, selfRefused>>

\* Mutant: the timeout of one node is taken for a vote, which redlock.voteOf does not do.
SilenceIsCounted(c, n) ==
    /\ AnswerRule = "silence"
    /\ client[c].phase = "acquiring"
    /\ n \notin client[c].votes
    /\ client' = [client EXCEPT ![c].votes = @ \union {n}]
    /\ UNCHANGED <<node, network, attempts, retries, selfRefused>>

\* page, step 3; Round.Add: quorum and validity.
Decide(c) ==
    /\ client[c].phase = "acquiring"
    /\ Majority(client[c].votes)
    /\ Valid(client[c].elapsed)
    /\ client' = [client EXCEPT ![c].phase = "held"]
    /\ UNCHANGED <<node, network, attempts, retries, selfRefused>>

\* page, step 5; fanout.giveUp, Lease.Release, Locker.releaseAll: a DEL to every node that a
\* SET was sent to, also where no answer came.  Replies that nobody waits for are dropped.
End(c) ==
    /\ client[c].phase \in {"acquiring", "held"}
    /\ LET targets == IF ReleaseTo = "all" THEN Nodes ELSE client[c].votes
           unread == IF TokenRule = "reused" THEN {}
                     ELSE {m \in network : m.kind = "vote" /\ m.token = Token(c)}
       IN /\ network' = Alive((network \ unread)
                               \union {Message("del", Token(c), n) : n \in targets}, node)
          /\ client' = [client EXCEPT ![c].phase = "idle", ![c].elapsed = 0,
                                      ![c].votes = {}]
    /\ UNCHANGED <<node, attempts, retries, selfRefused>>

\* Lease.renew: the watchdog of a holder extends its lease before it lapses.
Renew(c) ==
    /\ Renewals
    /\ Believes(c)
    /\ network' = Alive(network \union {Message("extend", Token(c), n) : n \in Nodes}, node)
    /\ network' # network
    /\ UNCHANGED <<client, node, attempts, retries, selfRefused>>

----------------------------------------------------------------------------
(* The node. *)

\* Does the attempt of this token run, or hold?
Runs(token) == \E c \in Clients : client[c].phase # "idle" /\ Token(c) = token

\* Is anybody still waiting for answers to this token?
Awaited(token) == \E c \in Clients : client[c].phase = "acquiring" /\ Token(c) = token

\* page, step 2; acquire.lua: a SET arrives, perhaps long after its attempt.
SetExecutes(m) ==
    /\ m.kind = "set"
    /\ LET won == node[m.node].owner = Nobody
           own == node[m.node].owner = m.token
           vote == Awaited(m.token) /\ (won \/ (own /\ AnswerRule # "nil"))
       IN /\ node' = IF won THEN [node EXCEPT ![m.node] = [owner |-> m.token, age |-> 0, late |-> ~Runs(m.token)]]
                     ELSE node
          /\ network' = Alive((network \ {m}) \union
                (IF vote THEN {Message("vote", m.token, m.node)} ELSE {}), node')
          /\ selfRefused' = (selfRefused \/ (own /\ AnswerRule = "nil" /\ Awaited(m.token)))
    /\ UNCHANGED <<client, attempts, retries>>

\* page, step 5; release.lua: compare-and-delete arrives.
DelExecutes(m) ==
    /\ m.kind = "del"
    /\ node' = IF node[m.node].owner = m.token
               THEN [node EXCEPT ![m.node] = NoKey]
               ELSE node
    /\ network' = Alive(network \ {m}, node')
    /\ UNCHANGED <<client, attempts, retries, selfRefused>>

\* page, "Making the algorithm more reliable"; extend.lua: compare-and-pexpire arrives.
ExtendExecutes(m) ==
    /\ m.kind = "extend"
    /\ node' = IF node[m.node].owner = m.token THEN [node EXCEPT ![m.node].age = 0] ELSE node
    /\ network' = Alive(network \ {m}, node')
    /\ UNCHANGED <<client, attempts, retries, selfRefused>>

\* page, step 2: the PX of the SET.
Expire(n) ==
    /\ node[n].owner # Nobody
    /\ node[n].age >= TTL - Drift
    /\ node' = [node EXCEPT ![n] = NoKey]
    /\ network' = Alive(network, node')
    /\ UNCHANGED <<client, attempts, retries, selfRefused>>

Tick ==
    /\ node' = [n \in Nodes |-> IF node[n].owner = Nobody \/ node[n].age = TTL - Drift
                                THEN node[n]
                                ELSE [node[n] EXCEPT !.age = @ + 1]]
    /\ client' = [c \in Clients |->
          IF client[c].phase = "idle" \/ client[c].elapsed = Unbelievable THEN client[c]
          ELSE [client[c] EXCEPT !.elapsed = @ + 1]]
    /\ UNCHANGED <<network, attempts, retries, selfRefused>>

Next ==
    \/ Tick
    \/ \E n \in Nodes : Expire(n)
    \/ \E c \in Clients :
          \/ Start(c) \/ Decide(c) \/ End(c) \/ Renew(c)
          \/ \E n \in Nodes : DriverRetries(c, n) \/ VoteIsRead(c, n) \/ SilenceIsCounted(c, n)
    \/ \E m \in network : SetExecutes(m) \/ DelExecutes(m) \/ ExtendExecutes(m)

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
(* Claims. *)

TypeOK ==
    /\ \A c \in Clients :
          /\ client[c].phase \in {"idle", "acquiring", "held"}
          /\ client[c].elapsed \in 0 .. Unbelievable
          /\ client[c].votes \subseteq Nodes
    /\ \A n \in Nodes : node[n].age \in 0 .. TTL - Drift
    /\ attempts \in 0 .. MaxAttempts /\ retries \in 0 .. MaxRetries

\* MX-1, MX-9: late SETs and late DELs cost no safety.
MutualExclusion == \A c, d \in Clients : Believes(c) /\ Believes(d) => c = d

\* MX-11, no false win: every counted node carries this attempt's token.
NoFalseWin ==
    \A c \in Clients : Believes(c) =>
        \A n \in client[c].votes : node[n].owner = Token(c)

\* MX-11, no vote against a free lock: nobody is refused by its own key.
NotRefusedByOwnKey == ~selfRefused

\* MX-3, MX-4: at the moment of the grant a majority carries the key.
LateIsRefused ==
    [][\A c \in Clients :
          client[c].phase = "acquiring" /\ client'[c].phase = "held"
             => Majority({n \in Nodes : node[n].owner = Token(c)})]_vars

\* MX-3: when an attempt ends, a DEL is under way to every node that has its key or will
\* still get its SET.
ReleaseReachesAll ==
    [][\A c \in Clients : client[c].phase # "idle" /\ client'[c].phase = "idle" =>
          \A n \in Nodes :
             node[n].owner = Token(c) \/ Message("set", Token(c), n) \in network
                => Message("del", Token(c), n) \in network']_vars

\* MX-3: no key stays behind until it expires, but one that a late SET has left.
NoKeyStaysBehind ==
    \A n \in Nodes :
        node[n].owner # Nobody /\ ~node[n].late /\ ~Runs(node[n].owner)
            => Message("del", node[n].owner, n) \in network

\* MX-10: what sends a renewal is a client that believes.
RenewalsEnd ==
    [][\A m \in network' \ network : m.kind = "extend" =>
          \E c \in Clients : Token(c) = m.token /\ Believes(c)]_vars

\* Reachability: must be violated.
NeverHeld == \A c \in Clients : ~Holding(c)
\* A SET of a finished attempt lands on a node.
NeverLateSet ==
    \A n \in Nodes : node[n].owner # Nobody =>
        \E c \in Clients : client[c].phase # "idle" /\ Token(c) = node[n].owner
NeverHeldAfterRetry == ~ \E c \in Clients : Believes(c) /\ retries = MaxRetries

Symmetric == Permutations(Clients) \union Permutations(Nodes)
=============================================================================

(* The system that the theorems are about: one resource, any number of nodes and of
   leases, real time, clocks of any behaviour, and a network that loses, delays, repeats and
   reorders.

   A LEASE is one attempt to acquire and what it became; its token is its name, so a
   token that is fresh for each attempt needs no words (assumption A-TOKEN is the
   hypothesis [Tokens] below).  Clients are not named: a client is its leases, and one
   client that believes in two leases at once would break the theorem as two would.

   A ROUND is one question to all nodes.  Round 0 of a lease is its acquisition, the
   other rounds are its extensions; several may run at once.

   MESSAGES.  A request of a round may execute at any node at any time after the round
   began: never, late, after its lease ended, or many times, as when a driver sends it
   again.  What a node answered may be read at any later time, or never.  So the steps
   below are those of every network (claims MX-4, MX-9, MX-11).

   BUILT IN.  No hypothesis speaks of the following, and no theorem shows what happens
   without it:
   - All leases use one fixed set of nodes and one quorum (A-DISTINCT: BA-5, BA-9).
   - A node has one key.  On each of its resources, a lease of several is such a lease,
     because a script changes all keys or none; that argument is not in Coq.
   - A decision is one instant: clock, check and effect.  Package redlock reads the clock
     with the deciding answer, and moves the end of an extended lease a moment later.
     Mutual exclusion does not depend on that (it permits [extends_lapsed]); MX-8 does.
   - A client sends a release only when its lease has ended (MX-10).
   - A bar ends at an instant of true time, and every answer comes with the bar of its
     server.  How a client learns that (run ids, uptime) is not here.
   - Only leases set keys.  Somebody else can remove them ([loses_keys]), no more. *)

Require Import Reals List Arith.
From Redlock Require Import Majority.
Open Scope R_scope.

Definition node := nat.

Section System.
Variable Lease : Type.
Variable lease_dec : forall x y : Lease, {x = y} + {x <> y}.

(* What a system is made of.  The fields of type Prop are faults of a design; each of
   them lets some step below happen that Redlock forbids. *)
Record protocol := Protocol {
  nodes : nat;                      (* N *)
  needed : nat;                     (* how many votes decide a round *)
  ttl : Lease -> nat -> R;          (* time to live that a round of a lease asks for *)
  allowance : Lease -> nat -> R;    (* what its client takes off its validity *)
  rho : R;                          (* bound on the rate error of all clocks *)
  grain : R;                        (* the unit in which clocks show time; or any error beside the rate *)
  bar : R;                          (* after a crash a node's votes do not count for this long *)
  lease_clock : Lease -> R -> R;    (* what the clock of a lease's client shows at a true time *)
  node_clock : node -> R -> R;
  overwrites : Prop;                (* a SET executes although there is a key *)
  deletes_blindly : Prop;           (* a DEL does not compare *)
  shares_tokens : Prop;             (* a node cannot tell the leases apart *)
  counts_from_decision : Prop;      (* validity counts from the deciding reply, not from the send *)
  loses_keys : Prop;                (* a key may go before its time has run out *)
  extends_lapsed : Prop }.          (* an extension counts although the lease has lapsed *)

Inductive phases := Unborn | Acquiring | Held | Ended.

Record state := State {
  now : R;                                     (* true time *)
  phase : Lease -> phases;
  opened : Lease -> nat -> Prop;               (* the round has begun: its requests are under way *)
  started : Lease -> nat -> R;                 (* when its clock was read, before the first send *)
  current : Lease -> nat;                      (* the round that the lease's validity counts from *)
  answered : Lease -> nat -> node -> R -> Prop;(* a yes of a node, with the end of its bar at that time *)
  counted : Lease -> nat -> node -> Prop;      (* a yes that its client has read and that counts *)
  owner : node -> option Lease;                (* whose token the key carries *)
  due : node -> R;                             (* when the key goes, on the node's clock *)
  away : node -> R }.                          (* end of the node's bar *)

Variable P : protocol.

(* ---- Words ---- *)

(* On the client's clock some of the validity of a round is left. *)
Definition valid s x k := lease_clock P x (now s) - lease_clock P x (started s x k) < ttl P x k - allowance P x k.

(* The client is entitled to think that it holds. *)
Definition believes s x := phase s x = Held /\ valid s x (current s x).

(* Enough nodes said yes. *)
Definition granted s x k := enough (nodes P) (needed P) (counted s x k).

(* A node that compares the token of x with the key of y finds them equal. *)
Definition matches (x y : Lease) := x = y \/ shares_tokens P.

(* The key's time to live has run out on the node's clock. *)
Definition run_out s n := node_clock P n (now s) >= due s n.

(* When a key goes that a round sets or refreshes now. *)
Definition ends s x k n := node_clock P n (now s) + ttl P x k.

(* ---- What a step changes ---- *)

Definition set_lease {A} (f : Lease -> A) x v := fun y => if lease_dec x y then v else f y.
Definition set_node {A} (f : node -> A) n v := fun m => if Nat.eq_dec n m then v else f m.
Definition set_round (f : Lease -> nat -> R) x k v :=
  set_lease f x (fun j => if Nat.eq_dec k j then v else f x j).

Definition pass s d := State (now s + d) (phase s) (opened s) (started s) (current s)
  (answered s) (counted s) (owner s) (due s) (away s).
Definition turn s x p := State (now s) (set_lease (phase s) x p) (opened s) (started s) (current s)
  (answered s) (counted s) (owner s) (due s) (away s).
Definition open s x k := State (now s) (phase s)
  (fun y j => (y = x /\ j = k) \/ opened s y j) (set_round (started s) x k (now s)) (current s)
  (answered s) (counted s) (owner s) (due s) (away s).
Definition restart s x k := State (now s) (phase s) (opened s) (set_round (started s) x k (now s)) (current s)
  (answered s) (counted s) (owner s) (due s) (away s).
Definition follow s x k := State (now s) (phase s) (opened s) (started s) (set_lease (current s) x k)
  (answered s) (counted s) (owner s) (due s) (away s).
Definition answer s x k n := State (now s) (phase s) (opened s) (started s) (current s)
  (fun y j m w => (y = x /\ j = k /\ m = n /\ w = away s n) \/ answered s y j m w)
  (counted s) (owner s) (due s) (away s).
Definition count s x k n := State (now s) (phase s) (opened s) (started s) (current s)
  (answered s) (fun y j m => (y = x /\ j = k /\ m = n) \/ counted s y j m) (owner s) (due s) (away s).
Definition put s n o d := State (now s) (phase s) (opened s) (started s) (current s)
  (answered s) (counted s) (set_node (owner s) n o) (set_node (due s) n d) (away s).
Definition leave s n t := State (now s) (phase s) (opened s) (started s) (current s)
  (answered s) (counted s) (owner s) (due s) (set_node (away s) n t).

(* ---- The steps ---- *)

Inductive step (s : state) : state -> Prop :=

(* True time goes on. *)
| Tick : forall d, 0 <= d -> step s (pass s d)

(* page, step 1: a fresh token, and the clock is read before the first send. *)
| Begin : forall x, phase s x = Unborn -> step s (turn (open s x 0) x Acquiring)

(* page, step 2: SET key token NX PX ttl finds no key. *)
| SetExecutes : forall x n, opened s x 0 -> owner s n = None \/ overwrites P ->
    step s (answer (put s n (Some x) (ends s x 0 n)) x 0 n)

(* The SET comes again and finds its own key: that is a yes, too (MX-11). After the
   decision the step is left out: it changes no key, and Round.Add counts no vote then. *)
| OwnKeyFound : forall x y n, phase s x = Acquiring -> owner s n = Some y -> matches x y ->
    step s (answer s x 0 n)

(* The client reads a yes. It counts when the bar of the server that gave it is over
   by now; a bar of no length is a lock without the guard after restarts (RP-4). *)
| YesIsRead : forall x k n w, answered s x k n w -> w <= now s -> step s (count s x k n)

(* page, step 3: enough nodes said yes, and the elapsed time leaves validity. *)
| Decide : forall x, phase s x = Acquiring -> granted s x 0 -> valid s x 0 ->
    step s (follow (turn s x Held) x 0)
| DecideFromNow : forall x, counts_from_decision P -> phase s x = Acquiring -> granted s x 0 ->
    step s (follow (turn (restart s x 0) x Held) x 0)

(* page, step 5: the attempt is given up, the lease released, or its client dies. *)
| End : forall x, phase s x <> Unborn -> step s (turn s x Ended)

(* The release of a lease that has ended arrives: compare and delete. *)
| DeleteExecutes : forall x y n, phase s x = Ended -> owner s n = Some y -> matches x y \/ deletes_blindly P ->
    step s (put s n None (due s n))

(* An extension is a round with a start of its own. *)
| ExtendBegins : forall x k, phase s x = Held -> ~ opened s x k -> step s (open s x k)

(* Compare and pexpire, which never shortens a key's life. *)
| ExtendExecutes : forall x k n, k <> 0%nat -> opened s x k -> owner s n = Some x ->
    step s (answer (put s n (Some x) (Rmax (due s n) (ends s x k n))) x k n)
(* A missing key is set anew, which counts as well: that is more than package redlock
   counts. *)
| TopUpExecutes : forall x k n, k <> 0%nat -> opened s x k -> owner s n = None ->
    step s (answer (put s n (Some x) (ends s x k n)) x k n)

(* Also an older round may be decided, which brings the end of the belief nearer. Package
   redlock keeps the later end. *)
| ExtendDecide : forall x k, phase s x = Held -> opened s x k -> granted s x k ->
    valid s x (current s x) \/ extends_lapsed P ->
    step s (follow s x k)

(* The time to live has run out on the node's clock. *)
| Expire : forall n, run_out s n -> step s (put s n None (due s n))
| LoseKey : forall n, loses_keys P -> step s (put s n None (due s n))

(* A crash forgets the key, or brings an older key back with its older deadline (BA-3).
   A crash that forgets nothing, as with every write synced (RP-2, RP-3), is no step. *)
| Crash : forall n, step s (leave (put s n None (due s n)) n (now s + bar P))
| RollBack : forall n x k t, opened s x k -> started s x k <= t <= now s ->
    step s (leave (put s n (Some x) (node_clock P n t + ttl P x k)) n (now s + bar P)).

Definition initial s :=
     (forall x, phase s x = Unborn) /\ (forall x k, ~ opened s x k)
  /\ (forall x k n w, ~ answered s x k n w) /\ (forall x k n, ~ counted s x k n)
  /\ (forall n, owner s n = None).

(* Any number of steps. *)
Inductive steps (s : state) : state -> Prop :=
| Here : steps s s
| Then : forall t u, steps s t -> step t u -> steps s u.

Definition reachable t := exists s, initial s /\ steps s t.

Lemma reachable_step : forall s t, reachable s -> step s t -> reachable t.
Proof. intros s t (i & init & path) next. exists i. split; auto. now apply Then with s. Qed.

Lemma steps_trans : forall s t u, steps s t -> steps t u -> steps s u.
Proof. intros s t u first second. induction second; auto. now apply Then with t0. Qed.

Lemma reachable_steps : forall s t, reachable s -> steps s t -> reachable t.
Proof. intros s t (i & init & path) more. exists i. split; auto. now apply steps_trans with s. Qed.

(* ---- The hypotheses ---- *)

(* No real clock keeps a rate over every span: it shows whole units, Redis milliseconds.
   [grain] covers that, and any other error whose sum is bounded, such as a small step. *)

(* The longest belief in true time, from the read of the clock before a round's first send:
   what the slowest permitted clock of a client makes of the validity. *)
Definition longest x k := (ttl P x k - allowance P x k + grain P) / (1 - rho P).

(* The shortest life of a key in true time: what the fastest permitted clock of a node
   makes of the time to live. *)
Definition shortest x k := (ttl P x k - grain P) / (1 + rho P).

Inductive hypothesis :=
  Quorum | OnlyIfFree | Compares | Tokens | FromSend | Expires | Guard | Allowance | ClientClocks | NodeClocks.

Definition holds (h : hypothesis) : Prop :=
  match h with
  | Quorum       => (nodes P < 2 * needed P)%nat
  | OnlyIfFree   => ~ overwrites P
  | Compares     => ~ deletes_blindly P
  | Tokens       => ~ shares_tokens P
  | FromSend     => ~ counts_from_decision P
  | Expires      => ~ loses_keys P
  | Guard        => forall x k, longest x k <= bar P
  | Allowance    => forall x k, longest x k <= shortest x k
  | ClientClocks => rho P < 1 /\ forall x s t, s <= t ->
                      (1 - rho P) * (t - s) - grain P <= lease_clock P x t - lease_clock P x s
  | NodeClocks   => 0 <= rho P /\ forall n s t, s <= t ->
                      node_clock P n t - node_clock P n s <= (1 + rho P) * (t - s) + grain P
  end.

End System.

Arguments pass {Lease} s d.
Arguments answer {Lease} s x k n.
Arguments count {Lease} s x k n.
Arguments put {Lease} s n o d.
Arguments leave {Lease} s n t.

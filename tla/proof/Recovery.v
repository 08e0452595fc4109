(* How long a dead holder blocks the others: the bound of claims LV-1 and LV-6, in true
   time. It counts from the last message of the dead, and is their largest TTL by the slowest
   clock of a node. Not here: that the contender tries, how many rounds it needs (the K of
   LV-1), and how long its messages take. *)

Require Import Reals Lra List Arith.
From Redlock Require Import Majority Clocks System Invariant Acquisition.
Open Scope R_scope.

Section Recovery.
Variable Lease : Type.
Variable lease_dec : forall x y : Lease, {x = y} + {x <> y}.
Variable P : protocol Lease.
Hypothesis sound : forall h, holds Lease P h.

Notation state := (state Lease).
Notation step := (step Lease lease_dec P).
Notation steps := (steps Lease lease_dec P).
Notation reachable := (reachable Lease lease_dec P).

(* Safety let the clocks of nodes be slow without bound, and keys stay for ever. For
   progress a node's clock is not slow, and a node has no key whose time is over. *)
Hypothesis nodes_not_slow : rho _ P < 1 /\ forall n s t, s <= t ->
  (1 - rho _ P) * (t - s) - grain _ P <= node_clock _ P n t - node_clock _ P n s.

Definition timely (s : state) := forall n x, owner _ s n = Some x ->
  node_clock _ P n (now _ s) <= due _ s n.

(* The leases that nobody speaks for any more: their holders are dead or cut off. *)
Variable dead : Lease -> Prop.

(* Assumed: no message of a dead lease arrives, and no crash brings a key of one back. *)
Definition silent (s t : state) := forall n x, dead x -> owner _ t n = Some x ->
  owner _ s n = Some x /\ due _ t n = due _ s n.

(* What happens after the last message of the dead has arrived: fairness, as far as it
   is needed, is that each state is timely. *)
Inductive aftermath (s : state) : state -> Prop :=
| Last : aftermath s s
| After : forall t u, aftermath s t -> step t u -> silent t u -> timely u -> aftermath s u.

(* The largest time to live that a dead lease has asked for, and what it is in true time. *)
Variable largest : R.
Hypothesis dead_asked_for_less : forall x k, dead x -> ttl _ P x k <= largest.
Definition longest_life := (largest + grain _ P) / (1 - rho _ P).

Lemma dead_keys_are_old : forall s t, aftermath s t -> forall n x, dead x -> owner _ t n = Some x ->
  owner _ s n = Some x /\ due _ t n = due _ s n.
Proof.
  intros s t path. induction path as [|t u path before next quiet time]; intros n x d own; auto.
  destruct (quiet n x d own) as (own' & same). rewrite same. now apply before.
Qed.

Lemma aftermath_is_reachable : forall s t, reachable s -> aftermath s t -> reachable t.
Proof. intros s t r path. induction path; auto. now apply reachable_step with t. Qed.

Lemma time_goes_on : forall s t, step s t -> now _ s <= now _ t.
Proof. intros s t next. destruct next; simpl; lra. Qed.

(* LV-1, LV-6: their largest TTL on the slowest node's clock after the last message of
   the dead has arrived, no node carries a key of theirs. *)
Theorem dead_keys_are_gone : forall s t, reachable s -> aftermath s t -> timely t ->
  now _ s + longest_life < now _ t -> forall n x, dead x -> owner _ t n <> Some x.
Proof.
  intros s t r path time past n x d own.
  destruct (dead_keys_are_old s t path n x d own) as (own' & same).
  destruct (owned _ _ _ (always Lease lease_dec P sound s r) n x own') as (k & set & _ & (_ & before) & e).
  pose proof (time n x own) as in_time. rewrite same, e in in_time.
  destruct nodes_not_slow as (slow & clocks).
  assert (le : set <= now _ t).
  { apply Rle_trans with (now _ s); auto. clear - path. induction path; [lra|].
    pose proof (time_goes_on _ _ H). lra. }
  specialize (clocks n _ _ le). pose proof (dead_asked_for_less x k d).
  assert (now _ t - set <= longest_life); [|lra].
  unfold longest_life. apply Rmult_le_reg_r with (1 - rho _ P); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* LV-1: from then on a new lease can be granted at once, wherever enough nodes are up
   and out of their bar, and no lease of somebody who lives is in the way. The bound is
   on true time, from the last message of the dead: their largest TTL, and the grain of
   a clock, by (1-rho). *)
Theorem contender_can_acquire : forall s t x, reachable s -> aftermath s t -> timely t ->
  now _ s + longest_life < now _ t ->
  enough (nodes _ P) (needed _ P) (fun n => away _ t n <= now _ t /\
    (forall y, owner _ t n = Some y -> dead y)) ->
  phase _ t x = Unborn -> 0 < ttl _ P x 0 - allowance _ P x 0 ->
  exists u, steps t u /\ now _ u = now _ t /\ believes _ P u x.
Proof.
  intros s t x r path time past found un positive.
  destruct (free_nodes_are_enough Lease lease_dec P t x un positive) as (u & p & same & b & _).
  - apply enough_grows with (2 := found). intros n (over & only_dead).
    split; auto. destruct (owner _ t n) as [y|] eqn:own; auto.
    destruct (dead_keys_are_gone s t r path time past n y (only_dead y eq_refl) own).
  - exists u. auto.
Qed.

End Recovery.

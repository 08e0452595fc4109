(* The claims MX-1, MX-2, MX-5 and MX-8 as what a user of the lock sees. They speak of the
   leases of one resource, and of safety alone: no theorem here says that something happens.
   All ten hypotheses of System.v are assumed unless a theorem lists its own. *)

Require Import Reals Lra List Arith.
From Redlock Require Import Majority Clocks System Invariant.
Open Scope R_scope.

Section Claims.
Variable Lease : Type.
Variable lease_dec : forall x y : Lease, {x = y} + {x <> y}.
Variable P : protocol Lease.
Hypothesis sound : forall h, holds Lease P h.

Notation state := (state Lease).
Notation step := (step Lease lease_dec P).
Notation steps := (steps Lease lease_dec P).
Notation reachable := (reachable Lease lease_dec P).
Notation believes := (believes Lease P).
Notation longest := (longest Lease P).
Notation always := (always Lease lease_dec P sound).

Lemma believing_is_fresh : forall s x, reachable s -> believes s x ->
  live Lease s x /\ fresh Lease P s x (current _ s x) /\ granted _ P s x (current _ s x).
Proof.
  intros s x r (held & v). pose proof (past _ _ _ (always s r)) as past. pose proof (won _ _ _ (always s r)) as won.
  destruct (won x held) as (op & many).
  repeat split; auto; [unfold live; congruence|].
  apply valid_is_fresh; auto.
Qed.

(* MX-1: no two beliefs overlap in true time, whatever is late, lost, repeated,
   partitioned, paused or crashed (MX-4, MX-6, MX-9, MX-11, RP-1, RP-4), for every
   number of nodes (MX-7). Of MX-9 and MX-11 this is the safe half: what a late SET costs,
   and that a lost answer is no vote against a free lock, is not in it. Belief goes on until
   the lease ends or its validity is over, on its client's clock; what the client does with
   it (RS-1) is not in it either. *)
Theorem mutual_exclusion : forall s, reachable s ->
  forall x y, believes s x -> believes s y -> x = y.
Proof.
  intros s r x y bx b_y.
  destruct (believing_is_fresh s x r bx) as (lx & fx & gx).
  destruct (believing_is_fresh s y r b_y) as (ly & fy & gy).
  destruct (majorities_meet _ _ _ _ (sound Quorum) gx gy) as (n & cx & cy).
  destruct (read _ _ _ (always s r) _ _ _ cx) as (w & ax & wx).
  destruct (read _ _ _ (always s r) _ _ _ cy) as (v & ay & vy).
  unfold fresh in *.
  destruct (single _ _ _ (always s r) _ _ _ _ _ _ _ ax ay lx ly fx fy) as [same|[out|out]]; auto; lra.
Qed.

(* MX-2: while a client believes, every node that it counted carries its key, except
   where the node has crashed since; then its bar outlasts the belief. Nodes that granted
   an earlier round only are not spoken of. *)
Theorem majority_keeps_the_key : forall s x n, reachable s -> believes s x ->
  counted _ s x (current _ s x) n ->
  owner _ s n = Some x \/ started _ s x (current _ s x) + longest x (current _ s x) <= away _ s n.
Proof.
  intros s x n r b c. destruct (believing_is_fresh s x r b) as (l & f & _).
  destruct (read _ _ _ (always s r) _ _ _ c) as (w & ans & _).
  destruct (kept _ _ _ (always s r) _ _ _ _ ans l f) as [(own & _)|out]; auto.
Qed.

(* MX-2: what such a node tells another lease does not count before the belief has ended,
   unless the other lease's round is itself too old to be believed. *)
Theorem no_vote_for_another : forall s x n y k bar_of_vote, reachable s -> believes s x ->
  counted _ s x (current _ s x) n ->
  answered _ s y k n bar_of_vote -> live Lease s y -> fresh Lease P s y k ->
  y = x \/ started _ s x (current _ s x) + longest x (current _ s x) <= bar_of_vote.
Proof.
  intros s x n y k v r b c ay ly fy. destruct (believing_is_fresh s x r b) as (lx & fx & _).
  destruct (read _ _ _ (always s r) _ _ _ c) as (w & ax & over). unfold fresh in *.
  destruct (single _ _ _ (always s r) _ _ _ _ _ _ _ ax ay lx ly fx fy) as [same|[out|out]]; auto. lra.
Qed.

(* RP-1, RP-4: a bar of the largest TTL of all leases is long enough, if it is timed by a
   clock that is no faster than a node's may be. [Guard] then follows from [Allowance]. *)
Theorem bar_of_the_largest_ttl : forall largest,
  (forall x k, ttl _ P x k <= largest) -> (largest - grain _ P) / (1 + rho _ P) <= bar _ P ->
  holds Lease P Allowance -> 0 <= rho _ P -> holds Lease P Guard.
Proof.
  clear sound. intros largest most long fits fast x k.
  apply Rle_trans with (1 := fits x k), Rle_trans with (2 := long). unfold shortest.
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra | specialize (most x k); lra].
Qed.

(* The step is a crash of the node, which forgets its key or brings an older one back. *)
Definition crashes (s t : state) n := exists o r, t = leave (put s n o r) n (now _ s + bar _ P).

(* MX-5: whatever leases that have lapsed or ended send, a key goes before its time
   only by its own lease's end, or in a crash. No clock and no quorum matters. *)
Theorem key_is_only_its_owners : holds Lease P OnlyIfFree -> holds Lease P Compares ->
  holds Lease P Tokens -> holds Lease P Expires -> forall s t n x,
  step s t -> owner _ s n = Some x -> owner _ t n <> Some x ->
  phase _ s x = Ended \/ run_out _ P s n \/ crashes s t n.
Proof.
  clear sound. intros only_if_free compares tokens expires s t n x next own gone. unfold crashes.
  destruct next; simpl in *; try (exfalso; congruence); unfold set_node in *;
    try (destruct (Nat.eq_dec _ _); subst; [|exfalso; congruence]); auto.
  - destruct H0 as [free|over]; [congruence | destruct (only_if_free over)].
  - left. destruct H1 as [[same|shared]|blind]; [congruence | destruct (tokens shared) | destruct (compares blind)].
  - exfalso. congruence.
  - exfalso. congruence.
  - eauto.
  - eauto.
Qed.

(* MX-5: nor does a key live longer (or shorter), unless its own lease asked for an
   extension, or the node has crashed. *)
Theorem only_its_owner_extends_a_key : holds Lease P OnlyIfFree -> forall s t n x,
  step s t -> owner _ s n = Some x -> owner _ t n = Some x -> due _ t n <> due _ s n ->
  (exists k, k <> 0%nat /\ opened _ s x k) \/ crashes s t n.
Proof.
  clear sound. intros only_if_free s t n x next own still moved. unfold crashes.
  destruct next; simpl in *; try (exfalso; congruence); unfold set_node in *;
    try (destruct (Nat.eq_dec _ _); subst; [|exfalso; congruence]); auto; try congruence;
    injection still as <-; eauto.
  exfalso. destruct H0 as [free|over]; [congruence | exact (only_if_free over)].
Qed.

(* ---- MX-8 ---- *)

(* What a lease believes, not what it sends: that nothing is sent after the deadline is not
   in these theorems. *)

(* Two conditions more: the deadline is kept, and no client's clock goes back. *)
Hypothesis deadline : ~ extends_lapsed _ P.
Hypothesis clock_goes_on : forall x s t, s <= t -> lease_clock _ P x s <= lease_clock _ P x t.

Lemma held_or_ended_stays : forall s t x, step s t ->
  (phase _ s x = Held -> phase _ t x = Held \/ phase _ t x = Ended) /\
  (phase _ s x = Ended -> phase _ t x = Ended).
Proof.
  intros s t x next. destruct next; simpl; auto; unfold set_lease; destruct (lease_dec _ _); subst; split; auto; congruence.
Qed.

Lemma held_or_ended_for_ever : forall s t x, steps s t ->
  (phase _ s x = Held -> phase _ t x = Held \/ phase _ t x = Ended) /\
  (phase _ s x = Ended -> phase _ t x = Ended).
Proof.
  intros s t x path. induction path as [|t u path (held & ended) next]; auto.
  destruct (held_or_ended_stays _ _ x next) as (held' & ended').
  split; auto. intro h. destruct (held h); auto.
Qed.

Lemma ended_stands_still : forall s t x, reachable s -> step s t -> phase _ s x = Ended ->
  started _ t x (current _ t x) = started _ s x (current _ s x) /\ current _ t x = current _ s x.
Proof.
  intros s t x r next over. destruct next; simpl in *; auto;
    unfold set_round, set_lease; repeat (destruct (lease_dec _ _); subst; simpl in *; auto); congruence.
Qed.

Lemma belief_does_not_come_back : forall s t x, step s t -> reachable s ->
  phase _ s x = Held -> believes t x -> believes s x.
Proof.
  intros s t x next r held (held' & v). split; auto.
  destruct (won _ _ _ (always s r) x held) as (op & _).
  unfold valid in *. destruct next; simpl in *; auto;
    unfold set_round, set_lease in *; repeat (destruct (lease_dec _ _); subst; simpl in *; auto); try congruence.
  - pose proof (clock_goes_on x (now _ s) (now _ s + d)). lra.
  - destruct (Nat.eq_dec _ _); [congruence | auto].
  - destruct H2 as [still|late]; [auto | destruct (deadline late)].
Qed.

(* When the belief in a lease ends, on the clock of its client. *)
Definition deadline_of s x := lease_clock _ P x (started _ s x (current _ s x)) +
  ttl _ P x (current _ s x) - allowance _ P x (current _ s x).

Lemma believes_until : forall s x,
  believes s x <-> phase _ s x = Held /\ lease_clock _ P x (now _ s) < deadline_of s x.
Proof. intros s x. unfold System.believes, valid, deadline_of. split; intros (held & v); split; auto; lra. Qed.

(* A step that moves the end of a belief is the decision of an extension, which a majority
   has granted, while the client still believes. *)
Lemma only_a_decision_moves_it : forall s t x, reachable s -> step s t -> phase _ s x = Held ->
  (started _ t x (current _ t x) = started _ s x (current _ s x) /\ current _ t x = current _ s x) \/
  (believes s x /\ granted _ P s x (current _ t x)).
Proof.
  intros s t x r next held. destruct (won _ _ _ (always s r) x held) as (op & _).
  unfold System.believes. destruct next; simpl in *; auto;
    unfold set_round, set_lease; repeat (destruct (lease_dec _ _); subst; simpl in *; auto); try congruence.
  - left. destruct (Nat.eq_dec _ _); [congruence | auto].
  - right. destruct H2 as [still|late]; [auto | destruct (deadline late)].
Qed.

(* MX-8: an extension that has failed, or that only a minority has granted, lengthens
   nothing. For if the end of the belief has moved, a majority has granted the round that it
   counts from now, at a time when the client still believed. *)
Theorem failed_extension_lengthens_nothing : forall s t x, reachable s -> steps s t -> phase _ s x = Held ->
  deadline_of t x <> deadline_of s x ->
  exists u, steps s u /\ steps u t /\ believes u x /\ granted _ P u x (current _ t x).
Proof.
  intros s t x r path held. induction path as [|u t path later next]; intro moved; [congruence|].
  assert (ru : reachable u) by (apply reachable_steps with s; auto).
  destruct (held_or_ended_for_ever s u x path) as (hu & _). 
  assert (same : deadline_of t x = deadline_of u x -> current _ t x = current _ u x ->
    exists v, steps s v /\ steps v t /\ believes v x /\ granted _ P v x (current _ t x)).
  { intros e e'. rewrite e in moved. destruct (later moved) as (v & pv & pv' & b & g).
    exists v. rewrite e'. split; [auto|]. split; [now apply Then with u | auto]. }
  destruct (hu held) as [h|h].
  - destruct (only_a_decision_moves_it u t x ru next h) as [(e & e')|(b & g)].
    + apply same; auto. unfold deadline_of. now rewrite e, e'.
    + exists u. split; [auto|]. split; [|auto]. apply Then with u; [apply Here | auto].
  - destruct (ended_stands_still u t x ru next h) as (e & e'). apply same; auto.
    unfold deadline_of. now rewrite e, e'.
Qed.

(* MX-8: a client that believes now has believed without a gap since its lease was
   granted, through all of its extensions, and nobody else has in the meantime. *)
Theorem never_revived : forall s u t x, reachable s -> steps s u -> steps u t ->
  phase _ s x = Held -> believes t x ->
  believes u x /\ forall y, believes u y -> y = x.
Proof.
  intros s u t x r first second held b.
  assert (ru : reachable u) by (apply reachable_steps with s; auto).
  assert (b_u : believes u x).
  { destruct (held_or_ended_for_ever s u x first) as (hu & _). specialize (hu held).
    induction second as [|v t path back next]; auto.
    apply back. apply belief_does_not_come_back with t; auto.
    - apply reachable_steps with u; auto.
    - destruct (held_or_ended_for_ever u v x path) as (hv & ev).
      destruct (held_or_ended_stays v t x next) as (_ & et).
      destruct b as (ht & _).
      destruct hu as [h|e]; [destruct (hv h) as [h'|e]|]; auto; exfalso; rewrite et in ht; auto; discriminate. }
  split; auto. intros y b_y. symmetry. apply (mutual_exclusion u ru); auto.
Qed.

End Claims.

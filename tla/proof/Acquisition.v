(* Who finds enough free nodes can acquire, in no time: what blocks a contender is only
   keys and bars. It is the step from free nodes to a holder in Recovery.v and Necessity.v.
   That there is an execution does not say that every client takes it. *)

Require Import Reals Lra List Arith Lia.
From Redlock Require Import Majority System.
Import ListNotations.
Open Scope R_scope.

Section Acquisition.
Variable Lease : Type.
Variable lease_dec : forall x y : Lease, {x = y} + {x <> y}.
Variable P : protocol Lease.

Notation state := (state Lease).
Notation step := (step Lease lease_dec P).
Notation steps := (steps Lease lease_dec P).
Notation believes := (believes Lease P).

(* The node would say yes, and the yes would count. *)
Definition free (s : state) n := owner _ s n = None /\ away _ s n <= now _ s.

(* Nothing has changed but votes and keys. *)
Definition same_clients (s t : state) :=
  now _ t = now _ s /\ phase _ t = phase _ s /\ opened _ t = opened _ s /\
  started _ t = started _ s /\ current _ t = current _ s /\ away _ t = away _ s.

Lemma one_vote : forall s x n, opened _ s x 0 -> free s n ->
  exists t, steps s t /\ same_clients s t /\ counted _ t x 0 n /\
    (forall m, counted _ s x 0 m -> counted _ t x 0 m) /\
    (forall m, m <> n -> owner _ t m = owner _ s m).
Proof.
  intros s x n op (key & over).
  exists (count (answer (put s n (Some x) (ends _ P s x 0 n)) x 0 n) x 0 n).
  split; [|repeat split; simpl; auto].
  - eapply Then; [eapply Then; [apply Here|]|].
    + apply SetExecutes with (x := x) (n := n); auto.
    + apply YesIsRead with (away _ s n); simpl; auto.
  - intros m other. unfold set_node. destruct (Nat.eq_dec n m); congruence.
Qed.

Lemma all_votes : forall x l s, NoDup l -> opened _ s x 0 -> (forall n, In n l -> free s n) ->
  exists t, steps s t /\ same_clients s t /\ (forall n, In n l -> counted _ t x 0 n) /\
    (forall m, counted _ s x 0 m -> counted _ t x 0 m).
Proof.
  intros x l. induction l as [|n l more]; intros s distinct op all.
  - exists s. repeat split; auto; [apply Here | intros n []].
  - inversion distinct; subst.
    destruct (one_vote s x n op (all n (or_introl eq_refl))) as (t & path & same & c & old & others).
    pose proof same as (st & sp & so & ss & sc & sa).
    destruct (more t) as (u & path' & (tt & tp & to & ts & tc & ta) & cs & old'); auto.
    + now rewrite so.
    + intros m inside. destruct (all m (or_intror inside)) as (key & over).
      split; [rewrite others; [auto | congruence] | rewrite st, sa; auto].
    + exists u. split; [now apply steps_trans with t|].
      split; [unfold same_clients; repeat split; congruence|].
      split; auto. intros m [<-|inside]; auto.
Qed.

Theorem free_nodes_are_enough : forall s x,
  phase _ s x = Unborn -> 0 < ttl _ P x 0 - allowance _ P x 0 -> enough (nodes _ P) (needed _ P) (free s) ->
  exists t, steps s t /\ now _ t = now _ s /\ believes t x /\
    (forall y, y <> x -> believes s y -> believes t y) /\
    (forall y, y <> x -> phase _ t y = phase _ s y /\ forall k, opened _ t y k <-> opened _ s y k).
Proof.
  intros s x un some (voters & distinct & all & many).
  set (begun := turn Lease lease_dec (open Lease lease_dec s x 0) x Acquiring).
  assert (starts : forall y k, y <> x -> started _ begun y k = started _ s y k).
  { intros. simpl. unfold set_round, set_lease. destruct (lease_dec x y); congruence. }
  assert (start : started _ begun x 0 = now _ s).
  { simpl. unfold set_round, set_lease. destruct (lease_dec x x); [reflexivity | congruence]. }
  destruct (all_votes x voters begun) as (t & path & (st & sp & so & ss & sc & _) & cs & _); auto.
  - simpl. auto.
  - intros n inside. apply all. auto.
  - exists (follow Lease lease_dec (turn Lease lease_dec t x Held) x 0).
    assert (v : valid Lease P t x 0).
    { unfold valid. rewrite ss, st, start. simpl. lra. }
    split; [|split; [|split; [|split]]].
    + apply Then with t.
      * apply steps_trans with begun; auto. apply Then with s; [apply Here | now apply Begin].
      * apply Decide; auto.
        -- rewrite sp. simpl. unfold set_lease. destruct (lease_dec x x); congruence.
        -- exists voters. repeat split; auto. now apply all.
    + simpl. rewrite st. reflexivity.
    + unfold System.believes, valid, set_lease. simpl. unfold set_lease. destruct (lease_dec x x); [|congruence].
      split; auto.
    + intros y other (held & vy). unfold System.believes, valid in *. simpl.
      unfold set_lease. destruct (lease_dec x y); [congruence|]. rewrite sp, sc, ss, st, starts; auto.
      simpl. unfold set_lease. destruct (lease_dec x y); [congruence|]. auto.
    + intros y other. simpl. rewrite so, sp. simpl. unfold set_lease.
      destruct (lease_dec x y); [congruence|]. split; auto. intro k. tauto.
Qed.

End Acquisition.

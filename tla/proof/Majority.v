(* Two majorities of the same nodes share a node: the core of claim MX-7, for every number
   of nodes, odd or even. Claims.v uses it for mutual exclusion. *)

Require Import List Arith Lia.
Import ListNotations.

(* At least [needed] distinct nodes below [nodes] are in the set [S]. *)
Definition enough (nodes needed : nat) (S : nat -> Prop) : Prop :=
  exists voters, NoDup voters
              /\ (forall n, In n voters -> n < nodes /\ S n)
              /\ needed <= length voters.

Lemma enough_grows : forall nodes needed (S T : nat -> Prop),
  (forall n, S n -> T n) -> enough nodes needed S -> enough nodes needed T.
Proof.
  intros nodes needed S T sub (voters & distinct & all & many).
  exists voters. repeat split; auto; destruct (all n H); auto.
Qed.

Lemma distinct_together : forall a b : list nat,
  NoDup a -> NoDup b -> (forall n, In n a -> ~ In n b) -> NoDup (a ++ b).
Proof.
  induction a as [|first rest induction]; intros b da db apart; simpl; auto.
  inversion da; subst. constructor.
  - rewrite in_app_iff. intros [again|other]; [contradiction | exact (apart first (or_introl eq_refl) other)].
  - apply induction; auto. intros n inside. apply apart. now right.
Qed.

(* Distinct numbers below [nodes] are at most [nodes] many. *)
Lemma at_most_all : forall nodes (l : list nat),
  NoDup l -> (forall n, In n l -> n < nodes) -> length l <= nodes.
Proof.
  intros nodes l distinct below.
  rewrite <- (seq_length nodes 0). apply NoDup_incl_length; auto.
  intros n inside. apply in_seq. specialize (below n inside). lia.
Qed.

Theorem majorities_meet : forall nodes needed S T,
  nodes < 2 * needed -> enough nodes needed S -> enough nodes needed T ->
  exists n, S n /\ T n.
Proof.
  intros nodes needed S T majority (a & da & ina & la) (b & db & inb & lb).
  destruct (Exists_dec (fun n => In n b) a) as [meet|apart].
  - intro n. apply in_dec, Nat.eq_dec.
  - apply Exists_exists in meet. destruct meet as (n & na & nb).
    exists n. split; [apply (ina n na) | apply (inb n nb)].
  - exfalso.
    assert (D : NoDup (a ++ b)).
    { apply distinct_together; auto. intros n na nb. apply apart, Exists_exists. eauto. }
    apply (at_most_all nodes) in D.
    + rewrite app_length in D. lia.
    + intros n inside. apply in_app_iff in inside as [i|i]; [apply (ina n i) | apply (inb n i)].
Qed.

(* The page's quorum, N/2+1 rounded down, is a majority. *)
Lemma quorum_is_majority : forall nodes, nodes < 2 * (nodes / 2 + 1).
Proof. intro nodes. pose proof (Nat.div_mod nodes 2). pose proof (Nat.mod_upper_bound nodes 2). lia. Qed.

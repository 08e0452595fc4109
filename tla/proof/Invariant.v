(* What is true in every reachable state. Two lines carry the proof: [kept] (a yes of a
   round that is still fresh is backed by the key, or by a bar that outlasts the round)
   and [single] (so no node says a counting yes to two leases at once). *)

Require Import Reals Lra List Arith Lia.
From Redlock Require Import Majority Clocks System.
Open Scope R_scope.

Section Invariant.
Variable Lease : Type.
Variable lease_dec : forall x y : Lease, {x = y} + {x <> y}.
Variable P : protocol Lease.
Hypothesis sound : forall h, holds Lease P h.

Notation state := (state Lease).
Notation step := (step Lease lease_dec P).
Notation longest := (longest Lease P).

(* The lease has not ended. *)
Definition live (s : state) x := phase Lease s x <> Ended.

(* So little true time has passed since the round's start that belief is possible. *)
Definition fresh (s : state) x k := now _ s < started _ s x k + longest.

Record invariant (s : state) : Prop := {
  past : forall x k, opened _ s x k -> started _ s x k <= now _ s;
  unborn : forall x k, phase _ s x = Unborn -> ~ opened _ s x k;
  first : forall x k, opened _ s x k -> opened _ s x 0;
  key_past : forall n, refreshed _ s n <= now _ s;
  owned : forall n x, owner _ s n = Some x -> opened _ s x 0 /\ started _ s x 0 <= refreshed _ s n;
  asked : forall x k n w, answered _ s x k n w -> opened _ s x k;
  kept : forall x k n w, answered _ s x k n w -> live s x -> fresh s x k ->
           (owner _ s n = Some x /\ started _ s x k <= refreshed _ s n)
        \/ started _ s x k + longest <= away _ s n;
  single : forall x k y j n w v, answered _ s x k n w -> answered _ s y j n v ->
           live s x -> live s y -> fresh s x k -> fresh s y j ->
           x = y \/ started _ s x k + longest <= v \/ started _ s y j + longest <= w;
  read : forall x k n, counted _ s x k n -> exists w, answered _ s x k n w /\ w <= now _ s;
  won : forall x, phase _ s x = Held ->
           opened _ s x (current _ s x) /\ granted _ P s x (current _ s x) }.

(* ---- Time ---- *)

Lemma valid_is_fresh : forall s x k,
  started _ s x k <= now _ s -> valid _ P s x k -> fresh s x k.
Proof.
  intros s x k p v. destruct (sound ClientClocks) as (slow & clocks).
  assert (now _ s - started _ s x k < longest); [|unfold fresh; lra].
  apply (slow_clock _ _ _ _ slow (clocks x _ _ p) v).
Qed.

Lemma run_out_is_late : forall s n,
  refreshed _ s n <= now _ s -> run_out _ P s n -> refreshed _ s n + longest <= now _ s.
Proof.
  intros s n p out. destruct (sound NodeClocks) as (fast & clocks).
  pose proof (fast_clock _ _ _ _ fast (clocks n _ _ p) (Rge_le _ _ out)) as late.
  pose proof (sound Allowance) as fits. unfold holds, shortest in fits. lra.
Qed.

(* ---- Each step keeps the invariant ---- *)

Ltac updates :=
  unfold set_round, set_lease, set_node in *;
  repeat match goal with
  | H : context [if lease_dec ?x ?y then _ else _] |- _ => destruct (lease_dec x y); subst
  | H : context [if Nat.eq_dec ?n ?m then _ else _] |- _ => destruct (Nat.eq_dec n m); subst
  | |- context [if lease_dec ?x ?y then _ else _] => destruct (lease_dec x y); subst
  | |- context [if Nat.eq_dec ?n ?m then _ else _] => destruct (Nat.eq_dec n m); subst
  end.

(* Splits the invariant of the next state into its lines; most hold because nothing
   that they speak of has changed. *)
Ltac lines inv :=
  destruct inv as [pa un fi kp ow as_ ke si rd wo]; split; unfold live, fresh, granted in *; simpl in *; eauto.

Lemma initial_holds : forall s, initial Lease s -> invariant s.
Proof.
  intros s (nobody & no_round & no_answer & no_count & no_key & keys).
  split; auto.
  - intros x k o. now apply no_round in o.
  - intros x k o. now apply no_round in o.
  - intros n x own. rewrite no_key in own. discriminate.
  - intros x k n w ans. now apply no_answer in ans.
  - intros x k n w ans. now apply no_answer in ans.
  - intros x k y j n w v ans. now apply no_answer in ans.
  - intros x k n c. now apply no_count in c.
  - intros x held. rewrite nobody in held. discriminate.
Qed.

Lemma tick_keeps : forall s d, 0 <= d -> invariant s -> invariant (pass s d).
Proof.
  intros s d pos inv. lines inv.
  - intros x k0 op. specialize (pa x k0 op). lra.
  - intro n. specialize (kp n). lra.
  - intros x k0 n v ans l fr. apply (ke x k0 n v); auto. lra.
  - intros x k0 y j n v v' ans ans' l l' fr fr'. apply (si x k0 y j n v v'); auto; lra.
  - intros x k0 n c. destruct (rd x k0 n c) as (v & ans & out). exists v. split; auto. lra.
Qed.

(* A round that begins has a start of its own, and nobody has answered it. *)
Lemma open_keeps : forall s x k,
  ~ opened _ s x k -> opened _ s x 0 \/ k = 0%nat -> phase _ s x <> Unborn ->
  invariant s -> invariant (open Lease lease_dec s x k).
Proof.
  intros s x k new zero born inv.
  assert (started_elsewhere : forall y j, opened _ s y j -> started _ (open Lease lease_dec s x k) y j = started _ s y j).
  { intros y j op. simpl. updates; tauto. }
  destruct inv as [pa un fi kp ow as_ ke si rd wo].
  split; unfold live, fresh, granted in *; try (simpl; eauto; fail).
  - intros y j [(-> & ->)|op].
    + simpl. updates; try congruence. lra.
    + rewrite started_elsewhere; auto.
  - simpl. intros y j e [(-> & ->)|op]; [congruence | exact (un y j e op)].
  - simpl. intros y j [(-> & ->)|op]; [destruct zero as [zero| ->]; auto | eauto].
  - intros n y own. destruct (ow n y own) as (op & before). rewrite started_elsewhere; auto. simpl. auto.
  - intros y j n v ans. pose proof (as_ _ _ _ _ ans) as op. rewrite started_elsewhere; auto. apply (ke y j n v ans).
  - intros y j z i n v v' ans ans'. pose proof (as_ _ _ _ _ ans) as op. pose proof (as_ _ _ _ _ ans') as op'.
    rewrite !started_elsewhere; auto. apply (si y j z i n v v' ans ans').
  - simpl. intros y held. destruct (wo y held). auto.
Qed.

(* The answer of a node that carries the key of x, set or refreshed after the round's start. *)
Lemma answer_keeps : forall s x k n,
  opened _ s x k -> owner _ s n = Some x -> started _ s x k <= refreshed _ s n ->
  invariant s -> invariant (answer s x k n).
Proof.
  intros s x k n op own after inv. lines inv.
  - intros y j m v [(-> & -> & -> & ->)|ans]; eauto.
  - intros y j m v [(-> & -> & -> & ->)|ans]; eauto.
  - intros y j z i m v v' [(-> & -> & -> & ->)|ans] [(-> & -> & e & ->)|ans'] l l' fr fr'; subst; auto.
    + destruct (ke z i n v' ans' l' fr') as [(same & _)|out]; [left; congruence | auto].
    + destruct (ke y j n v ans l fr) as [(same & _)|out]; [left; congruence | auto].
    + eauto.
  - intros y j m c. destruct (rd y j m c) as (v & ans & out). eauto.
Qed.

(* A key that is set at a node without one, or refreshed by its owner. *)
Lemma put_own_keeps : forall s x n,
  opened _ s x 0 -> owner _ s n = Some x \/ owner _ s n = None ->
  invariant s -> invariant (put s n (Some x) (now _ s)).
Proof.
  intros s x n op mine inv. lines inv.
  - intros m. updates; auto. lra.
  - intros m y. updates; auto. intro e. injection e as <-. auto.
  - intros y j m v ans l fr. updates; eauto.
    destruct (ke y j m v ans l fr) as [(own & after)|out]; auto.
    left. split; [destruct mine; congruence | eauto].
Qed.

(* A key that goes while no fresh round of a live lease counts on it. *)
Lemma remove_keeps : forall s n,
  (forall x k, owner _ s n = Some x -> started _ s x k <= refreshed _ s n -> live s x -> ~ fresh s x k) ->
  invariant s -> invariant (put s n None (refreshed _ s n)).
Proof.
  intros s n unused inv. lines inv.
  - intros m. updates; auto.
  - intros m y. updates; auto. discriminate.
  - intros y j m v ans l fr. updates; eauto.
    destruct (ke y j m v ans l fr) as [(own & after)|out]; auto.
    exfalso. exact (unused y j own after l fr).
Qed.

(* After a crash a node may carry anything that it once did: the bar outlasts every round. *)
Lemma crash_keeps : forall s n o t,
  (forall x, o = Some x -> opened _ s x 0 /\ started _ s x 0 <= t) -> t <= now _ s ->
  invariant s -> invariant (leave (put s n o t) n (now _ s + bar _ P)).
Proof.
  intros s n o t old before inv. pose proof (sound Guard) as outlasts. simpl in outlasts. fold longest in outlasts.
  lines inv.
  - intros m. updates; auto.
  - intros m y. updates; auto.
  - intros y j m v ans l fr. updates; eauto.
    right. specialize (pa y j (as_ _ _ _ _ ans)). lra.
Qed.

Lemma count_keeps : forall s x k n w,
  answered _ s x k n w -> w <= now _ s -> invariant s -> invariant (count s x k n).
Proof.
  intros s x k n w ans over inv. lines inv.
  - intros y j m [(-> & -> & ->)|c]; eauto.
  - intros y held. destruct (wo y held) as (op & many). split; auto.
    apply enough_grows with (2 := many). simpl. auto.
Qed.

(* A lease that is held or over; it does not begin anew. *)
Lemma turn_keeps : forall s x q,
  phase _ s x <> Unborn -> q = Ended -> invariant s -> invariant (turn Lease lease_dec s x q).
Proof.
  intros s x q born -> inv. lines inv.
  - intros y j e. updates; [discriminate | eauto].
  - intros y j n v ans l fr. apply (ke y j n v ans); auto. intro e. apply l. updates; auto.
  - intros y j z i n v v' ans ans' l l' fr fr'.
    apply (si y j z i n v v'); auto; intro e; [apply l | apply l']; updates; auto.
  - intros y held. updates; [discriminate | auto].
Qed.

(* A round with enough votes becomes the one that the lease's validity counts from. *)
Lemma hold_keeps : forall s x k,
  phase _ s x = Acquiring \/ phase _ s x = Held -> opened _ s x k -> granted _ P s x k ->
  invariant s -> invariant (follow Lease lease_dec (turn Lease lease_dec s x Held) x k).
Proof.
  intros s x k from op many inv. lines inv.
  - intros y j e. updates; [discriminate | eauto].
  - intros y j n v ans l fr. apply (ke y j n v ans); auto. updates; auto. destruct from; congruence.
  - intros y j z i n v v' ans ans' l l' fr fr'.
    apply (si y j z i n v v'); auto; updates; auto; destruct from; congruence.
  - intros y held. updates; auto.
Qed.

Lemma follow_keeps : forall s x k,
  opened _ s x k -> granted _ P s x k -> invariant s -> invariant (follow Lease lease_dec s x k).
Proof.
  intros s x k op many inv. lines inv. intros y held. updates; auto.
Qed.

(* A lease begins: it is acquiring, and its round 0 is open. *)
Lemma begin_keeps : forall s x,
  phase _ s x = Unborn -> invariant s -> invariant (turn Lease lease_dec (open Lease lease_dec s x 0) x Acquiring).
Proof.
  intros s x new inv.
  pose proof (unborn s inv x) as nothing.
  assert (started_elsewhere : forall y j, opened _ s y j ->
    set_round Lease lease_dec (started _ s) x 0 (now _ s) y j = started _ s y j).
  { intros y j op. updates; auto; destruct (nothing _ new op). }
  destruct inv as [pa un fi kp ow as_ ke si rd wo].
  split; unfold live, fresh, granted in *; simpl.
  - intros y j [(-> & ->)|op].
    + updates; try congruence. lra.
    + rewrite started_elsewhere; auto.
  - intros y j e [(-> & ->)|op]; updates; try discriminate; try congruence. exact (un y j e op).
  - intros y j [(-> & ->)|op]; eauto.
  - auto.
  - intros n y own. destruct (ow n y own) as (op & before). rewrite started_elsewhere; auto.
  - eauto.
  - intros y j n v ans l. pose proof (as_ _ _ _ _ ans) as op. rewrite started_elsewhere; auto.
    apply (ke y j n v ans). updates; auto; destruct (nothing _ new op).
  - intros y j z i n v v' ans ans' l l'. pose proof (as_ _ _ _ _ ans) as op. pose proof (as_ _ _ _ _ ans') as op'.
    rewrite !started_elsewhere; auto. apply (si y j z i n v v' ans ans').
    + updates; auto; destruct (nothing _ new op).
    + updates; auto; destruct (nothing _ new op').
  - eauto.
  - intros y held. updates; [discriminate|]. destruct (wo y held). auto.
Qed.

Theorem step_keeps : forall s t, invariant s -> step s t -> invariant t.
Proof.
  intros s t inv next. destruct next.
  - now apply tick_keeps.
  - now apply begin_keeps.
  - (* SetExecutes *)
    destruct H0 as [free|over]; [|destruct (sound OnlyIfFree over)].
    apply answer_keeps; simpl; auto; updates; try congruence.
    + now apply (past s inv).
    + apply put_own_keeps; auto.
  - (* OwnKeyFound *)
    destruct H1 as [same|shared]; [subst|destruct (sound Tokens shared)].
    apply answer_keeps; auto. now apply (owned s inv).
  - now apply count_keeps with w.
  - (* Decide *)
    apply hold_keeps; auto.
    destruct H0 as (voters & distinct & all & many). 
    destruct voters as [|n rest].
    + exfalso. pose proof (sound Quorum) as majority. simpl in majority, many. lia.
    + destruct (all n (or_introl eq_refl)) as (_ & c). destruct (read s inv _ _ _ c) as (w & ans & _). exact (asked s inv _ _ _ _ ans).
  - (* DecideFromNow *) destruct (sound FromSend H).
  - (* End *) now apply turn_keeps.
  - (* DeleteExecutes *)
    assert (y = x) as -> by (destruct H1 as [[same|shared]|blind]; [auto | destruct (sound Tokens shared) | destruct (sound Compares blind)]).
    apply remove_keeps; auto. intros z k own _ l _. apply l. congruence.
  - (* ExtendBegins *)
    apply open_keeps; auto; [left | congruence].
    destruct (won s inv x H) as (op & _). exact (first s inv _ _ op).
  - (* ExtendExecutes *)
    apply answer_keeps; simpl; auto; updates; try congruence.
    + now apply (past s inv).
    + apply put_own_keeps; auto. exact (first s inv _ _ H0).
  - now apply follow_keeps.
  - (* Expire *)
    apply remove_keeps; auto. intros x k own after _. pose proof (run_out_is_late s n (key_past s inv n) H). unfold fresh. lra.
  - (* LoseKey *) destruct (sound Expires H).
  - (* Crash *) apply crash_keeps; auto; [discriminate | apply (key_past s inv)].
  - (* RollBack *)
    apply crash_keeps; auto; [|tauto]. intros y e. injection e as <-. tauto.
Qed.

Theorem always : forall s, reachable Lease lease_dec P s -> invariant s.
Proof.
  intros s (i & init & path). induction path.
  - now apply initial_holds.
  - apply step_keeps with t; auto.
Qed.

End Invariant.

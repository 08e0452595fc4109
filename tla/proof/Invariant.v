(* What is true in every reachable state. Two lines carry the proof: [kept] (a yes of a
   round that is still fresh is backed by the key, or by a bar that outlasts the round)
   and [single] (so no node says a counting yes to two leases at once). Nothing here is a
   claim; Claims.v and Recovery.v draw them from [always]. *)

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
Definition fresh (s : state) x k := now _ s < started _ s x k + longest x k.

(* The node's key has at least the time to live that the round asked for, since its start. *)
Definition covers (s : state) x k n := exists t, started _ s x k <= t <= now _ s /\
  node_clock _ P n t + ttl _ P x k <= due _ s n.

Record invariant (s : state) : Prop := {
  (* no round starts in the future *)
  past : forall x k, opened _ s x k -> started _ s x k <= now _ s;
  (* a lease that has not begun has no round; each other round follows the acquisition,
     which runs alone *)
  unborn : forall x k, phase _ s x = Unborn -> ~ opened _ s x k;
  first : forall x k, opened _ s x k -> opened _ s x 0;
  alone : forall x k, phase _ s x = Acquiring -> opened _ s x k -> k = 0%nat;
  born : forall x, phase _ s x = Acquiring -> opened _ s x 0;
  (* a round of its owner has set each key and its end *)
  owned : forall n x, owner _ s n = Some x -> exists k t, opened _ s x k /\
            started _ s x k <= t <= now _ s /\ due _ s n = node_clock _ P n t + ttl _ P x k;
  (* only a round that has begun is answered *)
  asked : forall x k n w, answered _ s x k n w -> opened _ s x k;
  kept : forall x k n w, answered _ s x k n w -> live s x -> fresh s x k ->
           (owner _ s n = Some x /\ covers s x k n)
        \/ started _ s x k + longest x k <= away _ s n;
  single : forall x k y j n w v, answered _ s x k n w -> answered _ s y j n v ->
           live s x -> live s y -> fresh s x k -> fresh s y j ->
           x = y \/ started _ s x k + longest x k <= v \/ started _ s y j + longest y j <= w;
  (* a vote that counts is an answer, whose bar is over *)
  read : forall x k n, counted _ s x k n -> exists w, answered _ s x k n w /\ w <= now _ s;
  (* who holds was granted *)
  won : forall x, phase _ s x = Held ->
           opened _ s x (current _ s x) /\ granted _ P s x (current _ s x) }.

(* ---- Time ---- *)

Lemma valid_is_fresh : forall s x k,
  started _ s x k <= now _ s -> valid _ P s x k -> fresh s x k.
Proof.
  intros s x k p v. destruct (sound ClientClocks) as (slow & clocks).
  assert (now _ s - started _ s x k < longest x k); [|unfold fresh; lra].
  apply (slow_clock _ _ _ _ _ slow (clocks x _ _ p) v).
Qed.

(* A key that a round counts on outlives the round. *)
Lemma run_out_is_late : forall s x k n,
  covers s x k n -> run_out _ P s n -> started _ s x k + longest x k <= now _ s.
Proof.
  intros s x k n (t & range & later) out. destruct (sound NodeClocks) as (fast & clocks). unfold run_out in out.
  pose proof (fast_clock _ _ (ttl _ P x k) _ _ fast (clocks n t (now _ s) (proj2 range)) ltac:(lra)) as late.
  pose proof (sound Allowance x k) as fits. unfold shortest in fits. lra.
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
  destruct inv as [pa un fi al bo ow as_ ke si rd wo]; split; unfold live, fresh, granted in *; simpl in *; eauto.

Lemma initial_holds : forall s, initial Lease s -> invariant s.
Proof.
  intros s (nobody & no_round & no_answer & no_count & no_key).
  split; auto.
  - intros x k o. now apply no_round in o.
  - intros x k o. now apply no_round in o.
  - intros x k acquiring. rewrite nobody in acquiring. discriminate.
  - intros x acquiring. rewrite nobody in acquiring. discriminate.
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
  - intros n x own. destruct (ow n x own) as (k & t & op & range & e). exists k, t. repeat split; auto; lra.
  - intros x k0 n v ans l fr. destruct (ke x k0 n v ans l) as [(own & t & range & late)|out]; auto; [lra|].
    left. split; auto. exists t. split; auto. simpl. lra.
  - intros x k0 y j n v v' ans ans' l l' fr fr'. apply (si x k0 y j n v v'); auto; lra.
  - intros x k0 n c. destruct (rd x k0 n c) as (v & ans & out). exists v. split; auto. lra.
Qed.

(* A round that begins has a start of its own, and nobody has answered it. *)
Lemma open_keeps : forall s x k,
  ~ opened _ s x k -> opened _ s x 0 -> phase _ s x = Held ->
  invariant s -> invariant (open Lease lease_dec s x k).
Proof.
  intros s x k new zero holds_it inv.
  assert (started_elsewhere : forall y j, opened _ s y j -> started _ (open Lease lease_dec s x k) y j = started _ s y j).
  { intros y j op. simpl. updates; tauto. }
  destruct inv as [pa un fi al bo ow as_ ke si rd wo].
  split; unfold live, fresh, granted in *; try (simpl; eauto; fail).
  - intros y j [(-> & ->)|op].
    + simpl. updates; try congruence. lra.
    + rewrite started_elsewhere; auto.
  - simpl. intros y j e [(-> & ->)|op]; [congruence | exact (un y j e op)].
  - simpl. intros y j [(-> & ->)|op]; eauto.
  - simpl. intros y j acquiring [(-> & ->)|op]; [congruence | eauto].
  - intros n y own. destruct (ow n y own) as (j & t & op & range & e). exists j, t.
    rewrite started_elsewhere; auto. simpl. auto.
  - intros y j n v ans. pose proof (as_ _ _ _ _ ans) as op. unfold covers. rewrite started_elsewhere; auto. apply (ke y j n v ans).
  - intros y j z i n v v' ans ans'. pose proof (as_ _ _ _ _ ans) as op. pose proof (as_ _ _ _ _ ans') as op'.
    rewrite !started_elsewhere; auto. apply (si y j z i n v v' ans ans').
  - simpl. intros y held. destruct (wo y held). auto.
Qed.

(* The answer of a node that carries the key of x, for as long as the round asked. *)
Lemma answer_keeps : forall s x k n,
  opened _ s x k -> owner _ s n = Some x -> covers s x k n ->
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

(* A round sets the key at a node without one, or refreshes its own, which goes no sooner. *)
Lemma put_own_keeps : forall s x k n d,
  opened _ s x k -> owner _ s n = None /\ d = ends _ P s x k n \/
    owner _ s n = Some x /\ d = Rmax (due _ s n) (ends _ P s x k n) ->
  invariant s -> invariant (put s n (Some x) d) /\ covers (put s n (Some x) d) x k n.
Proof.
  intros s x k n d op mine inv. pose proof (past s inv x k op) as before.
  assert (least : ends _ P s x k n <= d).
  { destruct mine as [(_ & ->)|(_ & ->)]; [lra | apply Rmax_r]. }
  split; [|exists (now _ s); unfold ends in least; simpl; updates; try congruence; split; lra].
  lines inv.
  - intros m y. updates; auto. intro e. injection e as <-.
    destruct mine as [(_ & ->)|(own & ->)].
    + exists k, (now _ s). repeat split; auto. lra.
    + destruct (ow m x own) as (j & t & op' & range & e). unfold Rmax. destruct (Rle_dec _ _).
      * exists k, (now _ s). repeat split; auto. lra.
      * exists j, t. auto.
  - intros y j m v ans l fr. unfold covers; simpl. updates; eauto.
    destruct (ke y j m v ans l fr) as [(own & t & range & late)|out]; auto.
    destruct mine as [(none & _)|(mine & ->)]; [congruence|].
    left. split; [congruence|]. exists t. split; auto. apply Rle_trans with (2 := Rmax_l _ _). auto.
Qed.

(* A key that goes while no fresh round of a live lease counts on it. *)
Lemma remove_keeps : forall s n,
  (forall x k, owner _ s n = Some x -> covers s x k n -> live s x -> ~ fresh s x k) ->
  invariant s -> invariant (put s n None (due _ s n)).
Proof.
  intros s n unused inv. lines inv.
  - intros m y. updates; auto. discriminate.
  - intros y j m v ans l fr. unfold covers; simpl. updates; eauto.
    destruct (ke y j m v ans l fr) as [(own & after)|out]; auto.
    exfalso. exact (unused y j own after l fr).
Qed.

(* After a crash a node may carry anything that it once did: the bar outlasts every round. *)
Lemma crash_keeps : forall s n o d,
  (forall x, o = Some x -> exists k t, opened _ s x k /\ started _ s x k <= t <= now _ s /\
     d = node_clock _ P n t + ttl _ P x k) ->
  invariant s -> invariant (leave (put s n o d) n (now _ s + bar _ P)).
Proof.
  intros s n o d old inv. pose proof (sound Guard) as outlasts. simpl in outlasts. fold longest in outlasts.
  lines inv.
  - intros m y. updates; auto.
  - intros y j m v ans l fr. unfold covers; simpl. updates; eauto.
    right. specialize (pa y j (as_ _ _ _ _ ans)). specialize (outlasts y j). lra.
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
  - intros y j e. updates; [discriminate | eauto].
  - intros y e. updates; [discriminate | eauto].
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
  - intros y j e. updates; [discriminate | eauto].
  - intros y e. updates; [discriminate | eauto].
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
  destruct inv as [pa un fi al bo ow as_ ke si rd wo].
  split; unfold live, fresh, granted in *; simpl.
  - intros y j [(-> & ->)|op].
    + updates; try congruence. lra.
    + rewrite started_elsewhere; auto.
  - intros y j e [(-> & ->)|op]; updates; try discriminate; try congruence. exact (un y j e op).
  - intros y j [(-> & ->)|op]; eauto.
  - intros y j acquiring [(-> & ->)|op]; auto. updates; eauto. destruct (nothing _ new op).
  - intros y. updates; auto.
  - intros n y own. destruct (ow n y own) as (j & t & op & range & e). exists j, t. rewrite started_elsewhere; auto.
  - eauto.
  - intros y j n v ans l. pose proof (as_ _ _ _ _ ans) as op. unfold covers. simpl. rewrite started_elsewhere; auto.
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
    destruct (put_own_keeps s x 0 n (ends _ P s x 0 n)) as (kept_ & covered); auto.
    apply answer_keeps; auto. simpl. updates; congruence.
  - (* OwnKeyFound *)
    destruct H1 as [same|shared]; [subst|destruct (sound Tokens shared)].
    destruct (owned s inv _ _ H0) as (k & t & op & range & e).
    assert (k = 0%nat) as -> by exact (alone s inv _ _ H op).
    apply answer_keeps; auto. exists t. split; [auto | lra].
  - now apply count_keeps with w.
  - (* Decide *) apply hold_keeps; auto. exact (born s inv _ H).
  - (* DecideFromNow *) destruct (sound FromSend H).
  - (* End *) now apply turn_keeps.
  - (* DeleteExecutes *)
    assert (y = x) as -> by (destruct H1 as [[same|shared]|blind]; [auto | destruct (sound Tokens shared) | destruct (sound Compares blind)]).
    apply remove_keeps; auto. intros z k own _ l _. apply l. congruence.
  - (* ExtendBegins *)
    apply open_keeps; auto.
    destruct (won s inv x H) as (op & _). exact (first s inv _ _ op).
  - (* ExtendExecutes *)
    destruct (put_own_keeps s x k n (Rmax (due _ s n) (ends _ P s x k n))) as (kept_ & covered); auto.
    apply answer_keeps; auto. simpl. updates; congruence.
  - (* TopUpExecutes *)
    destruct (put_own_keeps s x k n (ends _ P s x k n)) as (kept_ & covered); auto.
    apply answer_keeps; auto. simpl. updates; congruence.
  - now apply follow_keeps.
  - (* Expire *)
    apply remove_keeps; auto. intros x k _ after _. pose proof (run_out_is_late s x k n after H). unfold fresh. lra.
  - (* LoseKey *) destruct (sound Expires H).
  - (* Crash *) apply crash_keeps; auto. discriminate.
  - (* RollBack *) apply crash_keeps; auto. intros y e. injection e as <-. eauto.
Qed.

Theorem always : forall s, reachable Lease lease_dec P s -> invariant s.
Proof.
  intros s (i & init & path). induction path.
  - now apply initial_holds.
  - apply step_keeps with t; auto.
Qed.

End Invariant.

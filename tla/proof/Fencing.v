(* Fencing tokens from counters on a quorum, claims RP-5 and RS-4. Nothing here has a
   clock: votes come and go as they like, and any number of leases may be granted at
   once. What holds here holds whatever the clocks do.

   One resource, one fixed set of nodes. Counters never expire: WithFenceRetention is a
   counter that is lost, which [durable] excludes. The resource checks and raises its mark
   in one step with the access, as a script with admit.lua does. What an access reads or
   computes is not here: RS-3's lost update follows from no stale access being taken. *)

Require Import List Arith Lia.
From Redlock Require Import Majority.

Section Fencing.
Variable Lease : Type.
Variable lease_dec : forall x y : Lease, {x = y} + {x <> y}.
Variable nodes needed : nat.

(* Faults of a design. *)
Variable overwrites : Prop.      (* a write-back does not compare with the counter *)
Variable forgets : Prop.         (* a counter may be lost (A-COUNTER) *)
Variable skips_write_back : Prop. (* a token is used before a quorum has it *)

Record state := State {
  counter : nat -> nat;                   (* per node *)
  begun : Lease -> Prop;
  drawn : Lease -> nat -> nat -> Prop;    (* the node has told the lease this value of its counter *)
  token : Lease -> option nat;            (* above all that a quorum has told *)
  written : Lease -> nat -> Prop;         (* the node has taken the token *)
  handed : Lease -> Prop;                 (* the lease is handed out: its token may be used *)
  mark : nat }.                           (* largest token that the resource has seen *)

Definition put {A} (f : Lease -> A) x v := fun y => if lease_dec x y then v else f y.
Definition at_node (f : nat -> nat) n v := fun m => if Nat.eq_dec n m then v else f m.

Inductive step (s : state) : state -> Prop :=
| Begin : forall x, ~ begun s x ->
    step s (State (counter s) (put (begun s) x True) (drawn s) (token s) (written s) (handed s) (mark s))
(* acquire_fenced.lua: a vote tells the counter of its node. *)
| Draw : forall x n, begun s x -> token s x = None ->
    step s (State (counter s) (begun s)
      (fun y m v => (y = x /\ m = n /\ v = counter s n) \/ drawn s y m v)
      (token s) (written s) (handed s) (mark s))
(* fanout.highestCounter: a quorum has told, and the token is above all it was told. The
   theorems do not need that: it lets the write-back find lower counters. *)
| TokenDecided : forall x t, token s x = None ->
    enough nodes needed (fun n => exists v, drawn s x n v /\ v < t) ->
    step s (State (counter s) (begun s) (drawn s) (put (token s) x (Some t)) (written s) (handed s) (mark s))
(* fence.lua: the counter is raised where it is lower, and nothing is written elsewhere. *)
| WriteBack : forall x t n, token s x = Some t -> counter s n < t \/ overwrites ->
    step s (State (at_node (counter s) n t) (begun s) (drawn s) (token s)
      (fun y m => (y = x /\ m = n) \/ written s y m) (handed s) (mark s))
(* Locker.raiseFence: a quorum has taken it. *)
| HandedOut : forall x t, token s x = Some t -> enough nodes needed (written s x) \/ skips_write_back ->
    step s (State (counter s) (begun s) (drawn s) (token s) (written s) (put (handed s) x True) (mark s))
(* admit.lua: the resource takes an access, reads included, that is not below its mark. *)
| Access : forall x t, handed s x -> token s x = Some t -> mark s <= t ->
    step s (State (counter s) (begun s) (drawn s) (token s) (written s) (handed s) t)
| Forget : forall n v, forgets ->
    step s (State (at_node (counter s) n v) (begun s) (drawn s) (token s) (written s) (handed s) (mark s)).

Definition initial s :=
  (forall x, ~ begun s x /\ token s x = None /\ ~ handed s x) /\
  (forall x n v, ~ drawn s x n v) /\ (forall x n, ~ written s x n).

Inductive steps (s : state) : state -> Prop :=
| Here : steps s s
| Then : forall t u, steps s t -> step t u -> steps s u.

Definition reachable t := exists s, initial s /\ steps s t.

(* ---- Tokens grow ---- *)

Hypothesis majority : nodes < 2 * needed.
Hypothesis conditional : ~ overwrites.
Hypothesis durable : ~ forgets.
Hypothesis writes_back : ~ skips_write_back.

Record invariant (s : state) : Prop := {
  covered : forall x n t, written s x n -> token s x = Some t -> t <= counter s n;
  has_token : forall x n, written s x n -> token s x <> None;
  handed_by_quorum : forall x, handed s x -> enough nodes needed (written s x);
  ordered : forall x y n t u, written s x n -> written s y n ->
    token s x = Some t -> token s y = Some u -> t = u -> x = y }.

Ltac updates := unfold put, at_node in *; simpl in *;
  repeat match goal with
  | H : context [if lease_dec ?x ?y then _ else _] |- _ => destruct (lease_dec x y); subst
  | H : context [if Nat.eq_dec ?x ?y then _ else _] |- _ => destruct (Nat.eq_dec x y); subst
  | |- context [if lease_dec ?x ?y then _ else _] => destruct (lease_dec x y); subst
  | |- context [if Nat.eq_dec ?x ?y then _ else _] => destruct (Nat.eq_dec x y); subst
  end.

Lemma step_keeps : forall s t, invariant s -> step s t -> invariant t.
Proof.
  intros s t inv next. destruct inv as [co ha hq di].
  destruct next; split; simpl; eauto; try (now destruct (durable H)).
  - (* TokenDecided *) intros y n u w e. updates; eauto. exfalso. exact (ha y n w H).
  - intros y n w. updates; [discriminate | eauto].
  - intros y z n u v w w' e e' same. updates; eauto;
    solve [destruct (ha _ _ w H) | destruct (ha _ _ w' H)].
  - (* WriteBack *) destruct H0 as [less|over]; [|destruct (conditional over)].
    intros y m u [(-> & ->)|w] e; updates; try congruence.
    + rewrite H in e. injection e as <-. auto.
    + specialize (co y m u w e). lia.
    + eauto.
  - intros y m [(-> & ->)|w]; [congruence | eauto].
  - intros y h. apply enough_grows with (2 := hq y h). auto.
  - destruct H0 as [less|over]; [|destruct (conditional over)].
    intros y z m u v [(-> & ->)|w] [(-> & e0)|w'] e e' same; subst; auto.
    + rewrite H in e. injection e as ->. specialize (co z n v w' e'). lia.
    + rewrite H in e'. injection e' as ->. specialize (co y n v w e). lia.
    + eauto.
  - (* HandedOut *) intros y h. destruct H0 as [many|skip]; [|destruct (writes_back skip)]. updates; eauto.
Qed.

Lemma initial_holds : forall s, initial s -> invariant s.
Proof.
  intros s (none & no_draw & no_write). split.
  - intros x n t w. destruct (no_write _ _ w).
  - intros x n w. destruct (no_write _ _ w).
  - intros x h. destruct (none x) as (_ & _ & n). destruct (n h).
  - intros x y n t u w. destruct (no_write _ _ w).
Qed.

Lemma always : forall s, reachable s -> invariant s.
Proof. intros s (i & init & path). induction path; [now apply initial_holds | eapply step_keeps; eauto]. Qed.

(* No two leases that are handed out have one token, however they overlap. *)
Theorem tokens_differ : forall s x y t, reachable s -> handed s x -> handed s y ->
  token s x = Some t -> token s y = Some t -> x = y.
Proof.
  intros s x y t r hx hy tx ty. destruct (always s r) as [_ _ hq di].
  destruct (majorities_meet _ _ _ _ majority (hq x hx) (hq y hy)) as (n & wx & wy). eauto.
Qed.

Lemma invariant_stays : forall s u, invariant s -> steps s u -> invariant u.
Proof. intros s u inv path. induction path; [auto | eapply step_keeps; eauto]. Qed.

Lemma counters_never_fall : forall s u n, steps s u -> counter s n <= counter u n.
Proof.
  intros s u n path. induction path as [|u z path le next]; auto.
  destruct next; simpl; auto; [|destruct (durable H)].
  destruct H0 as [less|over]; [|destruct (conditional over)]. updates; lia.
Qed.

(* A token that a node takes after token t is larger than t. *)
Lemma taken_later : forall s u x y t v n, invariant s -> steps s u ->
  token s x = Some t -> written s x n -> ~ written s y n -> written u y n -> token u y = Some v -> t < v.
Proof.
  intros s u x y t v n inv path e w new. induction path as [|u z path back next]; intros wy ty; [now destruct new|].
  pose proof (invariant_stays s u inv path) as iu.
  destruct next; simpl in *; auto.
  - updates; auto. exfalso. exact (has_token u iu _ n wy H).
  - destruct H0 as [less|over]; [|destruct (conditional over)].
    destruct wy as [(-> & ->)|wy]; auto. rewrite H in ty. injection ty as ->.
    pose proof (covered s inv x n0 t w e). pose proof (counters_never_fall s u n0 path). lia.
Qed.

(* RS-4, RP-5: a lease that wins its votes, and with them its token, after another one was
   handed out has the larger token. When it began to ask does not matter. *)
Theorem tokens_grow : forall s u x y t v, reachable s -> steps s u ->
  handed s x -> token s x = Some t -> token s y = None -> handed u y -> token u y = Some v -> t < v.
Proof.
  intros s u x y t v r path hx tx new hy ty.
  pose proof (always s r) as inv.
  pose proof (invariant_stays s u inv path) as iu.
  destruct (majorities_meet _ _ _ _ majority (handed_by_quorum s inv x hx) (handed_by_quorum u iu y hy)) as (n & wx & wy).
  apply (taken_later s u x y t v n); auto. intro w. exact (has_token s inv y n w new).
Qed.

(* RP-5, RS-1 to RS-3: once the resource has seen a token, it takes no smaller one. *)
Theorem mark_never_falls : forall s u, steps s u -> mark s <= mark u.
Proof. intros s u path. induction path as [|u z path le next]; auto. destruct next; simpl; auto. lia. Qed.

Lemma token_stays : forall s u x t, steps s u -> token s x = Some t -> token u x = Some t.
Proof.
  intros s u x t path e. induction path as [|u z path same next]; auto.
  destruct next; simpl; auto. updates; congruence.
Qed.

(* The resource would take an access of the lease. *)
Definition may_access (s : state) x := exists t, handed s x /\ token s x = Some t /\ mark s <= t.

(* The resource has taken an access of the lease, and its mark shows it. *)
Definition accesses (s u : state) x := exists t, handed s x /\ token s x = Some t /\ mark s <= t /\
  u = State (counter s) (begun s) (drawn s) (token s) (written s) (handed s) t.

(* RP-5: of two leases, in whichever order they were won, the one with the smaller token is
   shut out as soon as the other has touched the resource. *)
Theorem smaller_token_is_shut_out : forall u v w x y a b,
  token u x = Some a -> token u y = Some b -> a < b ->
  accesses u v y -> steps v w -> ~ may_access w x.
Proof.
  intros u v w x y a b tx ty less (c & _ & ty' & _ & ->) after (t & _ & tw & low).
  rewrite ty in ty'. injection ty' as <-.
  pose proof (mark_never_falls _ _ after) as up. simpl in up.
  pose proof (token_stays _ w x a after tx) as same. rewrite same in tw. injection tw as <-. lia.
Qed.

(* RP-5, RS-1 to RS-3: as soon as a lease that was won later has touched the resource,
   no access of the earlier one is taken any more, however late it arrives. *)
Theorem earlier_lease_is_shut_out : forall s u v w x y, reachable s -> handed s x -> token s y = None ->
  steps s u -> accesses u v y -> steps v w -> ~ may_access w x.
Proof.
  intros s u v w x y r hx new before touched after.
  assert (decided : exists a, token s x = Some a).
  { pose proof (always s r) as inv.
    destruct (majorities_meet _ _ _ _ majority (handed_by_quorum s inv x hx) (handed_by_quorum s inv x hx)) as (n & wn & _).
    pose proof (has_token s inv x n wn). destruct (token s x) as [a|]; [eauto | congruence]. }
  destruct decided as (a & ta).
  pose proof touched as (b & hy & ty & _).
  apply (smaller_token_is_shut_out u v w x y a b); auto.
  - now apply token_stays with s.
  - now apply (tokens_grow s u x y a b).
Qed.

End Fencing.

(* ---- Each condition is needed ---- *)

Section Necessity.

(* Tokens fall: lease y wins its token when x has been handed out, and it is no larger.
   One node is enough to show it; leases are numbers. *)
Definition tokens_fall (overwrites forgets skips : Prop) :=
  exists s u x y t v,
    reachable nat Nat.eq_dec 1 1 overwrites forgets skips s /\
    steps nat Nat.eq_dec 1 1 overwrites forgets skips s u /\
    handed nat s x /\ token nat s x = Some t /\ token nat s y = None /\
    handed nat u y /\ token nat u y = Some v /\ v <= t.

Definition nothing : state nat :=
  State nat (fun _ => 0) (fun _ => False) (fun _ _ _ => False) (fun _ => None) (fun _ _ => False) (fun _ => False) 0.

Lemma nothing_is_initial : initial nat nothing.
Proof. unfold initial, nothing; simpl; auto. Qed.

Lemma one_is_enough : forall S : nat -> Prop, S 0 -> enough 1 1 S.
Proof.
  intros S yes. exists (0 :: nil). split; [constructor; [intros [] | constructor]|].
  split; [|simpl; auto]. intros n [<-|[]]. auto.
Qed.

(* Lease x has begun, was told the counter of node 0, and has the token t. *)
Definition decided (s : state nat) x t : state nat :=
  State nat (counter _ s) (put nat Nat.eq_dec (begun _ s) x True)
    (fun y m v => (y = x /\ m = 0 /\ v = counter _ s 0) \/ drawn _ s y m v)
    (put nat Nat.eq_dec (token _ s) x (Some t)) (written _ s) (handed _ s) (mark _ s).
Definition wrote (s : state nat) x t : state nat :=
  State nat (at_node (counter _ s) 0 t) (begun _ s) (drawn _ s) (token _ s)
    (fun y m => (y = x /\ m = 0) \/ written _ s y m) (handed _ s) (mark _ s).
Definition out (s : state nat) x : state nat :=
  State nat (counter _ s) (begun _ s) (drawn _ s) (token _ s) (written _ s)
    (put nat Nat.eq_dec (handed _ s) x True) (mark _ s).

Section Stories.
Variable overwrites forgets skips : Prop.
Notation path := (steps nat Nat.eq_dec 1 1 overwrites forgets skips).
Notation does := (step nat Nat.eq_dec 1 1 overwrites forgets skips).

Lemma decides : forall s r x t, path r s -> ~ begun _ s x -> token _ s x = None -> counter _ s 0 < t -> path r (decided s x t).
Proof.
  intros s r x t p new none above.
  set (b := State nat (counter _ s) (put nat Nat.eq_dec (begun _ s) x True) (drawn _ s) (token _ s)
              (written _ s) (handed _ s) (mark _ s)).
  set (d := State nat (counter _ s) (begun _ b) (fun y m v => (y = x /\ m = 0 /\ v = counter _ b 0) \/ drawn _ s y m v)
              (token _ s) (written _ s) (handed _ s) (mark _ s)).
  apply Then with d; [apply Then with b; [apply Then with s; [exact p|]|]|].
  - exact (Begin nat Nat.eq_dec 1 1 _ _ _ s x new).
  - apply (Draw nat Nat.eq_dec 1 1 _ _ _ b x 0); simpl; [|exact none].
    unfold put. destruct (Nat.eq_dec x x); [auto | congruence].
  - apply (TokenDecided nat Nat.eq_dec 1 1 _ _ _ d x t); [exact none|]. apply one_is_enough. simpl. eauto 8.
Qed.

Lemma writes : forall s r x t, path r s -> token _ s x = Some t -> counter _ s 0 < t \/ overwrites -> path r (wrote s x t).
Proof. intros s r x t p e less. apply Then with s; auto. now apply (WriteBack nat Nat.eq_dec 1 1). Qed.

Lemma hands_out : forall s r x t, path r s -> token _ s x = Some t -> written _ s x 0 \/ skips -> path r (out s x).
Proof.
  intros s r x t p e [w|skip]; apply Then with s; auto; apply (HandedOut nat Nat.eq_dec 1 1 _ _ _ s x t); auto.
  left. now apply one_is_enough.
Qed.
End Stories.

(* Lease 0 is handed out with token 1, and lease 1 comes later. *)
Definition first := out (wrote (decided nothing 0 1) 0 1) 0.

Ltac settle := simpl; auto; try apply Here; try (unfold put; simpl; intuition discriminate).

Theorem write_back_is_needed : tokens_fall False False True.
Proof.
  set (s := out (decided nothing 0 1) 0).
  exists s, (out (decided s 1 1) 1), 0, 1, 1, 1.
  split; [exists nothing; split; [apply nothing_is_initial|]|split; [|simpl; repeat split; auto]].
  - apply hands_out with 1; settle. apply decides; settle.
  - apply hands_out with 1; settle. apply decides; settle.
Qed.

(* The node's counter is lost in a restart. *)
Theorem durable_counters_are_needed : tokens_fall False True False.
Proof.
  set (lost := State nat (at_node (counter _ first) 0 0) (begun _ first) (drawn _ first) (token _ first)
                 (written _ first) (handed _ first) (mark _ first)).
  exists first, (out (wrote (decided lost 1 1) 1 1) 1), 0, 1, 1, 1.
  split; [exists nothing; split; [apply nothing_is_initial|]|split; [|simpl; repeat split; auto]].
  - apply hands_out with 1; settle. apply writes; settle. apply decides; settle.
  - apply hands_out with 1; settle. apply writes; settle. apply decides; settle.
    apply Then with first; [apply Here | now apply Forget].
Qed.

(* Lease 2 has drawn before lease 0 did, and writes its token back over a larger one. *)
Theorem comparing_is_needed : tokens_fall True False False.
Proof.
  set (before := decided nothing 2 1).
  set (s := out (wrote (decided before 0 2) 0 2) 0).
  exists s, (out (wrote (decided (wrote s 2 1) 1 2) 1 2) 1), 0, 1, 2, 2.
  split; [exists nothing; split; [apply nothing_is_initial|]|split; [|simpl; repeat split; auto]].
  - apply hands_out with 2; settle. apply writes; settle. apply decides; settle.
    apply decides; settle.
  - apply hands_out with 2; settle. apply writes; settle. apply decides; settle.
    apply writes; settle.
Qed.

End Necessity.

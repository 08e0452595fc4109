(* Each hypothesis is needed: there is a system that lacks it alone, and in which two
   clients come to believe that they hold. And all hold together in a system that grants.

   Each is one example: one node (two for the quorum), one TTL. So it is not shown that
   every system without the hypothesis fails. That a bound is tight is shown for the
   allowance alone (BA-8), at every rate, with a grain of 0. [NodeClocks] lacks its rate, not
   a step (BA-1). *)

Require Import Reals Lra List Arith Lia.
From Redlock Require Import Majority System Acquisition.
Import ListNotations.
Open Scope R_scope.

(* Leases are numbers here; 0 is the lease that is granted first. *)
Notation reaches P := (reachable nat Nat.eq_dec P).
Notation path P := (steps nat Nat.eq_dec P).
Notation holder P := (believes nat P).

Definition two_holders (P : protocol nat) :=
  exists s x y, reaches P s /\ x <> y /\ holder P s x /\ holder P s y.

(* A design that keeps everything: one node, a time to live of 10, exact clocks. *)
Definition exact (t : R) := t.
Definition lock (nodes : nat) (allowance rho bar : R) (client_shows node_shows : R -> R)
                (overwrites blind shared from_decision loses : Prop) : protocol nat :=
  Protocol nat nodes 1 (fun _ _ => 10) (fun _ _ => allowance) rho 0 bar (fun _ => client_shows) (fun _ => node_shows)
           overwrites blind shared from_decision loses False.

(* For each hypothesis, the design that lacks it. *)
Definition without (h : hypothesis) : protocol nat :=
  match h with
  | Quorum       => lock 2 0 0 10 exact exact False False False False False
  | OnlyIfFree   => lock 1 0 0 10 exact exact True  False False False False
  | Compares     => lock 1 0 0 10 exact exact False True  False False False
  | Tokens       => lock 1 0 0 10 exact exact False False True  False False
  | FromSend     => lock 1 0 0 10 exact exact False False False True  False
  | Expires      => lock 1 0 0 10 exact exact False False False False True
  | Guard        => lock 1 0 0 0  exact exact False False False False False
  | Allowance    => lock 1 0 (1/10) 20 (fun t => 9/10 * t) (fun t => 11/10 * t) False False False False False
  | ClientClocks => lock 1 0 0 10 (fun _ => 0) exact False False False False False
  | NodeClocks   => lock 1 0 0 10 exact (fun t => 2 * t) False False False False False
  end.

Lemma without_lacks_it : forall h, ~ holds nat (without h) h.
Proof.
  intros []; simpl; unfold longest, shortest, exact; simpl; try tauto; try lia.
  - intro outlasts. specialize (outlasts 0%nat 0%nat). lra.
  - intro fits. specialize (fits 0%nat 0%nat). lra.
  - intros (_ & clocks). specialize (clocks 0%nat 0 1 ltac:(lra)). lra.
  - intros (_ & clocks). specialize (clocks 0%nat 0 1 ltac:(lra)). lra.
Qed.

Lemma without_keeps_the_others : forall h other, other <> h -> holds nat (without h) other.
Proof.
  intros h other different.
  destruct h, other; try congruence; simpl; unfold longest, shortest, exact; simpl;
    try tauto; try lia; try (split; [lra | intros; lra]); try (intros; lra).
Qed.

(* ---- Stories ---- *)

Definition nothing : state nat :=
  State nat 0 (fun _ => Unborn) (fun _ _ => False) (fun _ _ => 0) (fun _ => 0%nat)
    (fun _ _ _ _ => False) (fun _ _ _ => False) (fun _ => None) (fun _ => 0) (fun _ => 0).

Lemma nothing_is_initial : initial nat nothing.
Proof. unfold initial, nothing; simpl. repeat split; auto. Qed.

(* Lease 0 has begun, has set its key at node 0, and has read the yes. *)
Definition answered_first (P : protocol nat) : state nat :=
  count (answer (put (turn nat Nat.eq_dec (open nat Nat.eq_dec nothing 0%nat 0) 0%nat Acquiring)
    0%nat (Some 0%nat) (ends nat P nothing 0%nat 0 0%nat)) 0%nat 0 0%nat) 0%nat 0 0%nat.
(* It is granted. *)
Definition held_first (P : protocol nat) : state nat :=
  follow nat Nat.eq_dec (turn nat Nat.eq_dec (answered_first P) 0%nat Held) 0%nat 0.

Lemma one_is_enough : forall (S : node -> Prop) nodes (n : node), (n < nodes)%nat -> S n -> enough nodes 1 S.
Proof.
  intros S nodes n below yes. exists [n]. repeat split; simpl; auto.
  - constructor; [intros [] | constructor].
  - destruct H as [<-|[]]; auto.
  - destruct H as [<-|[]]; auto.
Qed.

Lemma answered_first_reached : forall P, reaches P (answered_first P).
Proof.
  intro P. exists nothing. split; [apply nothing_is_initial|].
  eapply Then; [eapply Then; [eapply Then; [apply Here|]|]|].
  - apply (Begin nat Nat.eq_dec P nothing 0%nat). reflexivity.
  - apply (SetExecutes nat Nat.eq_dec P _ 0%nat 0%nat); simpl; auto.
  - apply (YesIsRead nat Nat.eq_dec P _ 0%nat 0%nat 0%nat 0); simpl; [auto | lra].
Qed.

Lemma held_first_reached : forall P,
  (0 < nodes _ P)%nat -> needed _ P = 1%nat -> 0 < ttl _ P 0%nat 0 - allowance _ P 0%nat 0 -> reaches P (held_first P).
Proof.
  intros P some one positive.
  apply reachable_step with (answered_first P); [apply answered_first_reached|].
  apply Decide; simpl; auto.
  - unfold granted. rewrite one. apply one_is_enough with 0%nat; simpl; auto.
  - unfold valid; simpl; unfold set_round, set_lease; simpl. lra.
Qed.

(* Whoever finds a free node where one is enough becomes the second holder. *)
Lemma then_another : forall P s y, reaches P s -> holder P s 0%nat -> y <> 0%nat ->
  phase _ s y = Unborn -> 0 < ttl _ P y 0 - allowance _ P y 0 ->
  enough (nodes _ P) (needed _ P) (free nat s) -> two_holders P.
Proof.
  intros P s y r first other un positive found.
  destruct (free_nodes_are_enough nat Nat.eq_dec P s y un positive found) as (t & p & _ & second & still & _).
  exists t, 0%nat, y. repeat split; auto.
  - now apply reachable_steps with s.
  - apply (still 0%nat); auto.
  - apply (still 0%nat); auto.
  - apply second.
  - apply second.
Qed.

(* Or whoever gets a yes although the key of lease 0 is there. *)
Lemma then_another_answered : forall P s y, reaches P s -> holder P s 0%nat -> y <> 0%nat ->
  phase _ s y = Acquiring -> valid _ P s y 0 -> (0 < nodes _ P)%nat -> needed _ P = 1%nat ->
  answered _ s y 0 0%nat 0 -> 0 <= now _ s -> two_holders P.
Proof.
  intros P s y r (held & v) other acq vy some one ans time.
  exists (follow nat Nat.eq_dec (turn nat Nat.eq_dec (count s y 0 0%nat) y Held) y 0), 0%nat, y.
  split; [|split; [auto|]].
  - apply reachable_step with (count s y 0 0%nat).
    + apply reachable_step with s; auto. now apply YesIsRead with 0.
    + apply Decide; auto. unfold granted. rewrite one. apply one_is_enough with 0%nat; simpl; auto.
  - unfold believes, valid in *. simpl. unfold set_lease.
    destruct (Nat.eq_dec y 0); [congruence|]. destruct (Nat.eq_dec y y); [auto | congruence].
Qed.

(* Time passes, and the key of lease 0 goes at node 0. *)
Definition later (P : protocol nat) (d : R) : state nat := put (pass (held_first P) d) 0%nat None (due _ (held_first P) 0%nat).

Lemma expired : forall P d, (0 < nodes _ P)%nat -> needed _ P = 1%nat -> 0 < ttl _ P 0%nat 0 - allowance _ P 0%nat 0 ->
  0 <= d -> run_out _ P (pass (held_first P) d) 0%nat -> reaches P (later P d).
Proof.
  intros P d some one positive time out.
  apply reachable_step with (pass (held_first P) d).
  - apply reachable_step with (held_first P); [now apply held_first_reached | now apply Tick].
  - apply (Expire nat Nat.eq_dec P (pass (held_first P) d) 0%nat out).
Qed.

Lemma free_there : forall (s : state nat) n nodes, (n < nodes)%nat -> owner _ s n = None -> away _ s n <= now _ s ->
  enough nodes 1 (free nat s).
Proof. intros. apply one_is_enough with n; auto. split; auto. Qed.

(* What the clocks of a story show. *)
Ltac clocks := try (match goal with P := _ : protocol nat |- _ => unfold P in * end);
  unfold believes, valid, later; simpl; unfold ends, exact, set_round, set_lease, set_node; simpl.

Ltac story_after P d := apply then_another with (s := later P d) (y := 1%nat);
  [| clocks; split; [reflexivity | lra] | discriminate | reflexivity
   | simpl; lra | apply free_there with 0%nat; simpl; [lia | reflexivity | try lra]].

Theorem each_is_needed : forall h, two_holders (without h).
Proof.
  intros []; unfold without.
  - (* Quorum: B asks the other node *)
    set (P := lock 2 0 0 10 exact exact False False False False False).
    apply then_another with (s := (held_first P)) (y := 1%nat); simpl; auto; try lra.
    + apply held_first_reached; simpl; [lia | auto | lra].
    + clocks. split; [auto | lra].
    + apply free_there with 1%nat; simpl; [lia | auto | lra].
  - (* OnlyIfFree: B's SET executes over A's key *)
    set (P := lock 1 0 0 10 exact exact True False False False False).
    set (b := turn nat Nat.eq_dec (open nat Nat.eq_dec (held_first P) 1%nat 0) 1%nat Acquiring).
    apply then_another_answered with (s := answer (put b 0%nat (Some 1%nat) (ends _ P b 1%nat 0 0%nat)) 1%nat 0 0%nat) (y := 1%nat);
      simpl; auto; try lra; try (clocks; try split; auto; lra).
    apply reachable_step with b; [apply reachable_step with (held_first P)|].
    + apply held_first_reached; simpl; [lia | auto | lra].
    + now apply Begin.
    + apply SetExecutes; simpl; auto.
  - (* Compares: the DEL of B, which has given up, removes A's key *)
    set (P := lock 1 0 0 10 exact exact False True False False False).
    set (b := turn nat Nat.eq_dec (turn nat Nat.eq_dec (open nat Nat.eq_dec (held_first P) 1%nat 0) 1%nat Acquiring) 1%nat Ended).
    apply then_another with (s := put b 0%nat None (due _ b 0%nat)) (y := 2%nat); simpl; auto; try lra.
    + apply reachable_step with b; [apply reachable_step with (turn nat Nat.eq_dec (open nat Nat.eq_dec (held_first P) 1%nat 0) 1%nat Acquiring);
        [apply reachable_step with (held_first P)|]|].
      * apply held_first_reached; simpl; [lia | auto | lra].
      * now apply Begin.
      * apply End. simpl. discriminate.
      * apply DeleteExecutes with (x := 1%nat) (y := 0%nat); simpl; auto.
    + clocks. split; [auto | lra].
    + apply free_there with 0%nat; simpl; [lia | auto | lra].
  - (* Tokens: the node takes A's key for B's *)
    set (P := lock 1 0 0 10 exact exact False False True False False).
    set (b := turn nat Nat.eq_dec (open nat Nat.eq_dec (held_first P) 1%nat 0) 1%nat Acquiring).
    apply then_another_answered with (s := answer b 1%nat 0 0%nat) (y := 1%nat);
      simpl; auto; try lra; try (clocks; try split; auto; lra).
    apply reachable_step with b; [apply reachable_step with (held_first P)|].
    + apply held_first_reached; simpl; [lia | auto | lra].
    + now apply Begin.
    + apply OwnKeyFound with 0%nat; simpl; auto. right. simpl. auto.
  - (* FromSend: A decides when its key has expired, and counts from there *)
    set (P := lock 1 0 0 10 exact exact False False False True False).
    set (late := pass (answered_first P) 10).
    set (decided := follow nat Nat.eq_dec (turn nat Nat.eq_dec (restart nat Nat.eq_dec late 0%nat 0) 0%nat Held) 0%nat 0).
    apply then_another with (s := put decided 0%nat None (due _ decided 0%nat)) (y := 1%nat); simpl; auto; try lra.
    + apply reachable_step with decided; [apply reachable_step with late; [apply reachable_step with (answered_first P)|]|].
      * apply answered_first_reached.
      * apply Tick. lra.
      * apply DecideFromNow; simpl; auto. apply one_is_enough with 0%nat; simpl; auto.
      * apply Expire. unfold run_out, decided, late. clocks. lra.
    + clocks. split; [auto | lra].
    + apply free_there with 0%nat; simpl; [lia | auto | lra].
  - (* Expires: the key is evicted *)
    set (P := lock 1 0 0 10 exact exact False False False False True).
    apply then_another with (s := put (held_first P) 0%nat None (due _ (held_first P) 0%nat)) (y := 1%nat); simpl; auto; try lra.
    + apply reachable_step with (held_first P); [apply held_first_reached; simpl; [lia | auto | lra] | now apply LoseKey].
    + clocks. split; [auto | lra].
    + apply free_there with 0%nat; simpl; [lia | auto | lra].
  - (* Guard: the node crashes, forgets, and answers at once *)
    set (P := lock 1 0 0 0 exact exact False False False False False).
    apply then_another with (s := leave (put (held_first P) 0%nat None (due _ (held_first P) 0%nat)) 0%nat (0 + 0)) (y := 1%nat); simpl; auto; try lra.
    + apply reachable_step with (held_first P); [apply held_first_reached; simpl; [lia | auto | lra] | apply (Crash nat Nat.eq_dec P (held_first P) 0%nat)].
    + clocks. split; [auto | lra].
    + apply free_there with 0%nat; simpl; [lia | auto | unfold set_node; simpl; lra].
  - (* Allowance: a fast node and a slow client, both within their bounds *)
    set (P := lock 1 0 (1/10) 20 (fun t => 9/10 * t) (fun t => 11/10 * t) False False False False False).
    story_after P 10. apply expired; simpl; auto; try lra. unfold run_out. clocks. lra.
  - (* ClientClocks: A's clock stands still *)
    set (P := lock 1 0 0 10 (fun _ => 0) exact False False False False False).
    story_after P 10. apply expired; simpl; auto; try lra. unfold run_out. clocks. lra.
  - (* NodeClocks: the node's clock runs twice as fast *)
    set (P := lock 1 0 0 10 exact (fun t => 2 * t) False False False False False).
    story_after P 5. apply expired; simpl; auto; try lra. unfold run_out. clocks. lra.
Qed.

(* BA-8: at every rate error, any allowance below the formula lets two clients hold, with
   every other hypothesis kept: the key goes at ttl/(1+rho), and the client still believes. *)
Definition short_of_allowance allowance rho := lock 1 allowance rho ((10 - allowance) / (1 - rho))
  (fun t => (1 - rho) * t) (fun t => (1 + rho) * t) False False False False False.

Theorem allowance_is_tight : forall allowance rho, 0 <= rho < 1 -> allowance < 10 * (2 * rho) / (1 + rho) ->
  two_holders (short_of_allowance allowance rho) /\
  forall h, h <> Allowance -> holds nat (short_of_allowance allowance rho) h.
Proof.
  intros allowance rho range short. unfold short_of_allowance. set (bar_ := (10 - allowance) / (1 - rho)).
  assert (gone : exists d, (1 + rho) * d = 10 /\ 0 <= d /\ 0 < (1 - rho) * d /\ (1 - rho) * d < 10 - allowance).
  { exists (10 / (1 + rho)).
    assert (positive : 0 < 10 / (1 + rho)) by (apply Rdiv_lt_0_compat; lra).
    assert (whole : (1 + rho) * (10 / (1 + rho)) = 10) by (field; lra).
    assert (rest : (1 - rho) * (10 / (1 + rho)) = 10 - 10 * (2 * rho) / (1 + rho)) by (field; lra).
    assert (0 < (1 - rho) * (10 / (1 + rho))) by (apply Rmult_lt_0_compat; lra).
    repeat split; lra. }
  destruct gone as (d & node_time & later_ & some & client_time). split.
  - set (P := lock 1 allowance rho bar_ (fun t => (1 - rho) * t) (fun t => (1 + rho) * t) False False False False False).
    story_after P d. apply expired; simpl; auto; try lra. unfold run_out. clocks. lra.
  - intros h other. destruct h; try congruence; simpl; try tauto; try lia; try (split; [lra | intros; lra]).
    intros x k. unfold longest, bar_. simpl. rewrite Rplus_0_r. lra.
Qed.

(* ---- All hypotheses hold together ---- *)

(* A design that breaks nothing, not even the two conditions of MX-8, grants a lease and
   extends it beyond its first time to live. So the theorems are not true of nothing. *)
Theorem kept_hypotheses_grant_and_extend : exists P, (forall h, holds nat P h) /\ ~ extends_lapsed _ P /\
  (forall x s t, s <= t -> lease_clock _ P x s <= lease_clock _ P x t) /\
  exists s t, reaches P s /\ path P s t /\ holder P s 0%nat /\ holder P t 0%nat /\
    now _ s + ttl _ P 0%nat 0 < now _ t.
Proof.
  set (P := lock 1 0 0 10 exact exact False False False False False).
  exists P. split; [|split; [simpl; tauto|split; [simpl; auto|]]].
  { intros []; simpl; unfold longest, shortest, exact; simpl;
      try tauto; try lia; try (split; [lra | intros; lra]); intros; lra. }
  set (asks := open nat Nat.eq_dec (pass (held_first P) 5) 0%nat 1).
  set (yes := answer (put asks 0%nat (Some 0%nat) (Rmax (due _ asks 0%nat) (ends _ P asks 0%nat 1 0%nat))) 0%nat 1 0%nat).
  set (extended := follow nat Nat.eq_dec (count yes 0%nat 1 0%nat) 0%nat 1).
  exists (held_first P), (pass extended 9).
  split; [apply held_first_reached; simpl; [lia | auto | lra]|].
  split; [|split; [clocks; split; [auto | lra]|split; [clocks; split; [auto | lra] | simpl; lra]]].
  apply Then with extended; [apply Then with (count yes 0%nat 1 0%nat); [apply Then with yes;
    [apply Then with asks; [apply Then with (pass (held_first P) 5); [apply Then with (held_first P); [apply Here|]|]|]|]|]|].
  - apply Tick. lra.
  - apply ExtendBegins; simpl; auto. intros [(_ & e)|[]]. discriminate.
  - apply ExtendExecutes; simpl; auto.
  - apply YesIsRead with 0; simpl; [auto | lra].
  - apply ExtendDecide; simpl; auto.
    + apply one_is_enough with 0%nat; simpl; auto.
    + left. clocks. lra.
  - apply Tick. lra.
Qed.

(* ---- MX-8 needs its deadline, too ---- *)

(* A client believes again, and another one believed in between. *)
Definition revived (P : protocol nat) :=
  exists s u t x y, reaches P s /\ path P s u /\ path P u t /\ phase _ s x = Held /\
    holder P u y /\ y <> x /\ holder P t x.

Definition without_deadline : protocol nat :=
  Protocol nat 1 1 (fun _ _ => 10) (fun _ _ => 0) 0 0 10 (fun _ => exact) (fun _ => exact) False False False False False True.

Lemma without_deadline_keeps_the_others : forall h, holds nat without_deadline h.
Proof.
  intros []; simpl; unfold longest, shortest, exact; simpl; try tauto; try lia; try (split; [lra | intros; lra]); intros; lra.
Qed.

(* A's lease lapses, B is granted, the node forgets B's key and stays behind its bar
   for long enough, and A's extension sets the key anew. *)
Theorem deadline_is_needed : revived without_deadline.
Proof.
  set (P := without_deadline). unfold without_deadline in P.
  assert (r : reaches P (later P 10)).
  { apply expired; simpl; auto; try lra. unfold run_out. clocks. lra. }
  destruct (free_nodes_are_enough nat Nat.eq_dec P (later P 10) 1%nat) as (u & p & time & b & _ & same); auto.
  { simpl. lra. }
  { apply free_there with 0%nat; simpl; [lia | reflexivity | lra]. }
  destruct (same 0%nat) as (held & open_). { discriminate. }
  exists (later P 10), u.
  set (empty := leave (put u 0%nat None (due _ u 0%nat)) 0%nat (now _ u + 10)).
  set (round := open nat Nat.eq_dec (pass empty 10) 0%nat 1).
  set (yes := answer (put round 0%nat (Some 0%nat) (ends _ P round 0%nat 1 0%nat)) 0%nat 1 0%nat).
  set (counts := count yes 0%nat 1 0%nat).
  exists (follow nat Nat.eq_dec counts 0%nat 1), 0%nat, 1%nat.
  split; [auto|]. split; [auto|]. split; [|split; [reflexivity | split; [auto | split; [auto|]]]].
  - apply Then with counts; [apply Then with yes; [apply Then with round; [apply Then with (pass empty 10); [apply Then with empty; [apply Then with u; [apply Here|]|]|]|]|]|].
    + apply (Crash nat Nat.eq_dec P u 0%nat).
    + apply Tick. lra.
    + apply ExtendBegins; simpl; [rewrite held; reflexivity|].
      rewrite open_. simpl. intros [(_ & e)|[]]. discriminate.
    + apply TopUpExecutes; simpl; auto.
    + apply YesIsRead with (now _ u + 10); simpl; [left; repeat split; auto | lra].
    + apply ExtendDecide.
      * simpl. rewrite held. reflexivity.
      * simpl. auto.
      * apply one_is_enough with 0%nat; simpl; auto.
      * right. simpl. auto.
  - split.
    + simpl. rewrite held. reflexivity.
    + unfold valid. clocks. lra.
Qed.

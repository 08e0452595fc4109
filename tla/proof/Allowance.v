(* The allowance of the theorem in whole nanoseconds and parts per million: what
   redlock.AllowanceFor must not fall below. A test evaluates [required] on random inputs,
   and expects AllowanceFor to be 2 ms above it. *)

Require Import ZArith Reals Lra Lia.
From Redlock Require Import Clocks.

Open Scope Z_scope.

Definition million := 1000000.

(* ttl·2ρ/(1+ρ), rounded up to a nanosecond. *)
Definition required (ttl ppm : Z) : Z :=
  (ttl * (2 * ppm) + (million + ppm - 1)) / (million + ppm).

Lemma required_is_rounded_up : forall ttl ppm allowance, 0 <= ppm ->
  required ttl ppm <= allowance <-> ttl * (2 * ppm) <= allowance * (million + ppm).
Proof.
  intros ttl ppm allowance range. unfold required, million.
  pose proof (Z.div_mod (ttl * (2 * ppm) + (1000000 + ppm - 1)) (1000000 + ppm) ltac:(lia)) as whole.
  pose proof (Z.mod_pos_bound (ttl * (2 * ppm) + (1000000 + ppm - 1)) (1000000 + ppm) ltac:(lia)) as rest.
  split; intro H; nia.
Qed.

(* The customary 1 % covers 5,000 parts per million on each clock; its 2 ms are left for the
   grain (redlock.CustomaryAllowance). *)
Theorem one_percent_is_enough : forall ttl, 0 <= ttl -> required (100 * ttl) 5000 <= ttl.
Proof.
  intros ttl positive. unfold required, million.
  apply Z.lt_succ_r, Z.div_lt_upper_bound; lia.
Qed.

Open Scope R_scope.

(* The hypothesis [Allowance] of the theorem, for a rate error of ppm millionths. *)
Theorem required_is_the_hypothesis : forall ttl ppm allowance : Z, (0 <= ppm < million)%Z ->
  let rho := IZR ppm / IZR million in
  (IZR ttl - IZR allowance) / (1 - rho) <= IZR ttl / (1 + rho) <-> (required ttl ppm <= allowance)%Z.
Proof.
  intros ttl ppm allowance (zero & below) rho.
  apply IZR_le in zero. apply IZR_lt in below as less. unfold million in *.
  assert (range : 0 <= rho < 1).
  { unfold rho. split.
    - apply Rmult_le_pos; lra.
    - apply Rmult_lt_reg_r with 1000000; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  replace ((IZR ttl - IZR allowance) / (1 - rho)) with ((IZR ttl - IZR allowance + 0) / (1 - rho)) by (f_equal; lra).
  replace (IZR ttl / (1 + rho)) with ((IZR ttl - 0) / (1 + rho)) by (f_equal; lra).
  rewrite allowance_formula, required_is_rounded_up; auto; [|apply le_IZR; lra].
  replace (2 * 0 / (1 + rho)) with 0 by (field; lra). rewrite Rplus_0_r.
  assert (same : IZR ttl * (2 * rho) / (1 + rho) = IZR ttl * (2 * IZR ppm) / (1000000 + IZR ppm)).
  { unfold rho. field. lra. }
  rewrite same. unfold million. split; intro H.
  - apply le_IZR. rewrite !mult_IZR, plus_IZR.
    apply Rmult_le_compat_r with (r := 1000000 + IZR ppm) in H; [|lra].
    unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H; lra.
  - apply IZR_le in H. rewrite !mult_IZR, plus_IZR in H.
    apply Rmult_le_reg_r with (1000000 + IZR ppm); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* Twice the grain of the clocks covers it: 2 ms beside [required], as in
   redlock.AllowanceFor, are enough for clocks and servers that count whole milliseconds. *)
Theorem twice_the_grain_is_enough : forall ttl ppm grain allowance : Z, (0 <= ppm < million)%Z ->
  (0 <= grain)%Z -> (required ttl ppm + 2 * grain <= allowance)%Z ->
  let rho := IZR ppm / IZR million in
  (IZR ttl - IZR allowance + IZR grain) / (1 - rho) <= (IZR ttl - IZR grain) / (1 + rho).
Proof.
  intros ttl ppm grain allowance range some enough rho.
  pose proof (proj2 (required_is_the_hypothesis ttl ppm (allowance - 2 * grain) range) ltac:(lia)) as exact_clocks.
  destruct range as (zero & below). apply IZR_le in zero, some. apply IZR_lt in below. unfold million in *.
  assert (bounds : 0 <= rho < 1).
  { unfold rho. split.
    - apply Rmult_le_pos; lra.
    - apply Rmult_lt_reg_r with 1000000; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  fold rho in exact_clocks. rewrite minus_IZR, mult_IZR in exact_clocks.
  apply Rmult_le_compat_l with (r := 1 - rho) in exact_clocks; [|lra].
  apply Rmult_le_reg_l with (1 - rho); [lra|].
  assert (left : (1 - rho) * ((IZR ttl - (IZR allowance - 2 * IZR grain)) / (1 - rho)) = IZR ttl - IZR allowance + 2 * IZR grain) by (field; lra).
  assert (right : (1 - rho) * ((IZR ttl - IZR allowance + IZR grain) / (1 - rho)) = IZR ttl - IZR allowance + IZR grain) by (field; lra).
  assert (split_ : (1 - rho) * ((IZR ttl - IZR grain) / (1 + rho)) = (1 - rho) * (IZR ttl / (1 + rho)) - (1 - rho) / (1 + rho) * IZR grain) by (field; lra).
  assert (small : (1 - rho) / (1 + rho) * IZR grain <= 1 * IZR grain).
  { apply Rmult_le_compat_r; auto. apply Rmult_le_reg_r with (1 + rho); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  lra.
Qed.

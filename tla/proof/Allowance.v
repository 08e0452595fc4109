(* The allowance of the theorem in whole nanoseconds and parts per million: what
   redlock.AllowanceFor must not fall below. A test evaluates both on random inputs. *)

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
  rewrite allowance_formula, required_is_rounded_up; auto; [|apply le_IZR; lra].
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

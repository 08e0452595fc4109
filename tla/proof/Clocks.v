(* What bounded clocks say about true time: the arithmetic of claim BA-8. That an allowance
   below the formula leads to two holders is in Necessity.v. *)

Require Import Reals Lra.
Open Scope R_scope.

(* A clock that shows at least (1-rho) of the time, less its grain, lets through at most
   1/(1-rho) of a span and the grain. *)
Lemma slow_clock : forall rho grain span shown true_time,
  rho < 1 -> (1 - rho) * true_time - grain <= shown -> shown < span -> true_time < (span + grain) / (1 - rho).
Proof.
  intros. apply Rmult_lt_reg_r with (1 - rho); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* A clock that shows at most (1+rho) of the time, and its grain, needs at least 1/(1+rho)
   of a span without the grain. *)
Lemma fast_clock : forall rho grain span shown true_time,
  0 <= rho -> shown <= (1 + rho) * true_time + grain -> span <= shown -> (span - grain) / (1 + rho) <= true_time.
Proof.
  intros. apply Rmult_le_reg_r with (1 + rho); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* The allowance that makes the longest belief fit into the shortest life of a key. *)
Theorem allowance_formula : forall ttl allowance rho grain, 0 <= rho < 1 ->
  (ttl - allowance + grain) / (1 - rho) <= (ttl - grain) / (1 + rho) <->
  ttl * (2 * rho) / (1 + rho) + 2 * grain / (1 + rho) <= allowance.
Proof.
  intros ttl allowance rho grain range.
  assert (away : ttl * (2 * rho) / (1 + rho) + 2 * grain / (1 + rho) =
    ttl + grain - (1 - rho) * ((ttl - grain) / (1 + rho))) by (field; lra).
  assert (back : (1 - rho) * ((ttl - allowance + grain) / (1 - rho)) = ttl - allowance + grain) by (field; lra).
  split; intro H.
  - apply Rmult_le_compat_l with (r := 1 - rho) in H; [|lra]. lra.
  - apply Rmult_le_reg_l with (1 - rho); lra.
Qed.

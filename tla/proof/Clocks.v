(* What bounded clocks say about true time: the arithmetic of claim BA-8. *)

Require Import Reals Lra.
Open Scope R_scope.

(* A clock that shows at least (1-rho) of the time lets through at most 1/(1-rho) of a span. *)
Lemma slow_clock : forall rho span shown true_time,
  rho < 1 -> (1 - rho) * true_time <= shown -> shown < span -> true_time < span / (1 - rho).
Proof.
  intros. apply Rmult_lt_reg_r with (1 - rho); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* A clock that shows at most (1+rho) of the time needs at least 1/(1+rho) of a span. *)
Lemma fast_clock : forall rho span shown true_time,
  0 <= rho -> shown <= (1 + rho) * true_time -> span <= shown -> span / (1 + rho) <= true_time.
Proof.
  intros. apply Rmult_le_reg_r with (1 + rho); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* The allowance that makes the longest belief fit into the shortest life of a key. *)
Theorem allowance_formula : forall ttl allowance rho, 0 <= rho < 1 ->
  (ttl - allowance) / (1 - rho) <= ttl / (1 + rho) <-> ttl * (2 * rho) / (1 + rho) <= allowance.
Proof.
  intros ttl allowance rho range.
  assert (away : ttl * (2 * rho) / (1 + rho) = ttl - (1 - rho) * (ttl / (1 + rho))) by (field; lra).
  assert (back : (1 - rho) * ((ttl - allowance) / (1 - rho)) = ttl - allowance) by (field; lra).
  split; intro H.
  - apply Rmult_le_compat_l with (r := 1 - rho) in H; [|lra]. lra.
  - apply Rmult_le_reg_l with (1 - rho); lra.
Qed.

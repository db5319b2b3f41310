(* lem:secondMoment: E|C g(x)|^2 = |g(x)|^2_{P^-1} <= 2 L_P (f(x) - fs), with the square that is missing in print. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt lem_generalizedSmoothness.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section SecondMoment.
Variables (R : realFieldType) (I : finType) (S : sampling R I).

Theorem second_moment_exact (v : I -> R) :
  mean (fun w : S => normsq (fun i => sketch w i * v i)) = \sum_i v i ^+ 2 / marginal S i.
Proof.
rewrite mean_sum; apply: eq_bigr => i _.
have e (w : S) : (sketch w i * v i) ^+ 2 = v i ^+ 2 * sketch w i ^+ 2 by ring.
by rewrite (eq_mean e) meanZ mean_sketch_sq.
Qed.

Theorem second_moment (f : (I -> R) -> R) g L fs t x : smooth f g L -> below f fs -> 0 <= t ->
  LP_at_most L (marginal S) t ->
  mean (fun w : S => normsq (fun i => sketch w i * g x i)) <= 2 * t * (f x - fs).
Proof.
move=> sm lo t0 bound; rewrite second_moment_exact.
have w0 i : 0 < (marginal S i)^-1 by rewrite invr_gt0 marginal_gt0.
have := generalized_smoothness sm lo t0 x w0; rewrite /wnormsq => le.
apply: le_trans (le _); first by apply: ler_sum => i _; rewrite mulrC.
by move=> y; apply: le_trans (bound y) _; rewrite /wnormsq; under [X in _ <= _ * X]eq_bigr do rewrite invrK.
Qed.
End SecondMoment.

(* Without the square both relations fail: x^2/2 in one dimension, p = 1; r is the norm |g(x)|_{P^-1}. *)
Theorem second_moment_needs_the_square (R : realFieldType) : exists (S : sampling R [finType of 'I_1]) f g L,
  [/\ smooth f g L, below f 0, LP_at_most L (marginal S) 1
    & exists x r, [/\ 0 <= r, r ^+ 2 = \sum_i g x i ^+ 2 / marginal S i,
      mean (fun w : S => normsq (fun i => sketch w i * g x i)) != r & 2 * 1 * (f x - 0) < r]].
Proof.
pose S := everything R [finType of 'I_1]; have m i : marginal S i = 1 by apply: marginal_everything.
exists S, (quad (weights S)), (times (weights S)), (weights S); split.
- exact/quad_smooth/weights_symmetric.
- by move=> x; rewrite /quad; apply: mulr_ge0; [nonneg | apply: weights_psd].
- by have := @weights_bound R _ S; rewrite invr1.
have t : times (weights S) (fun=> 2^-1) ord0 = 2^-1 by rewrite /times big_ord1 /weights /diagonal m eqxx mulr1n mul1r.
exists (fun=> 2^-1), 2^-1; rewrite second_moment_exact !big_ord1 t m; split.
- by nonneg.
- by field.
- by rewrite lt_eqF //; apply: (@ltr_by _ (4^-1)); [pos | field].
by rewrite /quad form_diagonal /wnormsq big_ord1 m; apply: (@ltr_by _ (4^-1)); [pos | field].
Qed.

(* our:nonconvexOneStep: the one-step inequality is an equality for f = x'Lx/2 where g(x) = Lx is a top vector of E[CLC]:
   f(x) - E f(x+) = (gamma - gamma^2 L_M / 2) |g(x)|^2; and |g(x)|^2 = 2 f(x) / gamma for L x^2/2 on a line with p = 1, gamma = 1/L. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section OneStep.
Variables (R : realFieldType) (I : finType) (S : sampling R I) (L : I -> I -> R) (gamma t : R).
Theorem one_step_equal x : symmetric L -> form (moment S L) (times L x) = t * normsq (times L x) ->
  quad L x - mean (fun w : S => quad L (step gamma (times L) w x)) = (gamma - gamma ^+ 2 * t / 2) * normsq (times L x).
Proof.
move=> sym top; set G := times L x.
have e (w : S) : quad L (step gamma (times L) w x) = quad L x
    + (- gamma * (\sum_i G i ^+ 2 * sketch w i) + gamma ^+ 2 / 2 * form L (fun i => sketch w i * G i)).
  rewrite (quad_taylor x _ sym) -/G -addrA; congr (_ + (_ + _)).
    by rewrite /dot mulr_sumr; apply: eq_bigr => i _; rewrite /sub /step -/G; ring.
  have -> : form L (sub (step gamma (times L) w x) x) = form L (fun i => - gamma * (sketch w i * G i)).
    by apply: eq_form => i; rewrite /sub /step -/G; ring.
  by rewrite formZ; ring.
rewrite (eq_mean e) !meanD !meanZ mean_cst -form_moment top mean_sum.
have -> : \sum_i mean (fun w : S => G i ^+ 2 * sketch w i) = normsq G.
  by apply: eq_bigr => i _; rewrite meanZ mean_sketch mulr1.
by rewrite -/G /quad; field.
Qed.
End OneStep.
Theorem one_step_line (R : realFieldType) (l x : R) : l != 0 -> (l * x) ^+ 2 = 2 * (l * x ^+ 2 / 2) / l^-1.
Proof. by move=> l0; field. Qed.

(* The hypotheses can be met, for every sampling and every x: L = P, where E[CLC] = I and t = 1. *)
Theorem one_step_instance (R : realFieldType) (I : finType) (S : sampling R I) : symmetric (weights S)
  /\ forall x, form (moment S (weights S)) (times (weights S) x) = 1 * normsq (times (weights S) x).
Proof.
split=> [|x]; first exact: weights_symmetric.
by rewrite form_moment; under eq_mean do rewrite form_diagonal; rewrite mean_wnormsq mul1r.
Qed.

(* text:gradientDescent: p_i = 1 for all i is gradient descent: the step is x - gamma g(x), L_P is lambda_max(L), and the cost is 1. So
   the optimum of eq:complexity is at most lambda_max(L). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section GradientDescent.
Variables (R : realFieldType) (I : finType).
Let S := everything R I.

Theorem gd_step gamma g (w : S) (x : I -> R) i : step gamma g w x i = x i - gamma * g x i.
Proof. by rewrite /step /sketch marginal_everything divr1 mulr1. Qed.
Theorem gd_LP L t : LP_at_most L (marginal S) t <-> top_at_most L t.
Proof.
have e x : wnormsq (marginal S) x = normsq x by apply: eq_bigr => i _; rewrite marginal_everything mul1r.
by split=> b x; have := b x; rewrite e.
Qed.
Theorem gd_cost (B : finType) (c : B -> R) : \sum_k c k = 1 -> \sum_k 1 * c k = 1.
Proof. by move=> c1; under eq_bigr do rewrite mul1r. Qed.
End GradientDescent.

(* as:normalized: no loss of generality: multiplying all costs by a > 0 changes neither the expected cost relative to a full step nor, up to
   scale, the probabilities r_k = sqrt(L_k / c_k) of lem:upperBound. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Normalized.
Variables (R : realFieldType) (B : finType) (c p : B -> R) (a : R).
Hypothesis a_gt0 : 0 < a.
Theorem relative_cost : (\sum_k p k * (a * c k)) / (\sum_k a * c k) = (\sum_k p k * c k) / (\sum_k c k).
Proof.
under eq_bigr do rewrite mulrCA; rewrite -!mulr_sumr invfM mulrACA divff ?mul1r //.
exact: lt0r_neq0.
Qed.
(* With s^2 = a: if r_k^2 c_k = L_k then (r_k / s)^2 (a c_k) = L_k. *)
Theorem closed_form_scales (L r : B -> R) s k : s != 0 -> s ^+ 2 = a -> r k ^+ 2 * c k = L k -> (r k / s) ^+ 2 * (a * c k) = L k.
Proof. by move=> s0 <- <-; field. Qed.
End Normalized.

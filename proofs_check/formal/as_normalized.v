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

(* So the probabilities of lem:upperBound do not change: r_k / max r. *)
Theorem closed_form_unchanged (R : realFieldType) (B : finType) (r : B -> R) (m s : R) k : s != 0 -> m != 0 ->
  (r k / s) / (m / s) = r k / m.
Proof. by move=> s0 m0; field; rewrite s0 m0. Qed.

(* The hypotheses can be met: one block, c = L = r = 1, a = 4 and s = 2. *)
Theorem normalized_instance (R : realFieldType) : [/\ 0 < (4 : R), (2 : R) != 0, (2 : R) ^+ 2 = 4, (1 : R) != 0
  & (1 : R) ^+ 2 * 1 = 1].
Proof. by split; rewrite ?ltr0n ?pnatr_eq0 ?oner_eq0 ?expr1n ?mulr1 // -natrX. Qed.

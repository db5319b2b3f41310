(* our:LPgeqL, text:LPgeqL: lambda_max(L) <= L_P, because probabilities are at most 1. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Theorem LP_geq_L (R : realFieldType) (I : finType) (S : sampling R I) L t :
  0 <= t -> LP_at_most L (marginal S) t -> top_at_most L t.
Proof.
move=> t0 bound x; apply: le_trans (bound x) _; apply: ler_wpmul2l => //; apply: ler_sum => i _.
by rewrite ler_pimull ?sqr_ge0 ?marginal_le1.
Qed.

(* The hypotheses can be met, for every sampling: L = P and t = 1. *)
Theorem LP_geq_L_instance (R : realFieldType) (I : finType) (S : sampling R I) :
  0 <= (1 : R) /\ LP_at_most (weights S) (marginal S) 1.
Proof. by split; [apply: ler01 | have := @weights_bound R I S; rewrite invr1]. Qed.

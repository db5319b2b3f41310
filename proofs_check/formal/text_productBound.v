(* text:productBound: L positive semidefinite with block constants L_k, p_k > 0: L_P <= sum_k L_k / p_k, so L_P times the
   expected cost is at most sum_k L_k / p_k times sum_k p_k c_k. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section ProductBound.
Variables (R : realFieldType) (I B : finType) (b : I -> B) (L : I -> I -> R) (l p c : B -> R).
Hypotheses (L_psd : psd L) (full : forall k, exists i, b i = k) (bound : forall k, block_at_most b L k (l k)).
Hypotheses (p_gt0 : forall k, 0 < p k).

Theorem product_bound_LP : LP_at_most L (fun i => p (b i)) (\sum_k l k / p k).
Proof.
have l0 k : 0 <= l k by case: (full k) => i; apply: block_constant_ge0 (bound k).
move=> x; rewrite -sum_wnormsq_part; apply: blockwise => // k.
- by apply: divr_ge0 => //; apply: ltW.
- by apply: mulr_ge0; [apply: ltW | apply: normsq_ge0].
by rewrite mulrA divfK ?lt0r_neq0 //; apply: bound.
Qed.

(* t is L_P, the least of its upper bounds. *)
Theorem product_bound t : (forall k, 0 <= c k) -> (forall u, LP_at_most L (fun i => p (b i)) u -> t <= u) ->
  t * (\sum_k p k * c k) <= (\sum_k l k / p k) * (\sum_k p k * c k).
Proof.
move=> c0 least; apply: ler_wpmul2r; last exact: least product_bound_LP.
by apply: sumr_ge0 => k _; apply: mulr_ge0 => //; apply: ltW.
Qed.
End ProductBound.

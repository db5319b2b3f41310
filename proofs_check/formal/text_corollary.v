(* text:corollary: the minimum of L_P sum_k p_k c_k over p > 0 is at most lambda_max(L) and at most (sum_k sqrt(L_k c_k))^2. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds text_productBound.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Corollary.
Variables (R : realFieldType) (I B : finType) (b : I -> B) (L : I -> I -> R) (l c r : B -> R).
Hypotheses (L_psd : psd L) (full : forall k, exists i, b i = k) (c_gt0 : forall k, 0 < c k) (c_sum : \sum_k c k = 1).
Hypotheses (l_bound : forall k, block_at_most b L k (l k)).
(* r_k = sqrt(L_k / c_k), so that r_k c_k = sqrt(L_k c_k). *)
Hypotheses (r_gt0 : forall k, 0 < r k) (r_root : forall k, r k ^+ 2 * c k = l k).
(* P is optimal and t its L_P. *)
Variables (p : B -> R) (t : R).
Hypotheses (optimal : forall p' t', (forall k, 0 < p' k) -> LP_at_most L (fun i => p' (b i)) t' ->
  t * (\sum_k p k * c k) <= t' * (\sum_k p' k * c k)).

Theorem corollary_gd u : top_at_most L u -> t * (\sum_k p k * c k) <= u.
Proof.
move=> top; have bound : LP_at_most L (fun i => (fun=> 1) (b i)) u.
  by move=> x; apply: le_trans (top x) _; rewrite /wnormsq; under [X in _ <= _ * X]eq_bigr do rewrite mul1r.
have := optimal (fun _ => ltr01) bound; under [X in _ <= _ * X]eq_bigr do rewrite mul1r.
by rewrite c_sum mulr1.
Qed.

Theorem corollary_closed : t * (\sum_k p k * c k) <= (\sum_k r k * c k) ^+ 2.
Proof.
apply: le_trans (optimal r_gt0 (product_bound_LP L_psd full l_bound r_gt0)) _.
rewrite (_ : \sum_k l k / r k = \sum_k r k * c k) ?expr2 //.
by apply: eq_bigr => k _; rewrite -r_root; have rn := lt0r_neq0 (r_gt0 k); field.
Qed.
End Corollary.

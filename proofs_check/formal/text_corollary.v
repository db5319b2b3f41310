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

(* The hypotheses can be met: two blocks of one coordinate, L = diag(1/2, 1/2), costs 1/2, r = p = 1, and p is optimal. *)
Theorem corollary_instance (R : realFieldType) : let L := diagonal (fun _ : bool => 2^-1 : R) in
  let half (k : bool) : R := 2^-1 in let one (k : bool) : R := 1 in
  [/\ [/\ psd L, symmetric L & forall k : bool, exists i : bool, id i = k],
      (forall k, 0 < half k) /\ \sum_k half k = 1,
      (forall k, block_at_most id L k (half k)) /\ (forall k u, block_at_most id L k u -> half k <= u),
      (forall k, 0 < one k) /\ (forall k, one k ^+ 2 * half k = half k)
    & LP_at_most L one 2^-1 /\ forall p t, (forall k, 0 < p k) -> LP_at_most L (fun i => p (id i)) t ->
        2^-1 * (\sum_k one k * half k) <= t * (\sum_k p k * half k)].
Proof.
move=> L half one; have h0 : 0 < 2^-1 :> R by rewrite invr_gt0 ltr0n.
have unit (k : bool) : normsq (fun i => (i == k)%:R) = 1 :> R.
  by rewrite /normsq big_bool; case: k; rewrite /= expr0n expr1n ?addr0 ?add0r.
have formL x : form L x = 2^-1 * normsq x by rewrite form_diagonal mulr_sumr.
split.
- split=> [x|i j|k]; [by rewrite formL mulr_ge0 ?normsq_ge0 // ltW | | by exists k].
  by rewrite /L /diagonal [j == i]eq_sym.
- by split=> //; rewrite big_bool /half /=; field.
- split=> [k x|k u /(_ (fun i => (i == k)%:R))]; rewrite formL // (_ : normsq (part _ _ _) = 1) ?mulr1 //.
  transitivity (normsq (fun i : bool => (i == k)%:R : R)); last exact: unit.
  by apply: eq_bigr => i _; rewrite /part /=; case: (i == k).
- by split=> k; rewrite /one ?ltr01 // expr1n mul1r.
split=> [x|p t p0 bound].
  by rewrite formL /one /wnormsq; under [X in _ <= _ * X]eq_bigr do rewrite mul1r.
have le k : 2^-1 <= t * p k.
  have := bound (fun i => (i == k)%:R); rewrite formL unit mulr1 /wnormsq big_bool.
  by case: k; rewrite /= expr0n expr1n mulr0 mulr1 ?addr0 ?add0r.
rewrite !big_bool /one /half /=; have := le true; have := le false.
set x := p true; set y := p false => ly lx.
by apply: (@ler_by _ (2^-1 * (t * x - 2^-1) + 2^-1 * (t * y - 2^-1))); [nonneg | field].
Qed.

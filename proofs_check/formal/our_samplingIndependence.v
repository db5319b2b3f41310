(* our:samplingIndependence: the expected cost is sum_k p_k c_k for every sampling, and L_P is made of the marginals alone; L_M is not: with
   p = (1, 1/2) and L = [[1, 1], [1, 1]]-like coupling of the two uncertain blocks, L = 1 on blocks 2 and 3, it is 4 for the
   nested sampling and 2 where blocks 2 and 3 exclude each other. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt def_PTsketch our_freshDraws.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Independence.
Variables (R : realFieldType) (B : finType).

Theorem cost_of_marginals (S : sampling R B) (c : B -> R) :
  mean (fun w : S => \sum_(k | active w k) c k) = \sum_k marginal S k * c k.
Proof.
under eq_mean do rewrite big_mkcond; rewrite mean_sum; apply: eq_bigr => k _; rewrite mulrC -meanZ.
by apply: eq_mean => w; case: active; rewrite ?mulr1 ?mulr0.
Qed.

Theorem LP_of_marginals (S S' : sampling R B) L t : marginal S =1 marginal S' ->
  LP_at_most L (marginal S) t -> LP_at_most L (marginal S') t.
Proof.
move=> e bound x; apply: le_trans (bound x) _; rewrite /wnormsq.
by under eq_bigr do rewrite e.
Qed.
End Independence.

(* Blocks 2 and 3 of the example: both with probability 1/2, together or never together. *)
Section Witness.
Variable R : realFieldType.
Lemma both_met (i : bool) : 0 < mean (fun w : coin R => (w : bool)%:R).
Proof. by rewrite mean_coin mulr1 mulr0 addr0; pos. Qed.
Definition both : sampling R [finType of bool] := @Sampling R _ (coin R) (fun (w : bool) _ => w) both_met.
Lemma other_met (i : bool) : 0 < mean (fun w : coin R => ((w : bool) == i)%:R).
Proof. by rewrite mean_coin; case: i => /=; rewrite ?mulr1 ?mulr0 ?addr0 ?add0r; pos. Qed.
Definition other : sampling R [finType of bool] := @Sampling R _ (coin R) (fun (w : bool) i => w == i) other_met.
Lemma mean_both (F : both -> R) : mean F = 2^-1 * F true + 2^-1 * F false. Proof. exact: mean_coin. Qed.
Lemma mean_other (F : other -> R) : mean F = 2^-1 * F true + 2^-1 * F false. Proof. exact: mean_coin. Qed.
Lemma both_marginal i : marginal both i = 2^-1.
Proof. by rewrite /marginal mean_both /= mulr1 mulr0 addr0. Qed.
Lemma other_marginal i : marginal other i = 2^-1.
Proof. by rewrite /marginal mean_other /=; case: i => /=; rewrite ?mulr1 ?mulr0 ?addr0 ?add0r. Qed.
Let L (i j : bool) : R := 1.

Theorem LM_depends : [/\ marginal both =1 marginal other, LM_at_most other L 2, LM_at_most both L 4
  & forall t, LM_at_most both L t -> 4 <= t].
Proof.
split=> [i|x|x|t /(_ (fun=> 1))]; rewrite ?both_marginal ?other_marginal //.
- rewrite form_moment mean_other /form /bil /normsq !big_bool /sketch !other_marginal /L /=.
  by apply: (@ler_by _ 0) => //; field.
- rewrite form_moment mean_both /form /bil /normsq !big_bool /sketch !both_marginal /L /=.
  by apply: (@ler_by _ (2 * (x true - x false) ^+ 2)); [nonneg | field].
rewrite form_moment mean_both /form /bil /normsq !big_bool /sketch !both_marginal /L /= => le.
set a := 2^-1 * _ + _ in le; have ea : a = 8 by rewrite /a; field.
by move: le; rewrite ea expr1n => le; apply: (@ler_by _ (2^-1 * (t * (1 + 1) - 8))); [nonneg | field].
Qed.
End Witness.

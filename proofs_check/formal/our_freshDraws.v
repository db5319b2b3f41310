(* our:freshDraws: with the same unbiased sketch in every step thm:rcdStronglyConvex fails: f = x^2/2, p = 1/2, gamma = 1/2 = 1/L_P, mu = 1,
   two steps from x = 1: E|x_2|^2 = 1/2, and the bound is 1/4. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section FreshDraws.
Variable R : realFieldType.
Lemma coin_ge0 (w : bool) : 0 <= 2^-1 :> R. Proof. by nonneg. Qed.
Lemma coin_sum : \sum_(w : bool) 2^-1 = 1 :> R. Proof. by rewrite big_bool /=; field. Qed.
Definition coin : space R := Space coin_ge0 coin_sum.
Lemma mean_coin (F : coin -> R) : mean F = 2^-1 * F true + 2^-1 * F false.
Proof. by rewrite /mean big_bool. Qed.
Lemma coin_met (i : 'I_1) : 0 < mean (fun w : coin => (w : bool)%:R) :> R.
Proof. by rewrite /mean big_bool /= mulr1 mulr0 addr0; pos. Qed.
Definition coin_sampling : sampling R [finType of 'I_1] := @Sampling R _ coin (fun (w : bool) _ => w) coin_met.
Lemma coin_marginal i : marginal coin_sampling i = 2^-1.
Proof. by rewrite /marginal /mean big_bool /= mulr1 mulr0 addr0. Qed.

Lemma mean_coins (F : coin_sampling -> R) : mean F = 2^-1 * F true + 2^-1 * F false.
Proof. exact: mean_coin. Qed.

Theorem one_draw_for_all_steps : exists (S : sampling R [finType of 'I_1]) f g L xs x,
  [/\ smooth f g L, strongly_convex f g 1, minimiser f xs, LP_at_most L (marginal S) (2^-1)^-1
    & (1 - 2^-1 * 1) ^+ 2 * normsq (sub x xs)
      < mean (fun w : S => normsq (sub (step 2^-1 g w (step 2^-1 g w x)) xs))].
Proof.
pose H : 'I_1 -> 'I_1 -> R := fun _ _ => 1.
have sym : symmetric H by [].
have low x : 1 * normsq x <= form H x by rewrite /form /bil /normsq !big_ord1 /H; apply: (@ler_by _ 0) => //; ring.
exists coin_sampling, (quad H), (times H), H, (fun=> 0), (fun=> 1); split.
- exact: quad_smooth.
- exact: quad_strongly_convex.
- by apply: quad_minimiser => y; apply: le_trans (low y); rewrite mul1r normsq_ge0.
- by move=> x; rewrite /form /bil /wnormsq !big_ord1 coin_marginal /H; apply: (@ler_by _ 0) => //; field.
rewrite mean_coins /normsq !big_ord1 /sub /step /times !big_ord1 /sketch coin_marginal /H /=.
by apply: (@ltr_by _ (4^-1)); [pos | field].
Qed.
End FreshDraws.

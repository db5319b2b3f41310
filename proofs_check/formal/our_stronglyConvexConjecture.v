(* our:stronglyConvexConjecture, refuted: 1 - 2s + s^2/p_min is not a factor for one step at gamma = 1/L_P, s = gamma mu.
   f = x'Hx/2, H = [[5, 2], [2, 2]], p = (1, 1/3) nested, L_P = 9, mu = 1, x = (1, -3): 661/810 > 660/810. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt def_PTsketch.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Conjecture.
Variable R : realFieldType.
Lemma third : 0 < (3^-1 : R) <= 1.
Proof. by rewrite invr_gt0 ltr0n invf_le1 ?ltr0n // ler1n. Qed.
Definition third_nested : sampling R [finType of bool] :=
  nested (two third) (fun i : bool => if i then ord0 else lift ord0 ord0).
Definition hessian (i j : bool) : R := if i then (if j then 5 else 2) else 2.

Lemma third_marginal i : marginal third_nested i = if i then 1 else 3^-1.
Proof. by rewrite nested_probabilities; case: i. Qed.

Theorem conjecture_refuted : exists (S : sampling R [finType of bool]) f g L xs x,
  [/\ smooth f g L, strongly_convex f g 1, minimiser f xs,
      LP_at_most L (marginal S) 9 /\ (forall u, LP_at_most L (marginal S) u -> 9 <= u)
    & (forall i, 3^-1 <= marginal S i) /\
      (1 - 2 * (9^-1 * 1) + (9^-1 * 1) ^+ 2 / 3^-1) * normsq (sub x xs) < mean (fun w : S => normsq (sub (step 9^-1 g w x) xs))].
Proof.
have sym : symmetric hessian by case; case.
have form_h x : form hessian x = 5 * x true ^+ 2 + 4 * x true * x false + 2 * x false ^+ 2.
  by rewrite /form /bil !big_bool /hessian /=; ring.
have low x : 1 * normsq x <= form hessian x.
  rewrite form_h /normsq big_bool /=.
  by apply: (@ler_by _ ((2 * x true + x false) ^+ 2)); [nonneg | ring].
pose x (i : bool) : R := if i then 1 else -3.
exists third_nested, (quad hessian), (times hessian), hessian, (fun=> 0), x; split.
- exact: quad_smooth.
- exact: quad_strongly_convex.
- by apply: quad_minimiser => y; apply: le_trans (low y); rewrite mul1r normsq_ge0.
- split=> [y|u /(_ (fun i => if i then 1 else 2))]; rewrite form_h /wnormsq big_bool !third_marginal /=.
    by apply: (@ler_by _ ((2 * y true - y false) ^+ 2)); [nonneg | field].
  move=> le; apply: (@ler_by _ (3 / 7 * (u * (1 * 1 ^+ 2 + 3^-1 * 2 ^+ 2) - (5 * 1 ^+ 2 + 4 * 1 * 2 + 2 * 2 ^+ 2)))).
    by nonneg.
  by field.
split=> [i|]; first by rewrite third_marginal; case: i => //; case/andP: third.
rewrite mean_dist /normsq /dot !big_bool !third_marginal /sub /times !big_bool /x /hessian /=.
by apply: (@ltr_by _ (81^-1)); [pos | field].
Qed.
End Conjecture.

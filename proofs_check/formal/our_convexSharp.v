(* our:convexSharp: f convex and L-smooth with a minimiser xs, 0 < gamma <= 1/L_P, any sampling:
   E[f(mean of x_0, ..., x_T) - f(xs)] <= |x_0 - xs|^2 / (2 gamma (T + 1)). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt fact_cocoercivity lem_generalizedSmoothness fact_jensen.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section ConvexSharp.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (gamma : R) (xs : I -> R).
Hypotheses (f_smooth : smooth f g L) (f_convex : convex f g) (f_min : minimiser f xs).
Hypotheses (gamma_gt0 : 0 < gamma) (bound : LP_at_most L (marginal S) gamma^-1).

Lemma gap_and_gradient x :
  f x - f xs + gamma / 2 * (\sum_i g x i ^+ 2 / marginal S i) <= dot (g x) (sub x xs).
Proof.
have gi : 0 < gamma^-1 by rewrite invr_gt0.
have st := minimiser_stationary f_smooth f_min (marginal_gt0 S) (ltW gi) bound.
have := cocoercive_weighted f_smooth f_convex x xs (marginal_gt0 S) gi bound.
have -> : dot (g x) (sub xs x) = - dot (g x) (sub x xs).
  by rewrite /dot -sumrN; apply: eq_bigr => i _; rewrite /sub; ring.
under eq_bigr do rewrite /sub st sub0r sqrrN.
set G := \sum_i _; set D := dot _ _ => le; have gn := lt0r_neq0 gamma_gt0.
by apply: (@ler_by _ (f xs - (f x - D + (2 / gamma)^-1 * G))); [nonneg | field].
Qed.

Lemma convex_step x : mean (fun w : S => normsq (sub (step gamma g w x) xs)) + 2 * gamma * (f x - f xs)
  <= normsq (sub x xs).
Proof.
rewrite mean_dist; have := gap_and_gradient x; set D := dot _ _; set G := \sum_i _; set V := normsq _ => le.
by apply: (@ler_by _ (2 * gamma * (D - (f x - f xs + gamma / 2 * G)))); [nonneg | field].
Qed.

Lemma convex_sum T x0 : \sum_(t < T) E t (fun s : seq S => f (iterate gamma g x0 s) - f xs)
  <= normsq (sub x0 xs) / (2 * gamma).
Proof.
rewrite ler_pdivl_mulr; last by pos.
rewrite mulrC mulr_sumr; under eq_bigr do rewrite -E_Z.
have V0 x : 0 <= normsq (sub x xs) by apply: normsq_ge0.
exact: (drift_sum V0 convex_step T x0).
Qed.

Theorem convex_sharp T x0 :
  E T (fun s : seq S => f (average (fun t : 'I_T.+1 => iterate gamma g x0 (take t s)))) - f xs
    <= normsq (sub x0 xs) / (2 * gamma * T.+1%:R).
Proof.
have TR : 0 < T.+1%:R :> R by apply: ltr0Sn.
rewrite invfM mulrA ler_pdivl_mulr //; apply: le_trans (convex_sum T.+1 x0).
have -> : \sum_(t < T.+1) E t (fun s : seq S => f (iterate gamma g x0 s) - f xs)
    = E T (fun s : seq S => \sum_(t < T.+1) f (iterate gamma g x0 (take t s))) - f xs * T.+1%:R.
  rewrite E_sum mulr_natr -[X in _ *+ X]card_ord -sumr_const -sumrB; apply: eq_bigr => t _.
  by rewrite E_D E_cst (E_take (fun s : seq S => f (iterate gamma g x0 s))) // -ltnS.
rewrite mulrBl ler_add2r mulrC -E_Z; apply: E_le => s; exact: (jensen f_convex).
Qed.
End ConvexSharp.

(* The hypotheses can be met, for every sampling. *)
Theorem convex_instance (R : realFieldType) (I : finType) (S : sampling R I) : exists f g L xs,
  [/\ smooth f g L, convex f g, minimiser f xs & LP_at_most L (marginal S) 1^-1].
Proof.
exists (quad (weights S)), (times (weights S)), (weights S), (fun=> 0); split.
- exact/quad_smooth/weights_symmetric.
- by apply: quad_convex; [apply: weights_symmetric | apply: weights_psd].
- exact/quad_minimiser/weights_psd.
- exact: weights_bound.
Qed.

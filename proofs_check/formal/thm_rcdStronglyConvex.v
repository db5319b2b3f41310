(* thm:rcdStronglyConvex, our:stronglyConvex: f L-smooth and mu-strongly convex, xs its minimiser, 0 < gamma <= 1/L_P,
   any sampling, drawn afresh in each step: E|x_T - xs|^2 <= (1 - gamma mu)^T |x_0 - xs|^2. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt lem_secondMoment.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section StronglyConvex.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (mu gamma : R) (xs : I -> R).
Hypotheses (f_smooth : smooth f g L) (f_convex : strongly_convex f g mu) (f_min : minimiser f xs).
Hypothesis gamma_gt0 : 0 < gamma.

Theorem strongly_convex_step t x : 0 <= t -> LP_at_most L (marginal S) t ->
  mean (fun w : S => normsq (sub (step gamma g w x) xs))
    <= (1 - gamma * mu) * normsq (sub x xs) - 2 * gamma * (1 - gamma * t) * (f x - f xs).
Proof.
move=> t0 bound; rewrite mean_dist.
have := second_moment x f_smooth f_min t0 bound; rewrite second_moment_exact; have := f_convex x xs.
have -> : dot (g x) (sub xs x) = - dot (g x) (sub x xs).
  by rewrite /dot -sumrN; apply: eq_bigr => i _; rewrite /sub; ring.
have -> : normsq (sub xs x) = normsq (sub x xs) by apply: eq_bigr => i _; rewrite /sub; ring.
set D := dot _ _; set V := normsq _; set G := \sum_i _ => c m.
apply: (@ler_by _ (2 * gamma * (f xs - (f x + - D + mu / 2 * V)) + gamma ^+ 2 * (2 * t * (f x - f xs) - G))).
  by nonneg.
by field.
Qed.

Theorem strongly_convex_rate T x0 : LP_at_most L (marginal S) gamma^-1 ->
  E T (fun s : seq S => normsq (sub (iterate gamma g x0 s) xs)) <= (1 - gamma * mu) ^+ T * normsq (sub x0 xs).
Proof.
move=> bound; have gn := lt0r_neq0 gamma_gt0; apply: (@drift_rate _ _ _ _ (fun x => normsq (sub x xs))) => x.
  exact: normsq_ge0.
have := strongly_convex_step x (ltW _) bound; rewrite invr_gt0 divff // subrr mulr0 mul0r subr0; exact.
Qed.
End StronglyConvex.

(* The hypotheses can be met, for every sampling. *)
Theorem strongly_convex_instance (R : realFieldType) (I : finType) (S : sampling R I) mu :
  (forall i, mu <= marginal S i) -> exists f g L xs,
  [/\ smooth f g L, strongly_convex f g mu, minimiser f xs & LP_at_most L (marginal S) 1^-1].
Proof.
move=> low; exists (quad (weights S)), (times (weights S)), (weights S), (fun=> 0); split.
- exact/quad_smooth/weights_symmetric.
- by apply: quad_strongly_convex; [apply: weights_symmetric | apply: weights_low].
- exact/quad_minimiser/weights_psd.
- exact: weights_bound.
Qed.

(* our:proximal: f L-smooth and mu-strongly convex, psi separable, xs a minimiser of f + psi, 0 < gamma <= 1/L_P, any sampling. A
   coordinate that is drawn makes a proximal step: x_i <- prox_i (x_i - gamma / p_i g_i(x)). Then
   E|x_T - xs|^2 <= (1 - gamma mu)^T |x_0 - xs|^2. Of the prox of psi_i with step gamma / p_i only this is used: it does not
   expand, and xs is a fixed point. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt fact_cocoercivity.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Proximal.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (mu gamma : R) (xs : I -> R) (prox : I -> R -> R).
Hypotheses (f_smooth : smooth f g L) (f_convex : strongly_convex f g mu) (mu_ge0 : 0 <= mu).
Hypotheses (gamma_gt0 : 0 < gamma) (bound : LP_at_most L (marginal S) gamma^-1).
Hypothesis contracts : forall i u v, (prox i u - prox i v) ^+ 2 <= (u - v) ^+ 2.
Hypothesis fixed : forall i, prox i (xs i - gamma / marginal S i * g xs i) = xs i.
Definition proximal_step (w : S) (x : I -> R) i := if active w i then prox i (x i - gamma / marginal S i * g x i) else x i.
Let z x i := x i - xs i.
Let d x i := g x i - g xs i.

Lemma proximal_coordinate x i : mean (fun w : S => (proximal_step w x i - xs i) ^+ 2)
  <= z x i ^+ 2 - 2 * gamma * (d x i * z x i) + gamma ^+ 2 * (d x i ^+ 2 / marginal S i).
Proof.
have pn := marginal_neq0 S i.
have one (w : S) : (proximal_step w x i - xs i) ^+ 2
    <= z x i ^+ 2 + ((z x i - gamma / marginal S i * d x i) ^+ 2 - z x i ^+ 2) * (active w i)%:R.
  rewrite /proximal_step; case: (active w i); last by rewrite mulr0 addr0.
  rewrite mulr1 (addrC (z x i ^+ 2)) subrK -[X in (_ - X) ^+ 2 <= _](fixed i); apply: le_trans (contracts _ _ _) _.
  by apply: (@ler_by _ 0) => //; rewrite /z /d; ring.
apply: le_trans (mean_le one) _; rewrite meanD mean_cst meanZ -/(marginal S i).
by apply: (@ler_by _ 0) => //; field.
Qed.

Lemma monotone (x : I -> R) : mu * (\sum_i z x i ^+ 2) <= \sum_i d x i * z x i.
Proof.
have := f_convex x xs; have := f_convex xs x.
have -> : normsq (sub x xs) = \sum_i z x i ^+ 2 by [].
have -> : normsq (sub xs x) = \sum_i z x i ^+ 2 by apply: eq_bigr => i _; rewrite /sub /z; ring.
have -> : \sum_i d x i * z x i = - (dot (g x) (sub xs x) + dot (g xs) (sub x xs)).
  by rewrite /dot -big_split -sumrN; apply: eq_bigr => i _ /=; rewrite /d /z /sub; ring.
set A := dot _ _; set B := dot _ _; set Y := \sum_i _ => a b.
by apply: (@ler_by _ ((f x - (f xs + A + mu / 2 * Y)) + (f xs - (f x + B + mu / 2 * Y)))); [nonneg | field].
Qed.

Lemma both_cocoercive (x : I -> R) : gamma * (\sum_i d x i ^+ 2 / marginal S i) <= \sum_i d x i * z x i.
Proof.
have gn := lt0r_neq0 gamma_gt0; have ig : 0 < gamma^-1 by rewrite invr_gt0.
have cv : convex f g.
  move=> a b; apply: le_trans (f_convex a b); rewrite ler_addl; apply: mulr_ge0; last exact: normsq_ge0.
  by rewrite divr_ge0 ?ler0n.
have := cocoercive_weighted f_smooth cv x xs (marginal_gt0 S) ig bound.
have := cocoercive_weighted f_smooth cv xs x (marginal_gt0 S) ig bound.
have -> : \sum_i sub (g x) (g xs) i ^+ 2 / marginal S i = \sum_i d x i ^+ 2 / marginal S i by [].
have -> : \sum_i sub (g xs) (g x) i ^+ 2 / marginal S i = \sum_i d x i ^+ 2 / marginal S i.
  by apply: eq_bigr => i _; rewrite /sub /d; congr (_ / _); ring.
have -> : \sum_i d x i * z x i = - (dot (g x) (sub xs x) + dot (g xs) (sub x xs)).
  by rewrite /dot -big_split -sumrN; apply: eq_bigr => i _ /=; rewrite /d /z /sub; ring.
set A := dot _ _; set B := dot _ _; set G := \sum_i _ => a b.
by apply: (@ler_by _ ((f x - (f xs + A + (2 * gamma^-1)^-1 * G)) + (f xs - (f x + B + (2 * gamma^-1)^-1 * G))));
  [nonneg | field].
Qed.

Theorem proximal_rate T x0 :
  E T (fun s : seq S => normsq (sub (run proximal_step x0 s) xs)) <= (1 - gamma * mu) ^+ T * normsq (sub x0 xs).
Proof.
apply: (@drift_rate _ _ _ _ (fun x => normsq (sub x xs))) => x; first exact: normsq_ge0.
rewrite mean_sum; apply: le_trans (ler_sum _ (fun i _ => proximal_coordinate x i)) _.
rewrite big_split sumrB -!mulr_sumr /=.
have := monotone x; have := both_cocoercive x; have -> : normsq (sub x xs) = \sum_i z x i ^+ 2 by [].
set G := \sum_i _ / _; set Z := \sum_i _ * _; set Y := \sum_i _ => a b.
by apply: (@ler_by _ (gamma * (Z - mu * Y) + gamma * (Z - gamma * G))); [nonneg | ring].
Qed.
End Proximal.

(* The hypotheses can be met, for every sampling: f(x) = sum_i p_i x_i^2 / 2 and prox = x / 2, which is that of |x|^2 / 2. *)
Theorem proximal_instance (R : realFieldType) (I : finType) (S : sampling R I) mu : (forall i, mu <= marginal S i) ->
  let prox (i : I) (u : R) := u / 2 in exists f g L xs,
  [/\ smooth f g L, strongly_convex f g mu, LP_at_most L (marginal S) 1^-1,
      forall i u v, (prox i u - prox i v) ^+ 2 <= (u - v) ^+ 2
    & forall i, prox i (xs i - 1 / marginal S i * g xs i) = xs i].
Proof.
move=> low prox; exists (quad (weights S)), (times (weights S)), (weights S), (fun=> 0); split.
- exact/quad_smooth/weights_symmetric.
- by apply: quad_strongly_convex; [apply: weights_symmetric | apply: weights_low].
- exact: weights_bound.
- move=> i u v; rewrite /prox; apply: (@ler_by _ (3 / 4 * (u - v) ^+ 2)); last by field.
  by nonneg.
move=> i; rewrite /prox /times big1 => [|j _]; last by rewrite mulr0.
by rewrite mulr0 subr0 mul0r.
Qed.

(* thm:rcdConvex: f convex and L-smooth with a minimiser xs, 0 < gamma <= 1/(2 L_P), any sampling:
   E[f(mean of x_0, ..., x_T) - f(xs)] <= |x_0 - xs|^2 / (gamma (T + 1)); at most eps for gamma = 1/(2 L_P) and
   T + 1 >= 2 L_P |x_0 - xs|^2 / eps. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt fact_jensen our_convexSharp.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Convex.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (xs : I -> R).
Hypotheses (f_smooth : smooth f g L) (f_convex : convex f g) (f_min : minimiser f xs).

Theorem rcd_convex gamma T x0 : 0 < gamma -> LP_at_most L (marginal S) (2 * gamma)^-1 ->
  E T (fun s : seq S => f (average (fun t : 'I_T.+1 => iterate gamma g x0 (take t s)))) - f xs
    <= normsq (sub x0 xs) / (gamma * T.+1%:R).
Proof.
move=> g0 bound; have gn := lt0r_neq0 g0; have T0 := ltr0Sn R T.
have bound' : LP_at_most L (marginal S) gamma^-1.
  apply: LP_mono bound; first exact: marginal_ge0.
  by apply: (@ler_by _ ((2 * gamma)^-1)); [nonneg; apply: ltW | field].
apply: le_trans (convex_sharp f_smooth f_convex f_min g0 bound' T x0) _.
have N0 := normsq_ge0 (sub x0 xs); set N := normsq _ in N0 *; have Tn := lt0r_neq0 T0.
apply: (@ler_by _ (N / (2 * gamma * T.+1%:R))); first by nonneg; rewrite ?mulr_ge0 ?ltW.
by set n := T.+1%:R in Tn *; field; rewrite Tn gn.
Qed.

Theorem rcd_convex_steps t eps T x0 : 0 < t -> LP_at_most L (marginal S) t -> 0 < eps ->
  2 * t * normsq (sub x0 xs) / eps <= T.+1%:R ->
  E T (fun s : seq S => f (average (fun k : 'I_T.+1 => iterate (2 * t)^-1 g x0 (take k s)))) - f xs <= eps.
Proof.
move=> t0 bound e0 le; have g0 : 0 < (2 * t)^-1 by pos.
have tn := lt0r_neq0 t0; have T0 := ltr0Sn R T; have Tn := lt0r_neq0 T0.
have bound' : LP_at_most L (marginal S) (2 * (2 * t)^-1)^-1.
  by rewrite (_ : (2 * (2 * t)^-1)^-1 = t) //; field.
apply: le_trans (rcd_convex T x0 g0 bound') _; move: le; rewrite ler_pdivr_mulr // => le.
rewrite (_ : _ / _ = 2 * t * normsq (sub x0 xs) / T.+1%:R); last first.
  by set n := T.+1%:R in Tn *; field; rewrite Tn tn.
by rewrite ler_pdivr_mulr // [X in _ <= X]mulrC.
Qed.
End Convex.

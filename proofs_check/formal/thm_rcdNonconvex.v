(* thm:rcdNonconvex: f L-smooth and bounded below by fs, 0 < gamma <= 1/L_P, any sampling, x^ the one of x_0, ..., x_T with
   the least gradient: E|g(x^)|^2 <= 2 (f(x_0) - fs) / (gamma (T + 1)); at most eps for gamma = 1/L_P and
   T + 1 >= 2 L_P (f(x_0) - fs) / eps. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt lem_key_quantity text_replaceLPbyLM.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Nonconvex.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (fs : R).
Hypotheses (f_smooth : smooth f g L) (f_below : below f fs).
Let least gamma x0 T (k : seq S -> nat) := forall s t, (t <= T)%N ->
  normsq (g (iterate gamma g x0 (take (k s) s))) <= normsq (g (iterate gamma g x0 (take t s))).

Theorem rcd_nonconvex gamma T x0 (k : seq S -> nat) : 0 < gamma -> LP_at_most L (marginal S) gamma^-1 ->
  least gamma x0 T k ->
  E T (fun s => normsq (g (iterate gamma g x0 (take (k s) s)))) <= 2 * (f x0 - fs) / (gamma * T.+1%:R).
Proof. by move=> g0 /key_quantity_left bound; apply: least_gradient. Qed.

Theorem rcd_nonconvex_steps t eps T x0 (k : seq S -> nat) : 0 < t -> LP_at_most L (marginal S) t -> 0 < eps ->
  least t^-1 x0 T k -> 2 * t * (f x0 - fs) / eps <= T.+1%:R ->
  E T (fun s => normsq (g (iterate t^-1 g x0 (take (k s) s)))) <= eps.
Proof.
move=> t0 bound e0 lk; rewrite ler_pdivr_mulr // => le; have tn := lt0r_neq0 t0; have T0 := ltr0Sn R T.
have g0 : 0 < t^-1 by pos.
have bound' : LP_at_most L (marginal S) t^-1^-1 by rewrite invrK.
apply: le_trans (rcd_nonconvex g0 bound' lk) _.
rewrite (_ : _ / _ = 2 * t * (f x0 - fs) / T.+1%:R); last by have Tn := lt0r_neq0 T0; set n := T.+1%:R in Tn *; field; rewrite Tn tn.
by rewrite ler_pdivr_mulr // [X in _ <= X]mulrC.
Qed.
End Nonconvex.

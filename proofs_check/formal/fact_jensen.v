(* fact:jensen: a convex function of a mean is at most the mean of the function, for weights that add up to 1. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Jensen.
Variables (R : realFieldType) (I : finType) (f : (I -> R) -> R) (g : (I -> R) -> I -> R).
Hypothesis f_convex : convex f g.

Theorem jensen_weighted (J : finType) (a : J -> R) (y : J -> I -> R) : (forall j, 0 <= a j) -> \sum_j a j = 1 ->
  f (fun i => \sum_j a j * y j i) <= \sum_j a j * f (y j).
Proof.
move=> a0 a1; set m := fun i => _.
apply: le_trans (_ : \sum_j a j * (f m + dot (g m) (sub (y j) m)) <= _); last first.
  by apply: ler_sum => j _; apply: ler_wpmul2l.
rewrite (eq_bigr (fun j => a j * f m + \sum_i g m i * (a j * y j i - a j * m i))); last first.
  move=> j _; rewrite mulrDr /dot [a j * \sum_i _]mulr_sumr; congr (_ + _).
  by apply: eq_bigr => i _; rewrite /sub; ring.
rewrite big_split -mulr_suml a1 mul1r ler_addl exchange_big big1 //= => i _.
by rewrite -mulr_sumr sumrB -mulr_suml a1 mul1r subrr mulr0.
Qed.

Definition average m (y : 'I_m -> I -> R) : I -> R := fun i => (\sum_t y t i) / m%:R.
Theorem jensen m (y : 'I_m.+1 -> I -> R) : m.+1%:R * f (average y) <= \sum_t f (y t).
Proof.
have m0 : 0 < m.+1%:R :> R by apply: ltr0Sn.
set a := average y; apply: le_trans (_ : \sum_t (f a + dot (g a) (sub (y t) a)) <= _); last first.
  by apply: ler_sum => t _; apply: f_convex.
rewrite big_split sumr_const card_ord -[f a *+ _]mulr_natl ler_addl exchange_big big1 //= => i _.
rewrite -mulr_sumr sumrB sumr_const card_ord -[a i *+ _]mulr_natl /a /average.
by rewrite mulrCA divff ?lt0r_neq0 // mulr1 subrr mulr0.
Qed.
End Jensen.

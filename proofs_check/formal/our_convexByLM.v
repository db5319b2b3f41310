(* our:convexByLM: f convex and L-smooth with a minimiser xs, 0 < gamma <= 1/L_M, any sampling with p_i >= pm > 0:
   E[f(x_T) - f(xs)] <= (|x_0 - xs|^2 / (2 gamma) + (f(x_0) - f(xs)) / pm) / (T + 1/pm). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt text_replaceLPbyLM.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section ConvexByLM.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (gamma pm : R) (xs : I -> R).
Hypotheses (f_smooth : smooth f g L) (f_convex : convex f g) (f_min : minimiser f xs).
Hypotheses (gamma_gt0 : 0 < gamma) (bound : LM_at_most S L gamma^-1).
Hypotheses (pm_gt0 : 0 < pm) (pm_least : forall i, pm <= marginal S i).

(* |x - xs|^2 + (2 gamma / pm + 2 gamma t) (f(x) - f(xs)) does not grow on average from time t to time t + 1. *)
Definition energy (t : nat) x := normsq (sub x xs) + (2 * gamma / pm + 2 * gamma * t%:R) * (f x - f xs).
Lemma energy_falls t x : mean (fun w : S => energy t.+1 (step gamma g w x)) <= energy t x.
Proof.
rewrite /energy meanD meanZ mean_dist.
have := @descent _ _ S f g L gamma (f xs) f_smooth gamma_gt0 bound x; set d' := mean _; set G := normsq (g x) => de.
have := f_convex x xs.
have -> : dot (g x) (sub xs x) = - dot (g x) (sub x xs).
  by rewrite /dot -sumrN; apply: eq_bigr => i _; rewrite /sub; ring.
set D := dot _ _ => cv.
have G0 : 0 <= G by apply: normsq_ge0.
have pn := lt0r_neq0 pm_gt0.
have : \sum_i g x i ^+ 2 / marginal S i <= G / pm.
  rewrite /G /normsq mulr_suml; apply: ler_sum => i _; apply: ler_wpmul2l; first exact: sqr_ge0.
  by rewrite lef_pinv ?posrE ?marginal_gt0.
rewrite -[t.+1]addn1 natrD; set P := \sum_i _ => le; set N := normsq _; set T := t%:R.
have T0 : 0 <= T by apply: ler0n.
have fall : d' <= f x - f xs by apply: (@ler_by _ (f x - f xs - (d' + gamma / 2 * G) + gamma / 2 * G)); [nonneg | ring].
apply: (@ler_by _ (2 * gamma * (f xs - (f x + - D)) + (gamma ^+ 2 * (G / pm - P)
  + (2 * gamma / pm * (f x - f xs - (d' + gamma / 2 * G)) + 2 * gamma * (T + 1) * (f x - f xs - d'))))); first by nonneg.
by field.
Qed.

Theorem convex_by_LM T x0 : E T (fun s : seq S => f (iterate gamma g x0 s) - f xs)
  <= (normsq (sub x0 xs) / (2 * gamma) + (f x0 - f xs) / pm) / (T%:R + pm^-1).
Proof.
have pn := lt0r_neq0 pm_gt0; have gn := lt0r_neq0 gamma_gt0.
have T0 : 0 <= T%:R :> R by apply: ler0n.
have D0 : 0 < T%:R + pm^-1 by apply: ltr_spaddr => //; rewrite invr_gt0.
rewrite ler_pdivl_mulr //.
have := @potential _ S _ (step gamma g) energy T (fun t x _ => energy_falls t x) x0.
rewrite {2}/energy mulr0 addr0 => le.
have up : (2 * gamma / pm + 2 * gamma * T%:R) * E T (fun s : seq S => f (iterate gamma g x0 s) - f xs)
    <= normsq (sub x0 xs) + 2 * gamma / pm * (f x0 - f xs).
  apply: le_trans le; rewrite -E_Z; apply: E_le => s; rewrite ler_addr; exact: normsq_ge0.
move: up; set e := E _ _; set V := normsq _; set d := f x0 - f xs; move: T0 D0; set t := T%:R => T0 D0 up.
by apply: (@ler_by _ ((V + 2 * gamma / pm * d - (2 * gamma / pm + 2 * gamma * t) * e) / (2 * gamma)));
  [nonneg | field; rewrite gn pn].
Qed.
End ConvexByLM.

(* text:replaceLPbyLM: f L-smooth and bounded below by fs, 0 < gamma <= 1/L_M, any sampling, x^ the one of x_0, ..., x_T
   with the least gradient: E|g(x^)|^2 <= 2 (f(x_0) - fs) / (gamma (T + 1)). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section ReplaceLPbyLM.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (gamma fs : R).
Hypotheses (f_smooth : smooth f g L) (f_below : below f fs).
Hypotheses (gamma_gt0 : 0 < gamma) (bound : LM_at_most S L gamma^-1).

Lemma descent x : mean (fun w : S => f (step gamma g w x) - fs) + gamma / 2 * normsq (g x) <= f x - fs.
Proof.
rewrite meanD mean_cst; have := mean_value gamma x f_smooth bound; set m := mean _; set G := normsq _ => le.
have gn := lt0r_neq0 gamma_gt0.
by apply: (@ler_by _ (f x - (gamma - gamma ^+ 2 * gamma^-1 / 2) * G - m)); [nonneg | field].
Qed.

Lemma gradient_sum T x0 :
  \sum_(t < T) E t (fun s : seq S => normsq (g (iterate gamma g x0 s))) <= 2 * (f x0 - fs) / gamma.
Proof.
have V0 x : 0 <= f x - fs by rewrite subr_ge0.
have := drift_sum V0 descent T x0; under eq_bigr do rewrite E_Z; rewrite -mulr_sumr -[run _]/(iterate gamma g).
set s := \sum_t _ => le; rewrite ler_pdivl_mulr //.
by apply: (@ler_by _ (2 * (f x0 - fs - gamma / 2 * s))); [nonneg | field].
Qed.

(* k picks the time of x^ from the draws. *)
Theorem least_gradient T x0 (k : seq S -> nat) :
  (forall s t, (t <= T)%N -> normsq (g (iterate gamma g x0 (take (k s) s))) <= normsq (g (iterate gamma g x0 (take t s)))) ->
  E T (fun s => normsq (g (iterate gamma g x0 (take (k s) s)))) <= 2 * (f x0 - fs) / (gamma * T.+1%:R).
Proof.
move=> least; rewrite invfM mulrA ler_pdivl_mulr ?ltr0Sn //; apply: le_trans (gradient_sum T.+1 x0).
have -> : \sum_(t < T.+1) E t (fun s : seq S => normsq (g (iterate gamma g x0 s)))
    = E T (fun s : seq S => \sum_(t < T.+1) normsq (g (iterate gamma g x0 (take t s)))).
  by rewrite E_sum; apply: eq_bigr => t _; rewrite (E_take (fun s => normsq (g (iterate gamma g x0 s)))) // -ltnS.
rewrite mulrC -E_Z; apply: E_le => s; rewrite mulr_natl -[X in _ *+ X]card_ord -sumr_const.
by apply: ler_sum => t _; apply: least; rewrite -ltnS.
Qed.
End ReplaceLPbyLM.

(* x^2/2 with p = gamma = T + 1 = 1 attains it: no factor below 2 will do. *)
Theorem least_gradient_sharp (R : realFieldType) c : c < 2 -> exists (S : sampling R [finType of 'I_1]) f g L x0,
  [/\ smooth f g L, below f 0, LM_at_most S L 1^-1 & c * (f x0 - 0) / (1 * 1%:R) < E 0 (fun s : seq S => normsq (g (iterate 1 g x0 s)))].
Proof.
move=> c2; pose S := everything R [finType of 'I_1]; have m i : marginal S i = 1 by apply: marginal_everything.
exists S, (quad (weights S)), (times (weights S)), (weights S), (fun=> 1); split.
- exact/quad_smooth/weights_symmetric.
- by move=> x; rewrite /quad; apply: mulr_ge0; [nonneg | apply: weights_psd].
- move=> x; rewrite form_moment -(mean_wnormsq S x) -meanZ; apply: mean_le => w; exact: weights_bound.
rewrite /= /iterate /run /= /quad form_diagonal /normsq /times /wnormsq !big_ord1 /weights /diagonal m eqxx /=.
by apply: (@ltr_by _ ((2 - c) / 2)); [pos | field].
Qed.

(* The hypotheses can be met, for every sampling: f(x) = sum_i p_i x_i^2 / 2, and a number k(s) of an iterate with the
   least gradient always exists. *)
Theorem least_gradient_instance (R : realFieldType) (I : finType) (S : sampling R I) gamma T x0 : exists f g L,
  [/\ smooth f g L, below f 0, LP_at_most L (marginal S) 1^-1, LM_at_most S L 1^-1
    & exists k : seq S -> nat, forall s t, (t <= T)%N ->
      normsq (g (iterate gamma g x0 (take (k s) s))) <= normsq (g (iterate gamma g x0 (take t s)))].
Proof.
have bound := @weights_bound R I S.
exists (quad (weights S)), (times (weights S)), (weights S); split=> //.
- exact/quad_smooth/weights_symmetric.
- by move=> x; apply: mulr_ge0; [rewrite invr_ge0 ler0n | apply: weights_psd].
- by move=> x; rewrite form_moment -(mean_wnormsq S x) -meanZ; apply: mean_le => w; apply: bound.
pose F (s : seq S) (t : 'I_T.+1) := normsq (times (weights S) (iterate gamma (times (weights S)) x0 (take t s))).
exists (fun s => nat_of_ord [arg min_(t < ord0) F s t]%O) => s t tT; case: arg_minP => // i _ least.
by have := least (inord t) isT; rewrite /F inordK.
Qed.

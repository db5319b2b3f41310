(* our:genericNonconvex, thm:non-convex: f bounded below by fs and L-smooth (L a number), an unbiased estimator e of the gradient with
   E|e(x)|^2 <= 2 A (f(x) - fs), gamma > 0, q = 1 + L A gamma^2, r = min_{t < T} E|g(x_t)|^2: r <= q^T delta_0 / (gamma T), half of
   the printed bound, and r (1 - q^-T) <= L A gamma delta_0, so that r <= eps after 4 delta_0^2 L A / eps^2 steps, where the
   paper has 144. No condition on gamma. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section GenericNonconvex.
Variables (R : realFieldType) (I : finType) (S : space R) (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (fs L A gamma : R).
Variable e : S -> (I -> R) -> I -> R.
Hypotheses (f_smooth : forall x y, f y <= f x + dot (g x) (sub y x) + L / 2 * normsq (sub y x)) (f_below : below f fs).
Hypotheses (e_unbiased : forall x i, mean (fun w => e w x i) = g x i).
Hypotheses (e_bound : forall x, mean (fun w => normsq (e w x)) <= 2 * A * (f x - fs)).
Hypotheses (gamma_gt0 : 0 < gamma) (L_gt0 : 0 < L) (A_gt0 : 0 < A).
Let next w (x : I -> R) : I -> R := fun i => x i - gamma * e w x i.
Let q := 1 + L * A * gamma ^+ 2.
Let delta0 x := f x - fs.

Lemma q_gt1 : 1 < q. Proof. by rewrite ltr_addl; pos. Qed.
Lemma q_gt0 : 0 < q. Proof. exact: lt_trans ltr01 q_gt1. Qed.

Lemma generic_step x : mean (fun w => f (next w x) - fs) <= q * (f x - fs) - gamma * normsq (g x).
Proof.
have lin : mean (fun w => dot (g x) (sub (next w x) x)) = - gamma * normsq (g x).
  rewrite mean_sum mulr_sumr; apply: eq_bigr => i _.
  have h w : g x i * sub (next w x) x i = (- gamma * g x i) * e w x i by rewrite /sub /next; ring.
  by rewrite (eq_mean h) meanZ e_unbiased; ring.
have sq : mean (fun w => normsq (sub (next w x) x)) = gamma ^+ 2 * mean (fun w => normsq (e w x)).
  rewrite -meanZ; apply: eq_mean => w; rewrite /normsq mulr_sumr; apply: eq_bigr => i _; rewrite /sub /next; ring.
have up : mean (fun w => f (next w x) - fs) <= (f x - fs) + (- gamma * normsq (g x)
    + L / 2 * (gamma ^+ 2 * mean (fun w => normsq (e w x)))).
  rewrite -lin -sq -(mean_cst S (f x - fs)) -meanZ -!meanD; apply: mean_le => w.
  have := f_smooth x (next w x); set a := dot _ _; set b := normsq _ => le.
  by apply: (@ler_by _ (f x + a + L / 2 * b - f (next w x))); [nonneg | ring].
apply: le_trans up _; have := e_bound x; set m := mean _; set G := normsq _ => le.
by apply: (@ler_by _ (L / 2 * gamma ^+ 2 * (2 * A * (f x - fs) - m))); [nonneg | rewrite /q; field].
Qed.

(* The weighted sum of the gradients. *)
Lemma generic_sum T x : \sum_(t < T) q^-1 ^+ t.+1 * (gamma * E t (fun s => normsq (g (run next x s)))) <= delta0 x.
Proof.
have q0 := q_gt0; have qn := lt0r_neq0 q0.
elim: T x => [|T IH] x; first by rewrite big_ord0 subr_ge0.
rewrite big_ord_recl /= expr1.
apply: le_trans (_ : q^-1 * (gamma * normsq (g x)) + q^-1 * mean (fun w => delta0 (next w x)) <= _); last first.
  have := generic_step x; rewrite /delta0; set m := mean _; set G := normsq _ => le.
  by apply: (@ler_by _ (q^-1 * (q * (f x - fs) - gamma * G - m))); [nonneg | field].
rewrite ler_add2l -meanZ.
rewrite (_ : \sum_i _ = mean (fun w => q^-1 * \sum_(t < T) q^-1 ^+ t.+1 * (gamma * E t (fun s => normsq (g (run next (next w x) s)))))).
  by apply: mean_le => w; apply: ler_wpmul2l; [rewrite invr_ge0 ltW | apply: IH].
rewrite meanZ mean_sum mulr_sumr; apply: eq_bigr => t _.
by rewrite !meanZ /bump /= add1n exprS mulrA.
Qed.

Variables (T : nat) (x0 : I -> R) (r : R).
Hypothesis r_least : forall t, (t < T)%N -> r <= E t (fun s => normsq (g (run next x0 s))).

Theorem generic_geometric : r * (1 - q^-1 ^+ T) <= L * A * gamma * delta0 x0.
Proof.
have q0 := q_gt0; have qn := lt0r_neq0 q0.
have e1 n : (\sum_(t < n) q^-1 ^+ t.+1) * (L * A * gamma ^+ 2) = 1 - q^-1 ^+ n.
  elim: n => [|n IH]; first by rewrite big_ord0 mul0r expr0 subrr.
  rewrite big_ord_recr /= mulrDl IH (_ : L * A * gamma ^+ 2 = q - 1); last by rewrite /q; ring.
  by rewrite exprSr; field.
have le : r * gamma * (\sum_(t < T) q^-1 ^+ t.+1) <= delta0 x0.
  apply: le_trans (generic_sum T x0); rewrite mulr_sumr; apply: ler_sum => t _.
  rewrite mulrC; apply: ler_wpmul2l; first by rewrite exprn_ge0 // invr_ge0 ltW.
  by rewrite mulrC; apply: ler_wpmul2l; [apply: ltW | apply: r_least].
rewrite -e1; set s := \sum_t _ in le *.
by apply: (@ler_by _ (L * A * gamma * (delta0 x0 - r * gamma * s))); [nonneg | ring].
Qed.

Theorem generic_power : (0 < T)%N -> 0 <= r -> r <= q ^+ T * delta0 x0 / (gamma * T%:R).
Proof.
move=> T0 r0; have q0 := q_gt0; have qn := lt0r_neq0 q0; have TR : 0 < T%:R :> R by rewrite ltr0n.
rewrite ler_pdivl_mulr ?mulr_gt0 // -ler_pdivr_mull ?exprn_gt0 // -exprVn.
apply: le_trans (generic_sum T x0).
have -> : q^-1 ^+ T * (r * (gamma * T%:R)) = \sum_(t < T) q^-1 ^+ T * (r * gamma).
  by rewrite sumr_const card_ord -mulr_natl; ring.
apply: ler_sum => t _; apply: ler_pmul.
- by rewrite exprn_ge0 // invr_ge0 ltW.
- by rewrite mulr_ge0 // ltW.
- by rewrite ler_wiexpn2l // ?invr_ge0 ?ltW // invf_lt1 // q_gt1.
by rewrite mulrC ler_pmul2l //; apply: r_least.
Qed.

(* The theorem as printed, with 2 for 1. *)
Theorem generic_printed : (0 < T)%N -> 0 <= r -> r <= 2 * q ^+ T * delta0 x0 / (gamma * T%:R).
Proof.
move=> T0 r0; have up := generic_power T0 r0; have up0 := le_trans r0 up; apply: (le_trans up).
have -> : 2 * q ^+ T * delta0 x0 / (gamma * T%:R) = 2 * (q ^+ T * delta0 x0 / (gamma * T%:R)) by rewrite !mulrA.
by rewrite ler_pemull ?ler1n.
Qed.

Theorem generic_steps eps : (0 < T)%N -> 0 <= r -> 0 < eps -> L * A * gamma ^+ 2 * T%:R = 1 ->
  4 * delta0 x0 ^+ 2 * (L * A) / eps ^+ 2 <= T%:R -> r <= eps.
Proof.
move=> T0 r0 e0 gT; rewrite ler_pdivr_mulr ?exprn_gt0 // => le.
have TR : 0 < T%:R :> R by rewrite ltr0n.
have q0 := q_gt0; have q2 : 2 <= q ^+ T.
  have bern n : 1 + n%:R * (L * A * gamma ^+ 2) <= q ^+ n.
    elim: n => [|n IH]; first by rewrite mul0r addr0 expr0.
    rewrite [q ^+ _]exprS mulrS; have a0 : 0 <= L * A * gamma ^+ 2 by nonneg.
    set a := L * A * gamma ^+ 2 in a0 IH *.
    apply: le_trans (_ : q * (1 + n%:R * a) <= _); last by rewrite ler_pmul2l.
    by apply: (@ler_by _ (n%:R * a ^+ 2)); [nonneg | rewrite /q -/a; ring].
  by have := bern T; rewrite mulrC gT.
have half : r / 2 <= L * A * gamma * delta0 x0.
  apply: le_trans generic_geometric; rewrite ler_wpmul2l // exprVn ler_subr_addl -ler_subr_addr.
  have -> : 1 - 2^-1 = 2^-1 :> R by field.
  by rewrite lef_pinv // posrE ?exprn_gt0 ?ltr0n.
have d0 : 0 <= delta0 x0 by rewrite subr_ge0.
rewrite -(ler_pmul2r (_ : 0 < 2^-1)) ?invr_gt0 ?ltr0n //; apply: le_trans half _.
rewrite -(@ler_pexpn2r _ 2) ?nnegrE //; last 2 first.
- by rewrite mulr_ge0 // mulr_ge0 ?ltW // mulr_gt0.
- by rewrite divr_ge0 ?ler0n ?ltW.
rewrite -(ler_pmul2r TR); set d := delta0 x0 in le d0 *.
have -> : (L * A * gamma * d) ^+ 2 * T%:R = L * A * d ^+ 2 * (L * A * gamma ^+ 2 * T%:R) by ring.
rewrite gT; by apply: (@ler_by _ (4^-1 * (T%:R * eps ^+ 2 - 4 * d ^+ 2 * (L * A)))); [nonneg | field].
Qed.
End GenericNonconvex.

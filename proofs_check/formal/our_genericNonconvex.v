(* our:genericNonconvex, thm:non-convex: f bounded below by fs and L-smooth (L a number), and points x_0, x_1, ... with
   x_{t+1} = x_t - gamma e_t. The estimator e_t and its law may depend on everything drawn before; given the past h its
   mean is g(x_t) and E|e_t|^2 <= 2 A (f(x_t) - fs). With q = 1 + L A gamma^2 and r <= E|g(x_t)|^2 for all t < T:
   r (1 - q^-T) <= L A gamma delta_0 and r <= q^T delta_0 / (gamma T), half of the printed bound, for every gamma > 0,
   and r <= eps after 4 delta_0^2 L A / eps^2 steps with gamma = 1 / sqrt(L A T), where the paper has 144.
   Each draw has finitely many outcomes. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation history rpt lem_generalizedSmoothness lem_secondMoment.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section GenericNonconvex.
Variables (R : realFieldType) (I : finType) (K : process R).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (fs L A gamma : R).
(* The point x h and the estimator e h w after the history h, when w is the next draw. *)
Variables (x : seq K -> I -> R) (e : seq K -> K -> I -> R).
Hypotheses (f_smooth : forall x y, f y <= f x + dot (g x) (sub y x) + L / 2 * normsq (sub y x)) (f_below : below f fs).
Hypotheses (x_next : forall h w i, x (rcons h w) i = x h i - gamma * e h w i).
Hypotheses (e_unbiased : forall h i, mean_next h (fun w => e h w i) = g (x h) i).
Hypotheses (e_bound : forall h, mean_next h (fun w => normsq (e h w)) <= 2 * A * (f (x h) - fs)).
Hypotheses (gamma_gt0 : 0 < gamma) (L_gt0 : 0 < L) (A_gt0 : 0 < A).
Let q := 1 + L * A * gamma ^+ 2.
Let delta0 := f (x [::]) - fs.

Lemma q_gt1 : 1 < q. Proof. by rewrite ltr_addl; pos. Qed.
Lemma q_gt0 : 0 < q. Proof. exact: lt_trans ltr01 q_gt1. Qed.
Lemma delta0_ge0 : 0 <= delta0. Proof. by rewrite subr_ge0. Qed.

Lemma generic_step h : mean_next h (fun w => f (x (rcons h w)) - fs) <= q * (f (x h) - fs) - gamma * normsq (g (x h)).
Proof.
have lin : mean_next h (fun w => dot (g (x h)) (sub (x (rcons h w)) (x h))) = - gamma * normsq (g (x h)).
  rewrite mean_next_sum mulr_sumr; apply: eq_bigr => i _.
  have d w : g (x h) i * sub (x (rcons h w)) (x h) i = (- gamma * g (x h) i) * e h w i by rewrite /sub x_next; ring.
  by rewrite (eq_mean_next h d) mean_nextZ e_unbiased; ring.
have sq : mean_next h (fun w => normsq (sub (x (rcons h w)) (x h)))
    = gamma ^+ 2 * mean_next h (fun w => normsq (e h w)).
  rewrite -mean_nextZ; apply: eq_mean_next => w; rewrite /normsq mulr_sumr; apply: eq_bigr => i _.
  by rewrite /sub x_next; ring.
have up : mean_next h (fun w => f (x (rcons h w)) - fs) <= (f (x h) - fs) + (- gamma * normsq (g (x h))
    + L / 2 * (gamma ^+ 2 * mean_next h (fun w => normsq (e h w)))).
  rewrite -lin -sq -(mean_next_cst h (f (x h) - fs)) -mean_nextZ -!mean_nextD; apply: mean_next_le => w.
  have := f_smooth (x h) (x (rcons h w)); set a := dot _ _; set b := normsq _ => le.
  by apply: (@ler_by _ (f (x h) + a + L / 2 * b - f (x (rcons h w)))); [nonneg | ring].
apply: le_trans up _; have := e_bound h; set m := mean_next _ _; set G := normsq _ => le.
by apply: (@ler_by _ (L / 2 * gamma ^+ 2 * (2 * A * (f (x h) - fs) - m))); [nonneg | rewrite /q; field].
Qed.

Lemma q_bernoulli n : 1 + n%:R * (L * A * gamma ^+ 2) <= q ^+ n.
Proof.
elim: n => [|n IH]; first by rewrite mul0r addr0 expr0.
rewrite [q ^+ _]exprS mulrS; have a0 : 0 <= L * A * gamma ^+ 2 by nonneg.
set a := L * A * gamma ^+ 2 in a0 IH *.
apply: le_trans (_ : q * (1 + n%:R * a) <= _); last by rewrite ler_pmul2l ?q_gt0.
by apply: (@ler_by _ (n%:R * a ^+ 2)); [nonneg | rewrite /q -/a; ring].
Qed.

(* The weighted sum of the gradients. *)
Lemma generic_sum T : \sum_(t < T) q^-1 ^+ t.+1 * (gamma * expect t (fun s => normsq (g (x s)))) <= delta0.
Proof.
have q0 := q_gt0; have qn := lt0r_neq0 q0.
suff gen h : \sum_(t < T) q^-1 ^+ t.+1 * (gamma * expect_after h t (fun s => normsq (g (x (h ++ s))))) <= f (x h) - fs.
  exact: (gen [::]).
elim: T h => [|T IH] h; first by rewrite big_ord0 subr_ge0.
rewrite big_ord_recl /= expr1 cats0.
apply: le_trans (_ : q^-1 * (gamma * normsq (g (x h))) + q^-1 * mean_next h (fun w => f (x (rcons h w)) - fs) <= _); last first.
  have := generic_step h; set m := mean_next _ _; set G := normsq _ => le.
  by apply: (@ler_by _ (q^-1 * (q * (f (x h) - fs) - gamma * G - m))); [nonneg | field].
rewrite ler_add2l -mean_nextZ.
rewrite (_ : \sum_i _ = mean_next h (fun w => q^-1 * \sum_(t < T) q^-1 ^+ t.+1
    * (gamma * expect_after (rcons h w) t (fun s => normsq (g (x (rcons h w ++ s))))))).
  by apply: mean_next_le => w; apply: ler_wpmul2l; [rewrite invr_ge0 ltW | apply: IH].
rewrite mean_nextZ mean_next_sum mulr_sumr; apply: eq_bigr => t _.
rewrite !mean_nextZ /bump /= add1n [in LHS]exprS mulrA; congr (_ * (_ * _)).
by apply: eq_mean_next => w; apply: eq_after => s; rewrite cat_rcons.
Qed.

Variables (T : nat) (r : R).
Hypothesis r_least : forall t, (t < T)%N -> r <= expect t (fun s => normsq (g (x s))).

Theorem generic_geometric : r * (1 - q^-1 ^+ T) <= L * A * gamma * delta0.
Proof.
have q0 := q_gt0; have qn := lt0r_neq0 q0.
have e1 n : (\sum_(t < n) q^-1 ^+ t.+1) * (L * A * gamma ^+ 2) = 1 - q^-1 ^+ n.
  elim: n => [|n IH]; first by rewrite big_ord0 mul0r expr0 subrr.
  rewrite big_ord_recr /= mulrDl IH (_ : L * A * gamma ^+ 2 = q - 1); last by rewrite /q; ring.
  by rewrite exprSr; field.
have le : r * gamma * (\sum_(t < T) q^-1 ^+ t.+1) <= delta0.
  apply: le_trans (generic_sum T); rewrite mulr_sumr; apply: ler_sum => t _.
  rewrite mulrC; apply: ler_wpmul2l; first by rewrite exprn_ge0 // invr_ge0 ltW.
  by rewrite mulrC; apply: ler_wpmul2l; [apply: ltW | apply: r_least].
rewrite -e1; set s := \sum_t _ in le *.
by apply: (@ler_by _ (L * A * gamma * (delta0 - r * gamma * s))); [nonneg | ring].
Qed.

Theorem generic_power : (0 < T)%N -> r <= q ^+ T * delta0 / (gamma * T%:R).
Proof.
move=> T0; have d0 := delta0_ge0; have q0 := q_gt0; have qn := lt0r_neq0 q0; have TR : 0 < T%:R :> R by rewrite ltr0n.
case: (lerP 0 r) => [r0 | /ltW rn]; last first.
  apply: le_trans rn _; apply: divr_ge0; first by apply: mulr_ge0 => //; apply/exprn_ge0/ltW.
  by apply: mulr_ge0; apply: ltW.
rewrite ler_pdivl_mulr ?mulr_gt0 // -ler_pdivr_mull ?exprn_gt0 // -exprVn.
apply: le_trans (generic_sum T).
have -> : q^-1 ^+ T * (r * (gamma * T%:R)) = \sum_(t < T) q^-1 ^+ T * (r * gamma).
  by rewrite sumr_const card_ord -mulr_natl; ring.
apply: ler_sum => t _; apply: ler_pmul.
- by rewrite exprn_ge0 // invr_ge0 ltW.
- by rewrite mulr_ge0 // ltW.
- by rewrite ler_wiexpn2l // ?invr_ge0 ?ltW // invf_lt1 // q_gt1.
by rewrite mulrC ler_pmul2l //; apply: r_least.
Qed.

(* The second bound is the weaker one. *)
Theorem generic_chain : (0 < T)%N -> L * A * gamma * delta0 / (1 - q^-1 ^+ T) <= q ^+ T * delta0 / (gamma * T%:R).
Proof.
move=> T0; have q0 := q_gt0; have d0 := delta0_ge0; have TR : 0 < T%:R :> R by rewrite ltr0n.
have qT : 0 < q ^+ T by apply: exprn_gt0.
have bern := q_bernoulli T; have a0 : 0 < L * A * gamma ^+ 2 by pos.
have big : 0 < q ^+ T - 1 by rewrite subr_gt0; apply: lt_le_trans bern; rewrite ltr_addl mulr_gt0.
have -> : 1 - q^-1 ^+ T = (q ^+ T - 1) / q ^+ T by rewrite exprVn mulrBl divff ?lt0r_neq0 // mul1r.
have bn := lt0r_neq0 big; have tn := lt0r_neq0 qT; have gn := lt0r_neq0 gamma_gt0; have Tn := lt0r_neq0 TR.
move: bern big qT bn tn TR Tn; move: (q ^+ T) (T%:R : R) => u n bern big qT bn tn TR Tn.
apply: (@ler_by _ (u * delta0 * (u - (1 + n * (L * A * gamma ^+ 2))) / (gamma * n * (u - 1)))); first by nonneg.
by field; rewrite bn tn gn Tn.
Qed.

(* The theorem as printed, with 2 for 1. *)
Theorem generic_printed : (0 < T)%N -> r <= 2 * q ^+ T * delta0 / (gamma * T%:R).
Proof.
move=> T0; have TR : 0 < T%:R :> R by rewrite ltr0n.
apply: (le_trans (generic_power T0)).
have -> : 2 * q ^+ T * delta0 / (gamma * T%:R) = 2 * (q ^+ T * delta0 / (gamma * T%:R)) by rewrite !mulrA.
rewrite ler_pemull ?ler1n //; apply: divr_ge0; last by apply: mulr_ge0; apply: ltW.
by apply: mulr_ge0; [apply/exprn_ge0/ltW/q_gt0 | apply: delta0_ge0].
Qed.

Theorem generic_steps eps : (0 < T)%N -> 0 < eps -> L * A * gamma ^+ 2 * T%:R = 1 ->
  4 * delta0 ^+ 2 * (L * A) / eps ^+ 2 <= T%:R -> r <= eps.
Proof.
move=> T0 e0 gT; case: (lerP 0 r) => [r0 | /ltW rn]; last by move=> _; apply: le_trans rn (ltW e0).
rewrite ler_pdivr_mulr ?exprn_gt0 // => le.
have TR : 0 < T%:R :> R by rewrite ltr0n.
have q0 := q_gt0; have q2 : 2 <= q ^+ T by have := q_bernoulli T; rewrite mulrC gT.
have half : r / 2 <= L * A * gamma * delta0.
  apply: le_trans generic_geometric; rewrite ler_wpmul2l // exprVn ler_subr_addl -ler_subr_addr.
  have -> : 1 - 2^-1 = 2^-1 :> R by field.
  by rewrite lef_pinv // posrE ?exprn_gt0 ?ltr0n.
have d0 : 0 <= delta0 by rewrite subr_ge0.
rewrite -(ler_pmul2r (_ : 0 < 2^-1)) ?invr_gt0 ?ltr0n //; apply: le_trans half _.
rewrite -(@ler_pexpn2r _ 2) ?nnegrE //; last 2 first.
- by rewrite mulr_ge0 // mulr_ge0 ?ltW // mulr_gt0.
- by rewrite divr_ge0 ?ler0n ?ltW.
rewrite -(ler_pmul2r TR); set d := delta0 in le d0 *.
have -> : (L * A * gamma * d) ^+ 2 * T%:R = L * A * d ^+ 2 * (L * A * gamma ^+ 2 * T%:R) by ring.
rewrite gT; by apply: (@ler_by _ (4^-1 * (T%:R * eps ^+ 2 - 4 * d ^+ 2 * (L * A)))); [nonneg | field].
Qed.
End GenericNonconvex.

(* The hypotheses can be met, for every sampling, every stepsize and every starting point, by an estimator that depends on
   the past: the gradient itself after an odd number of draws, and the sketched gradient after an even number. L = A = 1,
   and f is convex, so that the hypotheses of our:genericConvex are met as well. *)
Theorem generic_instance (R : realFieldType) (I : finType) (S : sampling R I) (gamma : R) (x0 : I -> R) :
  exists (f : (I -> R) -> R) g xs (x : seq (independent S) -> I -> R) (e : seq (independent S) -> independent S -> I -> R),
  [/\ (forall y z, f z <= f y + dot (g y) (sub z y) + 1 / 2 * normsq (sub z y)),
      convex f g /\ minimiser f xs,
      x [::] = x0 /\ (forall h w i, x (rcons h w) i = x h i - gamma * e h w i),
      (forall h i, mean_next h (fun w => e h w i) = g (x h) i)
    & forall h, mean_next h (fun w => normsq (e h w)) <= 2 * 1 * (f (x h) - f xs)].
Proof.
pose f := quad (weights S); pose g := times (weights S); pose xs : I -> R := fun=> 0.
pose rule (h : seq S) (w : S) (y : I -> R) i := (if odd (size h) then 1 else sketch w i) * g y i.
pose x := path_of x0 (fun (h : seq S) w y i => y i - gamma * rule h w y i).
have sm : smooth f g (weights S) by apply/quad_smooth/weights_symmetric.
have mn : minimiser f xs by apply/quad_minimiser/weights_psd.
have top y : form (weights S) y <= normsq y.
  by rewrite form_diagonal; apply: ler_sum => i _; rewrite ler_pimull ?sqr_ge0 ?marginal_le1.
exists f, g, xs, x, (fun h w => rule h w (x h)); split.
- move=> y z; apply: le_trans (sm y z) _; rewrite ler_add2l mul1r.
  by apply: ler_wpmul2l (top _); rewrite invr_ge0 ler0n.
- by split=> //; apply: quad_convex; [apply: weights_symmetric | apply: weights_psd].
- by split=> // h w i; rewrite /x path_of_rcons.
- move=> h i; rewrite /rule; case: odd; first by rewrite mul1r mean_next_cst.
  transitivity (g (x h) i * mean (fun w : S => sketch w i)); last by rewrite mean_sketch mulr1.
  by rewrite -meanZ; apply: eq_bigr => w _; rewrite [g _ _ * _]mulrC.
move=> h; rewrite /rule; case: odd; last first.
  apply: (second_moment (x h) sm mn ler01); have := @weights_bound R _ S; by rewrite invr1.
rewrite mean_next_cst; apply: le_trans (_ : wnormsq (fun=> 1) (g (x h)) <= _).
  by apply: ler_sum => i _; rewrite mul1r mul1r.
apply: (@generalized_smoothness _ _ f g (weights S) (f xs) 1 sm mn ler01 (fun=> 1)) => [i | y]; first exact: ltr01.
by apply: le_trans (top y) _; rewrite mul1r; apply: ler_sum => i _; rewrite invr1 mul1r.
Qed.

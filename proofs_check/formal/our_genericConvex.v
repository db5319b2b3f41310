(* our:genericConvex, thm:oldConvex: f convex with a minimiser xs, and points x_0, x_1, ... with x_{t+1} = x_t - gamma e_t.
   The estimator e_t and its law may depend on everything drawn before; given the past its mean is g(x_t) and
   E|e_t|^2 <= 2 A (f(x_t) - f(xs)). For 0 < gamma < 1/A and the mean of x_0, ..., x_{T-1}:
   E[f(mean) - f(xs)] <= |x_0 - xs|^2 / (2 gamma (1 - gamma A) T). For gamma <= 1/(4A) this is at most two thirds of
   |x_0 - xs|^2 / (gamma T), hence below the printed (2 gamma (f(x_0) - f(xs)) + |x_0 - xs|^2) / (gamma T); it is least at
   gamma = 1/(2A). Here the number of points is T + 1. Each draw has finitely many outcomes. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation history rpt fact_jensen.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section GenericConvex.
Variables (R : realFieldType) (I : finType) (K : process R).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (A gamma : R) (xs : I -> R).
(* The point x h and the estimator e h w after the history h, when w is the next draw. *)
Variables (x : seq K -> I -> R) (e : seq K -> K -> I -> R).
Hypotheses (f_convex : convex f g) (f_min : minimiser f xs).
Hypotheses (x_next : forall h w i, x (rcons h w) i = x h i - gamma * e h w i).
Hypotheses (e_unbiased : forall h i, mean_next h (fun w => e h w i) = g (x h) i).
Hypotheses (e_bound : forall h, mean_next h (fun w => normsq (e h w)) <= 2 * A * (f (x h) - f xs)).
Hypotheses (gamma_gt0 : 0 < gamma).

Lemma generic_convex_step h : mean_next h (fun w => normsq (sub (x (rcons h w)) xs))
  + 2 * gamma * (1 - gamma * A) * (f (x h) - f xs) <= normsq (sub (x h) xs).
Proof.
have -> : mean_next h (fun w => normsq (sub (x (rcons h w)) xs))
    = normsq (sub (x h) xs) - 2 * gamma * dot (g (x h)) (sub (x h) xs)
      + gamma ^+ 2 * mean_next h (fun w => normsq (e h w)).
  rewrite !mean_next_sum /normsq /dot !mulr_sumr -sumrB -big_split; apply: eq_bigr => i _ /=.
  have d w : sub (x (rcons h w)) xs i ^+ 2
      = sub (x h) xs i ^+ 2 + (- (2 * gamma * sub (x h) xs i) * e h w i + gamma ^+ 2 * e h w i ^+ 2).
    by rewrite /sub x_next; ring.
  by rewrite (eq_mean_next h d) !mean_nextD !mean_nextZ mean_next_cst e_unbiased; ring.
have := f_convex (x h) xs; have -> : dot (g (x h)) (sub xs (x h)) = - dot (g (x h)) (sub (x h) xs).
  by rewrite /dot -sumrN; apply: eq_bigr => i _; rewrite /sub; ring.
have := e_bound h; set m := mean_next _ _; set D := dot _ _; set V := normsq _ => le c.
by apply: (@ler_by _ (2 * gamma * (f xs - (f (x h) + - D)) + gamma ^+ 2 * (2 * A * (f (x h) - f xs) - m))); [nonneg | ring].
Qed.

Theorem generic_convex T : gamma * A < 1 ->
  expect T (fun s => f (average (fun t : 'I_T.+1 => x (take t s)))) - f xs
    <= normsq (sub (x [::]) xs) / (2 * gamma * (1 - gamma * A) * T.+1%:R).
Proof.
move=> gA; have c0 : 0 < 2 * gamma * (1 - gamma * A) by rewrite !mulr_gt0 ?ltr0n ?subr_gt0.
have TR : 0 < T.+1%:R :> R by apply: ltr0Sn.
have V0 h : 0 <= normsq (sub (x h) xs) by apply: normsq_ge0.
have := history_sum V0 generic_convex_step T.+1; under eq_bigr do rewrite /expect after_Z.
rewrite -mulr_sumr mulrC -ler_pdivl_mulr // => le.
rewrite invfM mulrA ler_pdivl_mulr //; apply: le_trans le.
have -> : \sum_(t < T.+1) expect_after [::] t (fun s => f (x s) - f xs)
    = expect T (fun s => \sum_(t < T.+1) f (x (take t s))) - f xs * T.+1%:R.
  rewrite /expect after_sum mulr_natr -[X in _ *+ X]card_ord -sumr_const -sumrB; apply: eq_bigr => t _.
  by rewrite after_D after_cst (after_take _ (fun s => f (x s))) // -ltnS.
rewrite mulrBl ler_add2r mulrC -after_Z; apply: after_le => s; exact: (jensen f_convex).
Qed.

(* For gamma <= 1/(4A) at most two thirds of |x_0 - xs|^2 / (gamma T). *)
Theorem generic_convex_two_thirds (N n : R) : 0 <= N -> 0 < n -> 4 * (gamma * A) <= 1 ->
  N / (2 * gamma * (1 - gamma * A) * n) <= 2 / 3 * (N / (gamma * n)).
Proof.
move=> N0 n0; set a := gamma * A => gA.
have a1 : 0 < 1 - a by apply: (@ltr_by _ (4^-1 * (1 - 4 * a) + 3 / 4)); [apply: ltr_paddl; [nonneg | pos] | field].
have gn := lt0r_neq0 gamma_gt0; have nn := lt0r_neq0 n0; have an := lt0r_neq0 a1.
apply: (@ler_by _ (N * (1 - 4 * a) / (6 * gamma * (1 - a) * n))); first by nonneg.
by field; rewrite nn gn an.
Qed.

(* gamma = 1/(2A) makes gamma (1 - gamma A) largest, so the bound least. *)
Theorem generic_convex_best : 0 < A -> gamma * (1 - gamma * A) <= (2 * A)^-1 * (1 - (2 * A)^-1 * A).
Proof.
move=> A0; have An := lt0r_neq0 A0.
by apply: (@ler_by _ (A * (gamma - (2 * A)^-1) ^+ 2)); [nonneg | field].
Qed.

Theorem old_convex T : 4 * (gamma * A) <= 1 ->
  expect T (fun s => f (average (fun t : 'I_T.+1 => x (take t s)))) - f xs
    <= (2 * gamma * (f (x [::]) - f xs) + normsq (sub (x [::]) xs)) / (gamma * T.+1%:R).
Proof.
move=> gA; set a := gamma * A in gA; have TR : 0 < T.+1%:R :> R by apply: ltr0Sn.
have a1 : a < 1.
  by apply: (@ltr_by _ (4^-1 * (1 - 4 * a) + 3 / 4)); [apply: ltr_paddl; [nonneg | pos] | field].
apply: le_trans (generic_convex T a1) _; rewrite -/a; have N0 := normsq_ge0 (sub (x [::]) xs).
have d0 : 0 <= f (x [::]) - f xs by rewrite subr_ge0.
have b0 : 0 < 1 - a by rewrite subr_gt0.
have h0 : 0 <= 1 - 2 * a.
  by apply: (@ler_by _ (2^-1 * (1 - 4 * a) + 2^-1)); [nonneg | rewrite subr0; field].
have gn := lt0r_neq0 gamma_gt0; have Tn := lt0r_neq0 TR; have bn := lt0r_neq0 b0.
move: N0 d0; set N := normsq _; set d := f (x [::]) - f xs; set n := T.+1%:R in TR Tn * => N0 d0.
apply: (@ler_by _ (2 * d / n + N * (1 - 2 * a) / (2 * gamma * (1 - a) * n))); last by field; rewrite Tn gn bn.
have n0 := ltW TR; have b1 := ltW b0; have g1 := ltW gamma_gt0.
by apply: addr_ge0; apply: divr_ge0 => //; rewrite !mulr_ge0 ?ler0n.
Qed.
End GenericConvex.

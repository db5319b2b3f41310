(* our:genericConvex, thm:oldConvex: f convex with a minimiser xs, an unbiased estimator e of the gradient with E|e(x)|^2 <= 2 A (f(x) - f(xs)),
   0 < gamma < 1/A, T points x_0, ..., x_{T-1}: E[f(mean) - f(xs)] <= |x_0 - xs|^2 / (2 gamma (1 - gamma A) T). For gamma <= 1/(4A) that is
   below the printed (2 gamma (f(x_0) - f(xs)) + |x_0 - xs|^2) / (gamma T). Here the number of points is T + 1. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt fact_jensen.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section GenericConvex.
Variables (R : realFieldType) (I : finType) (S : space R) (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (A gamma : R) (xs : I -> R).
Variable e : S -> (I -> R) -> I -> R.
Hypotheses (f_convex : convex f g) (f_min : minimiser f xs).
Hypotheses (e_unbiased : forall x i, mean (fun w => e w x i) = g x i).
Hypotheses (e_bound : forall x, mean (fun w => normsq (e w x)) <= 2 * A * (f x - f xs)).
Hypotheses (gamma_gt0 : 0 < gamma).
Let next w (x : I -> R) : I -> R := fun i => x i - gamma * e w x i.

Lemma generic_convex_step x :
  mean (fun w => normsq (sub (next w x) xs)) + 2 * gamma * (1 - gamma * A) * (f x - f xs) <= normsq (sub x xs).
Proof.
have -> : mean (fun w => normsq (sub (next w x) xs))
    = normsq (sub x xs) - 2 * gamma * dot (g x) (sub x xs) + gamma ^+ 2 * mean (fun w => normsq (e w x)).
  rewrite !mean_sum /normsq /dot !mulr_sumr -sumrB -big_split; apply: eq_bigr => i _ /=.
  have h w : sub (next w x) xs i ^+ 2 = sub x xs i ^+ 2 + (- (2 * gamma * sub x xs i) * e w x i + gamma ^+ 2 * e w x i ^+ 2).
    by rewrite /sub /next; ring.
  by rewrite (eq_mean h) !meanD !meanZ mean_cst e_unbiased; ring.
have := f_convex x xs; have -> : dot (g x) (sub xs x) = - dot (g x) (sub x xs).
  by rewrite /dot -sumrN; apply: eq_bigr => i _; rewrite /sub; ring.
have := e_bound x; set m := mean _; set D := dot _ _; set V := normsq _ => le c.
by apply: (@ler_by _ (2 * gamma * (f xs - (f x + - D)) + gamma ^+ 2 * (2 * A * (f x - f xs) - m))); [nonneg | ring].
Qed.

Theorem generic_convex T x0 : gamma * A < 1 ->
  E T (fun s : seq S => f (average (fun t : 'I_T.+1 => run next x0 (take t s)))) - f xs
    <= normsq (sub x0 xs) / (2 * gamma * (1 - gamma * A) * T.+1%:R).
Proof.
move=> gA; have c0 : 0 < 2 * gamma * (1 - gamma * A) by rewrite !mulr_gt0 ?ltr0n ?subr_gt0.
have TR : 0 < T.+1%:R :> R by apply: ltr0Sn.
have V0 x : 0 <= normsq (sub x xs) by apply: normsq_ge0.
have := drift_sum V0 generic_convex_step T.+1 x0; under eq_bigr do rewrite E_Z.
rewrite -mulr_sumr mulrC -ler_pdivl_mulr // => le.
rewrite invfM mulrA ler_pdivl_mulr //; apply: le_trans le.
have -> : \sum_(t < T.+1) E t (fun s : seq S => f (run next x0 s) - f xs)
    = E T (fun s : seq S => \sum_(t < T.+1) f (run next x0 (take t s))) - f xs * T.+1%:R.
  rewrite E_sum mulr_natr -[X in _ *+ X]card_ord -sumr_const -sumrB; apply: eq_bigr => t _.
  by rewrite E_D E_cst (E_take (fun s : seq S => f (run next x0 s))) // -ltnS.
rewrite mulrBl ler_add2r mulrC -E_Z; apply: E_le => s; exact: (jensen f_convex).
Qed.

Theorem old_convex T x0 : 4 * (gamma * A) <= 1 ->
  E T (fun s : seq S => f (average (fun t : 'I_T.+1 => run next x0 (take t s)))) - f xs
    <= (2 * gamma * (f x0 - f xs) + normsq (sub x0 xs)) / (gamma * T.+1%:R).
Proof.
move=> gA; set a := gamma * A in gA; have TR : 0 < T.+1%:R :> R by apply: ltr0Sn.
have a1 : a < 1.
  by apply: (@ltr_by _ (4^-1 * (1 - 4 * a) + 3 / 4)); [apply: ltr_paddl; [nonneg | pos] | field].
apply: le_trans (generic_convex T x0 a1) _; rewrite -/a; have N0 := normsq_ge0 (sub x0 xs).
have d0 : 0 <= f x0 - f xs by rewrite subr_ge0.
have b0 : 0 < 1 - a by rewrite subr_gt0.
have h0 : 0 <= 1 - 2 * a.
  by apply: (@ler_by _ (2^-1 * (1 - 4 * a) + 2^-1)); [nonneg | rewrite subr0; field].
have gn := lt0r_neq0 gamma_gt0; have Tn := lt0r_neq0 TR; have bn := lt0r_neq0 b0.
move: N0 d0; set N := normsq _; set d := f x0 - f xs; set n := T.+1%:R in TR Tn * => N0 d0.
apply: (@ler_by _ (2 * d / n + N * (1 - 2 * a) / (2 * gamma * (1 - a) * n))); last by field; rewrite Tn gn bn.
have n0 := ltW TR; have b1 := ltW b0; have g1 := ltW gamma_gt0.
by apply: addr_ge0; apply: divr_ge0 => //; rewrite !mulr_ge0 ?ler0n.
Qed.
End GenericConvex.

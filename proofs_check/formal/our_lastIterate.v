(* Last iterate, convex: f convex and L-smooth with a minimiser xs, 0 < gamma <= 1/L_P, any sampling, T >= 1:
   E[f(x_T) - f(xs)] <= |x_0 - xs|^2 / ((3T + 1) gamma). The potential is gamma A_t (f(x_t) - f(xs)) + D_t/2 |x_t - xs|^2 with
   A_t = t + (T + 1) t^4 / (2 T^4), D_t = 1 - (t/T)^6. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt fact_cocoercivity lem_generalizedSmoothness lem_key_quantity our_convexSharp last_weights.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section LastIterate.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (gamma : R) (xs : I -> R).
Hypotheses (f_smooth : smooth f g L) (f_convex : convex f g) (f_min : minimiser f xs).
Hypotheses (gamma_gt0 : 0 < gamma) (bound : LP_at_most L (marginal S) gamma^-1).

Lemma bracket_ge0 (dD b A : R) (x v : I -> R) : 0 <= b -> 0 <= A -> b ^+ 2 <= dD * (A + b) -> 0 <= dD ->
  0 <= dD * normsq x - 2 * b * dot v x + (A + b) * normsq v.
Proof.
move=> b0 A0 key d0; rewrite /normsq /dot !mulr_sumr -sumrB -big_split; apply: sumr_ge0 => i _ /=.
have Ab : 0 <= A + b by apply: addr_ge0.
move: Ab; rewrite le_eqVlt => /orP[/eqP z|Ab].
  have bz : b = 0 by apply/eqP; rewrite eq_le b0 andbT z ler_addr.
  by rewrite -z bz mul0r addr0 mulr0 mul0r subr0; nonneg.
rewrite -(pmulr_rge0 _ Ab).
have -> : (A + b) * (dD * x i ^+ 2 - 2 * b * (v i * x i) + (A + b) * v i ^+ 2)
  = ((A + b) * v i - b * x i) ^+ 2 + (dD * (A + b) - b ^+ 2) * x i ^+ 2 by ring.
by apply: addr_ge0; rewrite ?sqr_ge0 // mulr_ge0 ?sqr_ge0 ?subr_ge0.
Qed.

Lemma last_step (A0 A1 D0 D1 : R) x : 0 <= A1 - A0 -> 0 <= A1 - A0 - D1 -> 0 <= A1 ->
  (A1 - A0 - D1) ^+ 2 <= (D0 - D1) * (A1 + (A1 - A0 - D1)) -> 0 <= D0 - D1 -> 0 <= D1 ->
  mean (fun w : S => gamma * A1 * (f (step gamma g w x) - f xs) + D1 / 2 * normsq (sub (step gamma g w x) xs))
    <= gamma * A0 * (f x - f xs) + D0 / 2 * normsq (sub x xs).
Proof.
move=> c0 b0 A10 key dD0 D10; have gn := lt0r_neq0 gamma_gt0.
rewrite meanD !meanZ meanD mean_cst mean_dist.
have LM := key_quantity_left bound; have := mean_value gamma x f_smooth LM.
have := gap_and_gradient f_smooth f_convex f_min gamma_gt0 bound x.
have := bracket_ge0 (sub x xs) (fun i => gamma * g x i) b0 A10 key dD0.
have -> : dot (fun i => gamma * g x i) (sub x xs) = gamma * dot (g x) (sub x xs).
  by rewrite /dot mulr_sumr; apply: eq_bigr => i _; rewrite mulrA.
have -> : normsq (fun i => gamma * g x i) = gamma ^+ 2 * normsq (g x).
  by rewrite /normsq mulr_sumr; apply: eq_bigr => i _; rewrite exprMn.
have : normsq (g x) <= \sum_i g x i ^+ 2 / marginal S i.
  apply: ler_sum => i _; rewrite ler_pdivl_mulr ?marginal_gt0 //.
  by rewrite ler_pimulr ?sqr_ge0 ?marginal_le1.
set G := normsq (g x); set Gs := \sum_i _; set P := dot _ _; set Y := normsq _; set m := mean _.
move=> GG br gap val.
apply: (@ler_by _ (gamma * A1 * (f x - (gamma - gamma ^+ 2 * gamma^-1 / 2) * G - m)
  + gamma * (A1 - A0) * (P - (f x - f xs + gamma / 2 * Gs))
  + 2^-1 * ((D0 - D1) * Y - 2 * (A1 - A0 - D1) * (gamma * P) + (A1 + (A1 - A0 - D1)) * (gamma ^+ 2 * G))
  + gamma ^+ 2 / 2 * (A1 - A0 - D1) * (Gs - G))).
  by nonneg.
by field.
Qed.

Theorem last_iterate T x0 : (0 < T)%N ->
  E T (fun s : seq S => f (iterate gamma g x0 s) - f xs) <= normsq (sub x0 xs) / ((3 * T%:R + 1) * gamma).
Proof.
move=> T0; pose N : R := T%:R; have N0 : 0 < N by rewrite ltr0n.
have Nn := lt0r_neq0 N0.
pose V t x := gamma * lastA N t%:R * (f x - f xs) + lastD N t%:R / 2 * normsq (sub x xs).
have V0 : V 0%N x0 = 1 / 2 * normsq (sub x0 xs) by rewrite /V /lastA /lastD; field.
have le : E T (fun s : seq S => V T (iterate gamma g x0 s)) <= 1 / 2 * normsq (sub x0 xs).
  rewrite -V0; apply: potential => t x tT; case: (@last_weights R T t tT) => c0 b0 A0 key; apply: last_step => //.
  - rewrite /lastD (_ : _ - _ = (t.+1%:R / N) ^+ 6 - (t%:R / N) ^+ 6); last by ring.
    rewrite subr_ge0; apply: ler_expn2r; rewrite ?nnegrE ?divr_ge0 ?ler0n ?(ltW N0) //.
    by rewrite ler_pmul2r ?invr_gt0 // ler_nat.
  rewrite /lastD subr_ge0 exprn_ile1 ?divr_ge0 ?ler0n ?(ltW N0) //.
  by rewrite ler_pdivr_mulr // mul1r ler_nat.
have e (s : seq S) : V T (iterate gamma g x0 s) = gamma * (3 * N + 1) / 2 * (f (iterate gamma g x0 s) - f xs).
  rewrite /V /lastA /lastD -/N divff // expr1n subrr !mul0r addr0; congr (_ * _).
  by field.
move: le; rewrite (eq_E _ e) E_Z; set m := E _ _ => le.
have c0 : 0 < (3 * N + 1) * gamma by apply: mulr_gt0 => //; apply: addr_gt0; rewrite ?ltr01 // mulr_gt0 // ltr0n.
rewrite -/N ler_pdivl_mulr //.
by apply: (@ler_by _ (2 * (1 / 2 * normsq (sub x0 xs) - gamma * (3 * N + 1) / 2 * m))); [nonneg | field].
Qed.
End LastIterate.

(* text:ABCtwoWays, text:ABCnoOtherWays: E|C g(x)|^2 <= 2A (f(x) - fs) + b |g(x)|^2 holds with (A, b) = (L_P, 0) and with
   (0, lambda_max(P^-1)). That these are the only ways is false. All mixtures (a L_P, (1 - a) lambda_max(P^-1)) are ways:
   x^2/2 with p = 1/2 has L_P = lambda_max(P^-1) = 2, and (1, 1) will do. And there are ways below all mixtures:
   (4 x_1^2 + x_2^2)/2 with p = (1, 1/2) has L_P = 4 and lambda_max(P^-1) = 2, and (1, 1) will do, while 1/4 + 1/2 < 1. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt lem_secondMoment our_freshDraws def_PTsketch.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section ABC.
Variables (R : realFieldType) (I : finType) (S : sampling R I) (f : (I -> R) -> R) (g : (I -> R) -> I -> R).
Definition ABC fs A b := forall x, mean (fun w : S => normsq (fun i => sketch w i * g x i)) <= 2 * A * (f x - fs) + b * normsq (g x).

Theorem ABC_first L fs t : smooth f g L -> below f fs -> 0 <= t -> LP_at_most L (marginal S) t -> ABC fs t 0.
Proof. by move=> sm lo t0 bound x; rewrite mul0r addr0; apply: second_moment bound. Qed.
Theorem ABC_second fs r : (forall i, (marginal S i)^-1 <= r) -> ABC fs 0 r.
Proof.
move=> le x; rewrite mulr0 mul0r add0r second_moment_exact mulr_sumr; apply: ler_sum => i _.
by rewrite mulrC; apply: ler_wpmul2r; rewrite ?sqr_ge0.
Qed.
Theorem ABC_mixture L fs t r a : smooth f g L -> below f fs -> 0 <= t -> LP_at_most L (marginal S) t ->
  (forall i, (marginal S i)^-1 <= r) -> 0 <= a <= 1 -> ABC fs (a * t) ((1 - a) * r).
Proof.
move=> sm lo t0 bound le /andP[a0 a1] x; have := ABC_first sm lo t0 bound x; have := ABC_second fs le x.
set m := mean _; set d := f x - fs; set n := normsq _ => second first.
apply: (@ler_by _ (a * (2 * t * d + 0 * n - m) + (1 - a) * (2 * 0 * d + r * n - m))); last by ring.
by apply: addr_ge0; apply: mulr_ge0; rewrite ?subr_ge0.
Qed.
End ABC.

Theorem ABC_other_ways (R : realFieldType) : exists f g L,
  [/\ smooth f g L, below f 0, ABC (coin_sampling R) f g 0 1 1,
      (forall t, LP_at_most L (marginal (coin_sampling R)) t -> 2 <= t) & forall i, 1 < (marginal (coin_sampling R) i)^-1].
Proof.
pose H : 'I_1 -> 'I_1 -> R := fun _ _ => 1.
have H0 x : form H x = normsq x by rewrite /form /bil /normsq !big_ord1 /H; ring.
exists (quad H), (times H), H; split.
- exact: quad_smooth.
- by move=> x; rewrite /quad H0; apply: mulr_ge0; [nonneg | apply: normsq_ge0].
- move=> x; rewrite second_moment_exact /quad H0 /normsq !big_ord1 coin_marginal /times big_ord1 /H.
  by apply: (@ler_by _ 0) => //; field.
- move=> t /(_ (fun=> 1)); rewrite H0 /normsq /wnormsq !big_ord1 coin_marginal => le.
  by apply: (@ler_by _ (2 * (t * (2^-1 * 1 ^+ 2) - 1 ^+ 2))); [nonneg | field].
by move=> i; rewrite coin_marginal invrK ltr1n.
Qed.

Section BelowMixtures.
Variable R : realFieldType.
Lemma half_in : 0 < (2^-1 : R) <= 1.
Proof. by rewrite invr_gt0 ltr0n /= invf_le1 ?ltr0n // ler1n. Qed.
(* Nested sampling of two coordinates, the first always and the second with probability 1/2. *)
Definition half_nested : sampling R [finType of bool] :=
  nested (two half_in) (fun i : bool => if i then ord0 else lift ord0 ord0).
Lemma half_marginal i : marginal half_nested i = if i then 1 else 2^-1.
Proof. by rewrite nested_probabilities; case: i. Qed.
Theorem ABC_below_mixtures : exists f g L,
  [/\ smooth f g L, below f 0, ABC half_nested f g 0 1 1
    & forall a t r, 0 <= a <= 1 -> LP_at_most L (marginal half_nested) t ->
        (forall i, (marginal half_nested i)^-1 <= r) -> ~ (a * t <= 1 /\ (1 - a) * r <= 1)].
Proof.
pose d (i : bool) : R := if i then 4 else 1; pose H := diagonal d.
have sym : symmetric H by move=> i j; rewrite /H /diagonal [j == i]eq_sym; case: eqP => [->|].
have H0 : psd H by move=> x; rewrite form_diagonal /wnormsq big_bool /d /=; nonneg.
have tH x i : times H x i = d i * x i.
  by rewrite /times big_bool /H /diagonal; case: i => /=; rewrite ?mulr1n ?mulr0n ?mul0r ?addr0 ?add0r.
exists (quad H), (times H), H; split.
- exact: quad_smooth.
- by move=> x; apply: mulr_ge0; [rewrite invr_ge0 ler0n | apply: H0].
- move=> x; rewrite second_moment_exact /quad form_diagonal /wnormsq /normsq !big_bool !half_marginal !tH /d /=.
  by apply: (@ler_by _ (4 * x true ^+ 2)); [nonneg | field].
move=> a t r /andP[a0 a1] /(_ (fun i => if i then 1 else 0)) + /(_ false); rewrite half_marginal invrK.
rewrite form_diagonal /wnormsq !big_bool !half_marginal /d /= => t4 r2 [at1 ar1].
suff : 1 <= 4^-1 + 2^-1 :> R by apply/negP; rewrite -ltNge; apply: (@ltr_by _ 4^-1); [pos | field].
have {}t4 : 4 <= t by apply: (@ler_by _ (t * (1 * 1 ^+ 2 + 2^-1 * 0 ^+ 2) - (4 * 1 ^+ 2 + 1 * 0 ^+ 2))); [nonneg | ring].
apply: (@ler_by _ (4^-1 * (1 - a * t) + 4^-1 * (a * (t - 4)) + 2^-1 * (1 - (1 - a) * r) + 2^-1 * ((1 - a) * (r - 2)))).
  by nonneg.
by field.
Qed.
End BelowMixtures.

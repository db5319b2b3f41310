(* text:ABCtwoWays, text:ABCnoOtherWays: E|C g(x)|^2 <= 2A (f(x) - fs) + b |g(x)|^2 holds with (A, b) = (L_P, 0) and with (0, lambda_max(P^-1)).
   That these are the only ways is false: x^2/2 with p = 1/2 has L_P = lambda_max(P^-1) = 2, and (1, 1) will do. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt lem_secondMoment our_freshDraws.
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

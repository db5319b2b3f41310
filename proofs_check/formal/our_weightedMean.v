(* our:weightedMean: as our:convexSharp, with p_i <= pM for all i and the last iterate weighted 1/pM in the mean:
   E[f(mean) - f(xs)] <= |x_0 - xs|^2 / (2 gamma (T + 1/pM)), which is pM |x_0 - xs|^2 / (2 gamma (1 + pM T)). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt fact_jensen lem_generalizedSmoothness our_convexSharp.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section WeightedMean.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (gamma pM : R) (xs : I -> R).
Hypotheses (f_smooth : smooth f g L) (f_convex : convex f g) (f_min : minimiser f xs).
Hypotheses (gamma_gt0 : 0 < gamma) (bound : LP_at_most L (marginal S) gamma^-1).
Hypotheses (pM_gt0 : 0 < pM) (pM_most : forall i, marginal S i <= pM).

Lemma gap_below_distance x : 2 * gamma / pM * (f x - f xs) <= normsq (sub x xs).
Proof.
have gi : 0 <= gamma^-1 by rewrite invr_ge0 ltW.
have st := minimiser_stationary f_smooth f_min (marginal_gt0 S) gi bound.
have := f_smooth xs x; have -> : dot (g xs) (sub x xs) = 0.
  by rewrite /dot big1 // => i _; rewrite st mul0r.
rewrite addr0; have := bound (sub x xs).
have : wnormsq (marginal S) (sub x xs) <= pM * normsq (sub x xs).
  rewrite /wnormsq /normsq mulr_sumr; apply: ler_sum => i _; apply: ler_wpmul2r; rewrite ?sqr_ge0 //.
set W := wnormsq _ _; set F := form _ _; set V := normsq _ => le1 le2 le3.
have gn := lt0r_neq0 gamma_gt0; have pn := lt0r_neq0 pM_gt0.
apply: (@ler_by _ (2 * gamma / pM * (f xs + 2^-1 * F - f x) + gamma / pM * (gamma^-1 * W - F) + pM^-1 * (pM * V - W))).
  by nonneg.
by field; rewrite gn pn.
Qed.

Theorem weighted_mean T x0 (a : 'I_T.+1 -> R) :
  (forall t, a t = (if (t < T)%N then 1 else pM^-1) / (T%:R + pM^-1)) ->
  E T (fun s : seq S => f (fun i => \sum_t a t * iterate gamma g x0 (take t s) i)) - f xs
    <= normsq (sub x0 xs) / (2 * gamma * (T%:R + pM^-1)).
Proof.
move=> a_is; have pn := lt0r_neq0 pM_gt0; have gn := lt0r_neq0 gamma_gt0.
have T0 : 0 <= T%:R :> R by apply: ler0n.
have D0 : 0 < T%:R + pM^-1 by apply: ltr_spaddr => //; rewrite invr_gt0.
have Dn := lt0r_neq0 D0.
have a0 t : 0 <= a t by rewrite a_is; case: ifP => _; apply: divr_ge0; rewrite ?ler01 ?invr_ge0 ?ltW //.
have a1 : \sum_t a t = 1.
  rewrite big_ord_recr /= a_is ltnn; under eq_bigr => t _ do rewrite a_is /= ltn_ord.
  by rewrite sumr_const card_ord -[_ *+ T]mulr_natl mul1r -mulrDl divff.
pose d (s : seq S) (t : nat) := f (iterate gamma g x0 (take t s)) - f xs.
have le : E T (fun s : seq S => f (fun i => \sum_t a t * iterate gamma g x0 (take t s) i)) - f xs
    <= E T (fun s : seq S => \sum_t a t * d s t).
  rewrite ler_subl_addr -[X in _ <= _ + X](E_cst S T) -E_D; apply: E_le => s.
  apply: le_trans (jensen_weighted f_convex _ a0 a1) _.
  rewrite /d; under [X in _ <= X + _]eq_bigr do rewrite mulrBr; rewrite sumrB -mulr_suml a1 mul1r.
  by rewrite subrK.
apply: le_trans le _.
have -> : E T (fun s : seq S => \sum_t a t * d s t)
   = (\sum_(t < T) E t (fun s : seq S => f (iterate gamma g x0 s) - f xs)
      + pM^-1 * E T (fun s : seq S => f (iterate gamma g x0 s) - f xs)) / (T%:R + pM^-1).
  rewrite E_sum big_ord_recr /= mulrDl; congr (_ + _).
    rewrite mulr_suml; apply: eq_bigr => t _; rewrite E_Z a_is /= ltn_ord mul1r mulrC; congr (_ / _).
    by rewrite (E_take (fun s : seq S => f (iterate gamma g x0 s) - f xs)) // ltnW.
  rewrite E_Z a_is /= ltnn mulrAC; congr (_ * _ / _).
  by rewrite (E_take (fun s : seq S => f (iterate gamma g x0 s) - f xs)).
rewrite invfM mulrA; apply: ler_wpmul2r; first by rewrite invr_ge0 ltW.
(* The sum of the gains, with the distance at the end kept. *)
have drift : forall T x, 2 * gamma * (\sum_(t < T) E t (fun s : seq S => f (run (step gamma g) x s) - f xs))
    + E T (fun s : seq S => normsq (sub (run (step gamma g) x s) xs)) <= normsq (sub x xs).
  elim=> [|m IH] x; first by rewrite big_ord0 mulr0 add0r.
  have first : \sum_(t < m.+1) E t (fun s : seq S => f (run (step gamma g) x s) - f xs) = f x - f xs
      + mean (fun w : S => \sum_(t < m) E t (fun s : seq S => f (run (step gamma g) (step gamma g w x) s) - f xs)).
    by rewrite big_ord_recl mean_sum; congr (_ + _); apply: eq_bigr.
  have later : 2 * gamma * mean (fun w : S => \sum_(t < m) E t (fun s : seq S =>
        f (run (step gamma g) (step gamma g w x) s) - f xs))
      + E m.+1 (fun s : seq S => normsq (sub (run (step gamma g) x s) xs))
      <= mean (fun w : S => normsq (sub (step gamma g w x) xs)).
    by rewrite -meanZ -meanD; apply: mean_le => w; apply: IH.
  have := convex_step f_smooth f_convex f_min gamma_gt0 bound x; rewrite first; move: later.
  set a1' := mean _; set a2 := E _ _; set a3 := mean _; set a4 := normsq _ => le1 le2.
  by apply: (@ler_by _ (a4 - (a3 + 2 * gamma * (f x - f xs)) + (a3 - (2 * gamma * a1' + a2)))); [nonneg | ring].
have := drift T x0; rewrite -/(iterate gamma g x0).
have low : 2 * gamma / pM * E T (fun s : seq S => f (iterate gamma g x0 s) - f xs)
    <= E T (fun s : seq S => normsq (sub (run (step gamma g) x0 s) xs)).
  by rewrite -E_Z; apply: E_le => s; apply: gap_below_distance.
move: low; set e := E T _; set q := E T _; set sm := \sum_t _; set V := normsq _ => low up.
apply: (@ler_by _ ((V - (2 * gamma * sm + q) + (q - 2 * gamma / pM * e)) / (2 * gamma))); first by nonneg.
by field; rewrite gn pn.
Qed.
End WeightedMean.

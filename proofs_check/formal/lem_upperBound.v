(* lem:upperBound: sum_k L_k / p_k sum_k p_k c_k >= (sum_k s_k)^2, s_k^2 = L_k c_k, for all p > 0; equality exactly when p
   is proportional to r_k = sqrt(L_k / c_k), in particular for p = r / max r. Per block: the permutation only names them. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt fact_cauchySchwarz.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section UpperBound.
Variables (R : realFieldType) (B : finType) (L c s p : B -> R).
Hypotheses (c_gt0 : forall k, 0 < c k) (s_root : forall k, s k ^+ 2 = L k * c k) (p_gt0 : forall k, 0 < p k).
Let u k := p k * c k.

Theorem upper_bound : (\sum_k s k) ^+ 2 <= (\sum_k L k / p k) * (\sum_k p k * c k).
Proof.
have u0 k : 0 < u k by apply: mulr_gt0.
have -> : \sum_k L k / p k = \sum_k s k ^+ 2 / u k.
  apply: eq_bigr => k _; rewrite s_root /u; have cn := lt0r_neq0 (c_gt0 k); have pn := lt0r_neq0 (p_gt0 k).
  by field; rewrite cn pn.
exact: titu u0.
Qed.

Theorem upper_bound_met (r : B -> R) m : 0 < m -> (forall k, 0 < r k) -> (forall k, r k ^+ 2 * c k = L k) ->
  (forall k, s k = r k * c k) -> (forall k, p k = r k / m) ->
  (\sum_k L k / p k) * (\sum_k p k * c k) = (\sum_k s k) ^+ 2.
Proof.
move=> m0 r0 rr sr pr; have mn := lt0r_neq0 m0.
have -> : \sum_k L k / p k = m * \sum_k s k.
  rewrite mulr_sumr; apply: eq_bigr => k _; rewrite pr sr -rr; have rn := lt0r_neq0 (r0 k).
  by field; rewrite rn mn.
have -> : \sum_k p k * c k = m^-1 * \sum_k s k.
  by rewrite mulr_sumr; apply: eq_bigr => k _; rewrite pr sr; field.
by field.
Qed.

(* No other p meets it: p_k c_k is proportional to s_k, so p_k to s_k / c_k. *)
Theorem upper_bound_met_only : (\sum_k L k / p k) * (\sum_k p k * c k) = (\sum_k s k) ^+ 2 ->
  forall k, (\sum_k p k * c k) * s k = (\sum_k s k) * (p k * c k).
Proof.
have u0 k : 0 < u k by apply: mulr_gt0.
have -> : \sum_k L k / p k = \sum_k s k ^+ 2 / u k.
  apply: eq_bigr => k _; rewrite s_root /u; have cn := lt0r_neq0 (c_gt0 k); have pn := lt0r_neq0 (p_gt0 k).
  by field; rewrite cn pn.
rewrite -/(\sum_k u k); set S := \sum_k s k; set q := \sum_k _ / _; set v := \sum_k _ * _ => eq k.
have e : \sum_k (v * s k - S * u k) ^+ 2 / u k = 0.
  transitivity (\sum_k (v ^+ 2 * (s k ^+ 2 / u k) + (- (2 * v * S) * s k + S ^+ 2 * u k))).
    by apply: eq_bigr => l _; have un := lt0r_neq0 (u0 l); field.
  rewrite !big_split -!mulr_sumr /= -/S -/q -/v (_ : _ + _ = v * (q * v - S ^+ 2)); last by ring.
  by rewrite eq subrr mulr0.
have t0 l : 0 <= (v * s l - S * u l) ^+ 2 / u l by apply: divr_ge0; [apply: sqr_ge0 | apply: ltW].
have : (v * s k - S * u k) ^+ 2 / u k = 0.
  by apply/eqP; rewrite eq_le t0 andbT -e (bigD1 k) //= ler_addl; apply: sumr_ge0.
by move/eqP; rewrite mulf_eq0 invr_eq0 (gt_eqF (u0 k)) orbF sqrf_eq0 subr_eq0 => /eqP.
Qed.
End UpperBound.

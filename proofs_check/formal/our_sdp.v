(* our:sdp: inf over p > 0 of L_P sum_k p_k c_k equals the minimum of <c, q> over BlockDiag(q_k I) >= L. Every p gives a
   feasible q = L_P p of the same cost; every feasible q gives, for every eps > 0, a p with max p <= 1 whose cost is at
   most <c, q> + eps, and with eps = 0 if q > 0. The feasible q form a convex set. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section SDP.
Variables (R : realFieldType) (I B : finType) (b : I -> B) (L : I -> I -> R) (c : B -> R).
Definition feasible (q : B -> R) := forall x, form L x <= wnormsq (fun i => q (b i)) x.

Theorem sdp_from_p (p : B -> R) t : LP_at_most L (fun i => p (b i)) t ->
  feasible (fun k => t * p k) /\ \sum_k c k * (t * p k) = t * \sum_k p k * c k.
Proof.
move=> bound; split=> [x|]; last by rewrite mulr_sumr; apply: eq_bigr => k _; ring.
apply: le_trans (bound x) _; rewrite /wnormsq mulr_sumr.
by apply: ler_sum => i _; rewrite mulrA.
Qed.

Theorem sdp_from_q (q : B -> R) m : 0 < m -> (forall k, 0 < q k) -> (forall k, q k <= m) -> feasible q ->
  [/\ forall k, 0 < q k / m <= 1, LP_at_most L (fun i => q (b i) / m) m & m * (\sum_k q k / m * c k) = \sum_k c k * q k].
Proof.
move=> m0 q0 qm feas; have mn := lt0r_neq0 m0; split=> [k|x|].
- by rewrite divr_gt0 //= ler_pdivr_mulr // mul1r.
- apply: le_trans (feas x) _; rewrite /wnormsq mulr_sumr; apply: ler_sum => i _.
  by apply: (@ler_by _ 0) => //; field.
by rewrite mulr_sumr; apply: eq_bigr => k _; field.
Qed.

Lemma feasible_shift q d : 0 <= d -> feasible q -> feasible (fun k => q k + d).
Proof.
move=> d0 feas x; apply: le_trans (feas x) _; apply: ler_sum => i _.
by apply: ler_wpmul2r; rewrite ?sqr_ge0 // ler_addl.
Qed.

Theorem sdp_infimum (q : B -> R) eps : (forall k, 0 <= c k) -> (forall k, 0 <= q k) -> feasible q -> 0 < eps ->
  exists p m, [/\ forall k, 0 < p k, LP_at_most L (fun i => p (b i)) m
    & m * (\sum_k p k * c k) <= \sum_k c k * q k + eps].
Proof.
move=> c0 q0 feas e0; pose C := \sum_k c k; have C0 : 0 <= C by apply: sumr_ge0.
have C1 : 0 < C + 1 by rewrite ltr_paddl ?ltr01.
pose d : R := eps / (C + 1); have d0 : 0 < d by rewrite divr_gt0.
exists (fun k => q k + d), 1; split=> [k|x|]; first by rewrite ltr_paddl.
  by rewrite mul1r; apply: feasible_shift => //; apply: ltW.
have -> : \sum_k (q k + d) * c k = \sum_k c k * q k + d * C.
  by rewrite mulr_sumr -big_split; apply: eq_bigr => k _ /=; ring.
rewrite mul1r ler_add2l /d mulrAC ler_pdivr_mulr // ler_pmul2l //.
by rewrite ler_addl ler01.
Qed.

(* Blocks that are not empty have q_k >= L_k >= 0. *)
Theorem feasible_ge0 q : psd L -> (forall k, exists i, b i = k) -> feasible q -> forall k, 0 <= q k.
Proof.
move=> L0 full feas k; case: (full k) => i; apply: (block_constant_ge0 L0) => x; apply: le_trans (feas _) _.
rewrite /normsq mulr_sumr; apply: ler_sum => j _; rewrite /part.
by case: eqP => [->|_] //=; rewrite mulr0n expr0n !mulr0.
Qed.
Lemma feasible_block q k l : feasible q -> (forall u, block_at_most b L k u -> l <= u) -> l <= q k.
Proof.
move=> feas least; apply: least => x; apply: le_trans (feas _) _; rewrite /normsq mulr_sumr.
apply: ler_sum => j _; rewrite /part; by case: eqP => [->|_] //=; rewrite mulr0n expr0n !mulr0.
Qed.

Theorem feasible_convex q r th : 0 <= th <= 1 -> feasible q -> feasible r ->
  feasible (fun k => th * q k + (1 - th) * r k).
Proof.
case/andP=> t0 t1 fq fr x.
have -> : wnormsq (fun i => th * q (b i) + (1 - th) * r (b i)) x
    = th * wnormsq (fun i => q (b i)) x + (1 - th) * wnormsq (fun i => r (b i)) x.
  by rewrite /wnormsq !mulr_sumr -big_split; apply: eq_bigr => i _ /=; ring.
apply: (@ler_by _ (th * (wnormsq (fun i => q (b i)) x - form L x)
  + (1 - th) * (wnormsq (fun i => r (b i)) x - form L x))); last by ring.
by apply: addr_ge0; apply: mulr_ge0; rewrite ?subr_ge0.
Qed.
End SDP.

(* The hypotheses can be met: L = I, p = q = 1 and m = 1. *)
Theorem sdp_instance (R : realFieldType) (B : finType) : let L := diagonal (fun _ : B => 1 : R) in
  [/\ psd L, LP_at_most L (fun=> 1) 1, feasible id L (fun=> 1) & forall k : B, exists i : B, id i = k].
Proof.
move=> L; split=> [x|x|x|k]; rewrite ?form_diagonal ?mul1r //; last by exists k.
by apply: wnormsq_ge0 => i; apply: ler01.
Qed.

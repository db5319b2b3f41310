(* our:overhead: with a fixed cost c0 per step, inf over p with max p = 1 of L_P (c0 + sum_k p_k c_k) is the minimum of
   c0 max_k q_k + <c, q> over BlockDiag(q_k I) >= L, and weak duality: <L, Y> is at most that for Y positive semidefinite with
   tr Y_kk = c_k + s_k, s >= 0, sum_k s_k = c0. Here m stands for max_k q_k. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds our_sdp fact_schurProduct our_duality.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Overhead.
Variables (R : realFieldType) (I B : finType) (b : I -> B) (L : I -> I -> R) (c : B -> R) (c0 : R).

Theorem overhead_from_p (p : B -> R) t : 0 <= t -> (forall k, p k <= 1) -> LP_at_most L (fun i => p (b i)) t ->
  [/\ feasible b L (fun k => t * p k), forall k, t * p k <= t
    & c0 * t + \sum_k c k * (t * p k) = t * (c0 + \sum_k p k * c k)].
Proof.
move=> t0 p1 bound; case: (sdp_from_p c bound) => feas e; split=> // [k|]; first by rewrite ler_pimulr.
by rewrite e; ring.
Qed.

Theorem overhead_from_q (q : B -> R) m : 0 < m -> (forall k, 0 < q k) -> (forall k, q k <= m) -> feasible b L q ->
  [/\ forall k, 0 < q k / m <= 1, LP_at_most L (fun i => q (b i) / m) m
    & m * (c0 + \sum_k q k / m * c k) = c0 * m + \sum_k c k * q k].
Proof.
move=> m0 q0 qm feas; case: (sdp_from_q c m0 q0 qm feas) => p1 bound e; split=> //.
by rewrite mulrDr e; ring.
Qed.

Theorem overhead_duality q m (s : B -> R) Y : feasible b L q -> (forall k, q k <= m) -> (forall k, 0 <= s k) ->
  \sum_k s k = c0 -> dual_feasible b (fun k => c k + s k) Y -> inner L Y <= c0 * m + \sum_k c k * q k.
Proof.
move=> feas qm s0 sc fY; apply: le_trans (weak_duality feas fY) _.
have -> : \sum_k (c k + s k) * q k = \sum_k s k * q k + \sum_k c k * q k.
  by rewrite -big_split; apply: eq_bigr => k _ /=; ring.
rewrite ler_add2r -sc mulr_suml; apply: ler_sum => k _; exact: ler_wpmul2l.
Qed.
End Overhead.

(* The hypotheses can be met: one coordinate, L = 1, p = q = m = 1, costs c_0 = c = s = 1 and Y = 2. *)
Theorem overhead_instance (R : realFieldType) : let L (i j : 'I_1) : R := 1 in
  [/\ LP_at_most L (fun=> 1) 1, feasible id L (fun=> 1), \sum_(k : 'I_1) (1 : R) = 1
    & dual_feasible id (fun _ : 'I_1 => 1 + 1 : R) (fun _ _ : 'I_1 => 2)].
Proof.
move=> L; split=> [x|x||]; rewrite /form /bil /wnormsq ?big_ord1 //.
- by apply: (@ler_by _ 0) => //; rewrite /L; ring.
- by apply: (@ler_by _ 0) => //; rewrite /L; ring.
split=> [//|x|k].
  rewrite /form /bil !big_ord1 /=; move: (x ord0) => a.
  by apply: (@ler_by _ (2 * a ^+ 2)); [nonneg | ring].
by rewrite /block_trace (big_pred1 ord0) // => i; rewrite !ord1.
Qed.

(* our:forcedOrder: with the order of the blocks forced and outcome i at the cost K_i, the expected cost sum_i (p_i - p_{i+1}) K_i is
   sum_i p_i (K_i - K_{i-1}), K_0 = 0, linear in p; with q = L_P p the infimum is the minimum of sum_i q_i (K_i - K_{i-1}) over
   Diag(q) >= L, q_1 >= ... >= q_B. Numbered from 0: K i is the cost of the outcome i, and d i what it costs more than the one before. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_sdp.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section ForcedOrder.
Variables (R : realFieldType) (n : nat) (I : finType) (b : I -> 'I_n) (L : I -> I -> R) (d : nat -> R).
Let K i := \sum_(j < i.+1) d j.

Theorem forced_order_cost (p : nat -> R) : p n = 0 -> \sum_(i < n) (p i - p i.+1) * K i = \sum_(i < n) p i * d i.
Proof.
move=> pn; have e k : \sum_(i < k) (p i - p i.+1) * K i + p k * (\sum_(j < k) d j) = \sum_(i < k) p i * d i.
  elim: k => [|k IH]; first by rewrite !big_ord0 mulr0 addr0.
  have Kk : K k = \sum_(j < k) d j + d k by rewrite /K big_ord_recr.
  have e1 : \sum_(i < k.+1) (p i - p i.+1) * K i = \sum_(i < k) (p i - p i.+1) * K i + (p k - p k.+1) * K k.
    by rewrite big_ord_recr.
  have e2 : \sum_(i < k.+1) p i * d i = \sum_(i < k) p i * d i + p k * d k by rewrite big_ord_recr.
  rewrite e1 e2 -IH -/(K k) Kk; move: (\sum_(i < k) _ * K i) (\sum_(j < k) d j) => x y; ring.
by rewrite -(e n) pn mul0r addr0.
Qed.

Theorem forced_order_from_p (p : 'I_n -> R) t : 0 <= t -> (forall i j : 'I_n, (i <= j)%N -> p j <= p i) ->
  LP_at_most L (fun i => p (b i)) t ->
  [/\ feasible b L (fun k => t * p k), forall i j : 'I_n, (i <= j)%N -> t * p j <= t * p i
    & \sum_(i < n) d i * (t * p i) = t * (\sum_(i < n) p i * d i)].
Proof.
move=> t0 falls bound; case: (sdp_from_p (fun i : 'I_n => d i) bound) => feas e; split=> // i j ij.
by apply: ler_wpmul2l => //; apply: falls.
Qed.

Theorem forced_order_from_q (q : 'I_n -> R) m : 0 < m -> (forall k, 0 < q k) -> (forall k, q k <= m) ->
  (forall i j : 'I_n, (i <= j)%N -> q j <= q i) -> feasible b L q ->
  [/\ forall k, 0 < q k / m <= 1, forall i j : 'I_n, (i <= j)%N -> q j / m <= q i / m,
      LP_at_most L (fun i => q (b i) / m) m & (m * (\sum_(i < n) q i / m * d i) = \sum_(i < n) d i * q i)%R].
Proof.
move=> m0 q0 qm falls feas; case: (sdp_from_q (fun i : 'I_n => d i) m0 q0 qm feas) => p1 bound e; split=> // i j ij.
by rewrite ler_pmul2r ?invr_gt0 //; apply: falls.
Qed.

(* A common amount added to all q keeps the order, and makes them positive: so the infima agree. *)
Theorem forced_order_shift (q : 'I_n -> R) e : 0 <= e -> (forall i j : 'I_n, (i <= j)%N -> q j <= q i) -> feasible b L q ->
  [/\ feasible b L (fun k => q k + e), forall i j : 'I_n, (i <= j)%N -> q j + e <= q i + e
    & \sum_(i < n) d i * (q i + e) = \sum_(i < n) d i * q i + e * \sum_(i < n) d i].
Proof.
move=> e0 falls feas; split=> [|i j ij|]; first exact: feasible_shift.
  by rewrite ler_add2r falls.
by rewrite mulr_sumr -big_split; apply: eq_bigr => i _ /=; ring.
Qed.
End ForcedOrder.

(* The hypotheses can be met: L = I with n blocks of one coordinate, p = q = m = 1. *)
Theorem forced_order_instance (R : realFieldType) (n : nat) : let L := diagonal (fun _ : 'I_n => 1 : R) in
  let one (k : 'I_n) : R := 1 in
  [/\ LP_at_most L (fun i => one (id i)) 1, feasible id L one, forall k, 0 < one k <= 1
    & forall i j : 'I_n, (i <= j)%N -> one j <= one i].
Proof. by move=> L one; split=> [x|x|k|//]; rewrite ?form_diagonal ?mul1r // /one ltr01 lexx. Qed.

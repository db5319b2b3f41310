(* our:twoBounds, nesterov2012:lemma1: for every positive semidefinite M and every partition into blocks,
   lambda_max(M) <= sum_k lambda_max(M_kk). The blocks' norms may be any: if the form of M at the k-th part of x is at
   most l_k N_k, then at x it is at most (sum_k l_k) (sum_k N_k). No square root is taken. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Blocks.
Variables (R : realFieldType) (I B : finType) (b : I -> B).
(* The k-th part of x, with zeros in the other blocks. *)
Definition part k (x : I -> R) : I -> R := fun i => x i *+ (b i == k).
(* lambda_max(M_kk) <= l *)
Definition block_at_most (M : I -> I -> R) k l := forall x, form M (part k x) <= l * normsq (part k x).

Lemma sum_part x i : \sum_k part k x i = x i.
Proof.
rewrite (bigD1 (b i)) //= /part eqxx big1 ?addr0 // => k ne.
by rewrite eq_sym (negbTE ne).
Qed.
Lemma sum_bil_part M x y : \sum_k bil M (part k x) y = bil M x y.
Proof.
rewrite exchange_big; apply: eq_bigr => i _; rewrite exchange_big; apply: eq_bigr => j _.
by rewrite -!mulr_suml sum_part.
Qed.
Lemma sum_bil_part_r M x y : \sum_k bil M y (part k x) = bil M y x.
Proof.
rewrite exchange_big; apply: eq_bigr => i _; rewrite exchange_big; apply: eq_bigr => j _.
by rewrite -!mulr_sumr sum_part.
Qed.
Lemma sum_wnormsq_part (q : B -> R) x : \sum_k q k * normsq (part k x) = wnormsq (fun i => q (b i)) x.
Proof.
under eq_bigr do rewrite mulr_sumr.
rewrite exchange_big; apply: eq_bigr => i _ /=; rewrite (bigD1 (b i)) //= /part eqxx big1 ?addr0 // => k ne.
by rewrite eq_sym (negbTE ne) expr0n mulr0.
Qed.
Lemma sum_normsq_part x : \sum_k normsq (part k x) = normsq x.
Proof.
rewrite -[LHS](_ : \sum_k 1 * normsq (part k x) = _); last by apply: eq_bigr => k _; rewrite mul1r.
by rewrite (sum_wnormsq_part (fun=> 1)); apply: eq_bigr => i _; rewrite mul1r.
Qed.
Lemma part_part k l x : part k (part l x) =1 (if k == l then part l x else fun=> 0).
Proof.
move=> i; rewrite /part; case: (altP (k =P l)) => [->|kl]; first by case: (b i == l).
case: (altP (b i =P k)) => // e; case: (altP (b i =P l)) => // e'; by move: kl; rewrite -e -e' eqxx.
Qed.

(* Cauchy and Schwarz over the blocks with weights a_k > 0: the form at A x_k - a_k x is not negative. *)
Lemma weighted_blocks M (a : B -> R) x : psd M -> (forall k, 0 < a k) ->
  form M x <= (\sum_k a k) * \sum_k form M (part k x) / a k.
Proof.
move=> M0 a0; set A := \sum_k a k; set Q := \sum_k _ / _.
have e : \sum_k form M (fun i => A * part k x i + - a k * x i) / a k = A * (A * Q - form M x).
  transitivity (\sum_k (A ^+ 2 * (form M (part k x) / a k)
      + (- A * (bil M (part k x) x + bil M x (part k x)) + form M x * a k))).
    by apply: eq_bigr => k _; rewrite form_comb; have an := lt0r_neq0 (a0 k); field.
  by rewrite !big_split -!mulr_sumr big_split /= sum_bil_part sum_bil_part_r -/A -/Q -/(form M x); ring.
have n0 : 0 <= A * (A * Q - form M x).
  by rewrite -e; apply: sumr_ge0 => k _; apply: divr_ge0; [apply: M0 | apply: ltW].
case: (ltrP 0 A) => A1; first by rewrite -subr_ge0 -(pmulr_rge0 _ A1).
have none (k : B) : False.
  suff : 0 < A by rewrite ltNge A1.
  by rewrite /A (bigD1 k) //= ltr_paddr //; apply: sumr_ge0 => l _; apply: ltW.
by rewrite [form M x]big1 => [|i _]; [apply: mulr_ge0; apply: sumr_ge0 => k; case: (none k) | case: (none (b i))].
Qed.

Theorem blockwise M (l N : B -> R) x : psd M -> (forall k, 0 <= l k) -> (forall k, 0 <= N k) ->
  (forall k, form M (part k x) <= l k * N k) -> form M x <= (\sum_k l k) * \sum_k N k.
Proof.
move=> M0 l0 N0 bound; set n := \sum_k N k; have n0 : 0 <= n by apply: sumr_ge0.
apply/ler_addgt0Pr => e e0; pose c := #|B|%:R * n.
have c0 : 0 < c + 1 by rewrite ltr_paddl ?ltr01 //; nonneg.
pose d := e / (c + 1); have d0 : 0 < d by rewrite divr_gt0.
have a0 k : 0 < l k + d by rewrite ltr_paddl.
apply: le_trans (weighted_blocks x M0 a0) _; apply: le_trans (_ : (\sum_k (l k + d)) * n <= _).
  apply: ler_wpmul2l; first by apply: sumr_ge0 => k _; apply: ltW.
  apply: ler_sum => k _; rewrite ler_pdivr_mulr // mulrC; apply: le_trans (bound k) _.
  by rewrite ler_wpmul2r // ler_addl ltW.
rewrite big_split sumr_const /= mulrDl ler_add2l -mulr_natr -mulrA -/c.
by rewrite /d mulrAC ler_pdivr_mulr // mulrDr mulr1 ler_addl ltW.
Qed.

(* Of a block that is not empty. *)
Lemma block_constant_ge0 M k l i : psd M -> block_at_most M k l -> b i = k -> 0 <= l.
Proof.
move=> M0 bound bi; pose x : I -> R := fun j => (j == i)%:R.
have := le_trans (M0 (part k x)) (bound x).
suff -> : normsq (part k x) = 1 by rewrite mulr1.
rewrite /normsq (bigD1 i) //= /part /x bi !eqxx expr1n big1 ?addr0 // => j /negbTE->.
by rewrite mul0rn expr0n.
Qed.

Theorem two_bounds_upper M (l : B -> R) : psd M -> (forall k, exists i, b i = k) ->
  (forall k, block_at_most M k (l k)) -> top_at_most M (\sum_k l k).
Proof.
move=> M0 full bound x; rewrite -sum_normsq_part; apply: blockwise => // k; [| exact: normsq_ge0 | exact: bound].
by case: (full k) => i; apply: block_constant_ge0 (bound k).
Qed.
End Blocks.

(* our:backpropagation: where a step pays for its deepest block, c_0 + sum_{k <= deepest} c_k (blocks numbered from the
   output), r_k = P(deepest >= k) takes the place of p_k in the cost. Every sampling has
   L_M (c_0 + sum_k r_k c_k) >= c_0 lambda_max(L) + sum_k c_k max_{j >= k} L_j. Drawing all blocks up to the deepest of S is
   a nested sampling that costs the same and has the probabilities r_k >= p_k, so its L_P is at most that of S: nested
   sampling is the best of all samplings for L_P. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds our_anySampling.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Backpropagation.
Variables (R : realFieldType) (I : finType) (n : nat) (b : I -> 'I_n) (S : sampling R I) (L : I -> I -> R).
Variables (on : S -> 'I_n -> bool) (p l c : 'I_n -> R).
Hypotheses (whole : forall (w : S) i, active w i = on w (b i)) (full : forall k, exists i, b i = k).
Hypothesis (p_is : forall i, marginal S i = p (b i)).

(* Some block at depth k or deeper is drawn. *)
Definition reached (w : S) (k : 'I_n) : bool := [exists j : 'I_n, (k <= j)%N && on w j].
Definition reach k : R := mean (fun w : S => (reached w k)%:R).
(* The cost of a step: every block up to the deepest one. *)
Definition depth_cost c0 (w : S) : R := c0 + \sum_k c k * (reached w k)%:R.

Theorem depth_cost_mean (c0 : R) : mean (depth_cost c0) = c0 + \sum_k reach k * c k.
Proof.
rewrite meanD mean_cst mean_sum; congr (_ + _); apply: eq_bigr => k _; by rewrite meanZ mulrC.
Qed.
Lemma reach_above (k j : 'I_n) : (k <= j)%N -> p j <= reach k.
Proof.
move=> kj; rewrite -(mean_on whole full p_is); apply: mean_le => w; rewrite ler_nat.
case h: (on w j) => //=; rewrite lt0b; apply/existsP; exists j; by rewrite kj.
Qed.
Theorem backpropagation_LM (c0 t m : R) (h : 'I_n -> R) : symmetric L -> psd L -> 0 <= c0 -> (forall k, 0 <= c k) -> 0 <= t ->
  (forall k u, block_at_most b L k u -> l k <= u) -> (forall u, top_at_most L u -> m <= u) ->
  (forall k : 'I_n, exists2 j : 'I_n, (k <= j)%N & h k = l j) -> LM_at_most S L t ->
  c0 * m + \sum_k c k * h k <= t * mean (depth_cost c0).
Proof.
move=> sym L0 c00 cs t0 least leastm deep top; rewrite depth_cost_mean mulrDr; apply: ler_add.
  by rewrite mulrC; apply: ler_wpmul2r => //; apply: leastm; apply: (above_top sym L0 top).
rewrite mulr_sumr; apply: ler_sum => k _; case: (deep k) => j kj ->.
have le : l j <= t * p j by apply: (block_below whole full p_is top); apply: least.
have le' : t * p j <= t * reach k by apply: ler_wpmul2l => //; apply: reach_above.
by apply: (@ler_by _ (c k * ((t * p j - l j) + (t * reach k - t * p j)))); [nonneg | ring].
Qed.

(* All blocks up to the deepest: a nested sampling with the probabilities r_k. *)
Lemma filled_met i : 0 < mean (fun w : S => (reached w (b i))%:R).
Proof.
apply: lt_le_trans (_ : 0 < p (b i)) _; first by rewrite -p_is marginal_gt0.
exact: reach_above.
Qed.
Definition filled : sampling R I := @Sampling R I S (fun w i => reached w (b i)) filled_met.
Theorem filled_nested (w : filled) (k k' : 'I_n) : (k' <= k)%N -> reached w k -> reached w k'.
Proof.
move=> le /existsP[j /andP[kj jw]]; apply/existsP; exists j; by rewrite jw (leq_trans le kj).
Qed.
Theorem filled_marginal i : marginal filled i = reach (b i). Proof. by []. Qed.
Theorem filled_LP t : 0 <= t -> LP_at_most L (marginal S) t -> LP_at_most L (marginal filled) t.
Proof.
move=> t0 bound x; apply: le_trans (bound x) _; apply: ler_wpmul2l => //; apply: ler_sum => i _.
by apply: ler_wpmul2r; rewrite ?sqr_ge0 // p_is filled_marginal; apply: reach_above.
Qed.
(* Both pay for the same blocks: the deepest block of the filled sampling is the deepest of S. *)
Theorem filled_cost (w : S) (k : 'I_n) : [exists j : 'I_n, (k <= j)%N && reached w j] = reached w k.
Proof.
apply/existsP/idP => [[j /andP[kj r]]|r]; first exact: (@filled_nested w j k).
by exists k; rewrite leqnn.
Qed.
End Backpropagation.

(* The hypotheses can be met: every block in every step. *)
Theorem backpropagation_instance (R : realFieldType) (n : nat) : let S := everything R [finType of 'I_n] in
  [/\ forall (w : S) i, active w i = true, forall k : 'I_n, exists i : 'I_n, id i = k & forall i, marginal S i = 1].
Proof. by split=> // [k|i]; [exists k | apply: marginal_everything]. Qed.

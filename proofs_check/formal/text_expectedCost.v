(* text:expectedCost: sum_i (p_i - p_{i+1}) sum_{j <= i} c_{sigma_j} = sum_i p_i c_{sigma_i}, sigma_i the block of rank i; per
   block, sum_k p_{rank of k} c_k. Over T steps it is T times that. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt def_PTsketch.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section ExpectedCost.
Variables (R : realFieldType) (m : nat) (p : probabilities R m).

(* K_i - K_{i-1} summed by parts: for every sequence of costs, the blocks' or measured ones. *)
Theorem abel (c : nat -> R) : \sum_(i < m.+1) (p i - p i.+1) * (\sum_(j < m.+1 | (j <= i)%N) c j) = \sum_(i < m.+1) p i * c i.
Proof.
under eq_bigr => i _ do rewrite big_mkcond mulr_sumr.
rewrite exchange_big; apply: eq_bigr => j _ /=.
have -> : p j = \sum_(i < m.+1) (p i - p i.+1) * (j <= i)%:R by rewrite telescope ?pr_last ?subr0 // ltnW.
by rewrite mulr_suml; apply: eq_bigr => i _; case: (j <= i)%N; rewrite ?mulr1 ?mulr0 ?mul0r.
Qed.

(* sigma as rank -> block. *)
Theorem expected_cost (B : finType) (sigma : 'I_m.+1 -> B) (c : B -> R) :
  mean (fun i : outcomes p => \sum_(j < m.+1 | (j <= i)%N) c (sigma j)) = \sum_(i < m.+1) p i * c (sigma i).
Proof.
have := abel (fun j => c (sigma (inord j))); under [in RHS]eq_bigr do rewrite inord_val; move=> <-.
by rewrite /mean /=; apply: eq_bigr => i _; congr (_ * _); apply: eq_bigr => j _; rewrite inord_val.
Qed.

(* rho as block -> rank: what is paid is the costs of the blocks whose rank is at most i. The two agree for rho the inverse
   of sigma. *)
Theorem expected_cost_per_block (B : finType) (rho : B -> 'I_m.+1) (c : B -> R) :
  mean (fun i : outcomes p => \sum_(k | (rho k <= i)%N) c k) = \sum_k p (rho k) * c k.
Proof.
under eq_mean do rewrite big_mkcond; rewrite mean_sum; apply: eq_bigr => k _.
rewrite -(nested_marginal p rho) mulrC -meanZ; apply: eq_mean => i.
by case: (rho k <= i)%N; rewrite ?mulr1 ?mulr0.
Qed.

Theorem expected_cost_readings (B : finType) (sigma : 'I_m.+1 -> B) rho (c : B -> R) : cancel sigma rho -> cancel rho sigma ->
  \sum_(i < m.+1) p i * c (sigma i) = \sum_k p (rho k) * c k.
Proof.
move=> sr rs; rewrite (reindex rho) /=; first by apply: eq_bigr => k _; rewrite rs.
by exists sigma => i _.
Qed.

Theorem expected_cost_steps T (cost : outcomes p -> R) :
  E T (fun s : seq (outcomes p) => \sum_(w <- s) cost w) = T%:R * mean cost.
Proof.
elim: T => [|T IH]; first by rewrite /= big_nil mul0r.
rewrite E_last (_ : E T _ = E T (fun s => mean cost + \sum_(w <- s) cost w)); last first.
  apply: eq_E => s; under eq_mean do rewrite -cats1 big_cat big_seq1.
  by rewrite /= meanD mean_cst addrC.
by rewrite E_D E_cst IH -{1}[mean cost]mul1r -mulrDl -mulrS.
Qed.
End ExpectedCost.

(* def:PTsketch, text:RPTisSkGD: 1 = p_1 >= ... >= p_B > p_{B+1} = 0, outcome i with probability p_i - p_{i+1} updates the ranks
   1, ..., i. It is a sampling: the probabilities add up to 1, rank j is updated with probability p_j, E[C] = I and
   E[C^2] = P^-1, whatever the ranks of the blocks. Here ranks and outcomes are numbered from 0 and B = m + 1. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Record probabilities (R : realFieldType) (m : nat) := Probabilities {
  pr :> nat -> R;
  pr_first : pr 0%N = 1;
  pr_falls : forall i, pr i.+1 <= pr i;
  pr_gt0 : forall i, (i <= m)%N -> 0 < pr i;
  pr_last : pr m.+1 = 0 }.

Section Nested.
Variables (R : realFieldType) (m : nat) (p : probabilities R m).

(* sum_{j <= i < n} (p_i - p_{i+1}) h = p_j - p_n *)
Lemma telescope (q : nat -> R) n j : (j <= n)%N -> \sum_(i < n) (q i - q i.+1) * (j <= i)%:R = q j - q n.
Proof.
elim: n j => [|n IH] j; first by rewrite leqn0 => /eqP->; rewrite big_ord0 subrr.
rewrite leq_eqVlt => /orP[/eqP->|jn]; rewrite big_ord_recr /=.
  rewrite big1 => [|i _]; first by rewrite ltnn mulr0 subrr addr0.
  by rewrite leqNgt (leq_trans (ltn_ord i)) ?mulr0.
by rewrite IH // -ltnS jn mulr1; ring.
Qed.

Definition chance (i : 'I_m.+1) : R := p i - p i.+1.
Lemma chance_ge0 i : 0 <= chance i. Proof. by rewrite subr_ge0 pr_falls. Qed.
Lemma chance_sum : \sum_i chance i = 1.
Proof.
have := telescope p (leq0n m.+1); rewrite pr_first pr_last subr0 => <-.
by apply: eq_bigr => i _; rewrite mulr1.
Qed.
Definition outcomes : space R := Space chance_ge0 chance_sum.

Variables (I : finType) (rank : I -> 'I_m.+1).
Lemma nested_marginal i : mean (fun w : outcomes => (rank i <= w)%N%:R) = p (rank i).
Proof. by rewrite /mean /= telescope ?pr_last ?subr0 // ltnW. Qed.
Lemma nested_met i : 0 < mean (fun w : outcomes => (rank i <= w)%N%:R).
Proof. by rewrite nested_marginal pr_gt0 // -ltnS. Qed.
Definition nested : sampling R I := @Sampling R I outcomes (fun w i => (rank i <= w)%N) nested_met.

Theorem nested_probabilities i : marginal nested i = p (rank i). Proof. exact: nested_marginal. Qed.
Theorem nested_unbiased i : mean (fun w : nested => sketch w i) = 1. Proof. exact: mean_sketch. Qed.
Theorem nested_square i : mean (fun w : nested => sketch w i ^+ 2) = (p (rank i))^-1.
Proof. by rewrite mean_sketch_sq nested_probabilities. Qed.
(* Both ranks are updated when the later one is. *)
Theorem nested_pair i j : mean (fun w : nested => (active w i)%:R * (active w j)%:R) = p (maxn (rank i) (rank j)).
Proof.
have e (w : nested) : (active w i)%:R * (active w j)%:R = (maxn (rank i) (rank j) <= w)%N%:R :> R.
  by rewrite /= geq_max -natrM mulnb.
by rewrite (eq_mean e) /mean /= telescope ?pr_last ?subr0 // geq_max !(ltnW (ltn_ord _)).
Qed.
End Nested.

(* p = (1, t) for two blocks. *)
Section Two.
Variables (R : realFieldType) (t : R).
Hypothesis t_in : 0 < t <= 1.
Let q (i : nat) : R := nth 0 [:: 1; t] i.
Lemma two_falls i : q i.+1 <= q i.
Proof. by case/andP: t_in => t0 t1; case: i => [|[|[|i]]] //=; apply: ltW. Qed.
Lemma two_gt0 i : (i <= 1)%N -> 0 < q i.
Proof. by case/andP: t_in => t0 _; case: i => [|[|i]] //= _; apply: ltr01. Qed.
Definition two : probabilities R 1 := @Probabilities R 1 q erefl two_falls two_gt0 erefl.
End Two.

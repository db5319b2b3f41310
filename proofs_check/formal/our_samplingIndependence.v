(* our:samplingIndependence: the expected cost is sum_k p_k c_k for every sampling, and L_P is made of the marginals alone:
   two samplings with the same marginals have the same upper bounds of L_P. L_M is not: with p = (1, 1/2, 1/2) and
   L = [[1, 0, 0], [0, 1, 1], [0, 1, 1]] it is 4 for the nested sampling and 2 where blocks 2 and 3 exclude each other. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt def_PTsketch our_freshDraws our_secondMomentConvex.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Independence.
Variables (R : realFieldType) (B : finType).

Theorem cost_of_marginals (S : sampling R B) (c : B -> R) :
  mean (fun w : S => \sum_(k | active w k) c k) = \sum_k marginal S k * c k.
Proof.
under eq_mean do rewrite big_mkcond; rewrite mean_sum; apply: eq_bigr => k _; rewrite mulrC -meanZ.
by apply: eq_mean => w; case: active; rewrite ?mulr1 ?mulr0.
Qed.

Theorem LP_of_marginals (S S' : sampling R B) L t : marginal S =1 marginal S' ->
  LP_at_most L (marginal S) t <-> LP_at_most L (marginal S') t.
Proof.
move=> e; have same x : wnormsq (marginal S) x = wnormsq (marginal S') x by apply: eq_bigr => k _; rewrite e.
by split=> bound x; have := bound x; rewrite same.
Qed.
End Independence.

Section Witness.
Variable R : realFieldType.
Let I := [finType of 'I_3].
(* p = (1, 1/2, 1/2) *)
Let q (i : nat) : R := nth 0 [:: 1; 2^-1; 2^-1] i.
Lemma halves_fall i : q i.+1 <= q i.
Proof.
case: i => [|[|[|i]]]; rewrite /q /= ?lexx //; last by rewrite nth_nil.
  by apply: (@ler_by _ 2^-1); [nonneg | field].
by nonneg.
Qed.
Lemma halves_gt0 i : (i <= 2)%N -> 0 < q i.
Proof. by case: i => [|[|[|i]]] // _; rewrite /q /=; pos. Qed.
Definition halves : probabilities R 2 := @Probabilities R 2 q erefl halves_fall halves_gt0 erefl.
Definition together : sampling R I := nested halves id.
(* Block 1 always, and one of the blocks 2 and 3 by the toss of a coin. *)
Definition chosen (w : bool) (i : 'I_3) : bool := nth false [:: true; w; ~~ w] i.
Lemma chosen_mean (i : 'I_3) : mean (fun w : coin R => (chosen w i)%:R) = q i.
Proof. by rewrite mean_coin /chosen /q; case: i => [[|[|[|i]]] //= H]; field. Qed.
Lemma chosen_met i : 0 < mean (fun w : coin R => (chosen w i)%:R).
Proof. by rewrite chosen_mean; apply: halves_gt0; rewrite -ltnS. Qed.
Definition apart : sampling R I := @Sampling R I (coin R) chosen chosen_met.
Lemma mean_apart (F : apart -> R) : mean F = 2^-1 * F true + 2^-1 * F false. Proof. exact: mean_coin. Qed.
Let L (i j : 'I_3) : R := ((i == ord0) == (j == ord0))%:R.

Lemma together_form x : form (moment together L) x
  = x ord0 ^+ 2 + 2 * (x (lift ord0 ord0) + x (lift ord0 (lift ord0 ord0))) ^+ 2.
Proof.
rewrite (@eq_formA _ _ _ (fun i j => L i j / q (minn i j))) => [|i j]; last exact: nested_moment.
rewrite /form /bil !big_ord_recl !big_ord0 /L /q /=.
by move: (x _) (x _) (x _) => c b a; field.
Qed.
Lemma apart_form x : form (moment apart L) x
  = x ord0 ^+ 2 + 2 * (x (lift ord0 ord0) ^+ 2 + x (lift ord0 (lift ord0 ord0)) ^+ 2).
Proof.
have m i : marginal apart i = q i by apply: chosen_mean.
rewrite form_moment mean_apart /form /bil !big_ord_recl !big_ord0 /sketch !m /L /q /=.
by move: (x _) (x _) (x _) => c b a; field.
Qed.

Theorem LM_depends : [/\ marginal together =1 marginal apart,
  LM_at_most together L 4 /\ (forall t, LM_at_most together L t -> 4 <= t)
  & LM_at_most apart L 2 /\ (forall t, LM_at_most apart L t -> 2 <= t)].
Proof.
split=> [i||]; first by rewrite /marginal [RHS]chosen_mean; apply: nested_probabilities.
  split=> [x|t /(_ (fun i => (i != ord0)%:R))]; rewrite together_form /normsq !big_ord_recl !big_ord0 /=.
    move: (x _) (x _) (x _) => c b a.
    by apply: (@ler_by _ (3 * a ^+ 2 + 2 * (b - c) ^+ 2)); [nonneg | ring].
  rewrite expr0n expr1n => le.
  by apply: (@ler_by _ (2^-1 * (t * (0 + (1 + (1 + 0))) - (0 + 2 * (1 + 1) ^+ 2)))); [nonneg | field].
split=> [x|t /(_ (fun i => (i != ord0)%:R))]; rewrite apart_form /normsq !big_ord_recl !big_ord0 /=.
  move: (x _) (x _) (x _) => c b a.
  by apply: (@ler_by _ (a ^+ 2)); [nonneg | ring].
rewrite expr0n expr1n => le.
by apply: (@ler_by _ (2^-1 * (t * (0 + (1 + (1 + 0))) - (0 + 2 * (1 + 1))))); [nonneg | field].
Qed.
End Witness.

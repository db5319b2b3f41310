(* fact:congruence: if M is positive semidefinite then so is T'MT for every T, square or not; so M <= N implies T'MT <= T'NT. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Congruence.
Variables (R : realFieldType) (I J : finType) (T : I -> J -> R).
Definition congruent (M : I -> I -> R) : J -> J -> R := fun a b => \sum_i \sum_j T i a * M i j * T j b.

Theorem form_congruent M (x : J -> R) : form (congruent M) x = form M (fun i => \sum_a T i a * x a).
Proof.
transitivity (\sum_a \sum_b \sum_i \sum_j (T i a * x a) * M i j * (T j b * x b)).
  apply: eq_bigr => a _; apply: eq_bigr => b _; rewrite mulr_sumr mulr_suml; apply: eq_bigr => i _.
  by rewrite mulr_sumr mulr_suml; apply: eq_bigr => j _; ring.
transitivity (\sum_i \sum_j \sum_a \sum_b (T i a * x a) * M i j * (T j b * x b)); last first.
  apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite mulr_suml mulr_suml; apply: eq_bigr => a _.
  by rewrite mulr_sumr.
under eq_bigr do rewrite exchange_big; rewrite exchange_big; apply: eq_bigr => i _ /=.
under eq_bigr do rewrite exchange_big; rewrite exchange_big; apply: eq_bigr => j _ /=.
by [].
Qed.

Theorem congruent_psd M : psd M -> psd (congruent M).
Proof. by move=> M0 x; rewrite form_congruent. Qed.
Theorem congruent_le M N : (forall x, form M x <= form N x) -> forall x, form (congruent M) x <= form (congruent N) x.
Proof. by move=> le x; rewrite !form_congruent. Qed.
End Congruence.

(* The hypotheses can be met: I is positive semidefinite, and I <= 2I. *)
Theorem congruence_instance (R : realFieldType) (I : finType) : psd (diagonal (fun _ : I => 1 : R))
  /\ forall x : I -> R, form (diagonal (fun=> 1)) x <= form (diagonal (fun=> 2)) x.
Proof.
split=> x; rewrite ?form_diagonal; first by apply: wnormsq_ge0 => i; apply: ler01.
by apply: ler_sum => i _; apply: ler_wpmul2r; rewrite ?sqr_ge0 ?ler1n.
Qed.

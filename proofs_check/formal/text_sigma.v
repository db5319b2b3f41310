(* text:sigma: with sigma a 3-cycle the two readings differ. L = diag(9, 4, 1), p = (1, 1/2, 1/5): L_P is 20 when sigma_k is the
   rank of block k, and 45 when sigma_i is the block of rank i. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Sigma.
Variables (R : realFieldType).
Let d (i : 'I_3) : R := nth 0 [:: 9; 4; 1] i.
Let p (i : 'I_3) : R := nth 0 [:: 1; 2^-1; 5^-1] i.
Let sigma (i : 'I_3) : 'I_3 := nth ord0 [:: inord 1; inord 2; ord0] i.
Let rho (i : 'I_3) : 'I_3 := nth ord0 [:: inord 2; ord0; inord 1] i.

(* t is L_P: an upper bound, and the least one. *)
Definition is_LP (I : finType) (L : I -> I -> R) q t := LP_at_most L q t /\ forall u, LP_at_most L q u -> t <= u.
Lemma is_LP_diagonal (I : finType) (l q : I -> R) k : (forall i, 0 < q i) -> (forall i, l i <= l k / q k * q i) ->
  is_LP (diagonal l) q (l k / q k).
Proof.
move=> q0 le; split=> [x|u /(_ (fun i => (i == k)%:R))]; rewrite form_diagonal.
  by rewrite /wnormsq mulr_sumr; apply: ler_sum => i _; rewrite mulrA; apply: ler_wpmul2r; rewrite ?sqr_ge0.
rewrite /wnormsq (bigD1 k) //= [X in _ <= _ * X -> _](bigD1 k) //= !big1 => [|i /negbTE->|i /negbTE->];
  rewrite ?expr0n ?mulr0 //.
by rewrite eqxx expr1n !mulr1 !addr0 ler_pdivr_mulr.
Qed.
Theorem sigma_readings : cancel sigma rho /\ is_LP (diagonal d) (fun k => p (sigma k)) 20
  /\ is_LP (diagonal d) (fun k => p (rho k)) 45.
Proof.
have p0 i : 0 < p i by case: i => [[|[|[|i]]] //= H]; rewrite /p /=; pos.
split; first by case=> [[|[|[|i]]] H] //; apply: val_inj; rewrite /sigma /rho /= ?inordK //.
split.
  have := @is_LP_diagonal _ d (fun k => p (sigma k)) (inord 1) (fun k => p0 _).
  rewrite (_ : d (inord 1) / p (sigma (inord 1)) = 20); last by rewrite /d /p /sigma /= ?inordK //= ?inordK //=; field.
  apply; case=> [[|[|[|i]]] H] //; rewrite /d /p /sigma /= ?inordK //=.
  - by apply: (@ler_by _ 1); [nonneg | field].
  - by apply: (@ler_by _ 0); [nonneg | field].
  - by apply: (@ler_by _ 19); [nonneg | field].
have := @is_LP_diagonal _ d (fun k => p (rho k)) ord0 (fun k => p0 _).
rewrite (_ : d ord0 / p (rho ord0) = 45); last by rewrite /d /p /rho /= ?inordK //=; field.
apply; case=> [[|[|[|i]]] H] //; rewrite /d /p /rho /= ?inordK //=.
- by apply: (@ler_by _ 0); [nonneg | field].
- by apply: (@ler_by _ 41); [nonneg | field].
- by apply: (@ler_by _ (43 / 2)); [nonneg | field].
Qed.
End Sigma.

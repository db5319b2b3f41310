(* our:nestedLoss: for L = 11' with n blocks of one coordinate and costs 1/n, every nested sampling has
   c_M >= (sum_{j < n} sqrt(2j + 1))^2 / n^2 >= 8n/9, where one block at a time costs 1 (our:anySampling).
   Coordinates are in the order of the sampling, with 1 >= p_0 >= p_1 >= ...; this L and these costs know no order. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt def_PTsketch.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* Cauchy and Schwarz: (sum s_k)^2 <= (sum r_k s_k^2) (sum 1/r_k). *)
Lemma cauchy_weighted (R : realFieldType) (K : finType) (r s : K -> R) : (forall k, 0 < r k) ->
  (\sum_k s k) ^+ 2 <= (\sum_k r k * s k ^+ 2) * (\sum_k (r k)^-1).
Proof.
move=> r0; set a := \sum_k r k * _; set u := \sum_k (r k)^-1; set v := \sum_k s k.
have u0 : 0 <= u by apply: sumr_ge0 => k _; rewrite invr_ge0 ltW.
have : 0 <= \sum_k r k * (u * s k - v / r k) ^+ 2.
  by apply: sumr_ge0 => k _; apply: mulr_ge0; [apply: ltW | apply: sqr_ge0].
have -> : \sum_k r k * (u * s k - v / r k) ^+ 2 = u * (a * u - v ^+ 2).
  transitivity (\sum_k (u ^+ 2 * (r k * s k ^+ 2) + (- 2 * u * v * s k + v ^+ 2 * (r k)^-1))).
    by apply: eq_bigr => k _; have rn := lt0r_neq0 (r0 k); field.
  by rewrite !big_split -!mulr_sumr -/a -/u -/v /=; ring.
case: (ltrP 0 u) => [u1|u1]; first by rewrite pmulr_rge0 // subr_ge0.
move=> _; have uz : u = 0 by apply/eqP; rewrite eq_le u0 u1.
have none (k : K) : False.
  have : (r k)^-1 <= 0.
    rewrite -uz /u (bigD1 k) //= ler_addl; apply: sumr_ge0 => j _; by rewrite invr_ge0 ltW.
  by rewrite leNgt invr_gt0 r0.
by rewrite /v /a !big1 ?expr0n ?mul0r // => k; case: (none k).
Qed.

(* 9 (sum_{j < n} s_j)^2 >= 8 n^3 for s_j = sqrt(2j + 1). *)
Lemma root_sum (R : realFieldType) (s : nat -> R) n : (forall j, 0 <= s j) -> (forall j, s j ^+ 2 = 2 * j%:R + 1) ->
  8 * n%:R ^+ 3 <= 9 * (\sum_(j < n) s j) ^+ 2.
Proof.
move=> s0 sq; elim: n => [|n IH]; first by rewrite big_ord0 !expr0n !mulr0.
rewrite big_ord_recr /=; move: IH; set S := \sum_(j < n) s j; have S0 : 0 <= S by apply: sumr_ge0.
have := sq n; have := s0 n; rewrite -[n.+1]addn1 natrD; set r := s n; set x := n%:R => r0 r2 IH.
have x0 : 0 <= x by apply: ler0n.
have key : 24 * x ^+ 2 + 6 * x - 1 <= 18 * S * r.
  case: (lerP (24 * x ^+ 2 + 6 * x - 1) 0) => [le|gt]; first by apply: le_trans le _; nonneg.
  rewrite -(@ler_pexpn2r _ 2) ?nnegrE //; [|exact: ltW|by nonneg].
  have n1 : 1 <= x.
    rewrite /x ler1n lt0n; apply/eqP => z; move: gt; rewrite /x z expr0n !mulr0 !add0r.
    by rewrite oppr_gt0 ltr10.
  apply: (@ler_by _ (36 * (2 * x + 1) * (9 * S ^+ 2 - 8 * x ^+ 3) + (12 * x * (x - 1) + 24 * (x - 1) + 23))).
    apply: addr_ge0; first by apply: mulr_ge0; [nonneg | rewrite subr_ge0].
    by apply: addr_ge0; [apply: addr_ge0; apply: mulr_ge0 => //; rewrite ?subr_ge0 //; nonneg | nonneg].
  rewrite !exprMn r2; ring.
apply: (@ler_by _ ((9 * S ^+ 2 - 8 * x ^+ 3) + (18 * S * r - (24 * x ^+ 2 + 6 * x - 1)))); first by nonneg.
by rewrite sqrrD r2; ring.
Qed.

Section NestedLoss.
Variables (R : realFieldType) (n : nat) (p : probabilities R n).
Let I := [finType of 'I_n.+1].
Let S : sampling R I := nested p (id : I -> 'I_n.+1).
Let ones : I -> I -> R := fun _ _ => 1.

Lemma nested_moment i j : moment S ones i j = (p (minn i j))^-1.
Proof.
have pi : p i != 0 by apply: lt0r_neq0; apply: pr_gt0; rewrite -ltnS.
have pj : p j != 0 by apply: lt0r_neq0; apply: pr_gt0; rewrite -ltnS.
have e (w : S) : sketch w i * 1 * sketch w j = (p i * p j)^-1 * ((active w i)%:R * (active w j)%:R).
  by rewrite /sketch !nested_probabilities; field; rewrite pi pj.
rewrite /moment (eq_mean e) meanZ nested_pair /=; case: (leqP i j) => _; field; by rewrite pi pj.
Qed.

(* Of the pairs (i, j), 2 (n - k) + 1 have k as the smaller one. *)
Lemma sum_min (r : nat -> R) m : \sum_(i < m) \sum_(j < m) r (minn i j) = \sum_(k < m) r k * (2 * (m - k.+1)%:R + 1).
Proof.
elim: m => [|m IH]; first by rewrite !big_ord0.
rewrite big_ord_recr /=; under eq_bigr do rewrite big_ord_recr /=.
rewrite big_split /= IH [X in _ + X]big_ord_recr /= minnn.
have e1 : \sum_(i < m) r (minn i m) = \sum_(i < m) r i.
  by apply: eq_bigr => i _; congr r; apply/minn_idPl/ltnW.
have e2 : \sum_(j < m) r (minn m j) = \sum_(i < m) r i.
  by apply: eq_bigr => i _; congr r; apply/minn_idPr/ltnW.
rewrite e1 e2 [RHS]big_ord_recr /= subnn mulr0 add0r mulr1.
rewrite addrA; congr (_ + _).
rewrite -!big_split; apply: eq_bigr => k _ /=.
have -> : (m.+1 - k.+1 = (m - k.+1).+1)%N by rewrite subSn.
by rewrite -[(m - k.+1).+1]addn1 natrD; ring.
Qed.

Theorem nested_loss t (s : nat -> R) : LM_at_most S ones t -> (forall j, s j ^+ 2 = 2 * j%:R + 1) ->
  (\sum_(j < n.+1) s j) ^+ 2 / n.+1%:R ^+ 2 <= t * (\sum_(k < n.+1) p k / n.+1%:R).
Proof.
move=> top sq; have N0 : 0 < n.+1%:R :> R by apply: ltr0Sn.
have Nn := lt0r_neq0 N0.
have pk (k : 'I_n.+1) : 0 < (p k)^-1 by rewrite invr_gt0; apply: pr_gt0; rewrite -ltnS.
have cs := cauchy_weighted (fun k : 'I_n.+1 => s (n.+1 - k.+1)%N) pk.
have := top (fun=> 1).
have -> : normsq (fun _ : 'I_n.+1 => 1) = n.+1%:R :> R.
  by rewrite /normsq; under eq_bigr do rewrite expr1n; rewrite sumr_const card_ord.
have -> : form (moment S ones) (fun=> 1) = \sum_(k < n.+1) (p k)^-1 * s (n.+1 - k.+1)%N ^+ 2.
  transitivity (\sum_(i < n.+1) \sum_(j < n.+1) (p (minn i j))^-1).
    by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite nested_moment mul1r mulr1.
  by rewrite (sum_min (fun k => (p k)^-1)); apply: eq_bigr => k _; rewrite sq.
move: cs; under [X in _ <= _ * X -> _]eq_bigr do rewrite invrK.
have -> : \sum_(k < n.+1) s (n.+1 - k.+1)%N = \sum_(j < n.+1) s j.
  by rewrite [RHS](reindex_inj rev_ord_inj).
have -> : \sum_(k < n.+1) p k / n.+1%:R = (\sum_(k < n.+1) p k) / n.+1%:R by rewrite -mulr_suml.
set A := \sum_(k < n.+1) (p k)^-1 * _; set C := \sum_(k < n.+1) p k; set Q := (\sum_(j < n.+1) s j) ^+ 2 => cs le.
move: N0 Nn le; set N := n.+1%:R => N0 Nn le.
have C0 : 0 <= C by apply: sumr_ge0 => k _; apply: ltW; apply: pr_gt0; rewrite -ltnS.
apply: (@ler_by _ (((A * C - Q) + (t * N - A) * C) / N ^+ 2)); last by field.
by apply: divr_ge0; [apply: addr_ge0; [rewrite subr_ge0 | apply: mulr_ge0; rewrite ?subr_ge0] | apply: sqr_ge0].
Qed.

Theorem nested_loss_linear t (s : nat -> R) : LM_at_most S ones t -> (forall j, 0 <= s j) ->
  (forall j, s j ^+ 2 = 2 * j%:R + 1) -> 8 / 9 * n.+1%:R <= t * (\sum_(k < n.+1) p k / n.+1%:R).
Proof.
move=> top s0 sq; apply: le_trans (nested_loss top sq).
have N0 : 0 < n.+1%:R :> R by apply: ltr0Sn.
have := root_sum n.+1 s0 sq; move: N0; set N := n.+1%:R => N0 le; have Nn := lt0r_neq0 N0.
rewrite ler_pdivl_mulr ?exprn_gt0 //.
by apply: (@ler_by _ ((9 * (\sum_(j < n.+1) s j) ^+ 2 - 8 * N ^+ 3) / 9)); [nonneg | field].
Qed.
End NestedLoss.

(* The hypotheses can be met: the roots exist in every real closed field, and one block that is always drawn has L_M = 1. *)
Section Instance.
Variable R : rcfType.
Let q (i : nat) : R := (i == 0)%N%:R.
Lemma one_falls i : q i.+1 <= q i. Proof. by rewrite /q ler_nat; case: i. Qed.
Lemma one_gt0 i : (i <= 0)%N -> 0 < q i. Proof. by rewrite leqn0 /q => /eqP ->; apply: ltr01. Qed.
Definition one_block : probabilities R 0 := @Probabilities R 0 q erefl one_falls one_gt0 erefl.
Theorem nested_loss_instance : (exists s : nat -> R, forall j, 0 <= s j /\ s j ^+ 2 = 2 * j%:R + 1)
  /\ LM_at_most (nested one_block (id : 'I_1 -> 'I_1)) (fun _ _ => 1) 1.
Proof.
split; last by move=> x; rewrite /form /bil /normsq !big_ord1 nested_moment /= /q invr1 mulr1 mul1r -expr2.
exists (fun j => Num.sqrt (2 * j%:R + 1)) => j; split; first exact: sqrtr_ge0.
by rewrite sqr_sqrtr //; nonneg.
Qed.
End Instance.

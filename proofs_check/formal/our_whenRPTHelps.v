(* our:whenRPTHelps (the half that needs no strong duality): if some Y, positive semidefinite with block traces c_k, has its range in the
   eigenspace of t = lambda_max(L), then no feasible q, hence no p, costs less than t: RPT does not help. L = [[2, 1], [1, 2]] with
   equal costs is such a case; with the costs (1/4, 3/4) it is not, and RPT helps. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds our_sdp fact_schurProduct our_duality.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section WhenRPTHelps.
Variables (R : realFieldType) (I B : finType) (b : I -> B) (L Y : I -> I -> R) (c : B -> R) (t : R).

Theorem rpt_does_not_help : \sum_k c k = 1 -> dual_feasible b c Y ->
  (forall j i, times L (fun k => Y k j) i = t * Y i j) -> forall q, feasible b L q -> t <= \sum_k c k * q k.
Proof.
move=> c1 fY range q feas; apply: le_trans (weak_duality feas fY); case: fY => sym _ tr.
have -> : inner L Y = \sum_i t * Y i i.
  by apply: eq_bigr => i _; rewrite -range /times; apply: eq_bigr => j _; rewrite (sym i j).
rewrite -mulr_sumr (partition_big b predT) //= (eq_bigr c) => [|k _]; last exact: tr.
by rewrite c1 mulr1.
Qed.
End WhenRPTHelps.

Section Example.
Variable R : realFieldType.
Let L (i j : bool) : R := if i == j then 2 else 1.
Theorem equal_costs_no_help : forall q, feasible id L q -> 3 <= \sum_k 2^-1 * q k.
Proof.
apply: (@rpt_does_not_help R _ _ id L (fun _ _ => 2^-1) (fun=> 2^-1)); first by rewrite big_bool /=; field.
  split=> [//|x|k]; last by rewrite /block_trace big_mkcond big_bool; case: k => /=; rewrite ?addr0 ?add0r.
  rewrite /form /bil !big_bool /= (_ : _ + _ = 2^-1 * (x true + x false) ^+ 2); first by nonneg.
  by field.
by move=> j i; rewrite /times big_bool /L; case: i => /=; field.
Qed.
Theorem unequal_costs_help : exists q, feasible id L q /\ \sum_(k : bool) (if k then 4^-1 else 3 / 4) * q k < 3.
Proof.
exists (fun k => if k then 4 else 5 / 2); split=> [x|]; rewrite /form /bil /wnormsq !big_bool /L /=.
  by apply: (@ler_by _ (2 * (x true - x false / 2) ^+ 2)); [nonneg | field].
by apply: (@ltr_by _ (8^-1)); [pos | field].
Qed.
End Example.

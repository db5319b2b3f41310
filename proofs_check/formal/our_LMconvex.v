(* our:LMconvex: L_M may not stand for L_P in thm:rcdStronglyConvex: nested sampling with p = (1, 1/16, 1/256), f = |x|^2/200 + <v, x>^2/2,
   v = (16, 4, 1), gamma = 1/360 <= 1/L_M: from x = v the expected distance to the minimiser 0 grows in one step. (The ledger's
   numbers, divided by 10.) *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt def_PTsketch our_secondMomentConvex.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section LMconvex.
Variable R : realFieldType.
Let q (i : nat) : R := nth 0 [:: 1; 16^-1; 256^-1] i.
Lemma q_falls i : q i.+1 <= q i.
Proof.
case: i => [|[|[|i]]]; rewrite /q /=.
- by apply: (@ler_by _ (15 / 16)); [nonneg | field].
- by apply: (@ler_by _ (15 / 256)); [nonneg | field].
- by nonneg.
by rewrite nth_nil.
Qed.
Lemma q_gt0 i : (i <= 2)%N -> 0 < q i.
Proof. by case: i => [|[|[|i]]] // _; rewrite /q /=; pos. Qed.
Definition p3 : probabilities R 2 := @Probabilities R 2 q erefl q_falls q_gt0 erefl.
Definition S3 : sampling R [finType of 'I_3] := nested p3 id.
Let v (i : 'I_3) : R := nth 0 [:: 16; 4; 1] i.
Let H (i j : 'I_3) : R := (100^-1) *+ (i == j) + v i * v j.

Lemma form_H (x : 'I_3 -> R) : form H x = 100^-1 * normsq x + (\sum_i v i * x i) ^+ 2.
Proof. by rewrite /form /bil /normsq !big_ord_recl !big_ord0 /H /v /= ?mulr0n ?mulr1n; field. Qed.

Theorem distance_grows : exists f g L (x : 'I_3 -> R), [/\ smooth f g L, strongly_convex f g (100^-1), minimiser f (fun=> 0),
  LM_at_most S3 L 360 & normsq (sub x (fun=> 0)) < mean (fun w : S3 => normsq (sub (step 360^-1 g w x) (fun=> 0)))].
Proof.
have sym : symmetric H by move=> i j; rewrite /H [j == i]eq_sym mulrC.
have low x : 100^-1 * normsq x <= form H x by rewrite form_H ler_addl sqr_ge0.
exists (quad H), (times H), H, v; split.
- exact: quad_smooth.
- exact: quad_strongly_convex.
- by apply: quad_minimiser => y; apply: le_trans (low y); apply: mulr_ge0; [nonneg | apply: normsq_ge0].
- move=> x; rewrite (@eq_formA _ _ _ (fun i j => H i j / q (minn i j))) => [|i j]; last exact: nested_moment.
  rewrite /form /bil /normsq !big_ord_recl !big_ord0 /H /v /q /= ?mulr0n ?mulr1n.
  move: (x _) (x _) (x _) => c b a.
  apply: (@ler_by _ (100 * (a - 16 / 25 * b - 4 / 25 * c) ^+ 2 + 399 / 100 * a ^+ 2 + 62 * (b - 6 / 5 * c) ^+ 2
    + 4 / 25 * (b + c) ^+ 2 + 18 / 25 * b ^+ 2 + 236 / 25 * c ^+ 2)); last by field.
  by nonneg.
rewrite mean_dist /normsq /dot !big_ord_recl !big_ord0 !nested_probabilities /sub /times !big_ord_recl !big_ord0 /H /v /= /q /= ?mulr0n ?mulr1n.
pose a : R := (273 + 100^-1) / 360.
have a0 : 0 < a by rewrite /a; pos.
have a1 : 546 < 768 * a by rewrite /a; apply: (@ltr_by _ (36 + 158 / 375)); [pos | field].
by apply: (@ltr_by _ (a * (768 * a - 546))); [pos | rewrite /a; field].
Qed.
End LMconvex.

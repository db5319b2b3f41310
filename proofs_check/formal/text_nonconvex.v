(* text:nonconvex: c(P) = L_P sum_k p_k c_k need not be convex in p, even on p_1 = 1: L = diag(3, 3, 1), c = (1/8, 1/8, 3/4), between
   (1, 1, 2/3) and (1, 1/2, 1/6) with c = 9/4 and 15/8, it is 17/8 > 33/16 at the midpoint (1, 3/4, 5/12). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt text_sigma.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Nonconvex.
Variable R : realFieldType.
Let l (i : 'I_3) : R := nth 0 [:: 3; 3; 1] i.
Let c (i : 'I_3) : R := nth 0 [:: 8^-1; 8^-1; 3 / 4] i.
Let p1 (i : 'I_3) : R := nth 0 [:: 1; 1; 2 / 3] i.
Let p2 (i : 'I_3) : R := nth 0 [:: 1; 2^-1; 6^-1] i.
Let pm (i : 'I_3) : R := (p1 i + p2 i) / 2.
Let cost p := \sum_(i < 3) p i * c i.

Ltac three := case=> [[|[|[|?]]] ?] //; rewrite /l /p1 /p2 /pm /p1 /p2 /=.
Theorem not_convex : exists t1 t2 tm, [/\ is_LP (diagonal l) p1 t1, is_LP (diagonal l) p2 t2, is_LP (diagonal l) pm tm
  & (t1 * cost p1 + t2 * cost p2) / 2 < tm * cost pm].
Proof.
exists 3, 6, 4; rewrite /cost !big_ord_recl !big_ord0 /pm /p1 /p2 /c /=; split.
- rewrite (_ : 3 = l ord0 / p1 ord0); last by rewrite /l /p1 /=; field.
  apply: is_LP_diagonal; first by three; pos.
  three; rewrite ?divr1 ?mulr1 //.
  by apply: (@ler_by _ 1); [nonneg | field].
- pose k : 'I_3 := lift ord0 ord0; rewrite (_ : 6 = l k / p2 k); last by rewrite /l /p2 /=; field.
  apply: is_LP_diagonal; first by three; pos.
  three.
  + by apply: (@ler_by _ 3); [nonneg | field].
  + by apply: (@ler_by _ 0); [nonneg | field].
  + by apply: (@ler_by _ 0); [nonneg | field].
- pose k : 'I_3 := lift ord0 ord0; rewrite (_ : 4 = l k / ((p1 k + p2 k) / 2)); last by rewrite /l /p1 /p2 /=; field.
  apply: (@is_LP_diagonal _ _ l (fun i => (p1 i + p2 i) / 2)); first by three; pos.
  three.
  + by apply: (@ler_by _ 1); [nonneg | field].
  + by apply: (@ler_by _ 0); [nonneg | field].
  + by apply: (@ler_by _ (2 / 3)); [nonneg | field].
by apply: (@ltr_by _ (16^-1)); [pos | field].
Qed.
End Nonconvex.

(* text:matrixSmooth, as:stronglyConvex: a quadratic with Hessian H is L-smooth exactly when H <= L; so a concave one is 0-smooth. A function that
   is L-smooth and mu-strongly convex has mu I <= L. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section MatrixSmooth.
Variables (R : realFieldType) (I : finType).
Implicit Types (H L : I -> I -> R) (x : I -> R).
Lemma sub_zero x : sub x (fun=> 0) =1 x. Proof. by move=> i; rewrite /sub subr0. Qed.

Theorem quadratic_smooth H L : symmetric H -> smooth (quad H) (times H) L <-> forall x, form H x <= form L x.
Proof.
move=> sym; split=> [sm x|le x y]; last by rewrite (quad_taylor x y sym) ler_add2l ler_pmul2l ?invr_gt0 ?ltr0n.
have := sm (fun=> 0) x; rewrite (quad_taylor (fun=> 0) x sym) ler_add2l ler_pmul2l ?invr_gt0 ?ltr0n //.
by rewrite !(eq_form _ (sub_zero x)).
Qed.

Theorem concave_is_zero_smooth H : symmetric H -> (forall x, form H x <= 0) -> smooth (quad H) (times H) (fun _ _ => 0).
Proof.
move=> sym concave; apply/quadratic_smooth => // x; apply: le_trans (concave x) _.
by rewrite /form /bil big1 // => i _; rewrite big1 // => j _; rewrite mulr0 mul0r.
Qed.

Theorem mu_below_L (f : (I -> R) -> R) g L mu : smooth f g L -> strongly_convex f g mu ->
  forall x, mu * normsq x <= form L x.
Proof.
move=> sm sc x; have := le_trans (sc (fun=> 0) x) (sm (fun=> 0) x).
rewrite -addrA -[in X in _ <= X]addrA !ler_add2l (eq_form _ (sub_zero x)).
have -> : normsq (sub x (fun=> 0)) = normsq x by apply: eq_bigr => i _; rewrite sub_zero.
by move=> le; apply: (@ler_by _ (2 * (2^-1 * form L x - mu / 2 * normsq x))); [nonneg | field].
Qed.
End MatrixSmooth.

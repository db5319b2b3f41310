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

(* Every concave f is 0-smooth: g is a supergradient. *)
Theorem concave_smooth (f : (I -> R) -> R) g : (forall x y, f y <= f x + dot (g x) (sub y x)) -> smooth f g (fun _ _ => 0).
Proof.
move=> concave x y; apply: le_trans (concave x y) _; rewrite ler_addl mulr_ge0 ?invr_ge0 ?ler0n //.
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

(* The hypotheses can be met: -|x|^2/2 is concave. *)
Theorem matrix_smooth_instance (R : realFieldType) (I : finType) : let H := diagonal (fun _ : I => -1 : R) in
  [/\ symmetric H, forall x, form H x <= 0 & forall x y, quad H y <= quad H x + dot (times H x) (sub y x)].
Proof.
move=> H; have sym : symmetric H by move=> i j; rewrite /H /diagonal [j == i]eq_sym.
have low x : form H x <= 0.
  by rewrite form_diagonal -oppr_ge0 -sumrN; apply: sumr_ge0 => i _; rewrite mulN1r opprK sqr_ge0.
split=> // x y; rewrite (quad_taylor x y sym) ger_addl.
by rewrite pmulr_rle0 ?invr_gt0 ?ltr0n.
Qed.

(* fact:cocoercivity: f convex and L-smooth. With w = g(y) - g(x) = L u, that is u = L^+ w,
   f(y) >= f(x) + <g(x), y - x> + |w|^2_{L^+} / 2, and w is orthogonal to the kernel of L. With L <= t P the last term is
   at least |w|^2_{P^-1} / (2t). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Cocoercivity.
Variables (R : realFieldType) (I : finType) (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R).
Hypotheses (f_smooth : smooth f g L) (f_convex : convex f g).

(* For every v; the best v gives the fact. *)
Lemma cocoercive_along x y v :
  f x + dot (g x) (sub y x) + dot (sub (g y) (g x)) v - 2^-1 * form L v <= f y.
Proof.
pose z : I -> R := fun i => y i - v i.
have up := f_smooth y z; have lo := f_convex x z.
have e1 : form L (sub z y) = form L v.
  by rewrite -[RHS]mul1r -(sqrr_sign _ 1) expr1 -formZ; apply: eq_form => i; rewrite /sub /z; ring.
have e2 : dot (g x) (sub z x) = dot (g x) (sub y x) - dot (g x) v.
  by rewrite /dot -sumrB; apply: eq_bigr => i _; rewrite /sub /z; ring.
have e3 : dot (g y) (sub z y) = - dot (g y) v.
  by rewrite /dot -sumrN; apply: eq_bigr => i _; rewrite /sub /z; ring.
have e4 : dot (sub (g y) (g x)) v = dot (g y) v - dot (g x) v.
  by rewrite /dot -sumrB; apply: eq_bigr => i _; rewrite /sub; ring.
move: up lo; rewrite e1 e2 e3 e4; set a := dot (g x) (sub y x); set b := dot (g x) v; set c := dot (g y) v.
move=> up lo; apply: (@ler_by _ ((f y + - c + 2^-1 * form L v - f z) + (f z - (f x + (a - b))))); [by nonneg | ring].
Qed.

Theorem cocoercive x y u : sub (g y) (g x) =1 times L u ->
  f x + dot (g x) (sub y x) + 2^-1 * form L u <= f y.
Proof.
move=> e; apply: le_trans (cocoercive_along x y u).
have -> : dot (sub (g y) (g x)) u = form L u.
  by rewrite /form -dot_times dotC; apply: eq_bigr => i _; rewrite e.
by apply: (@ler_by _ 0) => //; field.
Qed.

Theorem cocoercive_kernel x y v : form L v = 0 -> dot (sub (g y) (g x)) v = 0.
Proof.
move=> Lv; set d := dot _ _; pose r := f y - (f x + dot (g x) (sub y x)).
have le a : a * d <= r.
  have := cocoercive_along x y (fun i => a * v i); rewrite formZ Lv mulr0 mulr0 subr0.
  have -> : dot (sub (g y) (g x)) (fun i => a * v i) = a * d.
    by rewrite /d /dot mulr_sumr; apply: eq_bigr => i _; rewrite mulrCA.
  by rewrite /r -ler_subr_addl.
apply/eqP/negP => /negP dn; have := le ((r + 1) / d); rewrite divfK // => H.
suff : 1 <= 0 :> R by rewrite ler10.
by apply: (@ler_by _ (r - (r + 1))); [nonneg | ring].
Qed.

Theorem cocoercive_weighted x y (p : I -> R) t : (forall i, 0 < p i) -> 0 < t -> LP_at_most L p t ->
  f x + dot (g x) (sub y x) + (2 * t)^-1 * (\sum_i sub (g y) (g x) i ^+ 2 / p i) <= f y.
Proof.
move=> p0 t0 bound; pose v i := sub (g y) (g x) i / (t * p i).
have tn := lt0r_neq0 t0; set G := \sum_i _.
have e : dot (sub (g y) (g x)) v = t^-1 * G.
  rewrite /dot /G mulr_sumr; apply: eq_bigr => i _; have pn := lt0r_neq0 (p0 i).
  by rewrite /v; field; rewrite tn pn.
have q : t * wnormsq p v = t^-1 * G.
  rewrite /wnormsq /G !mulr_sumr; apply: eq_bigr => i _; have pn := lt0r_neq0 (p0 i).
  by rewrite /v; field; rewrite tn pn.
apply: le_trans (cocoercive_along x y v); have := bound v; rewrite e q; set F := form L v => le.
by apply: (@ler_by _ (2^-1 * (t^-1 * G - F))); [nonneg | field].
Qed.
(* The second inequality is the sum of two of the first. *)
Theorem cocoercive_pair x y u : sub (g y) (g x) =1 times L u -> form L u <= dot (sub (g x) (g y)) (sub x y).
Proof.
move=> e; have one := cocoercive e.
have e' : sub (g x) (g y) =1 times L (fun i => -1 * u i).
  move=> i; rewrite (_ : times L _ i = - times L u i); first by rewrite -e /sub; ring.
  by rewrite /times -sumrN; apply: eq_bigr => j _; ring.
have := cocoercive e'; rewrite formZ.
have -> : dot (sub (g x) (g y)) (sub x y) = - dot (g x) (sub y x) - dot (g y) (sub x y).
  by rewrite /dot -!sumrN -big_split; apply: eq_bigr => i _ /=; rewrite /sub; ring.
move: one; set a := dot (g x) _; set c := dot (g y) _; set F := form L u => one two.
apply: (@ler_by _ ((f y - (f x + a + 2^-1 * F)) + (f x - (f y + c + 2^-1 * ((-1) ^+ 2 * F))))); last by field.
by apply: addr_ge0; rewrite subr_ge0.
Qed.
End Cocoercivity.

(* The hypotheses can be met, for every sampling: f(x) = sum_i p_i x_i^2 / 2, where u = y - x. *)
Theorem cocoercive_instance (R : realFieldType) (I : finType) (S : sampling R I) : exists f g L,
  [/\ smooth f g L, convex f g, LP_at_most L (marginal S) 1
    & forall x y, exists u, sub (g y) (g x) =1 times L u].
Proof.
exists (quad (weights S)), (times (weights S)), (weights S); split.
- exact/quad_smooth/weights_symmetric.
- by apply: quad_convex; [apply: weights_symmetric | apply: weights_psd].
- by have := @weights_bound R I S; rewrite invr1.
move=> x y; exists (sub y x) => i; rewrite /sub /times -sumrB.
by apply: eq_bigr => j _; rewrite mulrBr.
Qed.

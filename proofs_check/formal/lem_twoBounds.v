(* lem:twoBounds: max_k M_k <= M <= sum_k M_k for M positive semidefinite, M_k the largest eigenvalue of the k-th diagonal
   block; the first for every M. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section TwoBounds.
Variables (R : realFieldType) (I B : finType) (b : I -> B).

Theorem two_bounds_lower (M : I -> I -> R) t k : top_at_most M t -> block_at_most b M k t.
Proof. by move=> top x; apply: top. Qed.

Theorem two_bounds (M : I -> I -> R) (l : B -> R) : psd M -> (forall k, exists i, b i = k) ->
  (forall k, block_at_most b M k (l k)) -> top_at_most M (\sum_k l k).
Proof. exact: two_bounds_upper. Qed.
End TwoBounds.

(* [[1, 1], [1, 1]] attains the sum: nothing less will do. *)
Theorem two_bounds_sharp (R : realFieldType) t : t < 2 -> exists (M : bool -> bool -> R),
  [/\ psd M, forall k, block_at_most id M k 1 & ~ top_at_most M t].
Proof.
move=> t2; exists (fun _ _ => 1); split=> [x|k x|].
- by rewrite /form /bil !big_bool /= (_ : _ + _ = (x true + x false) ^+ 2) ?sqr_ge0 //; ring.
- rewrite /form /bil /normsq !big_bool /part; case: k => /=; rewrite ?mulr0n ?mulr1n; apply: (@ler_by _ 0) => //; ring.
move=> /(_ (fun=> 1)); rewrite /form /bil /normsq !big_bool /=; apply/negP; rewrite -ltNge.
by apply: (@ltr_by _ (2 * (2 - t))); [pos | ring].
Qed.

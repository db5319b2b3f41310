(* our:indefinite: for indefinite M the sum of the block constants bounds nothing: [[1, 2], [2, 1]] has 3 > 1 + 1, and
   [[0, 1], [1, 0]] has 1 > 0 + 0. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Theorem two_bounds_needs_psd (R : realFieldType) : exists (M : bool -> bool -> R),
  [/\ symmetric M, forall k, block_at_most id M k 1, ~ top_at_most M (1 + 1) & top_at_most M 3].
Proof.
exists (fun i j => if i == j then 1 else 2); split=> [i j|k x|H|x]; first by rewrite eq_sym.
- rewrite /form /bil /normsq !big_bool /part; case: k => /=; rewrite ?mulr0n ?mulr1n; apply: (@ler_by _ 0) => //; ring.
- have := H (fun=> 1); rewrite /form /bil /normsq !big_bool /=; apply/negP; rewrite -ltNge.
  by apply: (@ltr_by _ 2); [pos | ring].
rewrite /form /bil /normsq !big_bool /=.
by apply: (@ler_by _ (2 * (x true - x false) ^+ 2)); [nonneg | ring].
Qed.

Theorem two_bounds_needs_psd_zero (R : realFieldType) : exists (M : bool -> bool -> R),
  [/\ symmetric M, forall k, block_at_most id M k 0, ~ top_at_most M 0 & top_at_most M 1].
Proof.
exists (fun i j => if i == j then 0 else 1); split=> [i j|k x|H|x]; first by rewrite eq_sym.
- rewrite /form /bil /normsq !big_bool /part; case: k => /=; rewrite ?mulr0n ?mulr1n; apply: (@ler_by _ 0) => //; ring.
- have := H (fun=> 1); rewrite /form /bil /normsq !big_bool /=; apply/negP; rewrite -ltNge.
  by apply: (@ltr_by _ 2); [pos | ring].
rewrite /form /bil /normsq !big_bool /=.
by apply: (@ler_by _ ((x true - x false) ^+ 2)); [nonneg | ring].
Qed.

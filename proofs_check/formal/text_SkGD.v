(* text:SkGD: E[C v] = v for every sampling and every vector v. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Theorem sketch_unbiased (R : realFieldType) (I : finType) (S : sampling R I) (v : I -> R) i :
  mean (fun w : S => sketch w i * v i) = v i.
Proof. by under eq_mean do rewrite mulrC; rewrite meanZ mean_sketch mulr1. Qed.

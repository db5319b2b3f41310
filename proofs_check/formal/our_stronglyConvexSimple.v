(* our:stronglyConvexSimple: the assumptions of our:stronglyConvexSharp, 0 < pm <= p_k for all k, mu > 0:
   E|x+ - xs|^2 <= (1 - 2 s pm / (pm + s)) |x - xs|^2, s = gamma mu, which is at most the paper's 1 - s where s <= pm. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_stronglyConvexSharp.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Simple.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (mu gamma pm : R) (xs : I -> R).
Hypotheses (f_smooth : smooth f g L) (f_convex : strongly_convex f g mu) (f_min : minimiser f xs) (mu_gt0 : 0 < mu).
Hypotheses (gamma_gt0 : 0 < gamma) (bound : LP_at_most L (marginal S) gamma^-1).
Hypotheses (pm_gt0 : 0 < pm) (pm_le : forall i, pm <= marginal S i).
Let s := gamma * mu.

Theorem simple_rate T x0 : E T (fun w : seq S => normsq (sub (iterate gamma g x0 w) xs))
  <= (1 - 2 * s * pm / (pm + s)) ^+ T * normsq (sub x0 xs).
Proof.
have s0 : 0 < s by apply: mulr_gt0.
have ps0 : 0 < pm + s by apply: addr_gt0.
have -> : 1 - 2 * s * pm / (pm + s) = 1 - 2 * s + 2 * s ^+ 2 / (pm + s) by have h := lt0r_neq0 ps0; field.
apply: (sharp_rate f_smooth f_convex f_min gamma_gt0 bound (l := 2)) => [|i|i]; first exact: ler0n.
  rewrite -/s; have p0 := marginal_gt0 S i; apply: (@ltr_by _ (1 + s / marginal S i)); last by ring.
  by apply: addr_gt0; rewrite ?ltr01 // divr_gt0.
rewrite -/s; have p0 := marginal_gt0 S i; have pn := lt0r_neq0 p0; move: p0 pn (pm_le i); set p := marginal S i => p0 pn le.
have q0 : 0 < p + s by apply: addr_gt0.
have qn := lt0r_neq0 q0; have psn := lt0r_neq0 ps0.
apply: (@ler_by _ (2 * s ^+ 2 * (p - pm) / ((pm + s) * (p + s)))); first by nonneg.
by field; rewrite qn psn pn.
Qed.

Theorem simple_better : s <= pm -> 1 - 2 * s * pm / (pm + s) <= 1 - s.
Proof.
move=> sp; have s0 : 0 < s by apply: mulr_gt0.
have ps0 : 0 < pm + s by apply: addr_gt0.
have h := lt0r_neq0 ps0.
by apply: (@ler_by _ (s * (pm - s) / (pm + s))); [nonneg | field].
Qed.
Theorem simple_strictly_better : s < pm -> 1 - 2 * s * pm / (pm + s) < 1 - s.
Proof.
move=> sp; have s0 : 0 < s by apply: mulr_gt0.
have ps0 : 0 < pm + s by apply: addr_gt0.
have h := lt0r_neq0 ps0.
by apply: (@ltr_by _ (s * (pm - s) / (pm + s))); [pos | field].
Qed.
End Simple.

(* our:nonconvexRandomIterate: the assumptions of thm:rcdNonconvex; tau uniform on 0, ..., T and drawn beforehand:
   E|g(x_tau)|^2 <= 2 (f(x_0) - fs) / (gamma (T + 1)). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt lem_key_quantity text_replaceLPbyLM.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Theorem random_iterate (R : realFieldType) (I : finType) (S : sampling R I) (f : (I -> R) -> R) g L gamma fs T x0 :
  smooth f g L -> below f fs -> 0 < gamma -> LP_at_most L (marginal S) gamma^-1 ->
  \sum_(tau < T.+1) T.+1%:R^-1 * E tau (fun s : seq S => normsq (g (iterate gamma g x0 s)))
    <= 2 * (f x0 - fs) / (gamma * T.+1%:R).
Proof.
move=> sm lo g0 /key_quantity_left bound.
rewrite -mulr_sumr mulrC invfM mulrA ler_pmul2r ?invr_gt0 ?ltr0Sn //; exact: gradient_sum.
Qed.

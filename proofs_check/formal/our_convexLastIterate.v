(* our:convexLastIterate: the assumptions of our:convexSharp; no mean is needed:
   E[f(x_T) - f(xs)] <= |x_0 - xs|^2 / (2 gamma (T + 1)), because the expected values fall. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt lem_key_quantity text_replaceLPbyLM fact_jensen our_convexSharp.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section ConvexLastIterate.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (gamma : R) (xs : I -> R).
Hypotheses (f_smooth : smooth f g L) (f_convex : convex f g) (f_min : minimiser f xs).
Hypotheses (gamma_gt0 : 0 < gamma) (bound : LP_at_most L (marginal S) gamma^-1).
Let value x0 t := E t (fun s : seq S => f (iterate gamma g x0 s) - f xs).

Theorem values_fall x0 t : value x0 t.+1 <= value x0 t.
Proof.
rewrite /value E_last; apply: E_le => s; under eq_mean do rewrite /iterate run_last.
have := @descent _ _ S f g L gamma (f xs) f_smooth gamma_gt0 (key_quantity_left bound) (run (step gamma g) x0 s).
by apply: le_trans; rewrite ler_addl; apply: mulr_ge0; [apply: divr_ge0; rewrite ?ler0n // ltW | apply: normsq_ge0].
Qed.

Theorem convex_last_iterate T x0 : value x0 T <= normsq (sub x0 xs) / (2 * gamma * T.+1%:R).
Proof.
have fall t : (t <= T)%N -> value x0 T <= value x0 t.
  elim: T => [|T IH]; first by rewrite leqn0 => /eqP->.
  by rewrite leq_eqVlt => /orP[/eqP->//|tT]; apply: le_trans (values_fall x0 T) (IH tT).
rewrite invfM mulrA ler_pdivl_mulr ?ltr0Sn //; apply: le_trans (convex_sum f_smooth f_convex f_min gamma_gt0 bound T.+1 x0).
rewrite mulr_natr -[X in _ *+ X]card_ord -sumr_const; apply: ler_sum => t _; apply: fall.
by rewrite -ltnS.
Qed.
End ConvexLastIterate.

(* fact:cauchySchwarz: (sum a_i b_i)^2 <= sum a_i^2 sum b_i^2, with equality exactly when a and b are proportional. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section CauchySchwarz.
Variables (R : realFieldType) (I : finType).
Implicit Types a b : I -> R.

Lemma lagrange_identity a b : normsq a * (normsq a * normsq b - dot a b ^+ 2)
  = normsq (fun i => normsq a * b i - dot a b * a i).
Proof.
have e A D : normsq (fun i => A * b i - D * a i) = A ^+ 2 * normsq b + (- (2 * A * D) * dot a b + D ^+ 2 * normsq a).
  by rewrite /normsq /dot !mulr_sumr -!big_split; apply: eq_bigr => i _ /=; ring.
by rewrite e; ring.
Qed.
Lemma normsq_eq0 a : normsq a = 0 -> forall i, a i = 0.
Proof.
move=> z i; apply/eqP; rewrite -sqrf_eq0 eq_le sqr_ge0 andbT -z /normsq (bigD1 i) //= ler_addl.
by apply: sumr_ge0 => j _; apply: sqr_ge0.
Qed.

Theorem cauchy_schwarz a b : dot a b ^+ 2 <= normsq a * normsq b.
Proof.
case: (ltrP 0 (normsq a)) => a0; first by rewrite -subr_ge0 -(pmulr_rge0 _ a0) lagrange_identity normsq_ge0.
have z : normsq a = 0 by apply/eqP; rewrite eq_le a0 normsq_ge0.
by rewrite z mul0r /dot big1 ?expr0n // => i _; rewrite (normsq_eq0 z) mul0r.
Qed.

Theorem cauchy_schwarz_equal a b : dot a b ^+ 2 = normsq a * normsq b <->
  exists s t, (s, t) != (0, 0) /\ forall i, s * a i = t * b i.
Proof.
split=> [eq|[s [t [st ab]]]].
  have := lagrange_identity a b; rewrite eq subrr mulr0 => /esym/normsq_eq0 z.
  case: (altP (normsq a =P 0)) => [/normsq_eq0 a0|an].
    by exists 1, 0; split=> [|i]; rewrite ?xpair_eqE ?oner_eq0 // a0 mulr0 mul0r.
  exists (dot a b), (normsq a); split=> [|i]; first by rewrite xpair_eqE (negbTE an) andbF.
  by have /eqP := z i; rewrite subr_eq0 => /eqP.
have e1 : s * normsq a = t * dot a b.
  by rewrite /normsq /dot !mulr_sumr; apply: eq_bigr => i _; rewrite expr2 mulrA ab; ring.
have e2 : s * dot a b = t * normsq b.
  by rewrite /normsq /dot !mulr_sumr; apply: eq_bigr => i _; rewrite mulrA ab; ring.
move: e1 e2; set A := normsq a; set B := normsq b; set D := dot a b => e1 e2.
have e3 : s * (A * B - D ^+ 2) = 0.
  by rewrite mulrBr mulrA e1 expr2 mulrA e2; ring.
have e4 : t * (A * B - D ^+ 2) = 0.
  by rewrite mulrBr [A * B]mulrC mulrA -e2 expr2 [t * (D * D)]mulrA -e1; ring.
apply/esym/eqP; rewrite -subr_eq0; move: st; rewrite xpair_eqE negb_and => /orP[sn|tn].
  by move/eqP: e3; rewrite mulf_eq0 (negbTE sn).
by move/eqP: e4; rewrite mulf_eq0 (negbTE tn).
Qed.

(* With weights u_i > 0 in place of the b_i^2. *)
Theorem titu a (u : I -> R) : (forall i, 0 < u i) -> (\sum_i a i) ^+ 2 <= (\sum_i a i ^+ 2 / u i) * (\sum_i u i).
Proof.
move=> u0; set s := \sum_i a i; set q := \sum_i _ / _; set v := \sum_i u i.
have e : \sum_i (v * a i - s * u i) ^+ 2 / u i = v * (q * v - s ^+ 2).
  transitivity (\sum_i (v ^+ 2 * (a i ^+ 2 / u i) + (- (2 * v * s) * a i + s ^+ 2 * u i))).
    by apply: eq_bigr => i _; have un := lt0r_neq0 (u0 i); field.
  by rewrite !big_split -!mulr_sumr /= -/s -/q -/v; ring.
have n0 : 0 <= v * (q * v - s ^+ 2).
  by rewrite -e; apply: sumr_ge0 => i _; apply: divr_ge0; [apply: sqr_ge0 | apply: ltW].
case: (ltrP 0 v) => v0; first by rewrite -subr_ge0 -(pmulr_rge0 _ v0).
have none (i : I) : False.
  suff : 0 < v by rewrite ltNge v0.
  by rewrite /v (bigD1 i) //= ltr_paddr //; apply: sumr_ge0 => j _; apply: ltW.
rewrite [s]big1 => [|i]; last by case: (none i).
by rewrite expr0n; apply: mulr_ge0; apply: sumr_ge0 => i; case: (none i).
Qed.
End CauchySchwarz.

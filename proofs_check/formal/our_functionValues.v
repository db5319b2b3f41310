(* our:polyakLojasiewicz: f L-smooth and bounded below by fs with 2 mu (f - fs) <= |g|^2, not convex, 0 < gamma <= 1/L_M, any
   sampling: E[f(x_T) - fs] <= (1 - gamma mu)^T (f(x_0) - fs).
   our:functionValues: f L-smooth and mu-strongly convex with minimiser xs, mu > 0, 0 < gamma <= 1/L_M, any sampling:
   E[f(x_T) - f(xs)] <= (1 - gamma mu)^T (f(x_0) - f(xs)). With one coordinate at a time, p_i = L_ii / sum_j L_jj:
   L_M = sum_j L_jj, the known rate of randomised coordinate descent. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt text_replaceLPbyLM our_freshDraws.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Theorem polyak_lojasiewicz (R : realFieldType) (I : finType) (f : (I -> R) -> R) g L mu fs (S : sampling R I) gamma T x0 :
  smooth f g L -> below f fs -> (forall x, 2 * mu * (f x - fs) <= normsq (g x)) -> 0 < gamma -> LM_at_most S L gamma^-1 ->
  E T (fun s : seq S => f (iterate gamma g x0 s) - fs) <= (1 - gamma * mu) ^+ T * (f x0 - fs).
Proof.
move=> sm low pl g0 bound; apply: (@drift_rate _ _ _ _ (fun x => f x - fs)) => x; first by rewrite subr_ge0.
have := @descent _ _ S f g L gamma fs sm g0 bound x; have := pl x.
set m := mean _; set G := normsq _ => dom de.
by apply: (@ler_by _ (f x - fs - (m + gamma / 2 * G) + gamma / 2 * (G - 2 * mu * (f x - fs)))); [nonneg | field].
Qed.

Section FunctionValues.
Variables (R : realFieldType) (I : finType) (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (mu : R).
Variable xs : I -> R.
Hypotheses (f_smooth : smooth f g L) (f_convex : strongly_convex f g mu) (f_min : minimiser f xs) (mu_gt0 : 0 < mu).

Lemma gradient_dominates x : 2 * mu * (f x - f xs) <= normsq (g x).
Proof.
have mn := lt0r_neq0 mu_gt0; have := f_convex x xs.
have n0 : 0 <= normsq (fun i => g x i + mu * sub xs x i) by apply: normsq_ge0.
have e : normsq (fun i => g x i + mu * sub xs x i)
    = normsq (g x) + (2 * mu * dot (g x) (sub xs x) + mu ^+ 2 * normsq (sub xs x)).
  by rewrite /normsq /dot !mulr_sumr -!big_split; apply: eq_bigr => i _ /=; ring.
move: n0; rewrite e; set G := normsq (g x); set D := dot _ _; set V := normsq _ => n0 c.
apply: (@ler_by _ ((G + (2 * mu * D + mu ^+ 2 * V)) + 2 * mu * (f xs - (f x + D + mu / 2 * V)))); first by nonneg.
by field.
Qed.

Theorem function_values (S : sampling R I) gamma T x0 : 0 < gamma -> LM_at_most S L gamma^-1 ->
  E T (fun s : seq S => f (iterate gamma g x0 s) - f xs) <= (1 - gamma * mu) ^+ T * (f x0 - f xs).
Proof. by move=> g0 bound; apply: polyak_lojasiewicz => //; apply: gradient_dominates. Qed.

(* One coordinate at a time: E[CLC] is diagonal. *)
Theorem single_coordinate_LM (S : sampling R I) c : (forall i, 0 < L i i) -> 0 < c ->
  (forall (w : S) i j, active w i -> active w j -> i = j) -> (forall i, marginal S i = L i i / c) ->
  LM_at_most S L c.
Proof.
move=> Ld c0 single m x; rewrite form_moment mulr_sumr.
have e (w : S) : form L (fun i => sketch w i * x i) = \sum_i L i i * x i ^+ 2 * sketch w i ^+ 2.
  apply: eq_bigr => i _; rewrite (bigD1 i) //= big1 ?addr0 => [|j ji]; first by ring.
  rewrite /sketch; case ai: (active w i); case aj: (active w j); rewrite ?mul0r ?mulr0 ?mul0r //.
  by move: ji; rewrite (single w j i aj ai) eqxx.
rewrite (eq_mean e) mean_sum; apply: ler_sum => i _; rewrite meanZ mean_sketch_sq m.
have Ln := lt0r_neq0 (Ld i); have cn := lt0r_neq0 c0.
by apply: (@ler_by _ 0) => //; field; rewrite Ln cn.
Qed.
End FunctionValues.

(* The hypotheses can be met: f(x) = sum_i p_i x_i^2 / 2 for every sampling and every mu <= p_i; and one of two coordinates
   at a time, each with probability 1/2 = L_ii / 2, for L = I. *)
Theorem function_values_instance (R : realFieldType) (I : finType) (S : sampling R I) mu :
  (forall i, mu <= marginal S i) -> exists f g L xs,
  [/\ smooth f g L, strongly_convex f g mu, minimiser f xs, LM_at_most S L 1^-1
    & forall x, 2 * mu * (f x - f xs) <= normsq (g x)].
Proof.
move=> low; have bound := @weights_bound R I S.
have sc : strongly_convex (quad (weights S)) (times (weights S)) mu.
  by apply: quad_strongly_convex; [apply: weights_symmetric | apply: weights_low].
exists (quad (weights S)), (times (weights S)), (weights S), (fun=> 0); split=> //.
- exact/quad_smooth/weights_symmetric.
- exact/quad_minimiser/weights_psd.
- by move=> x; rewrite form_moment -(mean_wnormsq S x) -meanZ; apply: mean_le => w; apply: bound.
move=> x; have z : quad (weights S) (fun=> 0) = 0.
  by rewrite /quad form_diagonal /wnormsq big1 ?mulr0 // => i _; rewrite expr0n mulr0.
rewrite z subr0 /quad form_diagonal.
have -> : 2 * mu * (2^-1 * wnormsq (marginal S) x) = \sum_i mu * (marginal S i * x i ^+ 2).
  by rewrite -mulr_sumr -/(wnormsq _ _); field.
apply: ler_sum => i _; rewrite (_ : times _ x i = marginal S i * x i); last first.
  rewrite /times (bigD1 i) //= big1 => [|j /negbTE ne]; rewrite /weights /diagonal.
    by rewrite eqxx mulr1n addr0.
  by rewrite eq_sym ne mulr0n mul0r.
have p0 := marginal_ge0 S i; have le := low i; rewrite exprMn; set p := marginal S i in p0 le *.
by apply: (@ler_by _ ((p - mu) * (p * x i ^+ 2))); [nonneg | ring].
Qed.
Lemma either_met (R : realFieldType) (i : bool) : 0 < mean (fun w : coin R => ((w : bool) == i)%:R).
Proof. by rewrite mean_coin; case: i => /=; rewrite ?mulr1 ?mulr0 ?addr0 ?add0r; pos. Qed.
Definition either (R : realFieldType) : sampling R [finType of bool] :=
  @Sampling R _ (coin R) (fun (w : bool) i => w == i) (@either_met R).
Theorem single_coordinate_instance (R : realFieldType) : let L := diagonal (fun _ : bool => 1 : R) in
  [/\ forall i, 0 < L i i, forall (w : either R) i j, active w i -> active w j -> i = j
    & forall i, marginal (either R) i = L i i / 2].
Proof.
move=> L; split=> [i|w i j /eqP <- /eqP <- //|i]; rewrite /L /diagonal eqxx mulr1n ?ltr01 //.
by rewrite /marginal [LHS]mean_coin; case: i => /=; field.
Qed.

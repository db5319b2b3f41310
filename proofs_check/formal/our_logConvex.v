(* our:logConvex: L_P sum_k p_k c_k is convex in log p: at the geometric mean m of p and p' it is at most the arithmetic mean
   of its values there. L positive semidefinite, t and t' the constants L_P at p and p', tm the one at m. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section LogConvex.
Variables (R : realFieldType) (I : finType) (L : I -> I -> R).
Hypotheses (L_sym : symmetric L) (L_psd : psd L).

(* L <= t P says L P^-1 L <= t L. *)
Lemma dual_form (p : I -> R) t : (forall i, 0 < p i) -> 0 < t ->
  LP_at_most L p t <-> forall x, \sum_i times L x i ^+ 2 / p i <= t * form L x.
Proof.
move=> p0 t0; split=> [bound x|bound x].
  pose v i := times L x i / p i; set Q := \sum_i _.
  have vx : bil L v x = Q.
    by rewrite -dot_times; apply: eq_bigr => i _; rewrite /v mulrAC -expr2.
  have vv : wnormsq p v = Q.
    by apply: eq_bigr => i _; have pn := lt0r_neq0 (p0 i); rewrite /v; field.
  have := L_psd (fun i => t * x i + - 1 * v i); rewrite form_comb (bil_sym x v L_sym) vx => ge.
  have := bound v; rewrite vv => le; rewrite -(ler_pmul2l t0); set F := form L x in ge *; set V := form L v in ge le *.
  by apply: (@ler_by _ (t ^+ 2 * F + (t * - 1 * (Q + Q) + (- 1) ^+ 2 * V) + (t * Q - V))); [nonneg | ring].
have s0 : 0 <= \sum_i (times L x i - t * p i * x i) ^+ 2 / p i.
  by apply: sumr_ge0 => i _; apply: divr_ge0; [apply: sqr_ge0 | apply: ltW].
have e : \sum_i (times L x i - t * p i * x i) ^+ 2 / p i
    = \sum_i times L x i ^+ 2 / p i + (- (2 * t) * form L x + t ^+ 2 * wnormsq p x).
  rewrite /form -dot_times /dot /wnormsq !mulr_sumr -!big_split; apply: eq_bigr => i _ /=.
  by have pn := lt0r_neq0 (p0 i); field.
move: s0 (bound x); rewrite e; set Q := \sum_i _; set F := form L x; set W := wnormsq p x => ge le.
rewrite -(ler_pmul2l t0); by apply: (@ler_by _ (Q + (- (2 * t) * F + t ^+ 2 * W) + (t * F - Q))); [nonneg | ring].
Qed.

Variables (p p' m : I -> R) (t t' : R).
Hypotheses (p_gt0 : forall i, 0 < p i) (p'_gt0 : forall i, 0 < p' i) (m_gt0 : forall i, 0 < m i).
Hypotheses (m_mean : forall i, m i ^+ 2 = p i * p' i) (t_gt0 : 0 < t) (t'_gt0 : 0 < t').
Hypotheses (bound : LP_at_most L p t) (bound' : LP_at_most L p' t').

Theorem LP_log_convex a : 0 < a -> LP_at_most L m ((a * t + t' / a) / 2).
Proof.
move=> a0; have an := lt0r_neq0 a0.
apply/dual_form => //; first by apply: divr_gt0; rewrite ?ltr0n // addr_gt0 ?mulr_gt0 ?divr_gt0 ?invr_gt0.
move=> x; have /dual_form/(_ x) le := bound; have /dual_form/(_ x) le' := bound'.
move: (le p_gt0 t_gt0) (le' p'_gt0 t'_gt0) => {}le {}le'.
apply: le_trans (_ : a / 2 * (\sum_i times L x i ^+ 2 / p i) + (2 * a)^-1 * (\sum_i times L x i ^+ 2 / p' i) <= _).
  rewrite !mulr_sumr -big_split; apply: ler_sum => i _ /=.
  have pn := lt0r_neq0 (p_gt0 i); have mn := lt0r_neq0 (m_gt0 i).
  have -> : p' i = m i ^+ 2 / p i by rewrite m_mean mulrAC divff ?mul1r.
  apply: (@ler_by _ (times L x i ^+ 2 * (a * m i - p i) ^+ 2 / (2 * a * p i * m i ^+ 2))).
    apply: divr_ge0; first by apply: mulr_ge0; apply: sqr_ge0.
    by rewrite !mulr_ge0 ?ler0n ?ltW ?exprn_gt0.
  by field; rewrite pn an mn.
set F := form L x in le le' *; move: le le'; set Q := \sum_i _; set Q' := \sum_i _ => le le'.
apply: (@ler_by _ (a / 2 * (t * F - Q) + (2 * a)^-1 * (t' * F - Q'))); last by field.
by apply: addr_ge0; apply: mulr_ge0; rewrite ?subr_ge0 // ?invr_ge0 ?divr_ge0 ?mulr_ge0 ?ler0n ?ltW.
Qed.
End LogConvex.

Theorem cost_log_convex (R : realFieldType) (I B : finType) (b : I -> B) (L : I -> I -> R) (p p' m c : B -> R) t t' tm :
  symmetric L -> psd L -> (forall k, 0 < p k) -> (forall k, 0 < p' k) -> (forall k, 0 < m k) ->
  (forall k, m k ^+ 2 = p k * p' k) -> (forall k, 0 <= c k) -> 0 < t -> 0 < t' ->
  LP_at_most L (fun i => p (b i)) t -> LP_at_most L (fun i => p' (b i)) t' ->
  (forall u, LP_at_most L (fun i => m (b i)) u -> tm <= u) ->
  tm * (\sum_k m k * c k) <= (t * (\sum_k p k * c k) + t' * (\sum_k p' k * c k)) / 2.
Proof.
move=> sym L0 p0 p'0 m0 mm c0 t0 t'0 bd bd' least.
have -> : (t * (\sum_k p k * c k) + t' * (\sum_k p' k * c k)) / 2 = \sum_k (t * p k + t' * p' k) / 2 * c k.
  by rewrite !mulr_sumr -big_split mulr_suml; apply: eq_bigr => k _ /=; ring.
rewrite mulr_sumr; apply: ler_sum => k _; rewrite mulrA; apply: ler_wpmul2r => //.
have pn := lt0r_neq0 (p0 k); have mn := lt0r_neq0 (m0 k); have p'n := lt0r_neq0 (p'0 k).
have a0 : 0 < p k / m k by apply: divr_gt0.
have := least _ (@LP_log_convex _ _ L sym L0 (fun i => p (b i)) (fun i => p' (b i)) (fun i => m (b i)) t t'
  (fun i => p0 _) (fun i => p'0 _) (fun i => m0 _) (fun i => mm _) t0 t'0 bd bd' _ a0).
rewrite -(ler_pmul2r (m0 k)) => le; apply: le_trans le _.
have -> : p' k = m k ^+ 2 / p k by rewrite mm mulrAC divff ?mul1r.
by apply: (@ler_by _ 0) => //; field; rewrite pn mn.
Qed.

(* Not so in p itself: L = diag(3, 3, 1), c = (1/8, 1/8, 3/4), between (1, 1, 2/3) and (1, 1/2, 1/6): see text_nonconvex.v. *)

(* The hypotheses can be met: L = I and p = p' = m = 1. *)
Theorem log_convex_instance (R : realFieldType) (I : finType) : let L := diagonal (fun _ : I => 1 : R) in
  [/\ symmetric L, psd L, LP_at_most L (fun=> 1) 1 & (1 : R) ^+ 2 = 1 * 1].
Proof.
move=> L; split=> [i j|x|x|]; rewrite ?form_diagonal ?mul1r ?expr1n //.
  by rewrite /L /diagonal [j == i]eq_sym.
by apply: wnormsq_ge0 => i; apply: ler01.
Qed.

(* lem:upperBound: sum_k L_k / p_k sum_k p_k c_k >= (sum_k s_k)^2, s_k^2 = L_k c_k, for all p > 0; equality exactly when p
   is proportional to r_k = sqrt(L_k / c_k). With sigma an order of the blocks that sorts r in descending order (there
   always is one), the p of the statement, p_i = r_{sigma_i} / max_k r_k, is admissible: 1 = p_1 >= ... >= p_B > 0, and it
   is the only admissible p that meets the bound. Ranks are numbered from 0 and B = m + 1. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt fact_cauchySchwarz def_PTsketch.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section UpperBound.
Variables (R : realFieldType) (B : finType) (L c s p : B -> R).
Hypotheses (c_gt0 : forall k, 0 < c k) (s_root : forall k, s k ^+ 2 = L k * c k) (p_gt0 : forall k, 0 < p k).
Let u k := p k * c k.

Theorem upper_bound : (\sum_k s k) ^+ 2 <= (\sum_k L k / p k) * (\sum_k p k * c k).
Proof.
have u0 k : 0 < u k by apply: mulr_gt0.
have -> : \sum_k L k / p k = \sum_k s k ^+ 2 / u k.
  apply: eq_bigr => k _; rewrite s_root /u; have cn := lt0r_neq0 (c_gt0 k); have pn := lt0r_neq0 (p_gt0 k).
  by field; rewrite cn pn.
exact: titu u0.
Qed.

Theorem upper_bound_met (r : B -> R) m : 0 < m -> (forall k, 0 < r k) -> (forall k, r k ^+ 2 * c k = L k) ->
  (forall k, s k = r k * c k) -> (forall k, p k = r k / m) ->
  (\sum_k L k / p k) * (\sum_k p k * c k) = (\sum_k s k) ^+ 2.
Proof.
move=> m0 r0 rr sr pr; have mn := lt0r_neq0 m0.
have -> : \sum_k L k / p k = m * \sum_k s k.
  rewrite mulr_sumr; apply: eq_bigr => k _; rewrite pr sr -rr; have rn := lt0r_neq0 (r0 k).
  by field; rewrite rn mn.
have -> : \sum_k p k * c k = m^-1 * \sum_k s k.
  by rewrite mulr_sumr; apply: eq_bigr => k _; rewrite pr sr; field.
by field.
Qed.

(* No other p meets it: p_k c_k is proportional to s_k, so p_k to s_k / c_k. *)
Theorem upper_bound_met_only : (\sum_k L k / p k) * (\sum_k p k * c k) = (\sum_k s k) ^+ 2 ->
  forall k, (\sum_k p k * c k) * s k = (\sum_k s k) * (p k * c k).
Proof.
have u0 k : 0 < u k by apply: mulr_gt0.
have -> : \sum_k L k / p k = \sum_k s k ^+ 2 / u k.
  apply: eq_bigr => k _; rewrite s_root /u; have cn := lt0r_neq0 (c_gt0 k); have pn := lt0r_neq0 (p_gt0 k).
  by field; rewrite cn pn.
rewrite -/(\sum_k u k); set S := \sum_k s k; set q := \sum_k _ / _; set v := \sum_k _ * _ => eq k.
have e : \sum_k (v * s k - S * u k) ^+ 2 / u k = 0.
  transitivity (\sum_k (v ^+ 2 * (s k ^+ 2 / u k) + (- (2 * v * S) * s k + S ^+ 2 * u k))).
    by apply: eq_bigr => l _; have un := lt0r_neq0 (u0 l); field.
  rewrite !big_split -!mulr_sumr /= -/S -/q -/v (_ : _ + _ = v * (q * v - S ^+ 2)); last by ring.
  by rewrite eq subrr mulr0.
have t0 l : 0 <= (v * s l - S * u l) ^+ 2 / u l by apply: divr_ge0; [apply: sqr_ge0 | apply: ltW].
have : (v * s k - S * u k) ^+ 2 / u k = 0.
  by apply/eqP; rewrite eq_le t0 andbT -e (bigD1 k) //= ler_addl; apply: sumr_ge0.
by move/eqP; rewrite mulf_eq0 invr_eq0 (gt_eqF (u0 k)) orbF sqrf_eq0 subr_eq0 => /eqP.
Qed.
End UpperBound.

Section Sorted.
Variables (R : realFieldType) (B : finType) (m : nat) (L c r : B -> R) (sigma : 'I_m.+1 -> B) (rho : B -> 'I_m.+1).
Hypotheses (c_gt0 : forall k, 0 < c k) (r_gt0 : forall k, 0 < r k) (r_root : forall k, r k ^+ 2 * c k = L k).
(* sigma_i is the block of rank i, rho its inverse; r falls along sigma. *)
Hypotheses (sigmaK : cancel sigma rho) (rhoK : cancel rho sigma).
Hypothesis r_falls : forall i j : 'I_m.+1, (i <= j)%N -> r (sigma j) <= r (sigma i).

(* The first block of the order has the largest r. *)
Theorem first_is_largest k : r k <= r (sigma ord0).
Proof. by rewrite -{1}[k]rhoK; apply: r_falls. Qed.

(* p as a sequence that falls to 0, as def:PTsketch asks for. *)
Let q (i : nat) : R := if (i <= m)%N then r (sigma (inord i)) / r (sigma ord0) else 0.
Let first_gt0 : 0 < r (sigma ord0) := r_gt0 _.
Lemma q_rank (i : 'I_m.+1) : q i = r (sigma i) / r (sigma ord0).
Proof. by rewrite /q -ltnS ltn_ord inord_val. Qed.
Lemma q_first : q 0%N = 1.
Proof. by have := q_rank ord0; rewrite divff ?lt0r_neq0. Qed.
Lemma q_falls i : q i.+1 <= q i.
Proof.
rewrite /q; case: (leqP i.+1 m) => im; last by case: ifP => _ //; apply: divr_ge0; apply: ltW.
rewrite (ltnW im) ler_pdivr_mulr // divfK ?lt0r_neq0 //.
by apply: r_falls; rewrite !inordK // ltnS // ltnW.
Qed.
Lemma q_gt0 i : (i <= m)%N -> 0 < q i.
Proof. by rewrite /q => ->; apply: divr_gt0. Qed.
Lemma q_last : q m.+1 = 0. Proof. by rewrite /q ltnn. Qed.
Definition best : probabilities R m := Probabilities q_first q_falls q_gt0 q_last.

(* The bound for admissible probabilities, along the order. *)
Lemma product_by_rank (p : probabilities R m) :
  (\sum_(i < m.+1) L (sigma i) / p i) * (\sum_(i < m.+1) p i * c (sigma i))
    = (\sum_k L k / p (rho k)) * (\sum_k p (rho k) * c k).
Proof.
have onto : {on [pred k : B | true], bijective sigma} by exists rho => k _; [apply: sigmaK | apply: rhoK].
by congr (_ * _); rewrite [RHS](reindex sigma) //; apply: eq_bigr => i _; rewrite sigmaK.
Qed.
Lemma rank_gt0 (p : probabilities R m) k : 0 < p (rho k).
Proof. by apply: pr_gt0; rewrite -ltnS. Qed.
Lemma s_root k : (r k * c k) ^+ 2 = L k * c k.
Proof. by rewrite -r_root; ring. Qed.

Theorem upper_bound_admissible (p : probabilities R m) :
  (\sum_k r k * c k) ^+ 2 <= (\sum_(i < m.+1) L (sigma i) / p i) * (\sum_(i < m.+1) p i * c (sigma i)).
Proof. by rewrite product_by_rank; apply: upper_bound => // k; [apply: s_root | apply: rank_gt0]. Qed.

Theorem upper_bound_minimizer :
  (forall i : 'I_m.+1, best i = r (sigma i) / r (sigma ord0))
  /\ (\sum_(i < m.+1) L (sigma i) / best i) * (\sum_(i < m.+1) best i * c (sigma i)) = (\sum_k r k * c k) ^+ 2.
Proof.
split=> [i|]; first exact: q_rank.
rewrite product_by_rank; apply: (upper_bound_met first_gt0 r_gt0 r_root) => // k.
by rewrite [LHS]q_rank rhoK.
Qed.

Theorem upper_bound_minimizer_unique (p : probabilities R m) :
  (\sum_(i < m.+1) L (sigma i) / p i) * (\sum_(i < m.+1) p i * c (sigma i)) = (\sum_k r k * c k) ^+ 2 ->
  forall i : 'I_m.+1, p i = best i.
Proof.
rewrite product_by_rank => met i; have only := upper_bound_met_only c_gt0 s_root (rank_gt0 p) met.
set C := \sum_k p (rho k) * c k in only; set T := \sum_k r k * c k in only.
have prop k : C * r k = T * p (rho k).
  by apply: (mulIf (lt0r_neq0 (c_gt0 k))); rewrite -!mulrA; apply: only.
have T0 : 0 < T.
  rewrite /T (bigD1 (sigma ord0)) //= ltr_paddr ?mulr_gt0 //; apply: sumr_ge0 => k _.
  by apply: mulr_ge0; apply: ltW.
have := prop (sigma i); have := prop (sigma ord0); rewrite !sigmaK [p ord0]pr_first mulr1 => <- e.
rewrite [RHS]q_rank; apply: (mulfI (lt0r_neq0 (mulr_gt0 (_ : 0 < C) first_gt0))).
  by rewrite -(pmulr_lgt0 _ first_gt0) (prop (sigma ord0)) sigmaK [p ord0]pr_first mulr1.
by rewrite -e; have n := lt0r_neq0 first_gt0; field.
Qed.
End Sorted.

(* There always is an order that sorts r. *)
Theorem sorting_exists (R : realFieldType) (B : finType) (m : nat) (r : B -> R) : #|B| = m.+1 ->
  exists (sigma : 'I_m.+1 -> B) (rho : B -> 'I_m.+1),
  [/\ cancel sigma rho, cancel rho sigma & forall i j : 'I_m.+1, (i <= j)%N -> r (sigma j) <= r (sigma i)].
Proof.
move=> card; pose above (k l : B) := r l <= r k.
have total_above : total above by move=> k l; apply: le_total.
have trans_above : transitive above by move=> k l n kl ln; apply: le_trans ln kl.
pose order := sort above (enum B).
have size_order : size order = m.+1 by rewrite size_sort -cardE.
have all_in k : k \in order by rewrite mem_sort mem_enum.
have no_twice : uniq order by rewrite sort_uniq enum_uniq.
case: (pickP (@predT B)) => [k0 _ | none]; last by move: card; rewrite (eq_card0 none).
pose sigma (i : 'I_m.+1) := nth k0 order i; pose rho k : 'I_m.+1 := inord (index k order).
have place k : (index k order < m.+1)%N by rewrite -size_order index_mem.
exists sigma, rho; split=> [i|k|i j ij].
- by rewrite /rho /sigma index_uniq ?size_order // inord_val.
- by rewrite /sigma /rho inordK // nth_index.
have sorted_order := sort_sorted total_above (enum B).
by apply: (sorted_leq_nth trans_above _ k0 sorted_order) => //; rewrite ?inE ?size_order // => k; apply: lexx.
Qed.

(* The hypotheses can be met: two blocks with r = (2, 1) and costs 1. *)
Theorem upper_bound_instance (R : realFieldType) : let r (k : 'I_2) : R := if k == ord0 then 2 else 1 in
  [/\ forall k : 'I_2, 0 < (1 : R), forall k, 0 < r k, forall k, r k ^+ 2 * 1 = r k ^+ 2,
      cancel (id : 'I_2 -> 'I_2) id & forall i j : 'I_2, (i <= j)%N -> r j <= r i].
Proof.
move=> r; split=> [k|k|k|//|i j ij]; rewrite ?ltr01 ?mulr1 //; first by rewrite /r; case: eqP => _; rewrite ?ltr01 ?ltr0n.
rewrite /r; case: eqP => [j0|_]; last by case: eqP => _ //; rewrite ler1n.
by case: eqP => // i0; case: i0; apply: val_inj; move: ij; rewrite j0 leqn0 => /eqP.
Qed.

(* our:duality (weak half, and optimality of a pair without gap): for BlockDiag(q_k I) >= L and Y positive semidefinite with
   tr Y_kk = c_k, <L, Y> <= <c, q>; where they are equal, q is the best and so is Y. That some pair is equal needs a
   limit and is not shown here. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds our_sdp fact_schurProduct.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Duality.
Variables (R : realFieldType) (I B : finType) (b : I -> B) (L : I -> I -> R).
Definition inner (A Y : I -> I -> R) := \sum_i \sum_j A i j * Y i j.
Definition block_trace (Y : I -> I -> R) k := \sum_(i | b i == k) Y i i.
Definition dual_feasible (c : B -> R) Y := [/\ symmetric Y, psd Y & forall k, block_trace Y k = c k].

Lemma inner_diagonal (q : B -> R) Y : inner (diagonal (fun i => q (b i))) Y = \sum_k block_trace Y k * q k.
Proof.
transitivity (\sum_i Y i i * q (b i)).
  apply: eq_bigr => i _; rewrite (bigD1 i) //= big1 => [|j /negbTE ne]; rewrite /diagonal ?eqxx ?mulr1n ?addr0 1?mulrC //.
  by rewrite [i == j]eq_sym ne mulr0n mulr0.
rewrite (partition_big b predT) //=; apply: eq_bigr => k _; rewrite mulr_suml.
by apply: eq_bigr => i /eqP->.
Qed.

Theorem weak_duality c q Y : feasible b L q -> dual_feasible c Y -> inner L Y <= \sum_k c k * q k.
Proof.
move=> feas [sym Y0 tr]; pose A i j := diagonal (fun i => q (b i)) i j - L i j.
have A0 : psd A.
  move=> x; rewrite (_ : form A x = form (diagonal (fun i => q (b i))) x - form L x) ?subr_ge0.
    by rewrite form_diagonal; apply: feas.
  rewrite /form /bil -sumrB; apply: eq_bigr => i _; rewrite -sumrB; apply: eq_bigr => j _; rewrite /A; ring.
have := inner_psd A0 sym Y0; rewrite -/(inner A Y) (_ : inner A Y = \sum_k c k * q k - inner L Y) ?subr_ge0 //.
rewrite -(eq_bigr _ (fun k _ => congr1 (fun t => t * q k) (tr k))) -inner_diagonal /inner -sumrB.
by apply: eq_bigr => i _; rewrite -sumrB; apply: eq_bigr => j _; rewrite /A; ring.
Qed.

Theorem no_gap_is_optimal c q Y : feasible b L q -> dual_feasible c Y -> inner L Y = \sum_k c k * q k ->
  (forall q', feasible b L q' -> \sum_k c k * q k <= \sum_k c k * q' k)
  /\ (forall Y', dual_feasible c Y' -> inner L Y' <= inner L Y).
Proof.
move=> fq fY e; split=> [q' fq'|Y' fY']; first by rewrite -e; apply: weak_duality.
by rewrite e; apply: weak_duality.
Qed.
End Duality.

(* L = [[2, 1], [1, 2]], c = (1/2, 1/2), q = (3, 3), Y = [[1/2, 1/2], [1/2, 1/2]]: both are 3. *)
Theorem duality_instance (R : realFieldType) : exists (L Y : bool -> bool -> R) (c q : bool -> R),
  [/\ feasible id L q, dual_feasible id c Y & inner L Y = \sum_k c k * q k].
Proof.
exists (fun i j => if i == j then 2 else 1), (fun _ _ => 2^-1), (fun=> 2^-1), (fun=> 3); split.
- move=> x; rewrite /form /bil /wnormsq !big_bool /=.
  by apply: (@ler_by _ ((x true - x false) ^+ 2)); [nonneg | ring].
- split=> [i j|x|k] //.
    rewrite /form /bil !big_bool /= (_ : _ + _ = 2^-1 * (x true + x false) ^+ 2); first by nonneg.
    by field.
  by rewrite /block_trace big_mkcond big_bool; case: k => /=; rewrite ?addr0 ?add0r.
by rewrite /inner !big_bool /=; field.
Qed.

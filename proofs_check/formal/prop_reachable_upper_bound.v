(* prop:reachable_upper_bound: two blocks, M_1 and M_2 positive definite with eigenvalues m_1 and m_2 at the unit vectors u and v,
   0 < eps < m_2: M = [[M_1, C'], [C, M_2]] with C = sqrt(m_1 (m_2 - eps)) v u' is positive definite, and
   lambda_max(M) >= m_1 + m_2 - eps. Blocks of any sizes; rho_1 and rho_2 are the roots of m_1 and m_2 - eps. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds our_tightness.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Reachable.
Variables (R : realFieldType) (I1 I2 : finType) (M1 : I1 -> I1 -> R) (M2 : I2 -> I2 -> R) (u : I1 -> R) (v : I2 -> R).
Variables (m1 m2 eps rho1 rho2 : R).
Hypotheses (M1_sym : symmetric M1) (M2_sym : symmetric M2).
Hypotheses (M1_pd : forall x, 0 <= form M1 x /\ (form M1 x = 0 -> forall i, x i = 0)).
Hypotheses (M2_pd : forall x, 0 <= form M2 x /\ (form M2 x = 0 -> forall i, x i = 0)).
Hypotheses (u_unit : normsq u = 1) (v_unit : normsq v = 1).
Hypotheses (u_eigen : forall i, times M1 u i = m1 * u i) (v_eigen : forall i, times M2 v i = m2 * v i).
Hypotheses (eps_gt0 : 0 < eps) (eps_lt : eps < m2) (rho1_root : rho1 ^+ 2 = m1) (rho2_root : rho2 ^+ 2 = m2 - eps).
Let I := (I1 + I2)%type.
Definition reachable (i j : I) : R := match i, j with
  | inl i, inl j => M1 i j | inr i, inr j => M2 i j
  | inl i, inr j => rho1 * rho2 * (u i * v j) | inr i, inl j => rho1 * rho2 * (v i * u j) end.

Let b (i : [finType of I]) : bool := if i is inl _ then true else false.
Let A (i j : [finType of I]) : R := match i, j with inl i, inl j => M1 i j | inr i, inr j => M2 i j | _, _ => 0 end.
Let w (i : [finType of I]) : R := match i with inl i => u i | inr i => v i end.
Let m (k : bool) := if k then m1 else m2.
Let r (k : bool) := if k then rho1 else rho2.

Lemma big_two (F : I -> R) : \sum_(i : I) F i = \sum_i F (inl i) + \sum_i F (inr i).
Proof. exact: big_sumType. Qed.
Lemma form_two x : form A x = form M1 (fun i => x (inl i)) + form M2 (fun i => x (inr i)).
Proof.
rewrite /form /bil big_two; congr (_ + _); apply: eq_bigr => i _; rewrite big_two /A.
  by rewrite [X in _ + X]big1 ?addr0 // => j _; rewrite mulr0 mul0r.
by rewrite big1 ?add0r // => j _; rewrite mulr0 mul0r.
Qed.
Lemma part_unit k : normsq (part b k w) = 1.
Proof.
rewrite /normsq big_two /part; case: k => /=.
  by rewrite [X in _ + X]big1 ?addr0 -1?u_unit => [|i _] //; rewrite mulr0n expr0n.
by rewrite big1 ?add0r -1?v_unit => [|i _] //; rewrite mulr0n expr0n.
Qed.
Lemma two_eigen i : times A w i = m (b i) * w i.
Proof.
rewrite /times big_two; case: i => i /=.
  by rewrite [X in _ + X]big1 ?addr0 -1?u_eigen => [|j _] //; rewrite mul0r.
by rewrite big1 ?add0r -1?v_eigen => [|j _] //; rewrite mul0r.
Qed.
Lemma reachable_aligned i j : reachable i j = aligned b A w r i j.
Proof. by case: i j => [i|i] [j|j]; rewrite /aligned /A /w /r /b /= ?mulr0n ?mulr1n; ring. Qed.

Let A_sym : symmetric A. Proof. by case=> i [j|j] //=; rewrite ?(M1_sym i) ?(M2_sym i). Qed.
Let A_psd : psd A.
Proof. by move=> x; rewrite form_two; apply: addr_ge0; [case: (M1_pd (fun i => x (inl i))) | case: (M2_pd (fun i => x (inr i)))]. Qed.
Let A_blocks i j : b i != b j -> A i j = 0. Proof. by case: i j => [i|i] [j|j]. Qed.
Let r_le k : r k ^+ 2 <= m k.
Proof. by case: k; rewrite /r /m ?rho1_root // rho2_root ler_subl_addr ler_addl ltW. Qed.

Theorem reachable_definite : 0 < m1 -> forall x, form reachable x = 0 -> forall i, x i = 0.
Proof.
move=> m0 x; rewrite (eq_formA _ reachable_aligned).
apply: (aligned_definite A_sym A_psd A_blocks part_unit two_eigen r_le (k0 := true)).
- move=> y /eqP; rewrite form_two paddr_eq0 ?(proj1 (M1_pd _)) ?(proj1 (M2_pd _)) //.
  case/andP=> /eqP z1 /eqP z2 [i|i].
    by case: (M1_pd (fun i => y (inl i))) => _ /(_ z1 i).
  by case: (M2_pd (fun i => y (inr i))) => _ /(_ z2 i).
- by case=> // _; rewrite /r /m rho2_root ltr_subl_addr ltr_addl.
- by rewrite /r -sqrf_eq0 rho1_root gt_eqF.
Qed.

Theorem reachable_psd : psd reachable.
Proof. by move=> x; rewrite (eq_formA _ reachable_aligned); apply: (aligned_psd A_sym A_psd A_blocks part_unit two_eigen r_le). Qed.

Theorem reachable_top t : 0 < m1 -> top_at_most reachable t -> m1 + m2 - eps <= t.
Proof.
move=> m0 top; have s : \sum_k r k ^+ 2 / 1 = m1 + m2 - eps.
  by rewrite big_bool /r rho1_root rho2_root !divr1 /= addrA.
rewrite -s; apply: (aligned_LP A_sym A_psd A_blocks part_unit two_eigen r_le (p := fun=> 1)) => [k||x]; first exact: ltr01.
  by rewrite s -addrA addr_gt0 // subr_gt0.
rewrite -(eq_formA _ reachable_aligned); apply: le_trans (top x) _; rewrite /wnormsq.
by under [X in _ <= _ * X]eq_bigr do rewrite mul1r.
Qed.
End Reachable.

(* The hypotheses can be met: two blocks of one coordinate, M_1 = (1), M_2 = (2), eps = 1 and both roots 1. *)
Theorem reachable_instance (R : realFieldType) : let M (a : R) := diagonal (fun _ : 'I_1 => a) in
  [/\ forall a, symmetric (M a), forall a x, 0 < a -> 0 <= form (M a) x /\ (form (M a) x = 0 -> forall i, x i = 0),
      normsq (fun _ : 'I_1 => 1 : R) = 1, forall a i, times (M a) (fun=> 1) i = a * 1
    & [/\ 0 < (1 : R), (1 : R) < 2, (1 : R) ^+ 2 = 1 & (1 : R) ^+ 2 = 2 - 1]].
Proof.
move=> M; split=> [a i j|a x a0||a i|].
- by rewrite /M /diagonal !ord1.
- rewrite form_diagonal /wnormsq big_ord1; split=> [|/eqP]; first by rewrite mulr_ge0 ?sqr_ge0 // ltW.
  by rewrite mulf_eq0 (gt_eqF a0) /= sqrf_eq0 => /eqP z i; rewrite ord1.
- by rewrite /normsq big_ord1 expr1n.
- by rewrite /times big_ord1 /M /diagonal ord1 eqxx mulr1n.
by split; rewrite ?ltr01 ?ltr1n ?expr1n //; ring.
Qed.

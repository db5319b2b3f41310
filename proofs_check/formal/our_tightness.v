(* our:tightness, text:blocksExtension: A block-diagonal and positive semidefinite, u_k a unit eigenvector of its k-th block
   with eigenvalue m_k (on top where A <= m_k there, which is not used), a_k = m_k - eps_k = r_k^2, w = (r_k u_k)_k: the matrix M
   with the diagonal blocks of A and w w' elsewhere is positive semidefinite, lambda_max(M) >= sum_k a_k, and
   lambda_max(P^-1/2 M P^-1/2) >= sum_k a_k / p_k for all p. It is definite if A is and at most one eps_k is zero. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds fact_cauchySchwarz.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Tightness.
Variables (R : realFieldType) (I B : finType) (b : I -> B) (A : I -> I -> R) (u : I -> R) (m r : B -> R).
Hypotheses (A_sym : symmetric A) (A_psd : psd A) (A_blocks : forall i j, b i != b j -> A i j = 0).
Hypotheses (u_unit : forall k, normsq (part b k u) = 1) (u_eigen : forall i, times A u i = m (b i) * u i).
Hypothesis a_le_m : forall k, r k ^+ 2 <= m k.
Let a k := r k ^+ 2.
Let w i := r (b i) * u i.
Definition aligned i j := A i j + (w i * w j) *+ (b i != b j).

Theorem aligned_blocks i j : b i = b j -> aligned i j = A i j.
Proof. by move=> e; rewrite /aligned e eqxx mulr0n addr0. Qed.

(* The share of u_k in x. *)
Let sh k (x : I -> R) := dot u (part b k x).
(* The form of A at block k without that share. *)
Let rest k x i := 1 * part b k x i + - sh k x * part b k u i.

Lemma form_blocks x : form A x = \sum_k form A (part b k x).
Proof.
rewrite /form -[LHS](sum_bil_part b); apply: eq_bigr => k _; apply: eq_bigr => i _; apply: eq_bigr => j _.
rewrite /part; case: (altP (b i =P k)) => [e|_]; last by rewrite mulr0n !mul0r.
case: (altP (b j =P k)) => [e'|ne]; first by rewrite mulr1n.
by rewrite A_blocks ?mulr0 ?mul0r // e eq_sym.
Qed.
Lemma times_part_u k i : times A (part b k u) i = m k * part b k u i.
Proof.
case: (altP (b i =P k)) => [e|ne].
  rewrite {2}/part e eqxx mulr1n; have := u_eigen i; rewrite e => <-; apply: eq_bigr => j _; rewrite /part.
  case: (altP (b j =P k)) => [_|ne]; first by rewrite mulr1n.
  by rewrite A_blocks ?mul0r // e eq_sym.
rewrite {2}/part (negbTE ne) mulr0n mulr0 /times big1 // => j _; rewrite /part.
case: (altP (b j =P k)) => [e|_]; last by rewrite mulr0n mulr0.
by rewrite A_blocks ?mul0r // e.
Qed.
Lemma form_split k x : form A (part b k x) = m k * sh k x ^+ 2 + form A (rest k x).
Proof.
have xu : bil A (part b k x) (part b k u) = m k * sh k x.
  rewrite -dot_times /sh /dot mulr_sumr; apply: eq_bigr => i _; rewrite times_part_u /part.
  by case: (b i == k) => /=; rewrite ?mulr1n ?mulr0n; ring.
have uu : form A (part b k u) = m k.
  rewrite /form -dot_times /dot -[RHS]mulr1 -(u_unit k) /normsq mulr_sumr; apply: eq_bigr => i _.
  by rewrite times_part_u; ring.
by rewrite /rest form_comb (bil_sym (part b k u) _ A_sym) xu uu; ring.
Qed.
Lemma form_aligned x : form aligned x = \sum_k ((m k - a k) * sh k x ^+ 2 + form A (rest k x)) + dot w x ^+ 2.
Proof.
have -> : form aligned x = form A x + (dot w x ^+ 2 - \sum_k (r k * sh k x) ^+ 2).
  have sq (v : I -> R) : dot w v ^+ 2 = \sum_i \sum_j v i * (w i * w j) * v j.
    rewrite expr2 {1}/dot mulr_suml; apply: eq_bigr => i _; rewrite /dot mulr_sumr; apply: eq_bigr => j _; ring.
  have sh_w k : r k * sh k x = dot w (part b k x).
    rewrite /sh /dot mulr_sumr; apply: eq_bigr => i _; rewrite /w /part.
    by case: eqP => [->|_] /=; rewrite ?mulr1n ?mulr0n; ring.
  have -> : \sum_k (r k * sh k x) ^+ 2 = \sum_i \sum_j (x i * (w i * w j) * x j) *+ (b i == b j).
    under eq_bigr do rewrite sh_w sq; rewrite exchange_big; apply: eq_bigr => i _; rewrite exchange_big.
    apply: eq_bigr => j _; rewrite (bigD1 (b i)) //= big1 => [|k ne]; last first.
      by rewrite /part eq_sym (negbTE ne) mulr0n !mul0r.
    by rewrite /part eqxx mulr1n addr0 [b j == b i]eq_sym mulrnAr.
  rewrite sq /form /bil -sumrB -big_split; apply: eq_bigr => i _ /=.
  rewrite -sumrB -big_split; apply: eq_bigr => j _ /=; rewrite /aligned.
  by case: (b i == b j) => /=; rewrite ?mulr1n ?mulr0n; ring.
rewrite form_blocks (eq_bigr _ (fun k _ => form_split k x)).
rewrite addrCA addrC; congr (_ + _); rewrite -sumrB; apply: eq_bigr => k _; rewrite /a; ring.
Qed.
Lemma gap_ge0 k : 0 <= m k - a k. Proof. by rewrite subr_ge0; apply: a_le_m. Qed.
Lemma term_ge0 k x : 0 <= (m k - a k) * sh k x ^+ 2 + form A (rest k x).
Proof. by apply: addr_ge0; [apply: mulr_ge0; rewrite ?sqr_ge0 ?gap_ge0 | apply: A_psd]. Qed.

Theorem aligned_psd : psd aligned.
Proof.
by move=> x; rewrite form_aligned; apply: addr_ge0; rewrite ?sqr_ge0 //; apply: sumr_ge0 => k _; apply: term_ge0.
Qed.

Lemma normsq_w (q : B -> R) : \sum_i q (b i) * w i ^+ 2 = \sum_k q k * a k.
Proof.
have := sum_wnormsq_part b (fun k => q k * a k) u; under eq_bigr do rewrite u_unit mulr1; move=> ->.
by apply: eq_bigr => i _; rewrite /w /a; ring.
Qed.

(* L_P >= sum_k a_k / p_k: no less is an upper bound. p = 1 is lambda_max(M). *)
Theorem aligned_LP (p : B -> R) t : (forall k, 0 < p k) -> 0 < \sum_k a k / p k ->
  LP_at_most aligned (fun i => p (b i)) t -> \sum_k a k / p k <= t.
Proof.
move=> p0 s0 bound; pose x i := w i / p (b i); set s := \sum_k _ in s0 *.
have pn i := lt0r_neq0 (p0 (b i)).
have dw : dot w x = s.
  rewrite /s; under [RHS]eq_bigr do rewrite mulrC; rewrite -normsq_w; apply: eq_bigr => i _.
  by rewrite /x; have := pn i => h; field.
have nx : wnormsq (fun i => p (b i)) x = s.
  rewrite /s; under [RHS]eq_bigr do rewrite mulrC; rewrite -normsq_w; apply: eq_bigr => i _.
  by rewrite /x; have := pn i => h; field.
rewrite -(ler_pmul2r s0); apply: le_trans (_ : form aligned x <= _); last by have := bound x; rewrite nx.
rewrite form_aligned dw expr2 ler_addr; apply: sumr_ge0 => k _; exact: term_ge0.
Qed.

Theorem aligned_definite k0 : (forall x, form A x = 0 -> forall i, x i = 0) -> (forall k, k != k0 -> r k ^+ 2 < m k) ->
  r k0 != 0 -> forall x, form aligned x = 0 -> forall i, x i = 0.
Proof.
move=> definite lt rn x; rewrite form_aligned => z.
have T0 : 0 <= \sum_k ((m k - a k) * sh k x ^+ 2 + form A (rest k x)) by apply: sumr_ge0 => k _; apply: term_ge0.
have /eqP := z; rewrite paddr_eq0 ?sqr_ge0 // => /andP[/eqP Tz]; rewrite sqrf_eq0 => /eqP wz.
have tz k : (m k - a k) * sh k x ^+ 2 + form A (rest k x) = 0.
  apply/eqP; rewrite eq_le term_ge0 andbT -Tz (bigD1 k) //= ler_addl.
  by apply: sumr_ge0 => j _; apply: term_ge0.
have part_x k i : part b k x i = sh k x * part b k u i.
  have /eqP := tz k; rewrite paddr_eq0 //; last by apply: mulr_ge0; rewrite ?sqr_ge0 ?gap_ge0.
  by case/andP=> _ /eqP/definite/(_ i); rewrite /rest mul1r mulNr => /eqP; rewrite subr_eq0 => /eqP.
have sz k : k != k0 -> sh k x = 0.
  move=> ne; have /eqP := tz k; rewrite paddr_eq0 //; last by apply: mulr_ge0; rewrite ?sqr_ge0 ?gap_ge0.
  by case/andP; rewrite mulf_eq0 sqrf_eq0 subr_eq0 gt_eqF ?lt //= => /eqP.
have s0 : sh k0 x = 0.
  apply/eqP; have : dot w x = r k0 * sh k0 x.
    rewrite /dot (eq_bigr (fun i => w i * \sum_k part b k x i)) => [|i _]; last by rewrite sum_part.
    rewrite (eq_bigr (fun i => r k0 * (u i * part b k0 x i))) => [|i _]; first by rewrite -mulr_sumr.
    rewrite (bigD1 k0) //= big1 => [|k ne]; last by rewrite part_x sz ?mul0r.
    by rewrite addr0 /w /part; case: eqP => [->|_] /=; rewrite ?mulr1n ?mulr0n; ring.
  by rewrite wz => /esym/eqP; rewrite mulf_eq0 (negbTE rn).
move=> i; rewrite -(sum_part b x i) big1 // => k _; rewrite part_x.
by case: (altP (k =P k0)) => [->|ne]; rewrite ?s0 ?sz ?mul0r.
Qed.
End Tightness.

(* The hypotheses can be met: blocks of one coordinate, A = 4 I, u = 1, and r = 2 at one block, 1 at the others. *)
Theorem aligned_instance (R : realFieldType) (B : finType) (k0 : B) : let A := diagonal (fun _ : B => 4 : R) in
  let r (k : B) : R := if k == k0 then 2 else 1 in
  [/\ [/\ symmetric A, psd A & forall x, form A x = 0 -> forall i, x i = 0],
      forall i j : B, id i != id j -> A i j = 0, forall k, normsq (part id k (fun _ : B => 1 : R)) = 1,
      forall i, times A (fun=> 1) i = 4 * 1
    & [/\ forall k, r k ^+ 2 <= 4, forall k, k != k0 -> r k ^+ 2 < 4 & r k0 != 0]].
Proof.
move=> A r; have four : (2 : R) ^+ 2 = 4 by rewrite -natrX.
have formA x : form A x = 4 * normsq x by rewrite form_diagonal mulr_sumr.
split.
- split=> [i j|x|x]; [by rewrite /A /diagonal [j == i]eq_sym | by rewrite formA mulr_ge0 ?ler0n ?normsq_ge0 |].
  rewrite formA => /eqP; rewrite mulf_eq0 pnatr_eq0 /= => /eqP z i; apply/eqP; rewrite -sqrf_eq0 eq_le sqr_ge0 andbT.
  by rewrite -z /normsq (bigD1 i) //= ler_addl; apply: sumr_ge0 => j _; apply: sqr_ge0.
- by move=> i j /negbTE ne; rewrite /A /diagonal ne.
- move=> k; rewrite /normsq (bigD1 k) //= big1 => [|i /negbTE ne]; rewrite /part /= ?eqxx ?ne ?expr0n //.
  by rewrite mulr1n expr1n addr0.
- move=> i; rewrite /times (bigD1 i) //= big1 => [|j /negbTE ne]; rewrite /A /diagonal.
    by rewrite eqxx mulr1n addr0.
  by rewrite eq_sym ne mulr0n mul0r.
split=> [k|k /negbTE ne|]; rewrite /r ?eqxx ?pnatr_eq0 ?ne ?expr1n ?ltr1n //.
by case: eqP => _; rewrite ?four // expr1n ler1n.
Qed.

(* our:closedFormFactor: c(P_closed) <= (1 + sqrt(B))/2 c*, attained. P_closed is proportional to r_k = sqrt(L_k / c_k), t is
   its L_P, taken at the vector y, and beta = sqrt(B); c* is the least <c, q> over BlockDiag(q_k I) >= L (our:sdp).
   Attained by a diagonal L: there L_P is exactly 1 + beta, an upper bound and the least one, and c* is sum_k s_k^2.
   That a vector attains L_P is a hypothesis; over the real numbers there always is one. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds our_sdp.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section ClosedFormFactor.
Variables (R : realFieldType) (I B : finType) (b : I -> B) (L : I -> I -> R) (l c r : B -> R) (t beta : R) (y : I -> R).
Hypotheses (L_psd : psd L) (L_sym : symmetric L) (c_gt0 : forall k, 0 < c k).
Hypotheses (l_bound : forall k, block_at_most b L k (l k)).
Hypotheses (l_least : forall k u, block_at_most b L k u -> l k <= u).
Hypotheses (r_gt0 : forall k, 0 < r k) (r_root : forall k, r k ^+ 2 * c k = l k).
Let N := wnormsq (fun i => r (b i)) y.
Hypotheses (t_bound : LP_at_most L (fun i => r (b i)) t) (y_top : form L y = t * N) (y_neq0 : 0 < N) (t_gt0 : 0 < t).
Hypotheses (beta_root : beta ^+ 2 = #|B|%:R) (beta_ge1 : 1 <= beta).
Let s k := r k * c k.
Let h k := t / N * normsq (part b k y) / c k.

(* Ly = t Py, because tP - L >= 0 vanishes at y. *)
Lemma top_vector x : bil L x y = t * \sum_i r (b i) * x i * y i.
Proof.
pose A i j := diagonal (fun i => t * r (b i)) i j - L i j.
have Ab u v : bil A u v = t * (\sum_i r (b i) * u i * v i) - bil L u v.
  rewrite mulr_sumr /bil -sumrB; apply: eq_bigr => i _.
  have -> : t * (r (b i) * u i * v i) = \sum_j u i * diagonal (fun i => t * r (b i)) i j * v j.
    rewrite (bigD1 i) //= big1 => [|j /negbTE ne]; rewrite /diagonal ?eqxx ?mulr1n ?addr0; first by ring.
    by rewrite eq_sym ne mulr0n mulr0 mul0r.
  by rewrite -sumrB; apply: eq_bigr => j _; rewrite /A; ring.
have Af v : form A v = t * wnormsq (fun i => r (b i)) v - form L v.
  by rewrite /form Ab; congr (t * _ - _); apply: eq_bigr => i _; ring.
have As : symmetric A.
  by move=> i j; rewrite /A (L_sym i j) /diagonal [j == i]eq_sym; case: eqP => [->|].
have A0 : psd A by move=> v; rewrite Af subr_ge0.
have Ay : form A y = 0 by rewrite Af y_top -/N subrr.
suff : bil A x y = 0 by rewrite Ab => /eqP; rewrite subr_eq0 => /eqP.
apply/eqP/negP => /negP n; set d := bil A x y in n; pose a := - (form A x + 1) / (2 * d).
have := A0 (fun i => 1 * x i + a * y i); rewrite form_comb Ay -(bil_sym x y As) -/d.
rewrite (_ : _ + _ = -1); first by rewrite oppr_ge0 ler10.
by rewrite /a; field; rewrite n.
Qed.

Lemma s_le_t k : s k <= t.
Proof.
have rk := r_gt0 k; rewrite -(ler_pmul2l rk); apply: le_trans (_ : l k <= _).
  by rewrite -r_root /s; apply: (@ler_by _ 0) => //; ring.
apply: l_least => x; apply: le_trans (t_bound _) _; rewrite /wnormsq /normsq !mulr_sumr; apply: ler_sum => i _.
rewrite /part; case: eqP => [->|_] //=; last by rewrite mulr0n expr0n !mulr0.
by apply: (@ler_by _ 0) => //; ring.
Qed.

Lemma h_ge0 k : 0 <= h k.
Proof.
rewrite /h; apply: divr_ge0; last exact: ltW.
by apply: mulr_ge0; [apply: divr_ge0; apply: ltW | apply: normsq_ge0].
Qed.
Lemma h_le1 k : h k <= 1.
Proof.
rewrite /h ler_pdivr_mulr // mul1r mulrAC ler_pdivr_mulr //; set v := part b k y; set n := normsq v.
have n0 : 0 <= n by apply: normsq_ge0.
case: (ltrP 0 n) => n1; last by rewrite (_ : n = 0) ?mulr0 ?mulr_ge0 ?ltW //; apply/eqP; rewrite eq_le n1.
have vy : bil L v y = t * (r k * n).
  rewrite top_vector; congr (t * _); rewrite /n /normsq mulr_sumr; apply: eq_bigr => i _; rewrite /v /part.
  by case: eqP => [->|_] /=; rewrite ?mulr1n ?mulr0n; ring.
have key : (t * (r k * n)) ^+ 2 <= t * N * form L v.
  have := L_psd (fun i => (t * N) * v i + - (t * (r k * n)) * y i); rewrite form_comb -(bil_sym v y L_sym) vy y_top.
  set a := t * (r k * n); set F := form L v; set M := t * N => ge.
  have M0 : 0 < M by apply: mulr_gt0.
  rewrite -(ler_pmul2l M0).
  by apply: (@ler_by _ (M ^+ 2 * F + (M * - a * (a + a) + (- a) ^+ 2 * M))); [done | ring].
have := l_bound k y; rewrite -/v -/n -r_root => le.
have tn0 : 0 < t * n * r k ^+ 2 by rewrite mulr_gt0 ?mulr_gt0 ?exprn_gt0.
rewrite -(ler_pmul2l tn0).
apply: (@ler_by _ ((t * N * form L v - (t * (r k * n)) ^+ 2) + t * N * (r k ^+ 2 * c k * n - form L v))); last by ring.
by apply: addr_ge0; [rewrite subr_ge0 | apply: mulr_ge0; rewrite ?subr_ge0 // ltW // mulr_gt0].
Qed.
Lemma sum_sh : \sum_k s k * h k = t.
Proof.
transitivity (t / N * \sum_k r k * normsq (part b k y)).
  by rewrite mulr_sumr; apply: eq_bigr => k _; rewrite /s /h; have cn := lt0r_neq0 (c_gt0 k); field; rewrite cn lt0r_neq0.
by rewrite sum_wnormsq_part -/N divfK // lt0r_neq0.
Qed.

(* Each feasible q pays for y, and for the rest of each block its constant. *)
Lemma two_tests q : feasible b L q -> t ^+ 2 + \sum_k (1 - h k) * s k ^+ 2 <= \sum_k c k * q k.
Proof.
move=> feas; have Nn := lt0r_neq0 y_neq0.
apply: le_trans (_ : \sum_k (h k * c k * q k + (1 - h k) * c k * q k) <= _); last first.
  by apply: ler_sum => k _; apply: (@ler_by _ 0) => //; ring.
rewrite big_split; apply: ler_add; last first.
  apply: ler_sum => k _; rewrite -mulrA; apply: ler_wpmul2l; first by rewrite subr_ge0 h_le1.
  have le : l k <= q k by apply: feasible_block feas _; apply: l_least.
  apply: le_trans (_ : c k * l k <= _); last by rewrite ler_pmul2l.
  by rewrite -r_root /s; apply: (@ler_by _ 0) => //; ring.
have -> : t ^+ 2 = t / N * form L y by rewrite y_top; field.
apply: le_trans (_ : t / N * wnormsq (fun i => q (b i)) y <= _).
  by apply: ler_wpmul2l => //; apply: divr_ge0; apply: ltW.
rewrite -sum_wnormsq_part mulr_sumr; apply: ler_sum => k _; rewrite /h; have cn := lt0r_neq0 (c_gt0 k).
by apply: (@ler_by _ 0) => //; field; rewrite cn Nn.
Qed.

(* c(P_closed) = t sum_k r_k c_k *)
Theorem closed_form_factor q : feasible b L q -> t * (\sum_k r k * c k) <= (1 + beta) / 2 * \sum_k c k * q k.
Proof.
move=> feas; rewrite -/(\sum_k s k); pose rho := \sum_k s k * (1 - h k); pose X := \sum_k (1 - h k) * s k ^+ 2.
pose n := \sum_k (1 - h k).
have X0 : 0 <= X by apply: sumr_ge0 => k _; apply: mulr_ge0; rewrite ?sqr_ge0 ?subr_ge0 ?h_le1.
have -> : \sum_k r k * c k = t + rho.
  by rewrite -sum_sh /rho -big_split; apply: eq_bigr => k _; rewrite /s /=; ring.
have nB : n <= beta ^+ 2 - 1.
  rewrite beta_root /n sumrB sumr_const -[1 *+ _]/(#|B|%:R) ler_add2l ler_opp2 -(ler_pmul2l t_gt0) mulr1.
  by rewrite -{1}sum_sh mulr_sumr; apply: ler_sum => k _; apply: ler_wpmul2r; [apply: h_ge0 | apply: s_le_t].
have rX : rho ^+ 2 <= n * X.
  have : 0 <= \sum_k (1 - h k) * (n * s k - rho) ^+ 2.
    by apply: sumr_ge0 => k _; apply: mulr_ge0; rewrite ?sqr_ge0 ?subr_ge0 ?h_le1.
  have -> : \sum_k (1 - h k) * (n * s k - rho) ^+ 2 = n * (n * X - rho ^+ 2).
    transitivity (\sum_k (n ^+ 2 * ((1 - h k) * s k ^+ 2) + (- (2 * n * rho) * (s k * (1 - h k)) + rho ^+ 2 * (1 - h k)))).
      by apply: eq_bigr => k _; ring.
    by rewrite !big_split -!mulr_sumr /= -/rho -/X -/n; ring.
  have n0 : 0 <= n by apply: sumr_ge0 => k _; rewrite subr_ge0 h_le1.
  case: (ltrP 0 n) => n1; first by rewrite pmulr_rge0 // subr_ge0.
  have nz : n = 0 by apply/eqP; rewrite eq_le n1.
  move=> _; suff -> : rho = 0 by rewrite nz mul0r expr0n.
  apply: big1 => k _; suff -> : 1 - h k = 0 by rewrite mulr0.
  apply/eqP; rewrite eq_le subr_ge0 h_le1 andbT -nz /n (bigD1 k) //= ler_addl.
  by apply: sumr_ge0 => j _; rewrite subr_ge0 h_le1.
apply: le_trans (_ : (1 + beta) / 2 * (t ^+ 2 + X) <= _); last first.
  by apply: ler_wpmul2l; [apply: divr_ge0; rewrite ?ler0n // addr_ge0 ?ler01 // (le_trans ler01) | apply: two_tests].
have rX' : rho ^+ 2 <= (beta ^+ 2 - 1) * X by apply: le_trans rX _; apply: ler_wpmul2r.
move: beta_ge1; rewrite le_eqVlt => /orP[/eqP b1|b1].
  have z : rho = 0 by apply/eqP; rewrite -sqrf_eq0 eq_le sqr_ge0 andbT; move: rX'; rewrite -b1 expr1n subrr mul0r.
  by rewrite -b1 z; apply: (@ler_by _ X) => //; field.
have d0 : 0 < beta - 1 by rewrite subr_gt0.
have dn := lt0r_neq0 d0; have bp : 0 < beta + 1 by rewrite addr_gt0 ?ltr01 // (lt_trans ltr01).
have bn := lt0r_neq0 bp.
apply: (@ler_by _ (((beta ^+ 2 - 1) * X - rho ^+ 2) / (2 * (beta - 1)) + (beta - 1) / 2 * (t - rho / (beta - 1)) ^+ 2)).
  apply: addr_ge0; first by apply: divr_ge0; rewrite ?subr_ge0 // mulr_ge0 ?ler0n // ltW.
  by apply: mulr_ge0; rewrite ?sqr_ge0 // divr_ge0 ?ler0n // ltW.
by field.
Qed.
End ClosedFormFactor.

(* Attained by L = diag(s_k^2), c_k = 1 and s = (1 + beta, 1, ..., 1): L_P of s is 1 + beta, and c* = sum_k s_k^2. *)
Theorem closed_form_factor_attained (R : realFieldType) (B : finType) (k0 : B) (beta : R) :
  beta ^+ 2 = #|B|%:R -> 0 <= beta ->
  let s k := if k == k0 then 1 + beta else 1 in let L := diagonal (fun k => s k ^+ 2) in
  [/\ LP_at_most L s (1 + beta), forall u, LP_at_most L s u -> 1 + beta <= u, feasible id L (fun k => s k ^+ 2),
      (forall q, feasible id L q -> \sum_k s k ^+ 2 <= \sum_k q k)
    & ((1 + beta) * (\sum_k s k) = (1 + beta) / 2 * (\sum_k s k ^+ 2))%R].
Proof.
move=> root b0 s L; split=> [x|u /(_ (fun k => (k == k0)%:R))|x|q feas|].
- rewrite form_diagonal /wnormsq mulr_sumr; apply: ler_sum => k _; rewrite mulrA; apply: ler_wpmul2r; rewrite ?sqr_ge0 //.
  rewrite expr2; apply: ler_wpmul2r; rewrite /s; case: eqP => _ //; rewrite ?ler01 ?addr_ge0 ?ler01 //.
  by rewrite ler_addl.
- have p0 : 0 < 1 + beta by apply: ltr_paddr; rewrite ?ltr01.
  rewrite form_diagonal /wnormsq (bigD1 k0) //= [X in _ <= _ * X -> _](bigD1 k0) //=.
  rewrite !big1 => [|k /negbTE->|k /negbTE->]; rewrite ?expr0n ?mulr0 //.
  by rewrite /s !eqxx expr1n !mulr1 !addr0 expr2 ler_pmul2r.
- by rewrite form_diagonal.
- apply: ler_sum => k _; have := feas (fun i => (i == k)%:R); rewrite form_diagonal /wnormsq.
  rewrite (bigD1 k) //= [X in _ <= X](bigD1 k) //= !big1 => [|i /negbTE->|i /negbTE->]; rewrite ?expr0n ?mulr0 //.
  by rewrite eqxx expr1n !mulr1 !addr0.
have e : \sum_k s k = beta + beta ^+ 2 /\ \sum_k s k ^+ 2 = 2 * (beta + beta ^+ 2).
  have card : \sum_(k | k != k0) 1 = beta ^+ 2 - 1 :> R.
    have H : \sum_(k : B) 1 = #|B|%:R :> R by rewrite sumr_const.
    by rewrite root -H [in RHS](bigD1 k0) //= addrAC subrr add0r.
  split; rewrite (bigD1 k0) //= {1}/s eqxx (eq_bigr (fun=> 1)) ?card; try ring; move=> k /negbTE ne.
    by rewrite /s ne.
  by rewrite /s ne expr1n.
by case: e => -> ->; field.
Qed.

(* L = I does not attain it: there the closed form is optimal, and L_P of s = (1, ..., 1) is 1, below (1 + beta)/2. *)
Theorem closed_form_factor_not_by_identity (R : realFieldType) (B : finType) (beta : R) : 1 < beta ->
  ~ forall u, LP_at_most (diagonal (fun _ : B => 1)) (fun=> 1) u -> (1 + beta) / 2 <= u.
Proof.
move=> b1 /(_ 1); rewrite /LP_at_most => least.
have : (1 + beta) / 2 <= 1 by apply: least => x; rewrite form_diagonal mul1r.
by apply/negP; rewrite -ltNge; apply: (@ltr_by _ ((beta - 1) / 2)); [pos | field].
Qed.

(* The hypotheses of closed_form_factor can be met: the four blocks of that diagonal, beta = 2, y the first unit vector. *)
Theorem closed_form_factor_instance (R : realFieldType) :
  let s (k : 'I_4) : R := if k == ord0 then 3 else 1 in let L := diagonal (fun k => s k ^+ 2) in
  let y (k : 'I_4) : R := (k == ord0)%:R in
  [/\ [/\ psd L, symmetric L & forall k : 'I_4, 0 < (1 : R)],
      (forall k, block_at_most id L k (s k ^+ 2)) /\ (forall k u, block_at_most id L k u -> s k ^+ 2 <= u),
      forall k, 0 < s k /\ s k ^+ 2 * 1 = s k ^+ 2,
      [/\ LP_at_most L s 3, form L y = 3 * wnormsq s y, 0 < wnormsq s y & 0 < (3 : R)]
    & (2 : R) ^+ 2 = #|'I_4|%:R /\ 1 <= (2 : R)].
Proof.
move=> s L y; have s0 k : 0 < s k by rewrite /s; case: eqP => _; rewrite ?ltr01 ?ltr0n.
have at1 k (x : 'I_4 -> R) : form L (part id k x) = s k ^+ 2 * normsq (part id k x).
  rewrite form_diagonal /wnormsq /normsq mulr_sumr; apply: eq_bigr => i _; rewrite /part.
  by case: eqP => [->|_] //; rewrite mulr0n expr0n !mulr0.
have y1 (d : 'I_4 -> R) : wnormsq d y = d ord0.
  rewrite /wnormsq (bigD1 ord0) //= big1 => [|k /negbTE ne]; last by rewrite /y ne expr0n mulr0.
  by rewrite /y eqxx expr1n mulr1 addr0.
split.
- split=> [x|i j|k]; last exact: ltr01.
    by rewrite form_diagonal; apply: wnormsq_ge0 => k; apply: sqr_ge0.
  by rewrite /L /diagonal [j == i]eq_sym; case: eqP => [->|].
- split=> [k x|k u /(_ (fun i => (i == k)%:R))]; rewrite at1 //.
  have -> : normsq (part id k (fun i => (i == k)%:R)) = 1 :> R.
    rewrite /normsq (bigD1 k) //= big1 => [|i /negbTE ne]; rewrite /part ?eqxx ?ne ?expr0n //.
    by rewrite mulr1n expr1n addr0.
  by rewrite !mulr1.
- by move=> k; rewrite s0 mulr1.
- split=> [x|||]; rewrite ?form_diagonal ?y1 ?ltr0n //.
    rewrite /wnormsq mulr_sumr; apply: ler_sum => k _; rewrite mulrA expr2; apply: ler_wpmul2r; rewrite ?sqr_ge0 //.
    by apply: ler_wpmul2r; [apply: ltW | rewrite /s; case: eqP => _ //; rewrite ler1n].
by rewrite card_ord ler1n -natrX.
Qed.

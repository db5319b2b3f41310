(* our:secondMomentConvex: for the nested sampling the entry (k, l) of E[CLC] is r_k L_kl, k the earlier of the two in the
   order, r = 1/p: linear in r. So for a fixed order L_M <= t describes a convex set of (r, t), and sum_k c_k / r_k <= 1 one
   of r: the problem is convex. The two infima agree: every p gives an r whose value is L_M sum_k p_k c_k, and every r gives
   a p whose L_M sum_k p_k c_k is at most the value of r. Over all orders at once the problem is not convex. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt def_PTsketch.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section SecondMoment.
Variables (R : realFieldType) (m : nat) (p : probabilities R m) (I : finType) (rank : I -> 'I_m.+1) (L : I -> I -> R).

Theorem nested_moment i j : moment (nested p rank) L i j = L i j / p (minn (rank i) (rank j)).
Proof.
have pi : p (rank i) != 0 by rewrite lt0r_neq0 // pr_gt0 // -ltnS.
have pj : p (rank j) != 0 by rewrite lt0r_neq0 // pr_gt0 // -ltnS.
have e (w : nested p rank) : sketch w i * L i j * sketch w j
    = L i j / (p (rank i) * p (rank j)) * ((active w i)%:R * (active w j)%:R).
  rewrite /sketch !nested_probabilities; move: ((active w i)%:R) ((active w j)%:R) => a b.
  by field; rewrite pi pj.
rewrite /moment (eq_mean e) meanZ nested_pair.
by case: (leqP (rank i) (rank j)) => h; field; rewrite ?pi ?pj.
Qed.

(* The matrix in r, and its largest eigenvalue. *)
Definition ordered (r : nat -> R) : I -> I -> R := fun i j => r (minn (rank i) (rank j)) * L i j.
Theorem ordered_convex (r s : nat -> R) a t u : 0 <= a <= 1 -> top_at_most (ordered r) t -> top_at_most (ordered s) u ->
  top_at_most (ordered (fun k => a * r k + (1 - a) * s k)) (a * t + (1 - a) * u).
Proof.
case/andP=> a0 a1 tr us x.
have -> : form (ordered (fun k => a * r k + (1 - a) * s k)) x = a * form (ordered r) x + (1 - a) * form (ordered s) x.
  rewrite /form /bil !mulr_sumr -big_split; apply: eq_bigr => i _ /=; rewrite !mulr_sumr -big_split.
  by apply: eq_bigr => j _ /=; rewrite /ordered; ring.
apply: (@ler_by _ (a * (t * normsq x - form (ordered r) x) + (1 - a) * (u * normsq x - form (ordered s) x))); last by ring.
by apply: addr_ge0; apply: mulr_ge0; rewrite ?subr_ge0.
Qed.

Theorem cost_convex (c r s : 'I_m.+1 -> R) a : 0 <= a <= 1 -> (forall k, 0 <= c k) -> (forall k, 0 < r k) -> (forall k, 0 < s k) ->
  \sum_k c k / r k <= 1 -> \sum_k c k / s k <= 1 -> \sum_k c k / (a * r k + (1 - a) * s k) <= 1.
Proof.
case/andP=> a0 a1 c0 r0 s0 cr cs; apply: le_trans (_ : a * (\sum_k c k / r k) + (1 - a) * (\sum_k c k / s k) <= _).
  rewrite !mulr_sumr -big_split; apply: ler_sum => k _ /=; set x := r k; set y := s k; have x0 := r0 k; have y0 := s0 k.
  have b0 : 0 <= 1 - a by rewrite subr_ge0.
  have z0 : 0 < a * x + (1 - a) * y.
    case: (ltrP 0 a) => h; first by apply: ltr_paddr; [nonneg | pos].
    have -> : a = 0 by apply/eqP; rewrite eq_le h.
    by rewrite mul0r add0r subr0 mul1r.
  have xn := lt0r_neq0 x0; have yn := lt0r_neq0 y0; have zn := lt0r_neq0 z0.
  apply: (@ler_by _ (c k * a * (1 - a) * (x - y) ^+ 2 / (x * y * (a * x + (1 - a) * y)))).
    apply: divr_ge0; first by nonneg.
    by rewrite !mulr_ge0 ?ltW.
  by field; rewrite xn yn zn.
apply: (@ler_by _ (a * (1 - \sum_k c k / r k) + (1 - a) * (1 - \sum_k c k / s k))); last by ring.
by apply: addr_ge0; apply: mulr_ge0; rewrite ?subr_ge0.
Qed.

Theorem ordered_scales (r : nat -> R) a t : 0 <= a -> top_at_most (ordered r) t -> top_at_most (ordered (fun k => a * r k)) (a * t).
Proof.
move=> a0 top x; rewrite (_ : form _ x = a * form (ordered r) x); first by rewrite -mulrA ler_wpmul2l.
rewrite /form /bil mulr_sumr; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _; rewrite /ordered; ring.
Qed.
End SecondMoment.

(* From p to r and back: the infimum of L_M sum_k p_k c_k over 1 = p_1 >= ... >= p_B > 0 is that of lambda_max(ordered r)
   over 0 < r_1 <= ... <= r_B with sum_k c_k / r_k <= 1. *)
Section SameInfimum.
Variables (R : realFieldType) (m : nat) (I : finType) (rank : I -> 'I_m.+1) (L : I -> I -> R) (c : nat -> R).
Hypothesis c_gt0 : forall k, 0 < c k.

Theorem second_moment_from_p (p : probabilities R m) t : LM_at_most (nested p rank) L t ->
  let cost := \sum_(k < m.+1) p k * c k in let r k := cost / p k in
  [/\ forall k, (k <= m)%N -> 0 < r k, forall k, (k < m)%N -> r k <= r k.+1, \sum_(k < m.+1) c k / r k <= 1
    & top_at_most (ordered rank L r) (t * cost)].
Proof.
move=> top cost r; have p0 k : (k <= m)%N -> 0 < p k by apply: pr_gt0.
have C0 : 0 < cost.
  rewrite /cost big_ord_recl /= ltr_paddr //; last by rewrite mulr_gt0 ?p0.
  by apply: sumr_ge0 => k _; rewrite mulr_ge0 ?ltW // p0 // /bump add1n.
split=> [k km|k km||x]; first by rewrite divr_gt0 ?p0.
- rewrite /r ler_pmul2l // lef_pinv ?posrE ?p0 ?pr_falls //; exact: ltnW.
- rewrite (eq_bigr (fun k : 'I_m.+1 => cost^-1 * (p k * c k))) => [|k _]; last first.
    have pn : p k != 0 by rewrite lt0r_neq0 ?p0 // -ltnS.
    by rewrite /r; have Cn := lt0r_neq0 C0; field; rewrite pn Cn.
  by rewrite -mulr_sumr mulVf ?lt0r_neq0.
rewrite (_ : form _ x = cost * form (moment (nested p rank) L) x).
  by rewrite [t * _]mulrC -mulrA ler_wpmul2l ?top // ltW.
rewrite /form /bil mulr_sumr; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _.
by rewrite nested_moment /ordered /r; ring.
Qed.

Theorem second_moment_from_r (r : nat -> R) t : 0 <= t -> (forall k, (k <= m)%N -> 0 < r k) ->
  (forall k, (k < m)%N -> r k <= r k.+1) -> \sum_(k < m.+1) c k / r k <= 1 -> top_at_most (ordered rank L r) t ->
  exists (p : probabilities R m) u, LM_at_most (nested p rank) L u /\ u * (\sum_(k < m.+1) p k * c k) <= t.
Proof.
move=> t0 r0 rises cost top; have f0 : 0 < r 0%N by apply: r0.
pose q k := if (k <= m)%N then r 0%N / r k else 0.
have q_first : q 0%N = 1 by rewrite /q divff ?lt0r_neq0.
have q_falls k : q k.+1 <= q k.
  rewrite /q; case: (leqP k.+1 m) => km; last by case: leqP => // km'; rewrite divr_ge0 ?ltW ?r0.
  by rewrite (ltnW km) ler_pmul2l // lef_pinv ?posrE ?r0 ?rises // ltnW.
have q_gt0 k : (k <= m)%N -> 0 < q k by move=> km; rewrite /q km divr_gt0 ?r0.
have q_last : q m.+1 = 0 by rewrite /q ltnn.
exists (Probabilities q_first q_falls q_gt0 q_last), (t / r 0%N); split=> [x|].
  rewrite (_ : form _ x = (r 0%N)^-1 * form (ordered rank L r) x).
    by rewrite [t / _]mulrC -mulrA ler_wpmul2l ?top // invr_ge0 ltW.
  rewrite /form /bil mulr_sumr; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _.
  have km : (minn (rank i) (rank j) <= m)%N by rewrite geq_min -ltnS ltn_ord.
  rewrite nested_moment /ordered /= /q km; have n := lt0r_neq0 (r0 _ km); have n0 := lt0r_neq0 f0.
  by field; rewrite n n0.
have -> : \sum_(k < m.+1) q k * c k = r 0%N * \sum_(k < m.+1) c k / r k.
  rewrite mulr_sumr; apply: eq_bigr => k _; rewrite /q -ltnS ltn_ord.
  have n : r k != 0 by rewrite lt0r_neq0 ?r0 // -ltnS.
  by field.
by rewrite mulrA divfK ?lt0r_neq0 // ler_pimulr.
Qed.

(* The hypotheses on r can be met: r constant, for L = I. *)
Theorem second_moment_instance : let r (k : nat) : R := \sum_(j < m.+1) c j in
  [/\ forall k, (k <= m)%N -> 0 < r k, forall k, (k < m)%N -> r k <= r k.+1, \sum_(k < m.+1) c k / r k <= 1
    & top_at_most (ordered rank (diagonal (fun=> 1)) r) (\sum_(j < m.+1) c j)].
Proof.
have C0 : 0 < \sum_(j < m.+1) c j.
  by rewrite big_ord_recl ltr_paddr //; apply: sumr_ge0 => k _; apply: ltW.
move=> r; split=> [k _|k _||x] //; first by rewrite /r -mulr_suml divff ?lt0r_neq0.
rewrite (@eq_formA _ _ _ (diagonal (fun=> r 0%N))) => [|i j]; last by rewrite /ordered /diagonal mulrnAr mulr1.
by rewrite form_diagonal /wnormsq /normsq mulr_sumr.
Qed.
End SameInfimum.

(* Over the orders it is not convex: L = [[1, 1], [1, 1]], r_min for the lesser r: L_M is at most 3.5 at (1, 3) and at (3, 1), and 4 at (2, 2). *)
Theorem orders_not_convex (R : realFieldType) :
  let M (x y : R) (i j : bool) : R := Num.min (if i then x else y) (if j then x else y) in
  [/\ top_at_most (M 1 3) (7 / 2), top_at_most (M 3 1) (7 / 2) & ~ top_at_most (M 2 2) (7 / 2)].
Proof.
have le13 : 1 <= 3 :> R by rewrite ler1n.
split=> [x|x|/(_ (fun=> 1))]; rewrite /form /bil /normsq !big_bool /= ?minxx.
- rewrite (min_l le13) (min_r le13).
  by apply: (@ler_by _ (2^-1 * (x false - 2 * x true) ^+ 2 + 2^-1 * x true ^+ 2)); [nonneg | field].
- rewrite (min_l le13) (min_r le13).
  by apply: (@ler_by _ (2^-1 * (x true - 2 * x false) ^+ 2 + 2^-1 * x false ^+ 2)); [nonneg | field].
by apply/negP; rewrite -ltNge; apply: (@ltr_by _ 1); [pos | field].
Qed.

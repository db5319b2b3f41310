(* our:secondMomentConvex: for the nested sampling the entry (k, l) of E[CLC] is r_k L_kl, k the earlier of the two in the order, r = 1/p:
   linear in r. So for a fixed order L_M <= t describes a convex set of (r, t), and sum_k c_k / r_k <= 1 one of r: the problem is
   convex. Both scale: E[CLC] with a r is a times, the cost is divided by a. *)
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

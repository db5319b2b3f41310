(* Last iterate, convex, T = 1: with L_P = t and h = gamma t <= 1, E[f(x_1) - f(xs)] <= t |x_0 - xs|^2 / (2 (1 + 2h)) for every
   sampling. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt fact_cocoercivity lem_generalizedSmoothness.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section LastIterateOne.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (gamma t : R) (xs : I -> R).
Hypotheses (f_smooth : smooth f g L) (f_convex : convex f g) (f_min : minimiser f xs).
Hypotheses (gamma_gt0 : 0 < gamma) (t_gt0 : 0 < t) (bound : LP_at_most L (marginal S) t) (gamma_le : gamma * t <= 1).
Let h := gamma * t.
Let p := marginal S.

(* One coordinate, with u = g_0 / (t p), after the best g_1 and in the mean over the draw. *)
Lemma one_coordinate q (y u : R) : 0 < q -> q <= 1 ->
  q * (((y + u) ^+ 2 - 4 * h * q * u * (y + u) + 4 * h ^+ 2 * q * u ^+ 2) / 8 - u ^+ 2 / 2 + u * y / 2)
    <= y ^+ 2 / (2 * (1 + 2 * h)).
Proof.
move=> q0 q1; have h0 : 0 < h by apply: mulr_gt0.
have d0 : 0 < 1 + 2 * h by rewrite addr_gt0 ?ltr01 // mulr_gt0 ?ltr0n.
have h1 : 0 <= 1 - h by rewrite subr_ge0.
pose c := 3 / 8 + h * q * (1 - h) / 2.
have c0 : 0 < c by apply: ltr_paddr; [nonneg | pos].
pose b := 3 / 4 - h * q / 2; pose a := (2 * q * (1 + 2 * h))^-1 - 8^-1.
have disc : 4 * a * c - b ^+ 2 = (1 - q) * (2 * (1 - h) + (1 + 2 * h) * (1 - h * q) ^+ 2) / (4 * q * (1 + 2 * h)).
  by have qn := lt0r_neq0 q0; have dn := lt0r_neq0 d0; rewrite /a /b /c; field; rewrite dn qn.
have disc0 : 0 <= 4 * a * c - b ^+ 2.
  rewrite disc; apply: divr_ge0; last by rewrite !mulr_ge0 ?ler0n // ltW.
  apply: mulr_ge0; first by rewrite subr_ge0.
  by apply: addr_ge0; apply: mulr_ge0; rewrite ?ler0n ?sqr_ge0 // ltW.
apply: (@ler_by _ (q / (4 * c) * ((2 * c * u - b * y) ^+ 2 + (4 * a * c - b ^+ 2) * y ^+ 2))).
  apply: mulr_ge0; first by rewrite divr_ge0 ?mulr_ge0 ?ler0n ?ltW.
  by apply: addr_ge0; rewrite ?sqr_ge0 // mulr_ge0 ?sqr_ge0.
have cn := lt0r_neq0 c0; have -> : q / (4 * c) * ((2 * c * u - b * y) ^+ 2 + (4 * a * c - b ^+ 2) * y ^+ 2)
    = q * (a * y ^+ 2 - b * u * y + c * u ^+ 2) by field.
by have qn := lt0r_neq0 q0; have dn := lt0r_neq0 d0; rewrite /a /b /c; field; rewrite qn dn.
Qed.

Theorem last_iterate_one x0 :
  mean (fun w : S => f (step gamma g w x0) - f xs) <= t * normsq (sub x0 xs) / (2 * (1 + 2 * h)).
Proof.
have st := minimiser_stationary f_smooth f_min (marginal_gt0 S) (ltW t_gt0) bound.
have coco := cocoercive_weighted f_smooth f_convex _ _ (marginal_gt0 S) t_gt0 bound.
have tn := lt0r_neq0 t_gt0; have pn i := marginal_neq0 S i.
pose y := sub x0 xs; pose u i := g x0 i / (t * p i).
pose a (w : S) i : R := (active w i)%:R.
have one (w : S) : f (step gamma g w x0) - f xs <= \sum_i t * p i
    * (((y i + u i) ^+ 2 - 4 * h * a w i * u i * (y i + u i) + 4 * h ^+ 2 * a w i * u i ^+ 2) / 8 - u i ^+ 2 / 2 + u i * y i / 2).
  set x1 := step gamma g w x0.
  have i1 := coco x0 xs; have i2 := coco x1 xs; have i3 := coco x1 x0.
  apply: le_trans (_ : \sum_i (2^-1 * (- (g x0 i * sub xs x0 i) - (2 * t)^-1 * (sub (g xs) (g x0) i ^+ 2 / p i))
      + 2^-1 * (- (g x1 i * sub xs x1 i) - (2 * t)^-1 * (sub (g xs) (g x1) i ^+ 2 / p i))
      + 2^-1 * (- (g x1 i * sub x0 x1 i) - (2 * t)^-1 * (sub (g x0) (g x1) i ^+ 2 / p i))) <= _).
    rewrite !big_split /= -!mulr_sumr !sumrB !sumrN -!mulr_sumr.
    move: i1 i2 i3; rewrite /dot -/p; move: (\sum_i g x0 i * _) (\sum_i g x1 i * sub xs x1 i) (\sum_i g x1 i * sub x0 x1 i).
    move: (\sum_i sub (g xs) (g x0) i ^+ 2 / _) (\sum_i sub (g xs) (g x1) i ^+ 2 / _) (\sum_i sub (g x0) (g x1) i ^+ 2 / _).
    move=> G0 G1 G2 D0 D1 D2 i1 i2 i3.
    by apply: (@ler_by _ (2^-1 * ((f xs - (f x0 + D0 + (2 * t)^-1 * G0)) + (f xs - (f x1 + D1 + (2 * t)^-1 * G1))
      + (f x0 - (f x1 + D2 + (2 * t)^-1 * G2))))); [nonneg | field].
  apply: ler_sum => i _; have pi := pn i; rewrite -/p in pi.
  have e0 : g x0 i = t * p i * u i by rewrite /u; field; rewrite tn pi.
  pose v := g x1 i / (t * p i); have e1 : g x1 i = t * p i * v by rewrite /v; field; rewrite tn pi.
  have ex : x1 i = x0 i - h * a w i * u i.
    by rewrite /x1 /step /sketch -/p -/(a w i) e0 /h; field.
  rewrite /sub st e0 e1 ex (_ : x0 i = xs i + y i); last by rewrite /y /sub; ring.
  have a2 : a w i ^+ 2 = a w i by rewrite /a; case: active; rewrite ?expr1n ?expr0n.
  have tp : 0 <= t * p i by rewrite mulr_ge0 ?ltW // marginal_gt0.
  have mm : (y i + (1 - 2 * h * a w i) * u i) ^+ 2
      = (y i + u i) ^+ 2 - 4 * h * a w i * u i * (y i + u i) + 4 * h ^+ 2 * a w i * u i ^+ 2.
    by rewrite -[in RHS]a2 -[in X in _ - X + _]a2; move: a2; rewrite /a; case: active => /= _; ring.
  rewrite -mm; apply: (@ler_by _ (t * p i / 2 * (v - (y i + (1 - 2 * h * a w i) * u i) / 2) ^+ 2)).
    by apply: mulr_ge0; rewrite ?sqr_ge0 // divr_ge0 ?ler0n.
  by field; rewrite tn pi.
apply: le_trans (mean_le one) _; rewrite mean_sum.
rewrite [X in _ <= X](_ : _ = \sum_i t * (y i ^+ 2 / (2 * (1 + 2 * h)))); last first.
  by rewrite -mulr_sumr -mulr_suml mulrA.
apply: ler_sum => i _.
have e (w : S) : t * p i * (((y i + u i) ^+ 2 - 4 * h * a w i * u i * (y i + u i) + 4 * h ^+ 2 * a w i * u i ^+ 2) / 8
    - u i ^+ 2 / 2 + u i * y i / 2) = t * p i * ((y i + u i) ^+ 2 / 8 - u i ^+ 2 / 2 + u i * y i / 2)
    + t * p i * (- (4 * h * u i * (y i + u i)) / 8 + 4 * h ^+ 2 * u i ^+ 2 / 8) * a w i by field.
rewrite (eq_mean e) meanD mean_cst meanZ -/(marginal S i) -/p.
apply: le_trans (_ : t * (p i * (((y i + u i) ^+ 2 - 4 * h * p i * u i * (y i + u i) + 4 * h ^+ 2 * p i * u i ^+ 2) / 8
  - u i ^+ 2 / 2 + u i * y i / 2)) <= _); first by apply: (@ler_by _ 0) => //; field.
by rewrite ler_pmul2l //; apply: one_coordinate; [apply: marginal_gt0 | apply: marginal_le1].
Qed.
End LastIterateOne.

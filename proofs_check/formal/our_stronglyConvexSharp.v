(* our:stronglyConvexSharp: f L-smooth and mu-strongly convex, xs its minimiser, 0 < gamma <= 1/L_P, s = gamma mu. For every l above
   all e_k = 1 - s/p_k and every theta >= s^2/p_k + (p_k - s)(l - 2 e_k)^2 / (4 (l - e_k)):
   E|x+ - xs|^2 <= (1 - 2s + theta) |x - xs|^2 in each step, so E|x_T - xs|^2 <= (1 - 2s + theta)^T |x_0 - xs|^2. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt lem_generalizedSmoothness.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Sharp.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (mu gamma : R) (xs : I -> R).
Hypotheses (f_smooth : smooth f g L) (f_convex : strongly_convex f g mu) (f_min : minimiser f xs).
Hypotheses (gamma_gt0 : 0 < gamma) (bound : LP_at_most L (marginal S) gamma^-1).
Let s := gamma * mu.
Let p := marginal S.
Let e i := 1 - s / p i.

Lemma p_gt0 i : 0 < p i. Proof. exact: marginal_gt0. Qed.

(* mu |v|^2 <= |v|^2_L <= |v|^2_P / gamma, so s <= p_i. *)
Lemma s_le_p i : s <= p i.
Proof.
pose x : I -> R := fun j => (j == i)%:R; pose o : I -> R := fun=> 0.
have xo : sub x o =1 x by move=> j; rewrite /sub subr0.
have := le_trans (f_convex o x) (f_smooth o x); rewrite -addrA -[in X in _ <= X]addrA !ler_add2l.
have -> : normsq (sub x o) = 1.
  by rewrite /normsq (bigD1 i) //= xo /x eqxx expr1n big1 ?addr0 // => j /negbTE ne; rewrite xo /x ne expr0n.
have := bound (sub x o); rewrite -/p.
have -> : wnormsq p (sub x o) = p i.
  rewrite /wnormsq (bigD1 i) //= xo /x eqxx expr1n mulr1 big1 ?addr0 // => j /negbTE ne.
  by rewrite xo /x ne expr0n mulr0.
set F := form _ _ => le le'; have gn := lt0r_neq0 gamma_gt0.
by apply: (@ler_by _ (gamma * (gamma^-1 * p i - F) + 2 * gamma * (2^-1 * F - mu / 2 * 1))); [nonneg | rewrite /s; field].
Qed.

(* f - mu/2 |.|^2 is convex and smooth with (P - sI)/gamma: along v and -v, with u = gamma (g(x) - mu z), z = x - xs. *)
Let u x i := gamma * (g x i - mu * sub x xs i).
Lemma sharp_along x v : \sum_i (- 2 * u x i * v i - (p i - s) * v i ^+ 2) <= dot (u x) (sub x xs).
Proof.
have gi : 0 <= gamma^-1 by rewrite invr_ge0 ltW.
have st := minimiser_stationary f_smooth f_min (marginal_gt0 S) gi bound.
have gn := lt0r_neq0 gamma_gt0.
pose y1 : I -> R := fun i => xs i - v i; pose y2 : I -> R := fun i => x i + v i.
have a1 := f_convex x y1; have a2 := f_smooth xs y1; have a3 := f_convex xs y2; have a4 := f_smooth x y2.
have b1 := bound (sub y1 xs); have b2 := bound (sub y2 x).
have z0 w : dot (g xs) w = 0 by rewrite /dot big1 // => i _; rewrite st mul0r.
move: a1 a2 a3 a4 b1 b2; rewrite !z0.
set A := dot (g x) (sub y1 x); set B := normsq (sub y1 x); set C := form L _; set D := normsq (sub y2 xs).
set G := dot (g x) (sub y2 x); set H := form L _; set P1 := wnormsq _ _; set P2 := wnormsq _ _ => a1 a2 a3 a4 b1 b2.
have key : gamma * (A + mu / 2 * B + mu / 2 * D - G) <= 2^-1 * (P1 + P2).
  apply: (@ler_by _ (gamma * ((f y1 - (f x + A + mu / 2 * B)) + (f xs + 0 + 2^-1 * C - f y1)
    + (f y2 - (f xs + 0 + mu / 2 * D)) + (f x + G + 2^-1 * H - f y2)
    + 2^-1 * (gamma^-1 * P1 - C) + 2^-1 * (gamma^-1 * P2 - H)))); last by field.
  by nonneg.
have e1 : gamma * (A + mu / 2 * B + mu / 2 * D - G) - 2^-1 * (P1 + P2)
    = \sum_i (- 2 * u x i * v i - (p i - s) * v i ^+ 2) - dot (u x) (sub x xs).
  rewrite /A /B /C /D /G /P1 /P2 /dot /normsq /wnormsq -/p ![mu / 2 * _]mulr_sumr -!big_split -!sumrB.
  rewrite [gamma * _]mulr_sumr [2^-1 * _]mulr_sumr -sumrB; apply: eq_bigr => i _ /=.
  by rewrite /u /s /sub /y1 /y2; field.
by move: key; rewrite -subr_le0 e1 subr_le0.
Qed.

Lemma u_zero x i : p i = s -> u x i = 0.
Proof.
move=> ps; apply/eqP/negP => /negP n; set d := dot (u x) (sub x xs).
have := sharp_along x (fun j => - (d + 1) / (2 * u x i) * (j == i)%:R); rewrite -/d (bigD1 i) //= eqxx big1.
  rewrite ps subrr mul0r subr0 addr0 mulr1 => le.
  suff : 1 <= 0 :> R by rewrite ler10.
  by apply: (@ler_by _ (d - (- 2 * u x i * (- (d + 1) / (2 * u x i))))); [nonneg | field; rewrite n].
by move=> j /negbTE ne; rewrite ne !mulr0 expr0n mulr0 subr0.
Qed.

(* <u, z> >= sum_k u_k^2 / (p_k - s), u_k = 0 where p_k = s (x / 0 is 0 here). *)
Lemma sharp_cocoercive x : \sum_i u x i ^+ 2 / (p i - s) <= dot (u x) (sub x xs).
Proof.
apply: le_trans (sharp_along x (fun i => - (u x i / (p i - s)))); apply: ler_sum => i _.
case: (altP (p i =P s)) => [ps|pn]; first by rewrite (u_zero x ps) ps subrr; apply: (@ler_by _ 0) => //; ring.
have n : p i - s != 0 by rewrite subr_eq0.
by apply: (@ler_by _ 0) => //; field.
Qed.

Variables (l theta : R).
Hypotheses (l_ge0 : 0 <= l) (l_gt : forall i, e i < l).
Hypothesis theta_ge : forall i, s ^+ 2 / p i + (p i - s) * (l - 2 * e i) ^+ 2 / (4 * (l - e i)) <= theta.

Theorem sharp_step x : mean (fun w : S => normsq (sub (step gamma g w x) xs)) <= (1 - 2 * s + theta) * normsq (sub x xs).
Proof.
pose z := sub x xs; rewrite mean_dist -/p -/z; have co := sharp_cocoercive x; rewrite -/z in co.
have eg i : gamma * g x i = u x i + s * z i by rewrite /u /s /z; ring.
rewrite mulrDl; set V := normsq z.
have e1 : V - 2 * gamma * dot (g x) z + gamma ^+ 2 * (\sum_i g x i ^+ 2 / p i)
    = (1 - 2 * s) * V + (\sum_i ((u x i + s * z i) ^+ 2 / p i - 2 * (u x i * z i))).
  rewrite /V /dot /normsq !mulr_sumr -sumrB -!big_split; apply: eq_bigr => i _ /=.
  by rewrite /u /s -/z; ring.
rewrite e1 ler_add2l.
apply: le_trans (_ : \sum_i ((u x i + s * z i) ^+ 2 / p i - 2 * (u x i * z i) + l * (u x i * z i - u x i ^+ 2 / (p i - s))) <= _).
  by rewrite [X in _ <= X]big_split /= ler_addl -mulr_sumr mulr_ge0 // sumrB subr_ge0.
rewrite /V /normsq mulr_sumr; apply: ler_sum => i _; have p0 := p_gt0 i; have pn := lt0r_neq0 p0.
apply: le_trans (_ : (s ^+ 2 / p i + (p i - s) * (l - 2 * e i) ^+ 2 / (4 * (l - e i))) * z i ^+ 2 <= _); last first.
  by apply: ler_wpmul2r; rewrite ?sqr_ge0.
have le : 0 < l - e i by rewrite subr_gt0.
case: (altP (p i =P s)) => [ps|ne].
  by rewrite (u_zero x ps) -ps subrr expr0n /= !mul0r; apply: (@ler_by _ 0) => //; field.
have d0 : 0 < p i - s by rewrite subr_gt0 lt_neqAle eq_sym ne s_le_p.
have dn := lt0r_neq0 d0; have ln := lt0r_neq0 le.
apply: (@ler_by _ ((l - e i) / (p i - s) * (u x i - (p i - s) * (l - 2 * e i) / (2 * (l - e i)) * z i) ^+ 2)).
  by apply: mulr_ge0; rewrite ?sqr_ge0 // divr_ge0 // ltW.
have es : s = p i * (1 - e i) by rewrite /e; field.
move: dn; rewrite es => dn; have en : e i != 0.
  by apply: contraNneq dn => ->; rewrite subr0 mulr1 subrr.
by move: (e i) (p i) (u x i) (z i) ln en pn {d0 dn le ne es p0} => a q b c ln en pn; field; rewrite ln pn andbT (_ : _ - _ = q * a) ?mulf_neq0 //; ring.
Qed.

Theorem sharp_rate T x0 :
  E T (fun w : seq S => normsq (sub (iterate gamma g x0 w) xs)) <= (1 - 2 * s + theta) ^+ T * normsq (sub x0 xs).
Proof. by apply: (@drift_rate _ _ _ _ (fun x => normsq (sub x xs))) => x; [apply: normsq_ge0 | apply: sharp_step]. Qed.
End Sharp.

(* The hypotheses can be met: |x|^2/2 with all coordinates in every step, gamma = mu = l = theta = 1, p = 1. *)
Theorem sharp_instance (R : realFieldType) (I : finType) : let S := everything R I in
  let H := diagonal (fun _ : I => 1 : R) in
  [/\ [/\ smooth (quad H) (times H) H, strongly_convex (quad H) (times H) 1 & minimiser (quad H) (fun=> 0)],
      LP_at_most H (marginal S) 1^-1, forall i, 1 - 1 * 1 / marginal S i < 1,
      forall i, (1 * 1) ^+ 2 / marginal S i + (marginal S i - 1 * 1) * (1 - 2 * (1 - 1 * 1 / marginal S i)) ^+ 2
        / (4 * (1 - (1 - 1 * 1 / marginal S i))) <= 1
    & forall i, 1 <= marginal S i].
Proof.
move=> S H; have sym : symmetric H by move=> i j; rewrite /H /diagonal [j == i]eq_sym.
have H1 x : form H x = normsq x by rewrite form_diagonal; apply: eq_bigr => i _; rewrite mul1r.
split=> [|x|i|i|i]; rewrite ?marginal_everything //.
- split; [exact: quad_smooth | by apply: quad_strongly_convex => // x; rewrite H1 mul1r |].
  by apply: quad_minimiser => x; rewrite H1 normsq_ge0.
- rewrite H1 invr1 mul1r; apply: ler_sum => i _; by rewrite marginal_everything mul1r.
- by rewrite mulr1 divr1 subrr ltr01.
by rewrite !mulr1 !divr1 subrr !mul0r addr0 expr1n.
Qed.

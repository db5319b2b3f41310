(* lem:generalizedSmoothness, our:generalizedSmoothness: f L-smooth and bounded below by fs, W L W <= A W, A >= 0:
   |g(x)|^2_W <= 2 A (f(x) - fs). No minimiser is needed and W need not be diagonal. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section GeneralizedSmoothness.
Variables (R : realFieldType) (I : finType) (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (fs A : R).
Hypotheses (f_smooth : smooth f g L) (f_below : below f fs) (A_ge0 : 0 <= A).

Theorem generalized_smoothness_form (W : I -> I -> R) x : psd W -> symmetric W ->
  (forall v, form L (times W v) <= A * form W v) -> form W (g x) <= 2 * A * (f x - fs).
Proof.
move=> W0 sym bound; set G := form W (g x).
have G0 : 0 <= G by apply: W0.
have step a : fs <= f x - a * G + a ^+ 2 / 2 * (A * G).
  pose y : I -> R := fun i => x i + - a * times W (g x) i.
  have yx : sub y x =1 (fun i => - a * times W (g x) i) by move=> i; rewrite /sub /y; ring.
  have lin : dot (g x) (sub y x) = - a * G.
    rewrite -[G]/(bil W (g x) (g x)) -dot_times /dot mulr_sumr.
    by apply: eq_bigr => i _; rewrite yx mulrCA.
  have := f_smooth x y; rewrite lin (eq_form _ yx) formZ sqrrN => up.
  apply: le_trans (f_below y) (le_trans up _); have := bound (g x); rewrite -/G; set q := form L _ => le.
  by apply: (@ler_by _ (a ^+ 2 / 2 * (A * G - q))); [nonneg | field].
case: (ltrP 0 A) => [A0|A1].
  have An := lt0r_neq0 A0; have s := step A^-1.
  by apply: (@ler_by _ (2 * A * (f x - A^-1 * G + A^-1 ^+ 2 / 2 * (A * G) - fs))); [nonneg | field].
have A2 : A = 0 by apply/eqP; rewrite eq_le A_ge0 A1.
rewrite A2 mulr0 mul0r leNgt; apply/negP => G1; have Gn := lt0r_neq0 G1.
have := step ((f x - fs + 1) / G); rewrite A2 mul0r mulr0 addr0 divfK // => le.
suff : 1 <= 0 :> R by rewrite ler10.
by apply: (@ler_by _ (f x - (f x - fs + 1) - fs)); [nonneg | ring].
Qed.

(* The lemma as printed, W = Diag(w), A >= lambda_max(W^1/2 L W^1/2), which says L <= A W^-1. *)
Theorem generalized_smoothness (w : I -> R) x : (forall i, 0 < w i) ->
  LP_at_most L (fun i => (w i)^-1) A -> wnormsq w (g x) <= 2 * A * (f x - fs).
Proof.
move=> w0 bound; rewrite -form_diagonal; apply: generalized_smoothness_form.
- by move=> v; rewrite form_diagonal; apply: wnormsq_ge0 => i; apply: ltW.
- by move=> i j; rewrite /diagonal [j == i]eq_sym; case: eqP => [->|].
move=> v; apply: le_trans (bound _) _; rewrite form_diagonal /wnormsq.
apply: (@ler_by _ 0) => //; apply/eqP; rewrite subr_eq0 eq_sym; apply/eqP; congr (_ * _); apply: eq_bigr => i _.
have wn := lt0r_neq0 (w0 i); rewrite /times (bigD1 i) //= big1 => [|j ne]; rewrite /diagonal ?eqxx.
  by rewrite mulr1n; field.
by rewrite eq_sym (negbTE ne) mulr0n mul0r.
Qed.
End GeneralizedSmoothness.

(* The gradient vanishes at a minimiser of a smooth function. *)
Lemma minimiser_stationary (R : realFieldType) (I : finType) (f : (I -> R) -> R) g L (p : I -> R) t xs :
  smooth f g L -> minimiser f xs -> (forall i, 0 < p i) -> 0 <= t -> LP_at_most L p t -> forall i, g xs i = 0.
Proof.
move=> sm mi p0 t0 bound i.
have p1 j : 0 < (p j)^-1 by rewrite invr_gt0.
have bound' : LP_at_most L (fun j => (p j)^-1^-1) t.
  by move=> x; apply: le_trans (bound x) _; rewrite /wnormsq; under [X in _ <= _ * X]eq_bigr do rewrite invrK.
have := generalized_smoothness sm mi t0 xs p1 bound'; rewrite subrr mulr0 => le.
have : (p i)^-1 * g xs i ^+ 2 <= 0.
  apply: le_trans le; rewrite /wnormsq (bigD1 i) //= ler_addl; apply: sumr_ge0 => j _; nonneg.
rewrite pmulr_rle0 // => sq; apply/eqP; rewrite -sqrf_eq0 eq_le sq; exact: sqr_ge0.
Qed.

(* x^2/2 with W = L = A = 1 attains it: no factor below 2 will do. *)
Theorem generalized_smoothness_sharp (R : realFieldType) c : c < 2 -> exists (f : ('I_1 -> R) -> R) g L x,
  [/\ smooth f g L, below f 0, LP_at_most L (fun=> 1) 1 & c * (f x - 0) < wnormsq (fun=> 1) (g x)].
Proof.
move=> c2; pose S := everything R [finType of 'I_1].
exists (quad (weights S)), (times (weights S)), (weights S), (fun=> 1); split.
- exact/quad_smooth/weights_symmetric.
- by move=> x; rewrite /quad; apply: mulr_ge0; [nonneg | apply: weights_psd].
- move=> x; rewrite form_diagonal mul1r /wnormsq le_eqVlt; apply/orP; left; apply/eqP.
  by apply: eq_bigr => i _; rewrite marginal_everything.
rewrite /quad form_diagonal /times /wnormsq !big_ord1 /weights /diagonal marginal_everything eqxx !mulr1 expr1n mulr1.
by apply: (@ltr_by _ ((2 - c) / 2)); [pos | field].
Qed.

(* The hypotheses can be met: |x|^2/2 with L = W = I and A = 1. *)
Theorem generalized_smoothness_instance (R : realFieldType) (I : finType) : let H := diagonal (fun _ : I => 1 : R) in
  [/\ smooth (quad H) (times H) H, below (quad H) 0, symmetric H, psd H & forall v, form H (times H v) <= 1 * form H v].
Proof.
move=> H; have sym : symmetric H by move=> i j; rewrite /H /diagonal [j == i]eq_sym.
have H0 : psd H by move=> x; rewrite form_diagonal; apply: wnormsq_ge0 => i; apply: ler01.
split=> // [|x|v]; [exact: quad_smooth | by apply: mulr_ge0; rewrite ?invr_ge0 ?ler0n ?H0 | rewrite mul1r].
rewrite (@eq_form _ _ H _ v) // => i; rewrite /times (bigD1 i) //= big1 => [|j /negbTE ne]; rewrite /H /diagonal.
  by rewrite eqxx mulr1n mul1r addr0.
by rewrite eq_sym ne mulr0n mul0r.
Qed.

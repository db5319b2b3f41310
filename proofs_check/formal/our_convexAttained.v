(* our:convexAttained: the bound of our:convexSharp is attained for every T by the Huber function of one coordinate i0 that
   is always updated, whatever the other coordinates and their sampling are: L_P = gamma = 1, x_0 is T + 1 at i0 and 0
   elsewhere, x_t = T + 1 - t at i0, and f(mean) = (T + 1)/2 = |x_0|^2 / (2 gamma (T + 1)). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt fact_jensen def_PTsketch.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Huber.
Variable R : realFieldType.
Implicit Types x y z s : R.
Definition clamp x : R := if x < -1 then -1 else if 1 < x then 1 else x.
Definition huber x : R := clamp x * x - clamp x ^+ 2 / 2.

Lemma clamp_in x : -1 <= clamp x <= 1.
Proof.
have n : -1 <= 1 :> R by apply: (@ler_by _ 2); [nonneg | ring].
rewrite /clamp; case: (ltrP x (-1)) => h; first by rewrite lexx.
by case: (ltrP 1 x) => h'; rewrite ?lexx ?n ?h ?h'.
Qed.
(* huber(y) = max over |s| <= 1 of s y - s^2/2 = min over z of |z| + (y - z)^2/2. *)
Lemma huber_max y s : -1 <= s <= 1 -> s * y - s ^+ 2 / 2 <= huber y.
Proof.
case/andP=> s0 s1; rewrite /huber /clamp; case: (ltrP y (-1)) => h.
  have d : 0 <= (s - -1) * (-1 - y) by apply: mulr_ge0; rewrite subr_ge0 // ltW.
  by apply: (@ler_by _ ((s - -1) * (-1 - y) + (s + 1) ^+ 2 / 2)); [apply: addr_ge0 => //; nonneg | field].
case: (ltrP 1 y) => h'.
  have d : 0 <= (1 - s) * (y - 1) by apply: mulr_ge0; rewrite subr_ge0 // ltW.
  by apply: (@ler_by _ ((1 - s) * (y - 1) + (1 - s) ^+ 2 / 2)); [apply: addr_ge0 => //; nonneg | field].
by apply: (@ler_by _ ((y - s) ^+ 2 / 2)); [nonneg | field].
Qed.
Lemma huber_min y z : huber y <= `|z| + (y - z) ^+ 2 / 2.
Proof.
have zc s : -1 <= s <= 1 -> s * z <= `|z|.
  case/andP=> s0 s1; case: (lerP 0 z) => z0; first by rewrite ger0_norm // -[X in _ <= X]mul1r ler_wpmul2r.
  by rewrite ltr0_norm // -mulN1r ler_wnmul2r // ltW.
have := zc _ (clamp_in y); rewrite /huber; set c := clamp y => le.
by apply: (@ler_by _ ((`|z| - c * z) + (y - z - c) ^+ 2 / 2)); [apply: addr_ge0; [rewrite subr_ge0 | nonneg] | field].
Qed.
Lemma huber_at x : huber x = `|x - clamp x| + (x - (x - clamp x)) ^+ 2 / 2.
Proof.
rewrite /huber /clamp; case: (ltrP x (-1)) => h.
  by rewrite ltr0_norm ?subr_lt0 //; field.
by case: (ltrP 1 x) => h'; [rewrite gtr0_norm ?subr_gt0 // | rewrite subrr normr0]; field.
Qed.

Lemma huber_scalar x y : huber y <= huber x + clamp x * (y - x) + (y - x) ^+ 2 / 2.
Proof.
rewrite (huber_at x); apply: le_trans (huber_min y (x - clamp x)) _; set a := `|x - clamp x|.
by apply: (@ler_by _ 0) => //; field.
Qed.

Lemma clamp_mid x : -1 <= x <= 1 -> clamp x = x.
Proof. by case/andP=> h h'; rewrite /clamp !ltNge h h'. Qed.
Lemma clamp_top x : 1 <= x -> clamp x = 1.
Proof.
move=> h; have n : -1 <= x by apply: le_trans h; apply: (@ler_by _ 2); [nonneg | ring].
by rewrite /clamp ltNge n /=; case: ltrP => // h'; apply/eqP; rewrite eq_le h h'.
Qed.

(* As a function of the coordinate i0 among others. *)
Variables (I : finType) (i0 : I).
Definition fH (x : I -> R) := huber (x i0).
Definition gH (x : I -> R) : I -> R := fun i => clamp (x i0) *+ (i == i0).
Definition LH : I -> I -> R := diagonal (fun i => (i == i0)%:R).
Definition start (T : nat) : I -> R := fun i => T.+1%:R *+ (i == i0).
Lemma dot_gH (x y : I -> R) : dot (gH x) y = clamp (x i0) * y i0.
Proof.
by rewrite /dot (bigD1 i0) //= big1 => [|i /negbTE ne]; rewrite /gH ?eqxx ?ne ?mulr1n ?addr0 // mulr0n mul0r.
Qed.
Lemma form_LH (x : I -> R) : form LH x = x i0 ^+ 2.
Proof.
rewrite form_diagonal /wnormsq (bigD1 i0) //= big1 => [|i /negbTE->]; last by rewrite mul0r.
by rewrite eqxx mul1r addr0.
Qed.
Theorem huber_convex : convex fH gH.
Proof.
move=> x y; rewrite dot_gH /fH /sub; apply: le_trans (huber_max _ (clamp_in (x i0))).
by rewrite /huber; apply: (@ler_by _ 0) => //; ring.
Qed.
Theorem huber_smooth : smooth fH gH LH.
Proof.
move=> x y; rewrite form_LH dot_gH /fH /sub; apply: le_trans (huber_scalar (x i0) _) _.
by apply: (@ler_by _ 0) => //; field.
Qed.
Theorem huber_minimiser : minimiser fH (fun=> 0).
Proof.
have z : -1 <= (0 : R) <= 1 by rewrite ler01 andbT oppr_le0 ler01.
move=> x; rewrite /fH; apply: le_trans (huber_max (x i0) z); rewrite /huber clamp_mid //.
by apply: (@ler_by _ 0) => //; field.
Qed.

(* i0 is always updated. *)
Variable S : sampling R I.
Hypothesis always : forall w : S, active w i0.
Lemma always_marginal : marginal S i0 = 1.
Proof. by rewrite -(mean_cst S 1); apply: eq_mean => w; rewrite always. Qed.
Lemma huber_path T t (s : seq S) : (t <= T)%N -> size s = t -> iterate 1 gH (start T) s i0 = T.+1%:R - t%:R.
Proof.
elim/last_ind: s t => [|s w IH] t tT; first by move=> /= <-; rewrite subr0 /start eqxx mulr1n.
rewrite size_rcons => e; move: tT; rewrite -e => tT; rewrite /iterate run_last -/(iterate 1 gH _ s).
rewrite /step /sketch always always_marginal divr1 /gH eqxx mulr1n (IH (size s)) ?(ltnW tT) // clamp_top /=.
  by rewrite [X in _ = _ - X]mulrS; move: (T.+1%:R : R) ((size s)%:R : R) => a c; ring.
by rewrite ler_subr_addr -mulrS ler_nat ltnS ltnW.
Qed.

(* L_P = 1: an upper bound, and the least one. *)
Theorem huber_LP : LP_at_most LH (marginal S) 1^-1 /\ forall u, LP_at_most LH (marginal S) u -> 1 <= u.
Proof.
split=> [x|u /(_ (fun i => (i == i0)%:R))]; rewrite form_LH /wnormsq (bigD1 i0) //= always_marginal.
  rewrite invr1 !mul1r ler_addl; apply: sumr_ge0 => i _.
  by apply: mulr_ge0; [apply: marginal_ge0 | apply: sqr_ge0].
by rewrite eqxx expr1n big1 => [|i /negbTE->]; rewrite ?expr0n ?mulr0 // addr0 !mulr1.
Qed.

Theorem huber_attains T :
  E T (fun s : seq S => fH (average (fun t : 'I_T.+1 => iterate 1 gH (start T) (take t s)))) - fH (fun=> 0)
    = normsq (sub (start T) (fun _ : I => 0)) / (2 * 1 * T.+1%:R).
Proof.
have Tn : T.+1%:R != 0 :> R by rewrite pnatr_eq0.
have sz (F : seq S -> R) (c : R) : (forall s : seq S, size s = T -> F s = c) -> E T F = c.
  elim: T F {Tn} => [|n IH] F h /=; first exact: h.
  rewrite -(mean_cst S c); apply: eq_mean => w; apply: IH => s e; apply: h; by rewrite /= e.
rewrite (sz _ (T.+1%:R / 2)); last first.
  move=> s e; rewrite /fH.
  have av : average (fun t : 'I_T.+1 => iterate 1 gH (start T) (take t s)) i0 = (T.+1%:R + 1) / 2.
    rewrite /average (eq_bigr (fun t : 'I_T.+1 => T.+1%:R - t%:R)) => [|t _]; last first.
      have tT : (t <= T)%N by rewrite -ltnS.
      by apply: huber_path => //; rewrite size_takel // e.
    have g n : \sum_(t < n) t%:R = n%:R * (n%:R - 1) / 2 :> R.
      elim: n => [|n IH]; first by rewrite big_ord0 !mul0r.
      by rewrite big_ord_recr /= IH mulrS; move: (n%:R : R) => k; field.
    rewrite sumrB g sumr_const card_ord -[_ *+ _]mulr_natl; move: (T.+1%:R : R) Tn => n nn; field; exact: nn.
  have T0 : 0 <= T%:R :> R by apply: ler0n.
  rewrite av /huber clamp_top mulrS; move: (T%:R : R) T0 {av Tn} => n n0; first by field.
  by apply: (@ler_by _ (n / 2)); [nonneg | field].
have z : -1 <= (0 : R) <= 1 by rewrite ler01 andbT oppr_le0 ler01.
rewrite /fH /huber clamp_mid // /normsq (bigD1 i0) //= big1 => [|i /negbTE ne].
  by rewrite /sub /start eqxx mulr1n; move: (T.+1%:R : R) Tn => n nn; field; exact: nn.
by rewrite /sub /start ne mulr0n subr0 expr0n.
Qed.
End Huber.

(* Every nested sampling always updates the coordinates of the first rank. *)
Theorem huber_instance (R : realFieldType) (m : nat) (p : probabilities R m) (I : finType) (rank : I -> 'I_m.+1) (i0 : I) :
  rank i0 = ord0 -> forall w : nested p rank, active w i0.
Proof. by move=> first w; rewrite /= first. Qed.

(* lem:key_quantity, our:keyQuantity: L_M <= L_P for every sampling and every L, and L_P <= lambda_max(L) lambda_max(P^-1)
   for every positive semidefinite L. The printed step from P^1/2 X P^1/2 <= lambda_max(L) I to X <= L_P I is false. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section KeyQuantity.
Variables (R : realFieldType) (I : finType).

(* C L C <= t C P C for each outcome, and E[C P C] = I. *)
Theorem key_quantity_left (S : sampling R I) L t : LP_at_most L (marginal S) t -> LM_at_most S L t.
Proof.
move=> bound x; rewrite form_moment -(mean_wnormsq S x) -meanZ.
by apply: mean_le => w; apply: bound.
Qed.

Theorem key_quantity_right (p : I -> R) L t r : psd L -> (forall i, 0 < p i) -> (forall i, (p i)^-1 <= r) ->
  top_at_most L t -> LP_at_most L p (t * r).
Proof.
move=> L0 p0 pr top x; have p1 i : 0 <= p i by apply: ltW.
have le : normsq x <= r * wnormsq p x.
  rewrite mulr_sumr; apply: ler_sum => i _; rewrite mulrA ler_pemull ?sqr_ge0 //.
  by rewrite -ler_pdivr_mulr // mul1r.
case: (lerP 0 t) => t0; first by apply: le_trans (top x) _; rewrite -mulrA ler_wpmul2l.
have z : normsq x = 0.
  by apply/eqP; rewrite eq_le normsq_ge0 andbT -(nmulr_rge0 _ t0); apply: le_trans (L0 x) (top x).
have x0 i : x i ^+ 2 = 0.
  apply/eqP; rewrite eq_le sqr_ge0 andbT -z /normsq (bigD1 i) //= ler_addl; nonneg.
apply: le_trans (top x) _; rewrite z mulr0 /wnormsq big1 ?mulr0 // => i _; by rewrite x0 mulr0.
Qed.

(* Equality for diagonal L: no factor below 1 can stand before L_P. *)
Theorem key_quantity_left_sharp (S : sampling R I) c : (0 < #|I|)%N -> c < 1 -> exists L t,
  [/\ psd L, LP_at_most L (marginal S) t & ~ LM_at_most S L (c * t)].
Proof.
case/card_gt0P=> i _ c1; exists (weights S), 1^-1.
split; [exact: weights_psd | exact: weights_bound | ].
move=> /(_ (fun j => (j == i)%:R)); rewrite form_moment.
under eq_mean do rewrite form_diagonal.
rewrite mean_wnormsq invr1 mulr1 /normsq (bigD1 i) //= eqxx expr1n big1 => [|j /negbTE->]; last by rewrite expr0n.
by rewrite addr0 mulr1 leNgt c1.
Qed.
End KeyQuantity.

(* P = (1, 1/4), L = diag(4, 1), X = diag(0, 16): lambda_max(L) = 4 and L_P = 4, X <= 4 P^-1, and not X <= 4 I. *)
Theorem printed_inference_fails (R : realFieldType) : exists (p : bool -> R) (L X : bool -> bool -> R),
  [/\ psd X, top_at_most L 4, LP_at_most L p 4, LP_at_most X (fun i => (p i)^-1) 4 & ~ top_at_most X 4].
Proof.
exists (fun i => if i then 1 else 4^-1), (diagonal (fun i => if i then 4 else 1)), (diagonal (fun i => if i then 0 else 16)).
split=> [x|x|x|x|H]; rewrite ?form_diagonal /wnormsq /normsq ?big_bool /=.
- by rewrite mul0r add0r; nonneg.
- by apply: (@ler_by _ (3 * x false ^+ 2)); [nonneg | ring].
- by apply: (@ler_by _ 0) => //; field.
- by apply: (@ler_by _ (4 * x true ^+ 2)); [nonneg | field].
have := H (fun i => if i then 0 else 1); rewrite form_diagonal /wnormsq /normsq !big_bool /=.
by apply/negP; rewrite -ltNge; apply: (@ltr_by _ 12); [pos | ring].
Qed.

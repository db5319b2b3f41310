(* lem:key_quantity, our:keyQuantity: L_M <= L_P for every sampling and every L, and L_P <= lambda_max(L) lambda_max(P^-1)
   for every positive semidefinite L. The printed proof is right: its display, lambda_max(P^1/2 E[CKC] P^1/2) <= lambda_max(K)
   for every positive semidefinite K, and its "i.e.", which applies the display to K = P^-1/2 L P^-1/2, where
   P^1/2 E[CKC] P^1/2 = E[CLC] because C and P are diagonal. *)
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

(* The printed proof. lambda_max(P^1/2 E[CKC] P^1/2) <= t is written as E[CKC] <= t P^-1; rho_i is the root of p_i. *)
Section PrintedProof.
Variables (R : realFieldType) (I : finType) (S : sampling R I) (rho : I -> R).
Hypotheses (rho_gt0 : forall i, 0 < rho i) (rho_root : forall i, rho i ^+ 2 = marginal S i).

Theorem printed_display K t : top_at_most K t -> LP_at_most (moment S K) (fun i => (marginal S i)^-1) t.
Proof.
move=> top x; rewrite form_moment.
apply: le_trans (_ : mean (fun w : S => t * normsq (fun i => sketch w i * x i)) <= _).
  by apply: mean_le => w; apply: top.
rewrite meanZ (_ : mean _ = wnormsq (fun i => (marginal S i)^-1) x) // mean_sum; apply: eq_bigr => i _.
by under eq_mean do rewrite exprMn mulrC; rewrite meanZ mean_sketch_sq mulrC.
Qed.

Theorem printed_inference_holds :
  (forall K t, psd K -> top_at_most K t -> LP_at_most (moment S K) (fun i => (marginal S i)^-1) t) ->
  forall L t, psd L -> LP_at_most L (marginal S) t -> LM_at_most S L t.
Proof.
move=> display L t L_psd bound x.
have rho_neq0 i : rho i != 0 by rewrite lt0r_neq0.
(* K = P^-1/2 L P^-1/2 *)
pose K i j := L i j / (rho i * rho j).
have form_K y : form K y = form L (fun i => y i / rho i).
  apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite /K.
  by field; rewrite !rho_neq0.
have K_psd : psd K by move=> y; rewrite form_K.
have K_top : top_at_most K t.
  move=> y; rewrite form_K; apply: le_trans (bound _) _.
  rewrite (_ : wnormsq _ _ = normsq y) //; apply: eq_bigr => i _.
  by rewrite -rho_root; field; rewrite rho_neq0.
have := display K t K_psd K_top (fun i => rho i * x i).
rewrite (_ : form (moment S K) _ = form (moment S L) x); last first.
  rewrite !form_moment; apply: eq_mean => w; rewrite form_K; apply: eq_form => i.
  by field; rewrite rho_neq0.
rewrite (_ : wnormsq _ _ = normsq x) //; apply: eq_bigr => i _.
by rewrite -rho_root; field; rewrite rho_neq0.
Qed.
End PrintedProof.

(* The hypotheses can be met: for every sampling by L = P, and the roots exist where all coordinates are drawn. *)
Theorem key_quantity_instance (R : realFieldType) (I : finType) (S : sampling R I) :
  [/\ psd (weights S), LP_at_most (weights S) (marginal S) 1, top_at_most (weights S) 1, forall i, 0 < marginal S i
    & forall i : I, 0 < (1 : R) /\ 1 ^+ 2 = marginal (everything R I) i].
Proof.
split=> [||x||i]; [exact: weights_psd | by have := @weights_bound R I S; rewrite invr1 | |exact: marginal_gt0|].
  rewrite form_diagonal mul1r; apply: ler_sum => i _; by rewrite ler_pimull ?sqr_ge0 ?marginal_le1.
by rewrite marginal_everything expr1n ltr01.
Qed.

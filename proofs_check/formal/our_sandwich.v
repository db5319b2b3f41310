(* our:sandwich: sum_k c_k L_k <= c* <= c(P_closed) <= (sum_k s_k)^2 <= B sum_k c_k L_k and c* <= lambda_max(L), where c* is the
   least <c, q> over BlockDiag(q_k I) >= L (our:sdp), s_k^2 = c_k L_k and P_closed is proportional to r_k = sqrt(L_k / c_k). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds our_sdp text_productBound fact_cauchySchwarz.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Sandwich.
Variables (R : realFieldType) (I B : finType) (b : I -> B) (L : I -> I -> R) (l c r : B -> R).
Hypotheses (L_psd : psd L) (full : forall k, exists i, b i = k) (c_gt0 : forall k, 0 < c k).
(* l_k = lambda_max(L_kk), the least of its upper bounds, and r_k its root over c_k. *)
Hypotheses (l_bound : forall k, block_at_most b L k (l k)).
Hypotheses (l_least : forall k u, block_at_most b L k u -> l k <= u).
Hypotheses (r_gt0 : forall k, 0 < r k) (r_root : forall k, r k ^+ 2 * c k = l k).
Let s k := r k * c k.

Theorem sandwich_below q : feasible b L q -> \sum_k c k * l k <= \sum_k c k * q k.
Proof.
move=> feas; apply: ler_sum => k _; rewrite ler_pmul2l //; apply: feasible_block feas _; exact: l_least.
Qed.

(* P_closed and its L_P, call it t, make the feasible point q = t r, whose cost is c(P_closed). *)
Theorem sandwich_closed t : LP_at_most L (fun i => r (b i)) t ->
  (forall u, LP_at_most L (fun i => r (b i)) u -> t <= u) ->
  feasible b L (fun k => t * r k) /\ \sum_k c k * (t * r k) <= (\sum_k s k) ^+ 2.
Proof.
move=> bound least; case: (sdp_from_p c bound) => feas ->; split=> //.
have := product_bound L_psd full l_bound r_gt0 (fun k => ltW (c_gt0 k)) least.
rewrite (_ : \sum_k l k / r k = \sum_k s k) ?expr2 //.
by apply: eq_bigr => k _; rewrite -r_root /s; have rn := lt0r_neq0 (r_gt0 k); field.
Qed.

Theorem sandwich_above : (\sum_k s k) ^+ 2 <= #|B|%:R * \sum_k c k * l k.
Proof.
have := cauchy_schwarz (fun=> 1) s; rewrite /dot (_ : normsq (fun=> 1) = #|B|%:R); last first.
  by rewrite /normsq (eq_bigr (fun=> 1)) ?sumr_const // => k _; rewrite expr1n.
under eq_bigr do rewrite mul1r; move=> le; apply: le_trans le _; apply: ler_wpmul2l; first exact: ler0n.
by apply: ler_sum => k _; rewrite -r_root /s; apply: (@ler_by _ 0) => //; ring.
Qed.

Theorem sandwich_gd t : \sum_k c k = 1 -> top_at_most L t -> feasible b L (fun=> t) /\ \sum_k c k * t = t.
Proof.
move=> c1 top; split=> [x|]; last by rewrite -mulr_suml c1 mul1r.
by apply: le_trans (top x) _; rewrite /normsq /wnormsq mulr_sumr.
Qed.
End Sandwich.

(* The last factor B is attained: L = I, equal costs, B blocks of one coordinate: c* = 1 and (sum s)^2 = B. *)
Theorem sandwich_factor_attained (R : realFieldType) (B : finType) : (0 < #|B|)%N ->
  let c : B -> R := fun=> #|B|%:R^-1 in let L := diagonal (fun _ : B => 1 : R) in
  feasible id L (fun=> 1) /\ forall s : B -> R, (forall k, 0 <= s k /\ s k ^+ 2 = c k * 1) ->
  (\sum_k s k) ^+ 2 = #|B|%:R * \sum_k c k * 1.
Proof.
move=> B0 c L; split=> [x|s sr]; first by rewrite form_diagonal.
have n : #|B|%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
case/card_gt0P: B0 => k0 _; have s1 k : s k = s k0.
  case: (sr k) => k1 k2; case: (sr k0) => k3 k4; by apply/eqP; rewrite -(@eqr_expn2 _ 2) // k2 k4.
have -> : \sum_k s k = #|B|%:R * s k0.
  by rewrite mulr_natl -sumr_const; apply: eq_bigr => k _; apply: s1.
have -> : \sum_k c k * 1 = 1 by under eq_bigr do rewrite mulr1; rewrite sumr_const -mulr_natl divff.
by rewrite exprMn (proj2 (sr k0)) /c mulr1 expr2 mulr1 mulfK.
Qed.

(* text:gradientDescent: p_i = 1 for all i is gradient descent: the sketch C is the identity, the step is x - gamma g(x),
   L_P is lambda_max(L), and with costs that add up to one c(P) = L_P sum_k p_k c_k is lambda_max(L). So what is below
   c(P) for every p, the minimum of eq:complexity in particular, is at most lambda_max(L). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section GradientDescent.
Variables (R : realFieldType) (I : finType).
Let S := everything R I.

Theorem gd_step gamma g (w : S) (x : I -> R) i : step gamma g w x i = x i - gamma * g x i.
Proof. by rewrite /step /sketch marginal_everything divr1 mulr1. Qed.
Theorem gd_LP L t : LP_at_most L (marginal S) t <-> top_at_most L t.
Proof.
have e x : wnormsq (marginal S) x = normsq x by apply: eq_bigr => i _; rewrite marginal_everything mul1r.
by split=> b x; have := b x; rewrite e.
Qed.
Theorem gd_sketch (w : S) i : sketch w i = 1.
Proof. by rewrite /sketch marginal_everything divr1. Qed.

(* c(P) for p = 1, with t = lambda_max(L), an upper bound and the least one. *)
Theorem gd_cost (B : finType) (b : I -> B) (c : B -> R) L t : \sum_k c k = 1 ->
  top_at_most L t -> (forall u, top_at_most L u -> t <= u) ->
  let p : B -> R := fun=> 1 in
  [/\ LP_at_most L (fun i => p (b i)) t, forall u, LP_at_most L (fun i => p (b i)) u -> t <= u
    & t * (\sum_k p k * c k) = t].
Proof.
move=> c1 top least p; have e x : wnormsq (fun i => p (b i)) x = normsq x by apply: eq_bigr => i _; rewrite mul1r.
split=> [x|u bound|]; first by rewrite e.
  by apply: least => x; have := bound x; rewrite e.
by under eq_bigr do rewrite mul1r; rewrite c1 mulr1.
Qed.

(* min c(P) <= lambda_max(L), for costs that add up to one. *)
Theorem minimum_at_most_gd (B : finType) (b : I -> B) (c : B -> R) L t m : \sum_k c k = 1 -> top_at_most L t ->
  (forall (p : B -> R) u, (forall k, 0 < p k <= 1) -> LP_at_most L (fun i => p (b i)) u -> m <= u * (\sum_k p k * c k)) ->
  m <= t.
Proof.
move=> c1 top lower; have := lower (fun=> 1) t; rewrite (eq_bigr c) => [|k _]; last by rewrite mul1r.
rewrite c1 mulr1; apply=> [k|x]; first by rewrite ltr01 lexx.
by apply: le_trans (top x) _; rewrite /wnormsq; under [X in _ <= _ * X]eq_bigr do rewrite mul1r.
Qed.

(* The hypotheses can be met: one block of cost 1 and L = I. *)
Theorem gd_instance : [/\ \sum_(k : 'I_1) (1 : R) = 1, top_at_most (diagonal (fun _ : 'I_1 => 1 : R)) 1
  & forall u, top_at_most (diagonal (fun _ : 'I_1 => 1 : R)) u -> 1 <= u].
Proof.
split=> [|x|u /(_ (fun=> 1))]; rewrite ?big_ord1 // form_diagonal /wnormsq /normsq !big_ord1; first by [].
by rewrite expr1n !mulr1.
Qed.
End GradientDescent.

(* our:backpropagationByLM: for L = 11' and two blocks of one coordinate, every nested sampling has
   L_M (c_0 + p_1 c_1 + p_2 c_2) > 2 (c_0 + c_1) + c_2, since L_M >= 2, L_M p_1 >= 2 and L_M p_2 > 1. The right side is the cost
   of one block at a time with p = (1/2, 1/2), whose L_M is 2, also where a step pays for its deepest block. Nested samplings
   in the other order then pay for both blocks in every step that draws any, and cost more as well. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt def_PTsketch our_freshDraws our_backpropagation.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Notation two_blocks := [finType of 'I_2].
Notation first := (ord0 : 'I_2).
Notation second := (ord_max : 'I_2).
Lemma sum_two (R : realFieldType) (F : 'I_2 -> R) i j : i != j -> \sum_k F k = F i + F j.
Proof.
move=> ij; rewrite (bigD1 i) //= (big_pred1 j) // => k.
by move: i j k ij => [[|[|i]] hi] [[|[|j]] hj] [[|[|k]] hk].
Qed.
Lemma first_or_second (k : 'I_2) : k = first \/ k = second.
Proof. by case: k => [[|[|k]] h] //; [left | right]; apply: val_inj. Qed.
(* L = 11' *)
Definition ones (R : realFieldType) : 'I_2 -> 'I_2 -> R := fun _ _ => 1.

Section Nested.
Variables (R : realFieldType) (S : sampling R two_blocks).
Notation p := (marginal S).

(* The later block is drawn only with the earlier one, whichever is first. *)
Lemma nested_form (i j : 'I_2) x : i != j -> (forall w : S, active w j -> active w i) ->
  form (moment S (ones R)) x = x i ^+ 2 / p i + 2 * x i * x j / p i + x j ^+ 2 / p j.
Proof.
have pn k := marginal_neq0 S k.
have diag k : moment S (ones R) k k = (p k)^-1.
  by rewrite -(mean_sketch_sq S k); apply: eq_mean => w; rewrite /ones mulr1 expr2.
move=> ij nest.
have ji : moment S (ones R) j i = (p i)^-1.
  have e (w : S) : sketch w j * ones R j i * sketch w i = (p i)^-1 * sketch w j.
    rewrite /sketch /ones; have := nest w; case: (active w j) => [->|_] //=; first by field; rewrite !pn.
    by rewrite !mul0r mulr0.
  by rewrite /moment (eq_mean e) meanZ mean_sketch mulr1.
have ij' : moment S (ones R) i j = (p i)^-1.
  by rewrite -ji; apply: eq_mean => w; rewrite /ones !mulr1 mulrC.
rewrite /form /bil !(sum_two _ ij) !diag ji ij'; ring.
Qed.

(* L_M >= 2 / p_i, the Rayleigh quotient of (1, 1) for p_j <= p_i, and L_M > 1 / p_j. *)
Lemma nested_bounds (i j : 'I_2) t : i != j -> (forall w : S, active w j -> active w i) ->
  LM_at_most S (ones R) t -> [/\ 2 <= t, 2 <= t * p i & 1 < t * p j].
Proof.
move=> ij nest top; have pi := marginal_gt0 S i; have pj := marginal_gt0 S j; have p1 := marginal_le1 S i.
have pin := lt0r_neq0 pi; have pjn := lt0r_neq0 pj.
have quad y z : y ^+ 2 / p i + 2 * y * z / p i + z ^+ 2 / p j <= t * (y ^+ 2 + z ^+ 2).
  have := top (fun k => if k == i then y else z); rewrite (nested_form _ ij nest) /normsq (sum_two _ ij) eqxx.
  by rewrite [j == i]eq_sym (negbTE ij).
have tp : 0 < t * p i.
  apply: lt_le_trans ltr01 _; rewrite -ler_pdivr_mulr //; have := quad 1 0.
  by rewrite expr1n expr0n /= !mulr0 !mul0r !addr0 mulr1.
have t0 : 0 < t by rewrite -(pmulr_lgt0 _ pi).
have above : 1 < t * p j.
  rewrite ltNge; apply/negP => le; have tn := lt0r_neq0 t0.
  have := quad (p i * t)^-1 1; apply/negP; rewrite -ltNge.
  have : 0 < (p i ^+ 2 * t)^-1 + (p i ^+ 3 * t ^+ 2)^-1 + (1 - t * p j) / p j.
    apply: ltr_paddr; first by apply: divr_ge0; [rewrite subr_ge0 | apply: ltW].
    by apply: addr_gt0; rewrite invr_gt0 mulr_gt0 ?exprn_gt0.
  by move=> h; apply: (ltr_by h); field; rewrite pin pjn tn.
have pji : p j <= p i.
  by apply: mean_le => w; rewrite ler_nat; have := nest w; case: (active w j) => // ->.
have two : 2 <= t * p i.
  have := quad 1 1; rewrite !expr1n => q.
  apply: (@ler_by _ (p i / 2 * (t * (1 + 1) - (1 / p i + 2 * 1 * 1 / p i + 1 / p j)) + (p i - p j) / p j / 2)).
    apply: addr_ge0; last by nonneg.
    by apply: mulr_ge0; [nonneg | rewrite subr_ge0].
  by field; rewrite pin pjn.
by split=> //; apply: le_trans two _; rewrite -[X in _ <= X]mulr1; apply: ler_wpmul2l => //; apply: ltW.
Qed.

Variables (c : 'I_2 -> R) (c0 t : R).
Hypotheses (c00 : 0 <= c0) (c_gt0 : forall k, 0 < c k).
Local Notation cost := (depth_cost (@active R two_blocks S) c c0).

(* A step of a nested sampling draws all blocks up to its deepest. *)
Theorem nested_cost : (forall w : S, active w second -> active w first) ->
  mean cost = c0 + \sum_k p k * c k.
Proof.
move=> nest; rewrite depth_cost_mean; congr (_ + _); apply: eq_bigr => k _; congr (_ * _).
apply: eq_mean => w; rewrite (_ : reached _ w k = active w k) //.
apply/existsP/idP => [[j /andP[kj]]|a]; last by exists k; rewrite leqnn.
move: kj; case: (first_or_second k) => ->; case: (first_or_second j) => -> //= _; exact: nest.
Qed.

Theorem nested_by_LM : (forall w : S, active w second -> active w first) -> LM_at_most S (ones R) t ->
  2 * (c0 + c first) + c second < t * (c0 + \sum_k p k * c k).
Proof.
move=> nest top; case: (nested_bounds _ nest top) => // t2 p1 p2; rewrite (sum_two _ (_ : first != second)) //.
have c1 := c_gt0 first; have c2 := c_gt0 second.
apply: (@ltr_by _ ((t - 2) * c0 + (t * p first - 2) * c first + (t * p second - 1) * c second)); last by ring.
by apply: ltr_paddl; [nonneg | rewrite pmulr_lgt0 // subr_gt0].
Qed.

(* In the other order the first block is drawn only with the second, and a step pays for both. *)
Theorem other_order_by_LM : (forall w : S, active w first -> active w second) -> LM_at_most S (ones R) t ->
  2 * (c0 + c first) + c second < t * mean cost.
Proof.
move=> nest top; case: (nested_bounds _ nest top) => // t2 p2 p1.
have c1 := c_gt0 first; have c2 := c_gt0 second.
have reach_is k : reach (@active R two_blocks S) k = p second.
  apply: eq_mean => w; rewrite (_ : reached _ w k = active w second) //.
  apply/existsP/idP => [[j /andP[_]]|a]; last by exists second; rewrite a -ltnS ltn_ord.
  by case: (first_or_second j) => -> //; apply: nest.
rewrite depth_cost_mean (sum_two _ (_ : first != second)) // !reach_is.
apply: (@ltr_by _ ((t - 2) * c0 + (t * p second - 2) * (c first + c second) + c second)); last by ring.
by apply: ltr_paddl => //; nonneg.
Qed.
End Nested.

(* One block at a time with p = (1/2, 1/2): a fair coin says which. *)
Section OneBlock.
Variables (R : realFieldType) (c : 'I_2 -> R) (c0 : R).
Lemma one_block_met (i : 'I_2) : 0 < mean (fun w : coin R => (w == (i == first) :> bool)%:R).
Proof. by rewrite mean_coin; case: (i == first); rewrite /= ?mulr1 ?mulr0 ?addr0 ?add0r invr_gt0 ltr0Sn. Qed.
Definition one_block : sampling R two_blocks := Sampling one_block_met.
Lemma one_block_marginal i : marginal one_block i = 2^-1.
Proof. by rewrite [LHS]mean_coin; case: (first_or_second i) => -> /=; field. Qed.

Theorem one_block_LM u : LM_at_most one_block (ones R) u <-> 2 <= u.
Proof.
have e x : form (moment one_block (ones R)) x = 2 * normsq x.
  rewrite form_moment mean_coin /form /bil /normsq !(sum_two _ (_ : first != second)) //.
  by rewrite /sketch /ones !one_block_marginal /=; field.
split=> [top|le x]; last by rewrite e; apply: ler_wpmul2r => //; apply: normsq_ge0.
have := top (fun=> 1); rewrite e ler_pmul2r // /normsq (sum_two _ (_ : first != second)) //.
by rewrite expr1n addr_gt0 ?ltr01.
Qed.
Theorem one_block_cost : 2 * mean (depth_cost (@active R two_blocks one_block) c c0) = 2 * (c0 + c first) + c second.
Proof.
have r1 : reach (@active R two_blocks one_block) first = 1.
  rewrite -(mean_cst one_block 1); apply: eq_mean => w; rewrite (_ : reached _ w first = true) //.
  by apply/existsP; exists (if w then first else second); case: w.
have r2 : reach (@active R two_blocks one_block) second = 2^-1.
  rewrite -(one_block_marginal second); apply: eq_mean => w; rewrite (_ : reached _ w second = active w second) //.
  apply/existsP/idP => [[j]|a]; last by exists second.
  by case: (first_or_second j) => ->.
by rewrite depth_cost_mean (sum_two _ (_ : first != second)) // r1 r2; field.
Qed.
End OneBlock.

(* The hypotheses can be met: nested sampling with p = (1, q), for every q. *)
Theorem by_LM_instance (R : realFieldType) (q : R) (q_in : 0 < q <= 1) :
  let S := nested (two q_in) (id : two_blocks -> 'I_2) in
  [/\ forall w : S, active w second -> active w first, marginal S first = 1, marginal S second = q
    & LM_at_most S (ones R) (1 + q^-1)].
Proof.
case/andP: (q_in) => q0 q1 S.
have nest (w : S) : active w second -> active w first by [].
have m1 : marginal S first = 1 by rewrite nested_probabilities.
have m2 : marginal S second = q by rewrite nested_probabilities.
split=> // x; rewrite (nested_form x (_ : first != second) nest) // m1 m2 /normsq (sum_two _ (_ : first != second)) //.
have r : 0 <= (1 - q) / q by apply: divr_ge0; [rewrite subr_ge0 | apply: ltW].
apply: (@ler_by _ ((x first - x second) ^+ 2 + (1 - q) / q * x first ^+ 2)).
  by apply: addr_ge0; [apply: sqr_ge0 | apply: mulr_ge0 => //; apply: sqr_ge0].
by field; apply: lt0r_neq0.
Qed.

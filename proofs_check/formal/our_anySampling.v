(* our:anySampling, our:singleBlockOptimal, our:independentFactor, our:blockBudget: for every sampling of whole blocks
   E[CLC] >= L and L_M >= L_k / p_k. So L_M (c_0 + sum_k p_k c_k) >= c_0 lambda_max(L) + sum_k c_k L_k, and with at most
   tau blocks (or M bytes) in a step L_M >= sum_k m_k L_k / M.
   One block of each group, drawn independently of the other groups: E[CLC] = L - sum_g L_gg + BlockDiag(L_kk / p_k). With tau
   groups and p_k = L_k / (sum of its group), L_M <= (1 - 1/tau) lambda_max(L) + the largest sum. One group is one block at
   a time, which attains the bound for c_0 = 0; groups of one block are independent blocks, which with p_k = min(1, s L_k / lambda_max(L)), s^2 = c_0 lambda_max(L) / sum_k c_k L_k, are within a factor two. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt our_twoBounds our_freshDraws our_functionValues.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* The forms of the parts of x, as one double sum over coordinates of the same part. *)
Lemma sum_form_part (R : realFieldType) (I K : finType) (h : I -> K) (M : I -> I -> R) (a : K -> R) x :
  \sum_k a k * form M (part h k x) = \sum_i \sum_j x i * (M i j * a (h i) *+ (h i == h j)) * x j.
Proof.
under eq_bigr do rewrite /form /bil mulr_sumr.
rewrite exchange_big; apply: eq_bigr => i _ /=.
under eq_bigr do rewrite mulr_sumr.
rewrite exchange_big; apply: eq_bigr => j _ /=; rewrite (bigD1 (h i)) //= /part eqxx big1 => [|k ne]; last first.
  by rewrite [h i == k]eq_sym (negbTE ne) mulr0n !mul0r mulr0.
by rewrite [h j == h i]eq_sym; case: eqP => _ /=; rewrite ?mulr1n ?mulr0n; ring.
Qed.

Section AnySampling.
Variables (R : realFieldType) (I B : finType) (b : I -> B) (S : sampling R I) (L : I -> I -> R).
Variables (on : S -> B -> bool) (p l c : B -> R).
(* Blocks are drawn whole, and no block is empty. *)
Hypotheses (whole : forall (w : S) i, active w i = on w (b i)) (full : forall k, exists i, b i = k).
Hypothesis (p_is : forall i, marginal S i = p (b i)).

Lemma mean_on k : mean (fun w : S => (on w k)%:R) = p k.
Proof. by case: (full k) => i <-; rewrite -p_is; apply: eq_mean => w; rewrite whole. Qed.
Lemma p_gt0 k : 0 < p k.
Proof. by case: (full k) => i <-; rewrite -p_is; apply: marginal_gt0. Qed.
Lemma p_le1 k : p k <= 1.
Proof. by case: (full k) => i <-; rewrite -p_is; apply: marginal_le1. Qed.

(* Block (k, k') of E[CLC] is L_kk' times P(k and k' are drawn) / (p_k p_k'). *)
Lemma moment_entry i j : moment S L i j
  = L i j / (p (b i) * p (b j)) * mean (fun w : S => (on w (b i))%:R * (on w (b j))%:R).
Proof.
have pi := lt0r_neq0 (p_gt0 (b i)); have pj := lt0r_neq0 (p_gt0 (b j)).
rewrite /moment -meanZ; apply: eq_mean => w; by rewrite /sketch !whole !p_is; field; rewrite pi pj.
Qed.
Lemma mean_on_twice k : mean (fun w : S => (on w k)%:R * (on w k)%:R) = p k.
Proof. by rewrite -mean_on; apply: eq_mean => w; case: on; rewrite ?mul0r ?mul1r. Qed.

(* The k-th diagonal block of E[CLC] is L_kk / p_k. *)
Lemma moment_block k x : form (moment S L) (part b k x) = form L (part b k x) / p k.
Proof.
rewrite mulrC /form /bil mulr_sumr; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _.
have pn := lt0r_neq0 (p_gt0 k); rewrite moment_entry /part.
case: eqP => [->|_]; last by rewrite !mul0r mulr0.
case: eqP => [->|_]; last by rewrite !mulr0.
by rewrite mean_on_twice; field.
Qed.

Theorem block_below t : LM_at_most S L t -> forall k u, (forall v, block_at_most b L k v -> u <= v) -> u <= t * p k.
Proof.
move=> top k u least; apply: least => x; have := top (part b k x); rewrite moment_block ler_pdivr_mulr ?p_gt0 //.
by move=> h; apply: le_trans h _; apply: (@ler_by _ 0) => //; ring.
Qed.

Theorem moment_above x : symmetric L -> psd L -> form L x <= form (moment S L) x.
Proof.
move=> sym L0.
have : 0 <= mean (fun w : S => form L (fun i => 1 * (sketch w i * x i) + (-1) * x i)).
  by rewrite -(mean_cst S 0); apply: mean_le.
have e (w : S) : form L (fun i => 1 * (sketch w i * x i) + (-1) * x i)
    = form L (fun i => sketch w i * x i) + (- 2 * bil L (fun i => sketch w i * x i) x + form L x).
  by rewrite form_comb (bil_sym x (fun i => sketch w i * x i) sym); ring.
rewrite (eq_mean e) !meanD meanZ mean_cst -form_moment.
have -> : mean (fun w : S => bil L (fun i => sketch w i * x i) x) = form L x.
  rewrite mean_sum; apply: eq_bigr => i _; rewrite mean_sum; apply: eq_bigr => j _.
  have f (w : S) : sketch w i * x i * L i j * x j = x i * L i j * x j * sketch w i by ring.
  by rewrite (eq_mean f) meanZ mean_sketch mulr1.
by move=> h; apply: (@ler_by _ (form (moment S L) x + (- 2 * form L x + form L x))); [done | ring].
Qed.
Theorem above_top t : symmetric L -> psd L -> LM_at_most S L t -> top_at_most L t.
Proof. by move=> sym L0 top x; apply: le_trans (moment_above x sym L0) (top x). Qed.

(* l_k is L_k and m is lambda_max(L), each the least of its upper bounds. *)
Hypothesis l_least : forall k u, block_at_most b L k u -> l k <= u.
Theorem any_sampling t : (forall k, 0 <= c k) -> LM_at_most S L t -> \sum_k c k * l k <= t * \sum_k p k * c k.
Proof.
move=> c0 top; rewrite mulr_sumr; apply: ler_sum => k _; have le := block_below top (@l_least k).
by apply: (@ler_by _ (c k * (t * p k - l k))); [nonneg | ring].
Qed.
Theorem any_sampling_overhead c0 t m : symmetric L -> psd L -> 0 <= c0 -> (forall k, 0 <= c k) ->
  (forall u, top_at_most L u -> m <= u) -> LM_at_most S L t ->
  c0 * m + \sum_k c k * l k <= t * (c0 + \sum_k p k * c k).
Proof.
move=> sym L0 c00 cs leastm top; rewrite mulrDr; apply: ler_add; last exact: any_sampling.
by rewrite mulrC; apply: ler_wpmul2r => //; apply: leastm; apply: above_top.
Qed.
(* No step draws blocks of more than M bytes; m_k = 1 and M = tau count blocks. *)
Theorem any_sampling_budget (bytes : B -> R) (M t : R) : (forall k, 0 <= bytes k) -> 0 <= t ->
  (forall w : S, \sum_k bytes k * (on w k)%:R <= M) -> LM_at_most S L t -> \sum_k bytes k * l k <= t * M.
Proof.
move=> b0 t0 budget top; apply: le_trans (_ : t * (\sum_k bytes k * p k) <= _).
  rewrite mulr_sumr; apply: ler_sum => k _; have le := block_below top (@l_least k).
  by apply: (@ler_by _ (bytes k * (t * p k - l k))); [nonneg | ring].
apply: ler_wpmul2l => //; rewrite -(mean_cst S M); under eq_bigr do rewrite -mean_on -meanZ.
by rewrite -mean_sum; apply: mean_le.
Qed.

(* One block of each group at most, drawn independently of the other groups. *)
Section Groups.
Variables (G : finType) (group : B -> G).
Hypothesis one_each : forall (w : S) k k', group k = group k' -> on w k -> on w k' -> k = k'.
Hypothesis apart : forall k k', group k != group k' ->
  mean (fun w : S => (on w k)%:R * (on w k')%:R) = p k * p k'.

Lemma moment_groups x : form (moment S L) x = form L x
  + (\sum_k (p k)^-1 * form L (part b k x) - \sum_g form L (part (group \o b) g x)).
Proof.
have -> : \sum_g form L (part (group \o b) g x) = \sum_g 1 * form L (part (group \o b) g x).
  by apply: eq_bigr => g _; rewrite mul1r.
rewrite !sum_form_part /form /bil -sumrB -big_split; apply: eq_bigr => i _.
rewrite -sumrB -big_split; apply: eq_bigr => j _ /=; rewrite moment_entry.
have pi := lt0r_neq0 (p_gt0 (b i)); have pj := lt0r_neq0 (p_gt0 (b j)).
case: (altP (b i =P b j)) => [e|ne].
  by rewrite e !eqxx !mulr1n mean_on_twice; field.
case: (altP (group (b i) =P group (b j))) => [e|g_ne]; last by rewrite apart // !mulr0n; field; rewrite pi pj.
have z (w : S) : (on w (b i))%:R * (on w (b j))%:R = 0 * 1 :> R.
  rewrite mul0r; case h: (on w (b i)); case h': (on w (b j)); rewrite ?mul0r ?mulr0 //.
  by move: ne; rewrite (one_each e h h') eqxx.
by rewrite (eq_mean z) meanZ mul0r mulr0 mulr0n mulr1n; ring.
Qed.

(* Cauchy and Schwarz over the tau = #|G| parts of x: lambda_max(L) / tau is saved. *)
Lemma groups_above x : psd L -> #|G|%:R^-1 * form L x <= \sum_g form L (part (group \o b) g x).
Proof.
move=> L0; case: (posnP #|G|) => [->|G0].
  by rewrite invr0 mul0r; apply: sumr_ge0 => g _; apply: L0.
rewrite mulrC ler_pdivr_mulr ?ltr0n // mulrC.
have := @weighted_blocks R I G (group \o b) L (fun=> 1) x L0 (fun=> ltr01).
by rewrite sumr_const; under eq_bigr do rewrite divr1.
Qed.

(* p_k = L_k / (the sum of its group), m bounds lambda_max(L), and s the sums. *)
Theorem one_of_each_group m (s : R) (total : G -> R) : psd L -> top_at_most L m ->
  (forall k, block_at_most b L k (l k)) -> (forall g, 0 < total g <= s) -> (forall k, p k = l k / total (group k)) ->
  LM_at_most S L ((1 - #|G|%:R^-1) * m + s).
Proof.
move=> L0 top bound ts pl x; rewrite moment_groups.
have above := groups_above x L0.
have le : \sum_k (p k)^-1 * form L (part b k x) <= s * normsq x.
  rewrite -(sum_normsq_part b) mulr_sumr; apply: ler_sum => k _; case/andP: (ts (group k)) => t0 tl.
  have tn := lt0r_neq0 t0; have pn := lt0r_neq0 (p_gt0 k).
  have ln : l k != 0 by apply: contra_neq pn => z; rewrite pl z mul0r.
  apply: le_trans (_ : (p k)^-1 * (l k * normsq (part b k x)) <= _).
    by apply: ler_wpmul2l; [rewrite invr_ge0 ltW ?p_gt0 | apply: bound].
  have n0 := normsq_ge0 (part b k x).
  by apply: (@ler_by _ ((s - total (group k)) * normsq (part b k x))); [nonneg | rewrite pl; field; rewrite ln tn].
have tau1 : #|G|%:R^-1 <= 1 :> R.
  by case: #|G| => [|n]; rewrite ?invr0 ?ler01 // invf_le1 ?ltr0Sn // ler1n.
move: above le (top x); set tau := #|G|%:R^-1 in tau1 *; set F := form L x; set E := \sum_g _; set D := \sum_k _.
move=> above le tx; apply: (@ler_by _ ((1 - tau) * (m * normsq x - F) + ((s * normsq x - D) + (E - tau * F)))); last by ring.
by nonneg.
Qed.
End Groups.

(* One block at a time is one group: E[CLC] is block-diagonal, and c_0 = 0 attains the bound of any_sampling. *)
Theorem single_block s : 0 < s -> (forall k, block_at_most b L k (l k)) ->
  (forall (w : S) k k', on w k -> on w k' -> k = k') -> (forall k, p k = l k / s) ->
  LM_at_most S L s /\ s * (\sum_k p k * c k) = \sum_k c k * l k :> R.
Proof.
move=> s0 bound one pl; have sn := lt0r_neq0 s0; split; last first.
  by rewrite mulr_sumr; apply: eq_bigr => k _; rewrite pl; field.
move=> x; rewrite (@moment_groups [finType of 'I_1] (fun=> ord0)) //; first last.
  by move=> w k k' _; apply: one.
rewrite big_ord1.
have -> : form L (part ((fun=> ord0) \o b) (ord0 : 'I_1) x) = form L x.
  by apply: eq_form => i; rewrite /part /=.
rewrite addrCA subrr addr0 -(sum_normsq_part b) mulr_sumr; apply: ler_sum => k _.
have pn := lt0r_neq0 (p_gt0 k); have ln : l k != 0 by apply: contra_neq pn => z; rewrite pl z mul0r.
apply: le_trans (_ : (p k)^-1 * (l k * normsq (part b k x)) <= _).
  by apply: ler_wpmul2l; [rewrite invr_ge0 ltW ?p_gt0 | apply: bound].
by apply: (@ler_by _ 0) => //; rewrite pl; field; rewrite ln sn.
Qed.

(* Independent blocks are groups of one block each. *)
Section Independent.
Hypothesis independent : forall k k', k != k' -> mean (fun w : S => (on w k)%:R * (on w k')%:R) = p k * p k'.
Hypotheses (l_bound : forall k, block_at_most b L k (l k)) (l_ge0 : forall k, 0 <= l k).

Theorem independent_LM m s : 0 < m -> 0 < s -> top_at_most L m -> (forall k, p k = Num.min 1 (s * l k / m)) ->
  LM_at_most S L (m * (1 + s^-1)).
Proof.
move=> m0 s0 top pl x; have mn := lt0r_neq0 m0; have sn := lt0r_neq0 s0.
rewrite (@moment_groups B id) //.
have -> : \sum_g form L (part (id \o b) g x) = \sum_k form L (part b k x) by [].
rewrite -sumrB mulrDr mulr1 mulrDl; apply: ler_add; first exact: top.
rewrite -(sum_normsq_part b) mulr_sumr; apply: ler_sum => k _.
have n0 := normsq_ge0 (part b k x); have pk := p_gt0 k; have p1 := p_le1 k; have pn := lt0r_neq0 pk.
have -> : (p k)^-1 * form L (part b k x) - form L (part b k x) = (1 - p k) / p k * form L (part b k x) by field.
apply: le_trans (_ : (1 - p k) / p k * (l k * normsq (part b k x)) <= _).
  by apply: ler_wpmul2l; [nonneg | apply: l_bound].
move: (pl k); case: (leP 1 (s * l k / m)) => _ e.
  by rewrite e subrr !mul0r; apply: mulr_ge0 => //; nonneg.
have ln : l k != 0 by apply: contra_neq pn => z; rewrite e z mulr0 mul0r.
have lk := l_ge0 k.
by apply: (@ler_by _ (l k * normsq (part b k x))); [nonneg | rewrite e; field; rewrite sn ln mn].
Qed.

(* s^2 sum_k c_k L_k = c_0 m is the best choice; then a + b + 2 s b = (sqrt a + sqrt b)^2 with a = c_0 m, b = sum_k c_k L_k. *)
Theorem independent_cost m s c0 : 0 < m -> 0 < s -> (forall k, 0 <= c k) -> 0 <= c0 ->
  (forall k, p k = Num.min 1 (s * l k / m)) -> s ^+ 2 * (\sum_k c k * l k) = c0 * m ->
  let bound := c0 * m + (\sum_k c k * l k) + 2 * s * (\sum_k c k * l k) in
  m * (1 + s^-1) * (c0 + \sum_k p k * c k) <= bound /\ bound <= 2 * (c0 * m + \sum_k c k * l k).
Proof.
move=> m0 s0 cs c00 pl; set b0 := \sum_k c k * l k => sb bound; have mn := lt0r_neq0 m0; have sn := lt0r_neq0 s0.
have b_ge0 : 0 <= b0 by apply: sumr_ge0 => k _; apply: mulr_ge0.
have le : \sum_k p k * c k <= s / m * b0.
  rewrite /b0 mulr_sumr; apply: ler_sum => k _.
  apply: le_trans (_ : s * l k / m * c k <= _); last by apply: (@ler_by _ 0) => //; ring.
  by apply: ler_wpmul2r => //; rewrite pl; case: (leP 1 (s * l k / m)).
split; last by rewrite /bound -sb; apply: (@ler_by _ ((s - 1) ^+ 2 * b0)); [nonneg | ring].
have c0e : c0 = s ^+ 2 * b0 / m by rewrite sb mulfK.
apply: (@ler_by _ (m * (1 + s^-1) * (s / m * b0 - \sum_k p k * c k))); first by nonneg.
rewrite /bound c0e; field; by rewrite sn mn.
Qed.
End Independent.
End AnySampling.

(* The hypotheses can be met for L = I on two coordinates: one at a time with p = 1/2 (one group, s = 2), and both in every
   step (groups of one block, m = s = 1, c_0 = sum_k c_k). *)
Section Instances.
Variable R : realFieldType.
Let L : bool -> bool -> R := diagonal (fun=> 1).
Lemma identity_form x : form L x = normsq x.
Proof. by rewrite form_diagonal; apply: eq_bigr => i _; rewrite mul1r. Qed.
Theorem identity_instance : [/\ symmetric L, psd L, top_at_most L 1 & (forall k, block_at_most id L k 1)
  /\ (forall k u, block_at_most id L k u -> 1 <= u)].
Proof.
split; first by move=> i j; rewrite /L /diagonal eq_sym.
- by move=> x; rewrite identity_form normsq_ge0.
- by move=> x; rewrite identity_form mul1r.
split=> [k x|k u bound]; first by rewrite identity_form mul1r.
have := bound (fun=> 1); rewrite identity_form.
suff -> : normsq (part id k (fun=> 1)) = 1 :> R by rewrite mulr1.
by rewrite /normsq big_bool /part; clear bound; case: k => /=; rewrite ?mulr1n ?mulr0n expr1n expr0n ?addr0 ?add0r.
Qed.
Theorem single_instance : let S := either R in
  [/\ forall (w : S) i, active w i = (w == i), forall i, marginal S i = 1 / 2,
      forall (w : S) k k', w == k -> w == k' -> k = k', forall k, block_at_most id L k 1 & LM_at_most S L 2].
Proof.
case: identity_instance => _ _ _ [bound _].
have half i : marginal (either R) i = 1 / 2 by rewrite /marginal [LHS]mean_coin; case: i => /=; field.
have one (w : either R) k k' : w == k -> w == k' -> k = k' by move=> /eqP <- /eqP <-.
split=> //; apply: (proj1 (@single_block R _ _ id (either R) L (fun w k => w == k) (fun=> 1 / 2) (fun=> 1) (fun=> 0) _ _ _ 2 _ _ _ _)) => //.
  by move=> k; exists k.
exact: ltr0Sn.
Qed.
Theorem independent_instance : let S := everything R [finType of bool] in
  [/\ forall i, marginal S i = Num.min 1 (1 * 1 / 1), top_at_most L 1, forall k, block_at_most id L k 1
    & forall k k' : bool, k != k' -> mean (fun w : S => (active w k)%:R * (active w k')%:R) = 1 * 1 :> R].
Proof.
case: identity_instance => _ _ top [bound _]; split=> // [i|k k' _]; last by rewrite mean_sure.
by rewrite marginal_everything mul1r divr1 minxx.
Qed.
(* L = 11', two groups of one block each, both in every step: m = 2 and s = 1, and the bound (1 - 1/2) m + s = 2 is L_M. *)
Theorem groups_instance : let S := everything R [finType of bool] in let ones := fun _ _ : bool => 1 : R in
  [/\ psd ones, top_at_most ones 2 & forall k, block_at_most id ones k 1]
  /\ [/\ forall i, marginal S i = 1 / 1,
      forall (w : S) k k', k = k' -> active w k -> active w k' -> k = k',
      forall k k' : bool, k != k' -> mean (fun w : S => (active w k)%:R * (active w k')%:R) = 1 / 1 * (1 / 1) :> R
    & forall u, LM_at_most S ones u <-> (1 - #|[finType of bool]|%:R^-1) * 2 + 1 <= u].
Proof.
move=> S ones; have e x : form ones x = (x true + x false) ^+ 2 by rewrite /form /bil !big_bool /ones /=; ring.
have n (x : bool -> R) : normsq x = x true ^+ 2 + x false ^+ 2 by rewrite /normsq big_bool.
have top : top_at_most ones 2.
  by move=> x; rewrite e n; apply: (@ler_by _ ((x true - x false) ^+ 2)); [exact: sqr_ge0 | ring].
split; split=> //.
- by move=> x; rewrite e sqr_ge0.
- by move=> k x; rewrite e n mul1r /part; case: k => /=; rewrite ?mulr1n ?mulr0n ?addr0 ?add0r expr0n ?addr0 ?add0r.
- by move=> i; rewrite marginal_everything divr1.
- by move=> k k' _; rewrite mean_sure /= !divr1.
have m x : form (moment S ones) x = form ones x.
  by apply: eq_formA => i j; rewrite /moment mean_sure /sketch !marginal_everything /ones divr1 !mulr1.
have -> : (1 - #|[finType of bool]|%:R^-1) * 2 + 1 = 2 :> R by rewrite card_bool; field.
move=> u; split=> [le|le x].
  have := le (fun=> 1); rewrite m e n expr1n => h; apply: (@ler_by _ ((u * (1 + 1) - (1 + 1) ^+ 2) / 2)); last by field.
  by apply: divr_ge0; [rewrite subr_ge0 | apply: ler0n].
by rewrite m; apply: le_trans (top x) _; apply: ler_wpmul2r => //; apply: normsq_ge0.
Qed.
End Instances.

(* our:noisyConvex, our:noisyStronglyConvex, our:noisyNonconvex: stochastic gradients g + n, where the noise n of each step
   has mean 0 and is drawn apart from the sketch, E|n|^2_{P^-1} <= s (in the last one E|n|^2 <= s), any sampling, and
   stepsizes 0 < gamma < 2/t, t = L_P (in the last one L_M):
   E[f(mean of x_0, ..., x_T) - f(xs)] <= (|x_0 - xs|^2 / (gamma (T + 1)) + gamma s) / (2m) for all m <= 1, 2 - gamma t,
   E|x_T - xs|^2 <= (1 - a)^T |x_0 - xs|^2 + gamma^2 s / a for a = gamma mu (2 - gamma t),
   mean over t <= T of E|g(x_t)|^2 <= (2 (f(x_0) - fs) / (gamma (T + 1)) + gamma t s) / (2 - gamma t). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt fact_cocoercivity lem_generalizedSmoothness lem_secondMoment fact_jensen text_matrixSmooth.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* Two draws apart from each other. *)
Section Apart.
Variables (R : realFieldType) (S N : space R).
Lemma apart_ge0 (w : S * N) : 0 <= law w.1 * law w.2. Proof. by apply: mulr_ge0; apply: law_ge0. Qed.
Lemma apart_sum : \sum_(w : S * N) law w.1 * law w.2 = 1.
Proof.
rewrite -(pair_bigA _ (fun (w : S) (v : N) => law w * law v)) /= -[RHS](law_sum S).
by apply: eq_bigr => w _; rewrite -mulr_sumr law_sum mulr1.
Qed.
Definition apart : space R := Space apart_ge0 apart_sum.
Lemma mean_apart (F : S -> N -> R) : mean (fun w : apart => F w.1 w.2) = mean (fun v => mean (fun w => F w v)).
Proof.
rewrite /mean -(pair_bigA _ (fun (w : S) (v : N) => law w * law v * F w v)) /= exchange_big; apply: eq_bigr => v _.
by rewrite mulr_sumr; apply: eq_bigr => w _; ring.
Qed.
End Apart.

Lemma sum_cst (R : realFieldType) T (c : R) : \sum_(k < T) c = c * T%:R.
Proof. by rewrite sumr_const card_ord mulr_natr. Qed.

Section Noisy.
Variables (R : realFieldType) (I : finType) (S : sampling R I) (N : space R).
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (n : (I -> R) -> N -> I -> R) (gamma t s : R).
(* x - gamma C (g(x) + n(x)) *)
Definition noisy_step (w : apart S N) x : I -> R := step gamma (fun y i => g y i + n y w.2 i) w.1 x.
Definition noisy x0 (q : seq (apart S N)) : I -> R := run noisy_step x0 q.
Hypotheses (f_smooth : smooth f g L) (gamma_gt0 : 0 < gamma) (t_gt0 : 0 < t) (gamma_lt : gamma * t < 2).
Hypothesis centred : forall x i, mean (fun v : N => n x v i) = 0.

Lemma mean_square_noise a b x i : mean (fun v : N => a * (g x i + n x v i) + b * (g x i + n x v i) ^+ 2)
  = a * g x i + b * (g x i ^+ 2 + mean (fun v : N => n x v i ^+ 2)).
Proof.
have e v : a * (g x i + n x v i) + b * (g x i + n x v i) ^+ 2
    = (a * g x i + b * g x i ^+ 2) + ((a + 2 * b * g x i) * n x v i + b * n x v i ^+ 2) by ring.
by rewrite (eq_mean e) !meanD !meanZ mean_cst centred; ring.
Qed.

Section Distances.
Variable xs : I -> R.
Hypotheses (f_min : minimiser f xs) (bound : LP_at_most L (marginal S) t).
Hypothesis variance : forall x, mean (fun v : N => \sum_i n x v i ^+ 2 / marginal S i) <= s.

(* E|x+ - xs|^2 <= |x - xs|^2 - 2 gamma <g, x - xs> + gamma^2 |g|^2_{P^-1} + gamma^2 s. *)
Lemma noisy_dist x : mean (fun w : apart S N => normsq (sub (noisy_step w x) xs))
  <= normsq (sub x xs) - 2 * gamma * dot (g x) (sub x xs) + gamma ^+ 2 * (\sum_i g x i ^+ 2 / marginal S i + s).
Proof.
rewrite (mean_apart (fun (w : S) (v : N) => normsq (sub (step gamma (fun y i => g y i + n y v i) w x) xs))).
have e v : mean (fun w : S => normsq (sub (step gamma (fun y i => g y i + n y v i) w x) xs))
    = normsq (sub x xs) + \sum_i (- (2 * gamma * sub x xs i) * (g x i + n x v i)
      + gamma ^+ 2 / marginal S i * (g x i + n x v i) ^+ 2).
  rewrite (mean_dist S gamma (fun y i => g y i + n y v i)) /dot !mulr_sumr -addrA; congr (_ + _).
  by rewrite -sumrN -big_split; apply: eq_bigr => i _ /=; have mn := marginal_neq0 S i; field.
rewrite (eq_mean e) meanD mean_cst mean_sum.
have -> : \sum_i mean (fun v : N => - (2 * gamma * sub x xs i) * (g x i + n x v i)
    + gamma ^+ 2 / marginal S i * (g x i + n x v i) ^+ 2)
  = - (2 * gamma * dot (g x) (sub x xs)) + gamma ^+ 2 * (\sum_i g x i ^+ 2 / marginal S i
    + mean (fun v : N => \sum_i n x v i ^+ 2 / marginal S i)).
  rewrite mean_sum -big_split /dot !mulr_sumr -sumrN -big_split; apply: eq_bigr => i _ /=.
  rewrite mean_square_noise; have -> : mean (fun v : N => n x v i ^+ 2 / marginal S i)
      = (marginal S i)^-1 * mean (fun v : N => n x v i ^+ 2) by rewrite -meanZ; apply: eq_mean => v; rewrite mulrC.
  by have mn := marginal_neq0 S i; field.
by rewrite addrA ler_add2l ler_pmul2l ?exprn_gt0 // ler_add2l; apply: variance.
Qed.

Lemma two_cocoercive x : convex f g ->
  (\sum_i g x i ^+ 2 / marginal S i) <= t * dot (g x) (sub x xs)
  /\ f x - f xs + (2 * t)^-1 * (\sum_i g x i ^+ 2 / marginal S i) <= dot (g x) (sub x xs).
Proof.
move=> cv; have st := minimiser_stationary f_smooth f_min (marginal_gt0 S) (ltW t_gt0) bound.
have tn := lt0r_neq0 t_gt0.
have c1 := cocoercive_weighted f_smooth cv x xs (marginal_gt0 S) t_gt0 bound.
have c2 := cocoercive_weighted f_smooth cv xs x (marginal_gt0 S) t_gt0 bound.
have e : dot (g x) (sub xs x) = - dot (g x) (sub x xs).
  by rewrite /dot -sumrN; apply: eq_bigr => i _; rewrite /sub; ring.
have z : dot (g xs) (sub x xs) = 0 by rewrite /dot big1 // => i _; rewrite st mul0r.
have q1 : \sum_i sub (g xs) (g x) i ^+ 2 / marginal S i = \sum_i g x i ^+ 2 / marginal S i.
  by apply: eq_bigr => i _; rewrite /sub st sub0r sqrrN.
have q2 : \sum_i sub (g x) (g xs) i ^+ 2 / marginal S i = \sum_i g x i ^+ 2 / marginal S i.
  by apply: eq_bigr => i _; rewrite /sub st subr0.
move: c1 c2; rewrite e z q1 q2; set G := \sum_i _; set D := dot _ _ => c1 c2; split.
  apply: (@ler_by _ (t * ((f xs - (f x - D + (2 * t)^-1 * G)) + (f x - (f xs + 0 + (2 * t)^-1 * G))))).
    by apply: mulr_ge0; [exact: ltW | rewrite addr_ge0 ?subr_ge0].
  by field.
by apply: (@ler_by _ (f xs - (f x - D + (2 * t)^-1 * G))); [rewrite subr_ge0 | field].
Qed.

Lemma noisy_convex_step m x : convex f g -> m <= 1 -> m <= 2 - gamma * t ->
  mean (fun w : apart S N => normsq (sub (noisy_step w x) xs)) + (2 * gamma * m * (f x - f xs) - gamma ^+ 2 * s)
    <= normsq (sub x xs).
Proof.
move=> cv m1 m2; have := noisy_dist x; case: (two_cocoercive x cv).
have lo : 0 <= f x - f xs by rewrite subr_ge0.
have := second_moment x f_smooth f_min (ltW t_gt0) bound; rewrite second_moment_exact.
set G := \sum_i _; set D := dot _ _; set V := normsq _; set M := mean _; set F := f x - f xs in lo *.
have G0 : 0 <= G by apply: sumr_ge0 => i _; rewrite divr_ge0 ?sqr_ge0 ?marginal_ge0.
have tn := lt0r_neq0 t_gt0 => h4 _ h2 h3; case: (lerP (gamma * t) 1) => [gt | /ltW gt].
  apply: (@ler_by _ ((V - 2 * gamma * D + gamma ^+ 2 * (G + s) - M) + 2 * gamma * (D - (F + (2 * t)^-1 * G))
    + gamma * (1 - gamma * t) / t * G + 2 * gamma * (1 - m) * F)); last by field.
  by nonneg.
apply: (@ler_by _ ((V - 2 * gamma * D + gamma ^+ 2 * (G + s) - M) + 2 * gamma * (D - (F + (2 * t)^-1 * G))
  + gamma * (gamma * t - 1) / t * (2 * t * F - G) + 2 * gamma * (2 - gamma * t - m) * F)); last by field.
by nonneg.
Qed.

Theorem noisy_convex m T x0 : convex f g -> 0 < m -> m <= 1 -> m <= 2 - gamma * t ->
  E T (fun q : seq (apart S N) => f (average (fun k : 'I_T.+1 => noisy x0 (take k q)))) - f xs
    <= (normsq (sub x0 xs) / (gamma * T.+1%:R) + gamma * s) / (2 * m).
Proof.
move=> cv m0 m1 m2; have TR : 0 < T.+1%:R :> R by apply: ltr0Sn.
have V0 x : 0 <= normsq (sub x xs) by apply: normsq_ge0.
have := drift_sum V0 (fun x => noisy_convex_step x cv m1 m2) T.+1 x0.
have -> : \sum_(k < T.+1) E k (fun q => 2 * gamma * m * (f (run noisy_step x0 q) - f xs) - gamma ^+ 2 * s)
  = 2 * gamma * m * (E T (fun q : seq (apart S N) => \sum_(k < T.+1) f (noisy x0 (take k q))) - f xs * T.+1%:R)
    - gamma ^+ 2 * s * T.+1%:R.
  rewrite E_sum -!sum_cst -sumrB mulr_sumr -sumrB; apply: eq_bigr => k _.
  rewrite (E_take (fun q => f (noisy x0 q))) ?E_D ?E_Z ?E_D ?E_cst //; by rewrite -ltnS.
have : T.+1%:R * E T (fun q : seq (apart S N) => f (average (fun k : 'I_T.+1 => noisy x0 (take k q))))
    <= E T (fun q : seq (apart S N) => \sum_(k < T.+1) f (noisy x0 (take k q))).
  by rewrite -E_Z; apply: E_le => q; apply: (jensen cv).
move: TR; move: T.+1%:R => c c0; set A := E _ _; set B := E _ _; set V := normsq _ => j d.
rewrite ler_pdivl_mulr; last by pos.
have gn := lt0r_neq0 gamma_gt0; have cn := lt0r_neq0 c0.
apply: (@ler_by _ ((gamma * c)^-1 * ((V - (2 * gamma * m * (B - f xs * c) - gamma ^+ 2 * s * c)) + 2 * gamma * m * (B - c * A)))).
  by nonneg.
by field; rewrite cn gn.
Qed.

Theorem noisy_strongly_convex mu T x0 : strongly_convex f g mu -> 0 < mu ->
  E T (fun q : seq (apart S N) => normsq (sub (noisy x0 q) xs))
    <= (1 - gamma * mu * (2 - gamma * t)) ^+ T * normsq (sub x0 xs) + gamma * s / (mu * (2 - gamma * t)).
Proof.
move=> sc mu0; pose a := gamma * mu * (2 - gamma * t).
have room : 0 < 2 - gamma * t by rewrite subr_gt0.
have a0 : 0 < a by rewrite /a; pos.
have cv : convex f g.
  move=> x y; apply: le_trans (sc x y); rewrite ler_addl; apply: mulr_ge0; [by apply: divr_ge0; rewrite ?ler0n // ltW | exact: normsq_ge0].
have s0 : 0 <= s.
  apply: le_trans _ (variance xs); rewrite -[X in X <= _](mean_cst N); apply: mean_le => v /=.
  by apply: sumr_ge0 => i _; rewrite divr_ge0 ?sqr_ge0 ?marginal_ge0.
have one x : mean (fun w : apart S N => normsq (sub (noisy_step w x) xs)) <= (1 - a) * normsq (sub x xs) + gamma ^+ 2 * s.
  have st := minimiser_stationary f_smooth f_min (marginal_gt0 S) (ltW t_gt0) bound.
  have := noisy_dist x; case: (two_cocoercive x cv) => c1 _.
  have := sc x xs; have := sc xs x.
  have -> : dot (g xs) (sub x xs) = 0 by rewrite /dot big1 // => i _; rewrite st mul0r.
  have -> : dot (g x) (sub xs x) = - dot (g x) (sub x xs).
    by rewrite /dot -sumrN; apply: eq_bigr => i _; rewrite /sub; ring.
  have -> : normsq (sub xs x) = normsq (sub x xs) by apply: eq_bigr => i _; rewrite /sub; ring.
  move: c1; set G := \sum_i _; set D := dot _ _; set V := normsq _; set M := mean _ => c1 s1 s2 h.
  apply: (@ler_by _ ((V - 2 * gamma * D + gamma ^+ 2 * (G + s) - M) + gamma ^+ 2 * (t * D - G)
    + gamma * (2 - gamma * t) * ((f x - (f xs + 0 + mu / 2 * V)) + (f xs - (f x - D + mu / 2 * V))))); last by rewrite /a; field.
  by nonneg.
have -> : gamma * s / (mu * (2 - gamma * t)) = gamma ^+ 2 * s / a.
  have gn := lt0r_neq0 gamma_gt0; have mn := lt0r_neq0 mu0; have rn := lt0r_neq0 room.
  by rewrite /a; field; rewrite gn mn rn.
have an := lt0r_neq0 a0.
have r0 : 0 <= 1 - a \/ forall x, normsq (sub x xs) = 0.
  case: (pickP (fun i : I => true)) => [i _|none]; last by right => x; apply: big1 => i; have := none i.
  left; pose x j : R := (j == i)%:R.
  have := le_trans (mu_below_L f_smooth sc x) (bound x).
  rewrite /normsq /wnormsq (bigD1 i) //= big1 => [|j /negbTE ji]; last by rewrite /x ji expr0n.
  rewrite (bigD1 i) //= big1 => [|j /negbTE ji]; last by rewrite /x ji expr0n mulr0.
  rewrite /x eqxx expr1n !addr0 !mulr1 => le; have m1 := marginal_le1 S i.
  have mt : mu <= t by apply: le_trans le _; rewrite ler_pimulr // ltW.
  apply: (@le_trans _ _ ((1 - gamma * t) ^+ 2)); first exact: sqr_ge0.
  apply: (@ler_by _ (gamma * (2 - gamma * t) * (t - mu))); last by rewrite /a; ring.
  by nonneg.
case: r0 => [r0 | z]; last first.
  under eq_E do rewrite z; rewrite E_cst z mulr0 add0r; apply: divr_ge0; [by rewrite mulr_ge0 ?sqr_ge0 | exact: ltW].
have rest : 0 <= gamma ^+ 2 * s / a by apply: divr_ge0; [rewrite mulr_ge0 ?sqr_ge0 | exact: ltW].
elim: T => [|T IH]; first by rewrite expr0 mul1r ler_addl.
rewrite E_last; apply: le_trans (_ : E T (fun q => (1 - a) * normsq (sub (noisy x0 q) xs) + gamma ^+ 2 * s) <= _).
  by apply: E_le => q; rewrite /noisy; under eq_mean do rewrite run_last; apply: one.
rewrite E_D E_cst E_Z; move: IH; set X := E _ _; set V := normsq _; rewrite -/a [(1 - a) ^+ T.+1]exprS => IH.
apply: (@ler_by _ ((1 - a) * ((1 - a) ^+ T * V + gamma ^+ 2 * s / a - X))); last by field.
by rewrite mulr_ge0 // subr_ge0.
Qed.
End Distances.

Section Gradients.
Variable fs : R.
Hypotheses (f_below : below f fs) (bound : LM_at_most S L t).
Hypothesis variance : forall x, mean (fun v : N => normsq (n x v)) <= s.

Lemma noisy_value x : mean (fun w : apart S N => f (noisy_step w x))
  <= f x - gamma * (1 - gamma * t / 2) * normsq (g x) + gamma ^+ 2 * t / 2 * s.
Proof.
rewrite (mean_apart (fun (w : S) (v : N) => f (step gamma (fun y i => g y i + n y v i) w x))).
have one v : mean (fun w : S => f (step gamma (fun y i => g y i + n y v i) w x))
    <= f x + \sum_i ((- (gamma * g x i)) * (g x i + n x v i) + gamma ^+ 2 * t / 2 * (g x i + n x v i) ^+ 2).
  have lin : mean (fun w : S => dot (g x) (sub (step gamma (fun y i => g y i + n y v i) w x) x))
      = - gamma * \sum_i g x i * (g x i + n x v i).
    rewrite mean_sum mulr_sumr; apply: eq_bigr => i _.
    have e (w : S) : g x i * sub (step gamma (fun y j => g y j + n y v j) w x) x i
        = - gamma * (g x i * (g x i + n x v i)) * sketch w i by rewrite /sub /step; ring.
    by rewrite (eq_mean e) meanZ mean_sketch mulr1.
  have quad : mean (fun w : S => form L (sub (step gamma (fun y i => g y i + n y v i) w x) x))
      = gamma ^+ 2 * form (moment S L) (fun i => g x i + n x v i).
    rewrite form_moment -meanZ; apply: eq_mean => w; rewrite -[gamma ^+ 2]sqrrN -formZ.
    by apply: eq_form => i; rewrite /sub /step; ring.
  apply: le_trans (_ : f x + (- gamma * (\sum_i g x i * (g x i + n x v i))
      + 2^-1 * (gamma ^+ 2 * form (moment S L) (fun i => g x i + n x v i))) <= _).
    rewrite -lin -quad -(mean_cst S (f x)) -meanZ -!meanD; apply: mean_le => w.
    by rewrite addrA; apply: f_smooth.
  rewrite ler_add2l big_split /= -!mulr_sumr -[\sum_i (g x i + n x v i) ^+ 2]/(normsq (fun i => g x i + n x v i)).
  have -> : \sum_i - (gamma * g x i) * (g x i + n x v i) = - gamma * \sum_i g x i * (g x i + n x v i).
    by rewrite mulr_sumr; apply: eq_bigr => i _; ring.
  have := bound (fun i => g x i + n x v i); set q := form _ _; set m := normsq _ => le.
  by rewrite ler_add2l; apply: (@ler_by _ (gamma ^+ 2 / 2 * (t * m - q))); [nonneg | field].
apply: le_trans (mean_le one) _; rewrite meanD mean_cst mean_sum.
have -> : \sum_i mean (fun v : N => - (gamma * g x i) * (g x i + n x v i) + gamma ^+ 2 * t / 2 * (g x i + n x v i) ^+ 2)
    = - (gamma * (1 - gamma * t / 2) * normsq (g x)) + gamma ^+ 2 * t / 2 * mean (fun v : N => normsq (n x v)).
  rewrite /normsq mean_sum !mulr_sumr -sumrN -big_split; apply: eq_bigr => i _ /=.
  by rewrite mean_square_noise; field.
rewrite -addrA ler_add2l ler_add2l ler_wpmul2l ?variance //.
by rewrite divr_ge0 ?mulr_ge0 ?sqr_ge0 ?ler0n // ltW.
Qed.

Theorem noisy_nonconvex T x0 :
  T.+1%:R^-1 * (\sum_(k < T.+1) E k (fun q : seq (apart S N) => normsq (g (noisy x0 q))))
    <= (2 * (f x0 - fs) / (gamma * T.+1%:R) + gamma * t * s) / (2 - gamma * t).
Proof.
have room : 0 < 2 - gamma * t by rewrite subr_gt0.
have V0 x : 0 <= f x - fs by rewrite subr_ge0.
have one x : mean (fun w : apart S N => f (noisy_step w x) - fs)
    + (gamma * (1 - gamma * t / 2) * normsq (g x) - gamma ^+ 2 * t / 2 * s) <= f x - fs.
  rewrite meanD mean_cst; have := noisy_value x; set m := mean _; set G := normsq _ => le.
  by apply: (@ler_by _ (f x - gamma * (1 - gamma * t / 2) * G + gamma ^+ 2 * t / 2 * s - m)); [rewrite subr_ge0 | ring].
have := drift_sum V0 one T.+1 x0.
have -> : \sum_(k < T.+1) E k (fun q => gamma * (1 - gamma * t / 2) * normsq (g (run noisy_step x0 q)) - gamma ^+ 2 * t / 2 * s)
  = gamma * (1 - gamma * t / 2) * (\sum_(k < T.+1) E k (fun q : seq (apart S N) => normsq (g (noisy x0 q))))
    - gamma ^+ 2 * t / 2 * s * T.+1%:R.
  rewrite -sum_cst mulr_sumr -sumrB; apply: eq_bigr => k _.
  by rewrite E_D E_Z E_cst.
have : 0 < T.+1%:R :> R by apply: ltr0Sn.
move: T.+1%:R => c c0; set Q := \sum_k _; set d := f x0 - fs => le.
have gn := lt0r_neq0 gamma_gt0; have cn := lt0r_neq0 c0.
rewrite ler_pdivl_mulr //; apply: (@ler_by _ (2 / (gamma * c) * (d - (gamma * (1 - gamma * t / 2) * Q - gamma ^+ 2 * t / 2 * s * c)))).
  by nonneg.
by field; rewrite cn gn.
Qed.
End Gradients.
End Noisy.

(* Variances of the blocks: E|n_k|^2 <= v_k gives E|n|^2_{P^-1} <= sum_k v_k / p_k. *)
Theorem block_variance (R : realFieldType) (I B : finType) (b : I -> B) (S : sampling R I) (N : space R)
  (n : N -> I -> R) (p v : B -> R) : (forall i, marginal S i = p (b i)) -> (forall k, 0 < p k) ->
  (forall k, mean (fun e => \sum_(i | b i == k) n e i ^+ 2) <= v k) ->
  mean (fun e => \sum_i n e i ^+ 2 / marginal S i) <= \sum_k v k / p k.
Proof.
move=> mp p0 le.
have e w : \sum_i n w i ^+ 2 / marginal S i = \sum_k (p k)^-1 * \sum_(i | b i == k) n w i ^+ 2.
  rewrite (partition_big b predT) //=; apply: eq_bigr => k _; rewrite mulr_sumr; apply: eq_bigr => i /eqP bk.
  by rewrite mp bk mulrC.
rewrite (eq_mean e) mean_sum; apply: ler_sum => k _; rewrite meanZ mulrC.
by rewrite ler_wpmul2r ?invr_ge0 ?le // ltW.
Qed.

(* The hypotheses can be met with noise that is not 0: a coin for the sign of a vector e, for every sampling. *)
Section Coin.
Variables (R : realFieldType) (I : finType) (S : sampling R I) (e : I -> R).
Lemma coin_ge0 (w : bool) : 0 <= 2^-1 :> R. Proof. by rewrite invr_ge0 ler0n. Qed.
Lemma coin_sum : \sum_(w : bool) 2^-1 = 1 :> R. Proof. by rewrite sumr_const card_bool; field. Qed.
Definition coin : space R := Space coin_ge0 coin_sum.
Definition signs (x : I -> R) (v : coin) i : R := if v then e i else - e i.
Lemma mean_coin (F : coin -> R) : mean F = 2^-1 * F true + 2^-1 * F false.
Proof. by rewrite /mean big_bool. Qed.
Theorem noisy_instance mu : (forall i, mu <= marginal S i) -> exists f g L xs,
  [/\ smooth f g L, strongly_convex f g mu, minimiser f xs, LP_at_most L (marginal S) 1 &
    (forall x i, mean (fun v : coin => signs x v i) = 0)
    /\ forall x, mean (fun v : coin => \sum_i signs x v i ^+ 2 / marginal S i) = \sum_i e i ^+ 2 / marginal S i].
Proof.
move=> low; exists (quad (weights S)), (times (weights S)), (weights S), (fun=> 0); split.
- exact/quad_smooth/weights_symmetric.
- by apply: quad_strongly_convex; [apply: weights_symmetric | apply: weights_low].
- exact/quad_minimiser/weights_psd.
- by have := @weights_bound R _ S; rewrite invr1.
split=> [x i|x]; rewrite mean_coin /=; first by field.
by under [X in _ + _ * X]eq_bigr do rewrite sqrrN; field.
Qed.
End Coin.

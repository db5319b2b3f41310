(* our:noisyConvex, our:noisyStronglyConvex, our:noisyNonconvex: stochastic gradients g + n. The noise n of a step and its
   law may depend on everything drawn before; given the past it has mean 0, is independent of the sketch of that step, and
   E|n|^2_{P^-1} <= s (in the last theorem E|n|^2 <= s). The sketches of different steps are independent, with any sampling.
   For stepsizes 0 < gamma < 2/t, t = L_P (in the last theorem L_M):
   E[f(mean of x_0, ..., x_T) - f(xs)] <= (|x_0 - xs|^2 / (gamma (T + 1)) + gamma s) / (2m) for all m <= 1, 2 - gamma t,
   E|x_T - xs|^2 <= (1 - gamma mu (2 - gamma t))^T |x_0 - xs|^2 + gamma s / (mu (2 - gamma t)),
   mean over t <= T of E|g(x_t)|^2 <= (2 (f(x_0) - fs) / (gamma (T + 1)) + gamma t s) / (2 - gamma t).
   Variances v_k of the blocks give s = sum_k v_k / p_k, and s = sum_k v_k in the last theorem. Each draw has finitely
   many outcomes. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation history rpt fact_cocoercivity lem_generalizedSmoothness lem_secondMoment fact_jensen text_matrixSmooth lem_key_quantity.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* Each draw is a pair: the sketch, drawn from S whatever the past, and the noise, whose law q may depend on the past. *)
Section Noise.
Variables (R : realFieldType) (S : space R) (V : finType) (q : seq (S * V) -> V -> R).
Hypotheses (q_ge0 : forall h v, 0 <= q h v) (q_sum : forall h, \sum_v q h v = 1).
Lemma noise_ge0 h (w : S * V) : 0 <= law w.1 * q h w.2. Proof. by apply: mulr_ge0; [apply: law_ge0 | apply: q_ge0]. Qed.
Lemma noise_sum h : \sum_(w : S * V) law w.1 * q h w.2 = 1.
Proof.
rewrite -(pair_bigA _ (fun (w : S) (v : V) => law w * q h v)) /= -[RHS](law_sum S).
by apply: eq_bigr => w _; rewrite -mulr_sumr q_sum mulr1.
Qed.
Definition with_noise : process R := Process noise_ge0 noise_sum.
(* The law of the noise after the history h. *)
Definition noise h : space R := Space (q_ge0 h) (q_sum h).
Lemma mean_with_noise h (F : S -> V -> R) : mean_next (K := with_noise) h (fun w => F w.1 w.2)
  = mean (fun v : noise h => mean (fun w : S => F w v)).
Proof.
rewrite /mean_next /mean -(pair_bigA _ (fun (w : S) (v : V) => law w * q h v * F w v)) /= exchange_big.
by apply: eq_bigr => v _; rewrite mulr_sumr; apply: eq_bigr => w _; ring.
Qed.
End Noise.

Lemma sum_cst (R : realFieldType) T (c : R) : \sum_(k < T) c = c * T%:R.
Proof. by rewrite sumr_const card_ord mulr_natr. Qed.

Section Noisy.
Variables (R : realFieldType) (I : finType) (S : sampling R I) (V : finType) (q : seq (S * V) -> V -> R).
Hypotheses (q_ge0 : forall h v, 0 <= q h v) (q_sum : forall h, \sum_v q h v = 1).
Let K := with_noise q_ge0 q_sum.
Let N := noise q_ge0 q_sum.
Variables (f : (I -> R) -> R) (g : (I -> R) -> I -> R) (L : I -> I -> R) (gamma t s : R).
(* The point x h and the noise n h v after the history h, when v is the draw of the noise. *)
Variables (x : seq K -> I -> R) (n : seq K -> V -> I -> R).
Hypotheses (f_smooth : smooth f g L) (gamma_gt0 : 0 < gamma) (t_gt0 : 0 < t) (gamma_lt : gamma * t < 2).
(* x_{t+1} = x_t - gamma C (g(x_t) + n_t) *)
Hypothesis x_next : forall h (w : K) i, x (rcons h w) i = x h i - gamma * sketch w.1 i * (g (x h) i + n h w.2 i).
Hypothesis centred : forall h i, mean (fun v : N h => n h v i) = 0.

Lemma mean_square_noise a b h i : mean (fun v : N h => a * (g (x h) i + n h v i) + b * (g (x h) i + n h v i) ^+ 2)
  = a * g (x h) i + b * (g (x h) i ^+ 2 + mean (fun v : N h => n h v i ^+ 2)).
Proof.
have e (v : N h) : a * (g (x h) i + n h v i) + b * (g (x h) i + n h v i) ^+ 2
    = (a * g (x h) i + b * g (x h) i ^+ 2) + ((a + 2 * b * g (x h) i) * n h v i + b * n h v i ^+ 2) by ring.
by rewrite (eq_mean e) !meanD !meanZ mean_cst centred; ring.
Qed.

Section Distances.
Variable xs : I -> R.
Hypotheses (f_min : minimiser f xs) (bound : LP_at_most L (marginal S) t).
Hypothesis variance : forall h, mean (fun v : N h => \sum_i n h v i ^+ 2 / marginal S i) <= s.

Lemma noisy_dist h : mean_next h (fun w => normsq (sub (x (rcons h w)) xs))
  <= normsq (sub (x h) xs) - 2 * gamma * dot (g (x h)) (sub (x h) xs)
    + gamma ^+ 2 * ((\sum_i g (x h) i ^+ 2 / marginal S i) + s).
Proof.
pose G v y i : R := g (x h) i + n h v i + 0 * y i.
have -> : mean_next h (fun w => normsq (sub (x (rcons h w)) xs))
    = mean_next h (fun w : K => normsq (sub (step gamma (G w.2) w.1 (x h)) xs)).
  by apply: eq_mean_next => w; apply: eq_bigr => i _; rewrite /sub x_next /step /G mul0r addr0.
rewrite (@mean_with_noise R S V q q_ge0 q_sum h (fun (w : S) v => normsq (sub (step gamma (G v) w (x h)) xs))) -/(N h).
have e (v : N h) : mean (fun w : S => normsq (sub (step gamma (G v) w (x h)) xs))
    = normsq (sub (x h) xs) + \sum_i (- (2 * gamma * sub (x h) xs i) * (g (x h) i + n h v i)
      + gamma ^+ 2 / marginal S i * (g (x h) i + n h v i) ^+ 2).
  rewrite (mean_dist S gamma (G v)) /dot !mulr_sumr -addrA; congr (_ + _).
  by rewrite -sumrN -big_split; apply: eq_bigr => i _ /=; have mn := marginal_neq0 S i; rewrite /G; field.
rewrite (eq_mean e) meanD mean_cst mean_sum.
have -> : \sum_i mean (fun v : N h => - (2 * gamma * sub (x h) xs i) * (g (x h) i + n h v i)
    + gamma ^+ 2 / marginal S i * (g (x h) i + n h v i) ^+ 2)
  = - (2 * gamma * dot (g (x h)) (sub (x h) xs)) + gamma ^+ 2 * (\sum_i g (x h) i ^+ 2 / marginal S i
    + mean (fun v : N h => \sum_i n h v i ^+ 2 / marginal S i)).
  rewrite mean_sum -big_split /dot !mulr_sumr -sumrN -big_split; apply: eq_bigr => i _ /=.
  rewrite mean_square_noise; have -> : mean (fun v : N h => n h v i ^+ 2 / marginal S i)
      = (marginal S i)^-1 * mean (fun v : N h => n h v i ^+ 2) by rewrite -meanZ; apply: eq_mean => v; rewrite mulrC.
  by have mn := marginal_neq0 S i; field.
by rewrite addrA ler_add2l ler_pmul2l ?exprn_gt0 // ler_add2l; apply: variance.
Qed.

Lemma two_cocoercive y : convex f g ->
  (\sum_i g y i ^+ 2 / marginal S i) <= t * dot (g y) (sub y xs)
  /\ f y - f xs + (2 * t)^-1 * (\sum_i g y i ^+ 2 / marginal S i) <= dot (g y) (sub y xs).
Proof.
move=> cv; have st := minimiser_stationary f_smooth f_min (marginal_gt0 S) (ltW t_gt0) bound.
have tn := lt0r_neq0 t_gt0.
have c1 := cocoercive_weighted f_smooth cv y xs (marginal_gt0 S) t_gt0 bound.
have c2 := cocoercive_weighted f_smooth cv xs y (marginal_gt0 S) t_gt0 bound.
have e : dot (g y) (sub xs y) = - dot (g y) (sub y xs).
  by rewrite /dot -sumrN; apply: eq_bigr => i _; rewrite /sub; ring.
have z : dot (g xs) (sub y xs) = 0 by rewrite /dot big1 // => i _; rewrite st mul0r.
have q1 : \sum_i sub (g xs) (g y) i ^+ 2 / marginal S i = \sum_i g y i ^+ 2 / marginal S i.
  by apply: eq_bigr => i _; rewrite /sub st sub0r sqrrN.
have q2 : \sum_i sub (g y) (g xs) i ^+ 2 / marginal S i = \sum_i g y i ^+ 2 / marginal S i.
  by apply: eq_bigr => i _; rewrite /sub st subr0.
move: c1 c2; rewrite e z q1 q2; set G := \sum_i _; set D := dot _ _ => c1 c2; split.
  apply: (@ler_by _ (t * ((f xs - (f y - D + (2 * t)^-1 * G)) + (f y - (f xs + 0 + (2 * t)^-1 * G))))).
    by apply: mulr_ge0; [exact: ltW | rewrite addr_ge0 ?subr_ge0].
  by field.
by apply: (@ler_by _ (f xs - (f y - D + (2 * t)^-1 * G))); [rewrite subr_ge0 | field].
Qed.

Lemma noisy_convex_step m h : convex f g -> m <= 1 -> m <= 2 - gamma * t ->
  mean_next h (fun w => normsq (sub (x (rcons h w)) xs)) + (2 * gamma * m * (f (x h) - f xs) - gamma ^+ 2 * s)
    <= normsq (sub (x h) xs).
Proof.
move=> cv m1 m2; have := noisy_dist h; case: (two_cocoercive (x h) cv).
have lo : 0 <= f (x h) - f xs by rewrite subr_ge0.
have := second_moment (x h) f_smooth f_min (ltW t_gt0) bound; rewrite second_moment_exact.
set G := \sum_i _; set D := dot _ _; set W := normsq _; set M := mean_next _ _; set F := f (x h) - f xs in lo *.
have G0 : 0 <= G by apply: sumr_ge0 => i _; rewrite divr_ge0 ?sqr_ge0 ?marginal_ge0.
have tn := lt0r_neq0 t_gt0 => h4 _ h2 h3; case: (lerP (gamma * t) 1) => [gt | /ltW gt].
  apply: (@ler_by _ ((W - 2 * gamma * D + gamma ^+ 2 * (G + s) - M) + 2 * gamma * (D - (F + (2 * t)^-1 * G))
    + gamma * (1 - gamma * t) / t * G + 2 * gamma * (1 - m) * F)); last by field.
  by nonneg.
apply: (@ler_by _ ((W - 2 * gamma * D + gamma ^+ 2 * (G + s) - M) + 2 * gamma * (D - (F + (2 * t)^-1 * G))
  + gamma * (gamma * t - 1) / t * (2 * t * F - G) + 2 * gamma * (2 - gamma * t - m) * F)); last by field.
by nonneg.
Qed.

Theorem noisy_convex m T : convex f g -> 0 < m -> m <= 1 -> m <= 2 - gamma * t ->
  expect T (fun h : seq K => f (average (fun k : 'I_T.+1 => x (take k h)))) - f xs
    <= (normsq (sub (x [::]) xs) / (gamma * T.+1%:R) + gamma * s) / (2 * m).
Proof.
move=> cv m0 m1 m2; have TR : 0 < T.+1%:R :> R by apply: ltr0Sn.
have V0 h : 0 <= normsq (sub (x h) xs) by apply: normsq_ge0.
have := history_sum V0 (fun h => noisy_convex_step h cv m1 m2) T.+1.
have -> : \sum_(k < T.+1) expect k (fun h => 2 * gamma * m * (f (x h) - f xs) - gamma ^+ 2 * s)
  = 2 * gamma * m * (expect T (fun h => \sum_(k < T.+1) f (x (take k h))) - f xs * T.+1%:R)
    - gamma ^+ 2 * s * T.+1%:R.
  rewrite /expect after_sum -!sum_cst -sumrB mulr_sumr -sumrB; apply: eq_bigr => k _.
  by rewrite (after_take _ (fun h => f (x h))) ?after_D ?after_Z ?after_D ?after_cst // -ltnS.
have : T.+1%:R * expect T (fun h => f (average (fun k : 'I_T.+1 => x (take k h))))
    <= expect T (fun h => \sum_(k < T.+1) f (x (take k h))).
  by rewrite -after_Z; apply: after_le => h; apply: (jensen cv).
move: TR; move: T.+1%:R => c c0; set A := expect _ _; set B := expect _ _; set W := normsq _ => j d.
rewrite ler_pdivl_mulr; last by pos.
have gn := lt0r_neq0 gamma_gt0; have cn := lt0r_neq0 c0.
apply: (@ler_by _ ((gamma * c)^-1 * ((W - (2 * gamma * m * (B - f xs * c) - gamma ^+ 2 * s * c)) + 2 * gamma * m * (B - c * A)))).
  by nonneg.
by field; rewrite cn gn.
Qed.

Theorem noisy_strongly_convex mu T : strongly_convex f g mu -> 0 < mu ->
  expect T (fun h : seq K => normsq (sub (x h) xs))
    <= (1 - gamma * mu * (2 - gamma * t)) ^+ T * normsq (sub (x [::]) xs) + gamma * s / (mu * (2 - gamma * t)).
Proof.
move=> sc mu0; pose a := gamma * mu * (2 - gamma * t).
have room : 0 < 2 - gamma * t by rewrite subr_gt0.
have a0 : 0 < a by rewrite /a; pos.
have cv : convex f g.
  move=> y z; apply: le_trans (sc y z); rewrite ler_addl; apply: mulr_ge0; [by apply: divr_ge0; rewrite ?ler0n // ltW | exact: normsq_ge0].
have s0 : 0 <= s.
  apply: le_trans _ (variance [::]); rewrite -[X in X <= _](mean_cst (N [::])); apply: mean_le => v /=.
  by apply: sumr_ge0 => i _; rewrite divr_ge0 ?sqr_ge0 ?marginal_ge0.
have one h : mean_next h (fun w => normsq (sub (x (rcons h w)) xs)) <= (1 - a) * normsq (sub (x h) xs) + gamma ^+ 2 * s.
  have st := minimiser_stationary f_smooth f_min (marginal_gt0 S) (ltW t_gt0) bound.
  have := noisy_dist h; case: (two_cocoercive (x h) cv) => c1 _.
  have := sc (x h) xs; have := sc xs (x h).
  have -> : dot (g xs) (sub (x h) xs) = 0 by rewrite /dot big1 // => i _; rewrite st mul0r.
  have -> : dot (g (x h)) (sub xs (x h)) = - dot (g (x h)) (sub (x h) xs).
    by rewrite /dot -sumrN; apply: eq_bigr => i _; rewrite /sub; ring.
  have -> : normsq (sub xs (x h)) = normsq (sub (x h) xs) by apply: eq_bigr => i _; rewrite /sub; ring.
  move: c1; set G := \sum_i _; set D := dot _ _; set W := normsq _; set M := mean_next _ _ => c1 s1 s2 le.
  apply: (@ler_by _ ((W - 2 * gamma * D + gamma ^+ 2 * (G + s) - M) + gamma ^+ 2 * (t * D - G)
    + gamma * (2 - gamma * t) * ((f (x h) - (f xs + 0 + mu / 2 * W)) + (f xs - (f (x h) - D + mu / 2 * W))))); last by rewrite /a; field.
  by nonneg.
have -> : gamma * s / (mu * (2 - gamma * t)) = gamma ^+ 2 * s / a.
  have gn := lt0r_neq0 gamma_gt0; have mn := lt0r_neq0 mu0; have rn := lt0r_neq0 room.
  by rewrite /a; field; rewrite gn mn rn.
have an := lt0r_neq0 a0.
have r0 : 0 <= 1 - a \/ forall y, normsq (sub y xs) = 0.
  case: (pickP (fun i : I => true)) => [i _|none]; last by right => y; apply: big1 => i; have := none i.
  left; pose y j : R := (j == i)%:R.
  have := le_trans (mu_below_L f_smooth sc y) (bound y).
  rewrite /normsq /wnormsq (bigD1 i) //= big1 => [|j /negbTE ji]; last by rewrite /y ji expr0n.
  rewrite (bigD1 i) //= big1 => [|j /negbTE ji]; last by rewrite /y ji expr0n mulr0.
  rewrite /y eqxx expr1n !addr0 !mulr1 => le; have m1 := marginal_le1 S i.
  have mt : mu <= t by apply: le_trans le _; rewrite ler_pimulr // ltW.
  apply: (@le_trans _ _ ((1 - gamma * t) ^+ 2)); first exact: sqr_ge0.
  apply: (@ler_by _ (gamma * (2 - gamma * t) * (t - mu))); last by rewrite /a; ring.
  by nonneg.
case: r0 => [r0 | z]; last first.
  rewrite /expect; under eq_after do rewrite z; rewrite after_cst z mulr0 add0r; apply: divr_ge0; last exact: ltW.
  by rewrite mulr_ge0 ?sqr_ge0.
have rest : 0 <= gamma ^+ 2 * s / a by apply: divr_ge0; [rewrite mulr_ge0 ?sqr_ge0 | exact: ltW].
elim: T => [|T IH]; first by rewrite expr0 mul1r ler_addl.
rewrite /expect after_last; apply: le_trans (_ : expect T (fun h => (1 - a) * normsq (sub (x h) xs) + gamma ^+ 2 * s) <= _).
  by apply: after_le => h; apply: one.
rewrite /expect after_D after_cst after_Z; move: IH; rewrite /expect.
set X := expect_after _ _ _; set W := normsq _; rewrite -/a [(1 - a) ^+ T.+1]exprS => IH.
apply: (@ler_by _ ((1 - a) * ((1 - a) ^+ T * W + gamma ^+ 2 * s / a - X))); last by field.
by rewrite mulr_ge0 // subr_ge0.
Qed.
End Distances.

Section Gradients.
Variable fs : R.
Hypotheses (f_below : below f fs) (bound : LM_at_most S L t).
Hypothesis variance : forall h, mean (fun v : N h => normsq (n h v)) <= s.

Lemma noisy_value h : mean_next h (fun w => f (x (rcons h w)))
  <= f (x h) - gamma * (1 - gamma * t / 2) * normsq (g (x h)) + gamma ^+ 2 * t / 2 * s.
Proof.
pose y v i : R := g (x h) i + n h v i.
pose up (w : S) v : R := f (x h) + (- gamma * (\sum_i g (x h) i * y v i * sketch w i)
  + 2^-1 * (gamma ^+ 2 * form L (fun i => sketch w i * y v i))).
apply: le_trans (_ : mean_next h (fun w : K => up w.1 w.2) <= _).
  apply: mean_next_le => w; apply: le_trans (f_smooth (x h) _) _; rewrite /up -addrA ler_add2l.
  have -> : dot (g (x h)) (sub (x (rcons h w)) (x h)) = - gamma * (\sum_i g (x h) i * y w.2 i * sketch w.1 i).
    by rewrite /dot mulr_sumr; apply: eq_bigr => i _; rewrite /sub x_next /y; ring.
  rewrite ler_add2l -[gamma ^+ 2]sqrrN -formZ; apply: (@ler_by _ 0) => //.
  by rewrite -mulrBr (eq_form L (y := sub (x (rcons h w)) (x h))) ?subrr ?mulr0 // => i; rewrite /sub x_next /y; ring.
rewrite (@mean_with_noise R S V q q_ge0 q_sum h up) -/(N h).
have one (v : N h) : mean (fun w : S => up w v)
    <= f (x h) + \sum_i ((- (gamma * g (x h) i)) * y v i + gamma ^+ 2 * t / 2 * y v i ^+ 2).
  rewrite /up !meanD mean_cst !meanZ mean_sum -form_moment ler_add2l.
  have -> : \sum_i mean (fun w : S => g (x h) i * y v i * sketch w i) = \sum_i g (x h) i * y v i.
    by apply: eq_bigr => i _; rewrite meanZ mean_sketch mulr1.
  rewrite big_split /= -!mulr_sumr -[\sum_i y v i ^+ 2]/(normsq (y v)).
  have -> : \sum_i - (gamma * g (x h) i) * y v i = - gamma * \sum_i g (x h) i * y v i.
    by rewrite mulr_sumr; apply: eq_bigr => i _; ring.
  have := bound (y v); set a := form _ _; set m := normsq _ => le.
  by rewrite ler_add2l; apply: (@ler_by _ (gamma ^+ 2 / 2 * (t * m - a))); [nonneg | field].
apply: le_trans (mean_le one) _; rewrite meanD mean_cst mean_sum.
have -> : \sum_i mean (fun v : N h => - (gamma * g (x h) i) * y v i + gamma ^+ 2 * t / 2 * y v i ^+ 2)
    = - (gamma * (1 - gamma * t / 2) * normsq (g (x h))) + gamma ^+ 2 * t / 2 * mean (fun v : N h => normsq (n h v)).
  rewrite /normsq mean_sum !mulr_sumr -sumrN -big_split; apply: eq_bigr => i _ /=.
  rewrite /y mean_square_noise -[X in _ = _ + _ * X]/(mean (fun v : N h => n h v i ^+ 2)).
  by move: (mean (fun v : N h => n h v i ^+ 2)) => m; field.
rewrite -addrA ler_add2l ler_add2l ler_wpmul2l ?variance //.
by rewrite divr_ge0 ?mulr_ge0 ?sqr_ge0 ?ler0n // ltW.
Qed.

Theorem noisy_nonconvex T :
  T.+1%:R^-1 * (\sum_(k < T.+1) expect k (fun h : seq K => normsq (g (x h))))
    <= (2 * (f (x [::]) - fs) / (gamma * T.+1%:R) + gamma * t * s) / (2 - gamma * t).
Proof.
have room : 0 < 2 - gamma * t by rewrite subr_gt0.
have V0 h : 0 <= f (x h) - fs by rewrite subr_ge0.
have one h : mean_next h (fun w => f (x (rcons h w)) - fs)
    + (gamma * (1 - gamma * t / 2) * normsq (g (x h)) - gamma ^+ 2 * t / 2 * s) <= f (x h) - fs.
  rewrite mean_nextD mean_next_cst; have := noisy_value h; set m := mean_next _ _; set G := normsq _ => le.
  by apply: (@ler_by _ (f (x h) - gamma * (1 - gamma * t / 2) * G + gamma ^+ 2 * t / 2 * s - m)); [rewrite subr_ge0 | ring].
have := history_sum V0 one T.+1.
have -> : \sum_(k < T.+1) expect k (fun h => gamma * (1 - gamma * t / 2) * normsq (g (x h)) - gamma ^+ 2 * t / 2 * s)
  = gamma * (1 - gamma * t / 2) * (\sum_(k < T.+1) expect k (fun h => normsq (g (x h))))
    - gamma ^+ 2 * t / 2 * s * T.+1%:R.
  rewrite -sum_cst mulr_sumr -sumrB; apply: eq_bigr => k _.
  by rewrite /expect after_D after_Z after_cst.
have : 0 < T.+1%:R :> R by apply: ltr0Sn.
move: T.+1%:R => c c0; set Q := \sum_k _; set d := f (x [::]) - fs => le.
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

(* Without weights: E|n_k|^2 <= v_k gives E|n|^2 <= sum_k v_k. *)
Theorem block_variances_add (R : realFieldType) (I B : finType) (b : I -> B) (N : space R) (n : N -> I -> R) (v : B -> R) :
  (forall k, mean (fun e => \sum_(i | b i == k) n e i ^+ 2) <= v k) -> mean (fun e => normsq (n e)) <= \sum_k v k.
Proof.
move=> le; have e w : normsq (n w) = \sum_k \sum_(i | b i == k) n w i ^+ 2 by apply: partition_big.
by rewrite (eq_mean e) mean_sum; apply: ler_sum => k _.
Qed.

(* The hypotheses of all three theorems can be met, for every sampling, every stepsize and every starting point, by noise
   that depends on the past: after an even number of draws a coin decides on the sign of a vector e, after an odd number
   there is no noise. *)
Section Coin.
Variables (R : realFieldType) (I : finType) (S : sampling R I) (e : I -> R).
Let q (h : seq (S * bool)) (v : bool) : R := 2^-1.
Lemma coin_ge0 h v : 0 <= q h v. Proof. by rewrite /q invr_ge0 ler0n. Qed.
Lemma coin_sum h : \sum_v q h v = 1. Proof. by rewrite big_bool /q /=; field. Qed.
Let N := noise coin_ge0 coin_sum.
Lemma mean_noise h (F : N h -> R) : mean F = 2^-1 * F true + 2^-1 * F false.
Proof. by rewrite /mean big_bool. Qed.
Definition signs (h : seq (S * bool)) (v : bool) (i : I) : R :=
  if odd (size h) then 0 else if v then e i else - e i.
Lemma signs_square h c i : 0 <= c ->
  2^-1 * (signs h true i ^+ 2 * c) + 2^-1 * (signs h false i ^+ 2 * c) <= e i ^+ 2 * c.
Proof.
move=> c0; rewrite /signs; case: odd; last by apply: (@ler_by _ 0) => //; field.
by rewrite expr0n mul0r mulr0 addr0 mulr_ge0 ?sqr_ge0.
Qed.
Theorem noisy_instance mu gamma x0 : (forall i, mu <= marginal S i) ->
  exists f g L xs (x : seq (with_noise coin_ge0 coin_sum) -> I -> R),
  [/\ [/\ smooth f g L, convex f g, strongly_convex f g mu, minimiser f xs & below f 0],
      LP_at_most L (marginal S) 1 /\ LM_at_most S L 1,
      x [::] = x0 /\ (forall h (w : with_noise coin_ge0 coin_sum) i,
        x (rcons h w) i = x h i - gamma * sketch w.1 i * (g (x h) i + signs h w.2 i)),
      (forall h i, mean (fun v : noise coin_ge0 coin_sum h => signs h v i) = 0)
    & forall h, mean (fun v : noise coin_ge0 coin_sum h => \sum_i signs h v i ^+ 2 / marginal S i)
        <= \sum_i e i ^+ 2 / marginal S i
      /\ mean (fun v : noise coin_ge0 coin_sum h => normsq (signs h v)) <= normsq e].
Proof.
move=> low; pose g := times (weights S).
pose x := path_of x0 (fun (h : seq (S * bool)) w y i => y i - gamma * sketch w.1 i * (g y i + signs h w.2 i)).
exists (quad (weights S)), g, (weights S), (fun=> 0), x.
have bound : LP_at_most (weights S) (marginal S) 1 by have := @weights_bound R _ S; rewrite invr1.
split; last 3 first.
- by split=> // h w i; rewrite /x path_of_rcons.
- by move=> h i; rewrite mean_noise /signs; case: odd; [rewrite mulr0 addr0 | field].
- move=> h; split; rewrite mean_noise ?mulr_sumr -big_split; apply: ler_sum => i _ /=.
    by apply: signs_square; rewrite invr_ge0 marginal_ge0.
  by have := signs_square h i ler01; rewrite !mulr1.
- split; [exact/quad_smooth/weights_symmetric | exact: quad_convex (@weights_symmetric _ _ S) (@weights_psd _ _ S) | | |].
  + by apply: quad_strongly_convex; [apply: weights_symmetric | apply: weights_low].
  + exact/quad_minimiser/weights_psd.
  + by move=> y; apply: mulr_ge0; [rewrite invr_ge0 ler0n | apply: weights_psd].
by split=> //; apply: key_quantity_left.
Qed.
End Coin.

(* What the theorems speak of: vectors, quadratic forms, samplings and their sketches, smooth and convex functions.
   Coordinates are the elements of a finite type I; blocks are the values of a map I -> B. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Forms.
Variables (R : realFieldType) (I : finType).
Implicit Types (x y : I -> R) (A : I -> I -> R) (p : I -> R).

Definition dot x y := \sum_i x i * y i.
Definition normsq x := \sum_i x i ^+ 2.
Definition wnormsq p x := \sum_i p i * x i ^+ 2.
Definition sub x y : I -> R := fun i => x i - y i.
Definition bil A x y := \sum_i \sum_j x i * A i j * y j.
Definition form A x := bil A x x.
Definition psd A := forall x, 0 <= form A x.
Definition symmetric A := forall i j, A i j = A j i.
Definition diagonal (d : I -> R) : I -> I -> R := fun i j => d i *+ (i == j).

(* Eigenvalues enter as inequalities of forms: lambda_max(L) <= t, and L_P <= t, which says L <= t P. *)
Definition top_at_most A t := forall x, form A x <= t * normsq x.
Definition LP_at_most A p t := forall x, form A x <= t * wnormsq p x.

Lemma normsq_ge0 x : 0 <= normsq x. Proof. by nonneg. Qed.
Lemma wnormsq_ge0 p x : (forall i, 0 <= p i) -> 0 <= wnormsq p x. Proof. by move=> p0; nonneg. Qed.
Lemma eq_form A x y : x =1 y -> form A x = form A y.
Proof. by move=> e; apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite !e. Qed.
Lemma eq_formA A A' x : (forall i j, A i j = A' i j) -> form A x = form A' x.
Proof. by move=> e; apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite e. Qed.
Lemma formZ A c x : form A (fun i => c * x i) = c ^+ 2 * form A x.
Proof.
rewrite /form /bil mulr_sumr; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _; ring.
Qed.
Lemma form_comb A a b x y : form A (fun i => a * x i + b * y i)
  = a ^+ 2 * form A x + (a * b * (bil A x y + bil A y x) + b ^+ 2 * form A y).
Proof.
rewrite /form /bil -!big_split !mulr_sumr -!big_split; apply: eq_bigr => i _ /=.
rewrite -!big_split !mulr_sumr -!big_split; apply: eq_bigr => j _ /=; ring.
Qed.
Lemma bil_sym A x y : symmetric A -> bil A x y = bil A y x.
Proof.
move=> sym; rewrite /bil exchange_big; apply: eq_bigr => i _; apply: eq_bigr => j _ /=.
by rewrite sym; ring.
Qed.
Lemma form_diagonal d x : form (diagonal d) x = wnormsq d x.
Proof.
apply: eq_bigr => i _; rewrite (bigD1 i) //= big1 => [|j /negbTE ne]; rewrite /diagonal ?eqxx ?[i == j]eq_sym ?ne.
  by rewrite mulr1n; ring.
by rewrite mulr0n mulr0 mul0r.
Qed.
Lemma LP_mono A p t u : (forall i, 0 <= p i) -> t <= u -> LP_at_most A p t -> LP_at_most A p u.
Proof. by move=> p0 tu b x; apply: le_trans (b x) _; rewrite ler_wpmul2r // wnormsq_ge0. Qed.
End Forms.

(* f with g as its gradient. The inequalities are all that the proofs use of g. *)
Section Functions.
Variables (R : realFieldType) (I : finType) (f : (I -> R) -> R) (g : (I -> R) -> I -> R).
Definition smooth L := forall x y, f y <= f x + dot (g x) (sub y x) + 2^-1 * form L (sub y x).
Definition convex := forall x y, f x + dot (g x) (sub y x) <= f y.
Definition strongly_convex mu := forall x y, f x + dot (g x) (sub y x) + mu / 2 * normsq (sub y x) <= f y.
Definition minimiser xs := forall x, f xs <= f x.
Definition below fs := forall x, fs <= f x.
End Functions.

(* A sampling: a random set of coordinates, each of which is met with a positive probability. *)
Record sampling (R : realFieldType) (I : finType) := Sampling {
  draws :> space R;
  active : draws -> I -> bool;
  met : forall i, 0 < mean (fun w => (active w i)%:R) }.

Section Sketch.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Implicit Types (w : S) (x : I -> R).

Definition marginal i : R := mean (fun w => (active w i)%:R).
Definition sketch w i : R := (active w i)%:R / marginal i.
(* x - gamma C g(x) *)
Definition step (gamma : R) (g : (I -> R) -> I -> R) w x : I -> R := fun i => x i - gamma * sketch w i * g x i.
(* The t-th iterate, when s are the t draws before it. *)
Definition iterate gamma g x0 (s : seq S) : I -> R := run (step gamma g) x0 s.
(* E[CLC] *)
Definition moment (L : I -> I -> R) : I -> I -> R := fun i j => mean (fun w => sketch w i * L i j * sketch w j).
(* L_M <= t *)
Definition LM_at_most L t := top_at_most (moment L) t.

Lemma marginal_gt0 i : 0 < marginal i. Proof. exact: met. Qed.
Lemma marginal_neq0 i : marginal i != 0. Proof. by rewrite lt0r_neq0 ?marginal_gt0. Qed.
Lemma marginal_ge0 i : 0 <= marginal i. Proof. by rewrite ltW ?marginal_gt0. Qed.
Lemma marginal_le1 i : marginal i <= 1.
Proof. by rewrite -(mean_cst S 1); apply: mean_le => w; case: active; rewrite ?ler01. Qed.
Lemma mean_sketch i : mean (fun w => sketch w i) = 1.
Proof. by under eq_mean do rewrite /sketch mulrC; rewrite meanZ mulVf ?marginal_neq0. Qed.
Lemma mean_sketch_sq i : mean (fun w => sketch w i ^+ 2) = (marginal i)^-1.
Proof.
have e w : sketch w i ^+ 2 = (marginal i)^-1 * sketch w i.
  by have pn := marginal_neq0 i; rewrite /sketch; case: active => /=; [field | ring].
by rewrite (eq_mean e) meanZ mean_sketch mulr1.
Qed.
Lemma form_moment L x : form (moment L) x = mean (fun w => form L (fun i => sketch w i * x i)).
Proof.
rewrite mean_sum; apply: eq_bigr => i _; rewrite mean_sum; apply: eq_bigr => j _.
rewrite -mulrA mulrC -mulrA mulrC -meanZ; apply: eq_mean => w; ring.
Qed.
(* E|Cx|^2_P = |x|^2, that is E[CPC] = I. *)
Lemma mean_wnormsq x : mean (fun w => wnormsq marginal (fun i => sketch w i * x i)) = normsq x.
Proof.
rewrite mean_sum; apply: eq_bigr => i _.
have e w : marginal i * (sketch w i * x i) ^+ 2 = marginal i * x i ^+ 2 * sketch w i ^+ 2 by ring.
by rewrite (eq_mean e) meanZ mean_sketch_sq; have := marginal_neq0 i => pn; field.
Qed.
(* One step: E|x+ - xs|^2 = |x - xs|^2 - 2 gamma <g, x - xs> + gamma^2 |g|^2_{P^-1}. *)
Lemma mean_dist gamma g xs x : mean (fun w => normsq (sub (step gamma g w x) xs))
  = normsq (sub x xs) - 2 * gamma * dot (g x) (sub x xs) + gamma ^+ 2 * \sum_i g x i ^+ 2 / marginal i.
Proof.
rewrite mean_sum /normsq /dot !mulr_sumr -sumrB -big_split; apply: eq_bigr => i _ /=.
have e w : sub (step gamma g w x) xs i ^+ 2 = sub x xs i ^+ 2
    + (- (2 * gamma * g x i * sub x xs i) * sketch w i + (gamma * g x i) ^+ 2 * sketch w i ^+ 2).
  by rewrite /sub /step; ring.
by rewrite (eq_mean e) !meanD !meanZ mean_cst mean_sketch mean_sketch_sq; ring.
Qed.
(* One step in function values, for L_M <= t. *)
Lemma mean_value L f g gamma t x : smooth f g L -> LM_at_most L t ->
  mean (fun w => f (step gamma g w x)) <= f x - (gamma - gamma ^+ 2 * t / 2) * normsq (g x).
Proof.
move=> sm top; set G := normsq (g x).
have lin : mean (fun w => dot (g x) (sub (step gamma g w x) x)) = - gamma * G.
  rewrite mean_sum mulr_sumr; apply: eq_bigr => i _.
  have e w : g x i * sub (step gamma g w x) x i = - gamma * g x i ^+ 2 * sketch w i by rewrite /sub /step; ring.
  by rewrite (eq_mean e) meanZ mean_sketch mulr1.
have quad : mean (fun w => form L (sub (step gamma g w x) x)) = gamma ^+ 2 * form (moment L) (g x).
  rewrite form_moment -meanZ; apply: eq_mean => w; rewrite -[gamma ^+ 2]sqrrN -formZ.
  by apply: eq_form => i; rewrite /sub /step; ring.
have up : mean (fun w => f (step gamma g w x))
    <= f x + (- gamma * G + 2^-1 * (gamma ^+ 2 * form (moment L) (g x))).
  rewrite -lin -quad -(mean_cst S (f x)) -meanZ -!meanD; apply: mean_le => w.
  by rewrite addrA; apply: sm.
apply: le_trans up _; have := top (g x); rewrite -/G; set q := form _ _ => le.
by apply: (@ler_by _ (2^-1 * gamma ^+ 2 * (t * G - q))); [nonneg | field].
Qed.
End Sketch.

(* Quadratics, for examples. *)
Section Quadratic.
Variables (R : realFieldType) (I : finType) (H : I -> I -> R).
Definition quad x := 2^-1 * form H x.
Definition times (x : I -> R) : I -> R := fun i => \sum_j H i j * x j.
Lemma dot_times x y : dot x (times y) = bil H x y.
Proof. by apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _; rewrite mulrA. Qed.
Lemma dotC (x y : I -> R) : dot x y = dot y x.
Proof. by apply: eq_bigr => i _; rewrite mulrC. Qed.
Lemma quad_taylor x y : symmetric H ->
  quad y = quad x + dot (times x) (sub y x) + 2^-1 * form H (sub y x).
Proof.
move=> sym; rewrite /quad dotC dot_times.
have -> : form H y = form H (fun i => 1 * x i + 1 * sub y x i) by apply: eq_form => i; rewrite /sub; ring.
by rewrite form_comb (bil_sym x (sub y x) sym); field.
Qed.
Lemma quad_smooth : symmetric H -> smooth quad times H.
Proof. by move=> sym x y; rewrite (quad_taylor x y sym). Qed.
Lemma quad_strongly_convex mu : symmetric H -> (forall x, mu * normsq x <= form H x) ->
  strongly_convex quad times mu.
Proof.
move=> sym low x y; rewrite (quad_taylor x y sym) ler_add2l.
by apply: (@ler_by _ (2^-1 * (form H (sub y x) - mu * normsq (sub y x)))); [nonneg | field].
Qed.
Lemma quad_convex : symmetric H -> psd H -> convex quad times.
Proof. by move=> sym H0 x y; rewrite (quad_taylor x y sym) ler_addl; nonneg. Qed.
Lemma quad_minimiser : psd H -> minimiser quad (fun=> 0).
Proof.
move=> H0 x; rewrite /quad [form H (fun=> 0)](_ : _ = 0) ?mulr0; first by nonneg.
by rewrite /form /bil big1 // => i _; rewrite big1 // => j _; rewrite !mul0r.
Qed.
End Quadratic.

(* All coordinates in every step: gradient descent. *)
Section Everything.
Variables (R : realFieldType) (I : finType).
Lemma sure_ge0 (w : 'I_1) : 0 <= 1 :> R. Proof. exact: ler01. Qed.
Lemma sure_sum : \sum_(w < 1) 1 = 1 :> R. Proof. exact: big_ord1. Qed.
Definition sure : space R := Space sure_ge0 sure_sum.
Lemma mean_sure (F : sure -> R) : mean F = F ord0.
Proof. by rewrite /mean big_ord1 mul1r. Qed.
Lemma sure_met (i : I) : 0 < mean (fun w : sure => (true : bool)%:R) :> R.
Proof. by rewrite mean_sure ltr01. Qed.
Definition everything : sampling R I := @Sampling R I sure (fun _ _ => true) sure_met.
Lemma marginal_everything i : marginal everything i = 1. Proof. exact: mean_sure. Qed.
End Everything.

(* f(x) = sum p_i x_i^2 / 2 and gamma = 1 meet the hypotheses of the theorems, whatever the sampling. *)
Section Instance.
Variables (R : realFieldType) (I : finType) (S : sampling R I).
Definition weights : I -> I -> R := diagonal (marginal S).
Lemma weights_symmetric : symmetric weights.
Proof. by move=> i j; rewrite /weights /diagonal [j == i]eq_sym; case: eqP => [->|]. Qed.
Lemma weights_psd : psd weights.
Proof. by move=> x; rewrite form_diagonal; apply: wnormsq_ge0 => i; apply: marginal_ge0. Qed.
Lemma weights_bound : LP_at_most weights (marginal S) 1^-1.
Proof. by move=> x; rewrite form_diagonal invr1 mul1r. Qed.
Lemma weights_low mu : (forall i, mu <= marginal S i) -> forall x, mu * normsq x <= form weights x.
Proof.
move=> low x; rewrite form_diagonal mulr_sumr; apply: ler_sum => i _.
by apply: ler_wpmul2r; rewrite ?sqr_ge0.
Qed.
End Instance.

(* A random sequence of draws whose law may depend on everything drawn before, and what a quantity gains along it.
   A process gives, for every finite history h of draws, the law of the next draw. Independent draws of one space are
   the special case in which the law does not look at h. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Record process (R : realFieldType) := Process {
  draw :> finType;
  next_law : seq draw -> draw -> R;
  next_law_ge0 : forall h w, 0 <= next_law h w;
  next_law_sum : forall h, \sum_w next_law h w = 1 }.

Section History.
Variables (R : realFieldType) (K : process R).
Implicit Types (F G : seq K -> R) (h : seq K).

(* The space of the next draw after the history h, and the mean over that draw alone: the expectation given h. *)
Definition next h : space R := Space (next_law_ge0 h) (next_law_sum h).
Definition mean_next h (F : K -> R) : R := @mean R (next h) F.

(* The mean over the T draws that follow the history h. F reads these T draws. *)
Fixpoint expect_after h (T : nat) F : R :=
  if T is T'.+1 then mean_next h (fun w => expect_after (rcons h w) T' (fun s => F (w :: s))) else F [::].
(* The mean over the first T draws. *)
Definition expect T F : R := expect_after [::] T F.

Lemma eq_mean_next h (F G : K -> R) : F =1 G -> mean_next h F = mean_next h G.
Proof. by move=> e; apply: (@eq_mean R (next h)). Qed.
Lemma mean_next_le h (F G : K -> R) : (forall w, F w <= G w) -> mean_next h F <= mean_next h G.
Proof. by move=> le; apply: (@mean_le R (next h)). Qed.
Lemma mean_nextD h (F G : K -> R) : mean_next h (fun w => F w + G w) = mean_next h F + mean_next h G.
Proof. exact: (@meanD R (next h)). Qed.
Lemma mean_nextZ h c (F : K -> R) : mean_next h (fun w => c * F w) = c * mean_next h F.
Proof. exact: (@meanZ R (next h)). Qed.
Lemma mean_next_cst h c : mean_next h (fun=> c) = c.
Proof. exact: (@mean_cst R (next h)). Qed.
Lemma mean_next_sum h (J : finType) (F : J -> K -> R) :
  mean_next h (fun w => \sum_j F j w) = \sum_j mean_next h (F j).
Proof. exact: (@mean_sum R (next h)). Qed.

Lemma eq_after h T F G : F =1 G -> expect_after h T F = expect_after h T G.
Proof.
elim: T h F G => [|T IH] h F G e /=; first exact: e.
by apply: eq_mean_next => w; apply: IH => s; apply: e.
Qed.
Lemma after_le h T F G : (forall s, F s <= G s) -> expect_after h T F <= expect_after h T G.
Proof.
elim: T h F G => [|T IH] h F G le /=; first exact: le.
by apply: mean_next_le => w; apply: IH => s; apply: le.
Qed.
Lemma after_D h T F G : expect_after h T (fun s => F s + G s) = expect_after h T F + expect_after h T G.
Proof.
elim: T h F G => [|T IH] h F G //=; rewrite -mean_nextD.
by apply: eq_mean_next => w; apply: IH.
Qed.
Lemma after_Z h T c F : expect_after h T (fun s => c * F s) = c * expect_after h T F.
Proof. by elim: T h F => [|T IH] h F //=; rewrite -mean_nextZ; apply: eq_mean_next => w; apply: IH. Qed.
Lemma after_cst h T c : expect_after h T (fun=> c) = c.
Proof.
elim: T h => [|T IH] h //=; rewrite -[RHS](mean_next_cst h).
by apply: eq_mean_next => w; apply: IH.
Qed.
Lemma after_sum h T m (F : 'I_m -> seq K -> R) :
  expect_after h T (fun s => \sum_i F i s) = \sum_i expect_after h T (F i).
Proof.
elim: T h F => [|T IH] h F //=; rewrite -mean_next_sum; apply: eq_mean_next => w; exact: IH.
Qed.
(* All draws but the last, then the last. *)
Lemma after_last h T F :
  expect_after h T.+1 F = expect_after h T (fun s => mean_next (h ++ s) (fun w => F (rcons s w))).
Proof.
elim: T h F => [|T IH] h F; first by rewrite /= cats0.
rewrite [LHS]/= [RHS]/=; apply: eq_mean_next => w.
have := IH (rcons h w) (fun s => F (w :: s)); rewrite /= => ->.
by apply: eq_after => s; rewrite cat_rcons.
Qed.
(* What reads the first t draws does not see the others. *)
Lemma after_take h t T F : (t <= T)%N -> expect_after h T (fun s => F (take t s)) = expect_after h t F.
Proof.
elim: T h t F => [|T IH] h [|t] F //= tT.
  by rewrite -[RHS](mean_next_cst h); apply: eq_mean_next => w; rewrite after_cst.
by apply: eq_mean_next => w; apply: (IH _ t (fun s => F (w :: s))).
Qed.
(* The mean is a sum over all sequences of T draws, each with the product of its conditional probabilities. *)
Fixpoint weight h (s : seq K) : R := if s is w :: s' then next_law h w * weight (rcons h w) s' else 1.
Lemma after_product h T F : expect_after h T F = \sum_(s : T.-tuple K) weight h s * F s.
Proof.
elim: T h F => [|T IH] h F /=.
  by rewrite (big_pred1 [tuple]) ?mul1r // => s; apply/esym/eqP/tuple0.
rewrite (reindex (fun q : K * T.-tuple K => [tuple of q.1 :: q.2])) /=; last first.
  exists (fun s => (thead s, [tuple of behead s])) => [[w s] _ | s _] /=; last by rewrite [RHS]tuple_eta; apply: val_inj.
  by congr (_, _); apply: val_inj.
rewrite -(pair_bigA _ (fun (w : K) (s : T.-tuple K) => next_law h w * weight (rcons h w) s * F (w :: s))) /=.
rewrite /mean_next /mean; apply: eq_bigr => w _; rewrite IH mulr_sumr.
by apply: eq_bigr => s _; rewrite mulrA.
Qed.

(* If each draw lowers V >= 0 by d on average, whatever the past, the sum of d along the path is at most V at the start. *)
Lemma history_sum (V d : seq K -> R) : (forall h, 0 <= V h) ->
  (forall h, mean_next h (fun w => V (rcons h w)) + d h <= V h) -> forall T, \sum_(t < T) expect t d <= V [::].
Proof.
move=> V0 one.
suff gen T h : \sum_(t < T) expect_after h t (fun s => d (h ++ s)) <= V h by move=> T; apply: (gen T [::]).
elim: T h => [|T IH] h; first by rewrite big_ord0.
rewrite big_ord_recl /= cats0 addrC; apply: le_trans (one h); rewrite ler_add2r -mean_next_sum.
apply: mean_next_le => w; apply: le_trans (IH (rcons h w)).
by under eq_bigr do under eq_after do rewrite -cat_rcons.
Qed.
End History.

(* Independent draws of one space. *)
Section Independent.
Variables (R : realFieldType) (S : space R).
Definition independent : process R :=
  Process (fun (_ : seq S) (w : S) => law_ge0 w) (fun _ : seq S => law_sum S).
Lemma expect_independent T (F : seq S -> R) : expect (K := independent) T F = E T F.
Proof.
rewrite /expect; elim: T [::] F => [|T IH] h F //=.
by apply: eq_bigr => w _; rewrite IH.
Qed.
End Independent.

(* Every rule that makes the next point from the past, the next draw and the present point defines a sequence of points. *)
Section Path.
Variables (W X : Type) (x0 : X) (rule : seq W -> W -> X -> X).
Fixpoint backwards (r : seq W) : X := if r is w :: r' then rule (rev r') w (backwards r') else x0.
Definition path_of h := backwards (rev h).
Lemma path_of_nil : path_of [::] = x0. Proof. by []. Qed.
Lemma path_of_rcons h w : path_of (rcons h w) = rule h w (path_of h).
Proof. by rewrite /path_of rev_rcons /= revK. Qed.
End Path.

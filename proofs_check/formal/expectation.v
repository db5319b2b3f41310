(* Expectation over one draw and over T independent draws of a finite probability space, and what a random iteration
   gains when each step gains on average. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* a <= b is shown by a nonnegative c that ring or field knows to be b - a. *)
Lemma ler_by (R : realFieldType) (c a b : R) : 0 <= c -> b - a = c -> a <= b.
Proof. by move=> c0 e; rewrite -subr_ge0 e. Qed.
Lemma ltr_by (R : realFieldType) (c a b : R) : 0 < c -> b - a = c -> a < b.
Proof. by move=> c0 e; rewrite -subr_gt0 e. Qed.
Ltac pos := repeat first [ done | apply: ltr01 | apply: ltr0Sn | rewrite invr_gt0 | apply: divr_gt0 | apply: mulr_gt0
  | by rewrite subr_gt0 | apply: exprn_gt0 | apply: addr_gt0 ].
Ltac nonneg := repeat first [ done | by apply: ltW | apply: ler01 | apply: ler0n | by rewrite subr_ge0
  | apply: sqr_ge0 | rewrite invr_ge0 | apply: divr_ge0 | apply: mulr_ge0 | apply: addr_ge0
  | apply: sumr_ge0 => ? _ | apply: exprn_ge0 ].

Record space (R : realFieldType) := Space {
  outcome :> finType;
  law : outcome -> R;
  law_ge0 : forall w, 0 <= law w;
  law_sum : \sum_w law w = 1 }.

Section OneDraw.
Variables (R : realFieldType) (S : space R).
Implicit Types F G : S -> R.

Definition mean F : R := \sum_w law w * F w.

Lemma eq_mean F G : F =1 G -> mean F = mean G.
Proof. by move=> e; apply: eq_bigr => w _; rewrite e. Qed.
Lemma mean_le F G : (forall w, F w <= G w) -> mean F <= mean G.
Proof. by move=> le; apply: ler_sum => w _; rewrite ler_wpmul2l ?law_ge0. Qed.
Lemma meanD F G : mean (fun w => F w + G w) = mean F + mean G.
Proof. by rewrite -big_split; apply: eq_bigr => w _; rewrite mulrDr. Qed.
Lemma meanZ c F : mean (fun w => c * F w) = c * mean F.
Proof. by rewrite mulr_sumr; apply: eq_bigr => w _; rewrite mulrCA. Qed.
Lemma mean_cst c : mean (fun=> c) = c.
Proof. by rewrite /mean -mulr_suml law_sum mul1r. Qed.
Lemma mean_sum (J : finType) (F : J -> S -> R) : mean (fun w => \sum_j F j w) = \sum_j mean (F j).
Proof. by rewrite exchange_big; apply: eq_bigr => w _; rewrite mulr_sumr. Qed.
End OneDraw.

Section ManyDraws.
Variables (R : realFieldType) (S : space R).
Implicit Types F G : seq S -> R.

(* The first draw is the head of the list. *)
Fixpoint E (T : nat) F : R := if T is T'.+1 then mean (fun w => E T' (fun s => F (w :: s))) else F [::].

Lemma eq_E T F G : F =1 G -> E T F = E T G.
Proof. by elim: T F G => [|T IH] F G e /=; [apply: e | apply: eq_mean => w; apply: IH]. Qed.
Lemma E_le T F G : (forall s, F s <= G s) -> E T F <= E T G.
Proof. by elim: T F G => [|T IH] F G e /=; [apply: e | apply: mean_le => w; apply: IH]. Qed.
Lemma E_D T F G : E T (fun s => F s + G s) = E T F + E T G.
Proof. by elim: T F G => [|T IH] F G //=; rewrite -meanD; apply: eq_mean => w; apply: IH. Qed.
Lemma E_Z T c F : E T (fun s => c * F s) = c * E T F.
Proof. by elim: T F => [|T IH] F //=; rewrite -meanZ; apply: eq_mean => w; apply: IH. Qed.
Lemma E_cst T c : E T (fun=> c) = c.
Proof. by elim: T => [|T IH] //=; rewrite IH mean_cst. Qed.
Lemma E_sum T m (F : 'I_m -> seq S -> R) : E T (fun s => \sum_i F i s) = \sum_i E T (F i).
Proof. by elim: T F => [|T IH] F //=; rewrite -mean_sum; apply: eq_mean => w; apply: IH. Qed.
(* All draws but the last, then the last. *)
Lemma E_last T F : E T.+1 F = E T (fun s => mean (fun w => F (rcons s w))).
Proof. by elim: T F => [|T IH] F //=; apply: eq_mean => w; apply: (IH (fun s => F (w :: s))). Qed.
(* What reads the first t draws does not see the others. *)
Lemma E_take t T F : (t <= T)%N -> E T (fun s => F (take t s)) = E t F.
Proof.
elim: T t F => [|T IH] [|t] F //= tT; first by under eq_mean do rewrite E_cst; rewrite mean_cst.
by apply: eq_mean => w; apply: (IH t (fun s => F (w :: s))).
Qed.
(* E is the mean over the product measure. *)
Lemma E_product T F : E T F = \sum_(s : T.-tuple S) (\prod_(w <- s) law w) * F s.
Proof.
elim: T F => [|T IH] F /=.
  by rewrite (big_pred1 [tuple]) ?big_nil ?mul1r // => s; apply/esym/eqP/tuple0.
rewrite (reindex (fun q : S * T.-tuple S => [tuple of q.1 :: q.2])) /=; last first.
  exists (fun s => (thead s, [tuple of behead s])) => [[w s] _ | s _] /=; last by rewrite [RHS]tuple_eta; apply: val_inj.
  by congr (_, _); apply: val_inj.
rewrite -(pair_bigA _ (fun w (s : T.-tuple S) => (\prod_(v <- w :: s) law v) * F (w :: s))).
apply: eq_bigr => w _; rewrite IH mulr_sumr; apply: eq_bigr => s _ /=.
by rewrite big_cons mulrA.
Qed.
End ManyDraws.

(* A random iteration; each step has its own draw. *)
Section Iteration.
Variables (R : realFieldType) (S : space R) (X : Type) (step : S -> X -> X).
Definition run (x : X) (s : seq S) : X := foldl (fun y w => step w y) x s.
Lemma run_last x s w : run x (rcons s w) = step w (run x s).
Proof. by rewrite /run foldl_rcons. Qed.

(* If V(t, .) does not grow on average from time t to time t + 1, it has not grown at time T. *)
Lemma potential (V : nat -> X -> R) T : (forall t x, (t < T)%N -> mean (fun w => V t.+1 (step w x)) <= V t x) ->
  forall x, E T (fun s => V T (run x s)) <= V 0%N x.
Proof.
elim: T => [//|T IH] one x; apply: le_trans (IH _ x); last by move=> t y tT; apply: one; apply: leqW.
by rewrite E_last; apply: E_le => s; under eq_mean do rewrite run_last; apply: one.
Qed.
(* If each step lowers V >= 0 by h on average, the sum of h along the path is at most V at the start. *)
Lemma drift_sum (V h : X -> R) : (forall x, 0 <= V x) -> (forall x, mean (fun w => V (step w x)) + h x <= V x) ->
  forall T x, \sum_(t < T) E t (fun s => h (run x s)) <= V x.
Proof.
move=> V0 one; elim=> [|T IH] x; first by rewrite big_ord0.
rewrite big_ord_recl addrC; apply: le_trans (one x); rewrite ler_add2r /=.
by rewrite -mean_sum; apply: mean_le => w; apply: IH.
Qed.
(* If each step multiplies V >= 0 by at most r on average, T steps multiply it by at most r^T. *)
Lemma drift_rate (V : X -> R) r : (forall x, 0 <= V x) -> (forall x, mean (fun w => V (step w x)) <= r * V x) ->
  forall T x, E T (fun s => V (run x s)) <= r ^+ T * V x.
Proof.
move=> V0 one T x; case: (lerP 0 r) => r0.
  elim: T => [|T IH]; first by rewrite mul1r.
  rewrite E_last exprS -mulrA; apply: le_trans (_ : r * E T (fun s => V (run x s)) <= _); last by rewrite ler_wpmul2l.
  by rewrite -E_Z; apply: E_le => s; under eq_mean do rewrite run_last.
have z y : V y = 0.
  apply/eqP; rewrite eq_le V0 andbT -(nmulr_rge0 _ r0); apply: le_trans (one y).
  by rewrite -(mean_cst S 0); apply: mean_le.
by under eq_E do rewrite z; rewrite E_cst z mulr0.
Qed.
End Iteration.

(* fact:schurProduct: the entrywise product of positive semidefinite matrices is positive semidefinite. A symmetric one is a
   sum of d v v' with d >= 0, found by elimination, without roots; so also sum_ij A_ij Y_ij >= 0. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section SchurProduct.
Variables (R : realFieldType) (I : finType).
Implicit Types (A Y : I -> I -> R) (x : I -> R).
Definition unit_at (k : I) : I -> R := fun i => (i == k)%:R.

Lemma bil_unit A k x : bil A (unit_at k) x = times A x k.
Proof.
rewrite /bil (bigD1 k) //= [X in _ + X]big1 => [|i /negbTE ne]; last by rewrite big1 // => j _; rewrite /unit_at ne !mul0r.
by rewrite addr0 /times; apply: eq_bigr => j _; rewrite /unit_at eqxx mul1r.
Qed.
Lemma times_unit A k i : times A (unit_at k) i = A i k.
Proof.
rewrite /times (bigD1 k) //= big1 => [|j /negbTE ne]; last by rewrite /unit_at ne mulr0.
by rewrite /unit_at eqxx mulr1 addr0.
Qed.
Lemma form_unit A k : form A (unit_at k) = A k k.
Proof. by rewrite /form bil_unit times_unit. Qed.
Lemma form_add_unit A k a x : symmetric A ->
  form A (fun i => 1 * x i + a * unit_at k i) = form A x + 2 * a * times A x k + a ^+ 2 * A k k.
Proof. by move=> sym; rewrite form_comb (bil_sym x _ sym) bil_unit form_unit; ring. Qed.

Lemma psd_zero_row A k : symmetric A -> psd A -> A k k = 0 -> forall j, A k j = 0.
Proof.
move=> sym A0 z j; apply/eqP/negP => /negP n; set h := A k j in n.
pose x := unit_at j; pose a := - (A j j + 1) / (2 * h).
have := A0 (fun i => 1 * x i + a * unit_at k i); rewrite form_add_unit // z times_unit form_unit -/h.
rewrite (_ : _ + _ = -1); first by rewrite oppr_ge0 ler10.
by rewrite /a; field; rewrite n.
Qed.

Lemma psd_terms Y : symmetric Y -> psd Y -> exists terms : seq (R * (I -> R)),
  all (fun t => 0 <= t.1) terms /\ forall i j, Y i j = \sum_(t <- terms) t.1 * t.2 i * t.2 j.
Proof.
have H (s : seq I) : forall Y, symmetric Y -> psd Y -> (forall i j, i \notin s -> Y i j = 0) ->
    exists terms : seq (R * (I -> R)),
    all (fun t => 0 <= t.1) terms /\ forall i j, Y i j = \sum_(t <- terms) t.1 * t.2 i * t.2 j.
  elim: s => [|k s IH] {}Y sym Y0 out; first by exists [::]; split=> // i j; rewrite big_nil out.
  have k0 : 0 <= Y k k by rewrite -form_unit.
  case: (altP (Y k k =P 0)) => [z|kn].
    apply: IH => // i j i_s; case: (altP (i =P k)) => [->|ik]; first exact: psd_zero_row.
    by apply: out; rewrite inE negb_or ik.
  pose Z i j := Y i j - Y i k * Y k j / Y k k.
  have Zsym : symmetric Z by move=> i j; rewrite /Z (sym i j) (sym i k) (sym k j); ring.
  have Zform x : form Z x = form Y (fun i => 1 * x i + - (times Y x k / Y k k) * unit_at k i).
    rewrite form_add_unit //; set h := times Y x k.
    have -> : form Z x = form Y x - h * h / Y k k.
      rewrite /form /bil -[h * h / _]mulrA {1}/h /times mulr_suml -sumrB; apply: eq_bigr => i _.
      rewrite [h / _]mulrC mulrA mulr_sumr -sumrB; apply: eq_bigr => j _.
      by rewrite /Z (sym k i); field.
    by field.
  have Z0 : psd Z by move=> x; rewrite Zform.
  have Zout i j : i \notin s -> Z i j = 0.
    move=> i_s; case: (altP (i =P k)) => [->|ik]; first by rewrite /Z; field.
    have o : i \notin k :: s by rewrite inE negb_or ik.
    by rewrite /Z (out i j o) (out i k o) !mul0r subr0.
  case: (IH Z Zsym Z0 Zout) => terms [pos e]; exists (((Y k k)^-1, Y k) :: terms); split.
    by rewrite /= invr_ge0 k0.
  by move=> i j; rewrite big_cons -e /Z /= (sym i k); field.
by move=> sym Y0; apply: (H (enum I)) => // i j; rewrite mem_enum inE.
Qed.

Theorem schur_product A Y : psd A -> symmetric Y -> psd Y -> psd (fun i j => A i j * Y i j).
Proof.
move=> A0 sym Y0 x; case: (psd_terms sym Y0) => terms [pos e].
rewrite (_ : form _ x = \sum_(t <- terms) t.1 * form A (fun i => t.2 i * x i)).
  by elim: terms pos {e} => [|t s IH] /=; rewrite ?big_nil ?big_cons // => /andP[t0 s0]; rewrite addr_ge0 ?IH ?mulr_ge0.
rewrite /form /bil; under [RHS]eq_bigr do rewrite mulr_sumr; rewrite [RHS]exchange_big; apply: eq_bigr => i _.
under [RHS]eq_bigr do rewrite mulr_sumr; rewrite [RHS]exchange_big; apply: eq_bigr => j _.
by rewrite e mulr_sumr mulr_sumr mulr_suml; apply: eq_bigr => t _; ring.
Qed.

Theorem inner_psd A Y : psd A -> symmetric Y -> psd Y -> 0 <= \sum_i \sum_j A i j * Y i j.
Proof.
move=> A0 sym Y0; have := schur_product A0 sym Y0 (fun=> 1); rewrite /form /bil.
by under eq_bigr do under eq_bigr do rewrite mul1r mulr1.
Qed.
End SchurProduct.

(* Not so for indefinite matrices: [[0, 1], [1, 0]] with itself at (1, -1). *)
Theorem schur_product_needs_psd (R : realFieldType) : exists A : bool -> bool -> R,
  symmetric A /\ ~ psd (fun i j => A i j * A i j).
Proof.
exists (fun i j => (i != j)%:R); split=> [i j|/(_ (fun i => if i then 1 else -1))]; first by rewrite eq_sym.
by rewrite /form /bil !big_bool /=; apply/negP; rewrite -ltNge; apply: (@ltr_by _ 2); [pos | ring].
Qed.

(* The hypotheses can be met: by I, and by the matrix of ones. *)
Theorem schur_product_instance (R : realFieldType) (I : finType) :
  [/\ psd (diagonal (fun _ : I => 1 : R)), symmetric (fun _ _ : I => 1 : R) & psd (fun _ _ : I => 1 : R)].
Proof.
split=> [x|//|x]; first by rewrite form_diagonal; apply: wnormsq_ge0 => i; apply: ler01.
rewrite (_ : form _ x = (\sum_i x i) ^+ 2) ?sqr_ge0 // expr2 mulr_suml; apply: eq_bigr => i _.
by rewrite mulr_sumr; apply: eq_bigr => j _; rewrite mulr1.
Qed.

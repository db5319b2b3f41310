(* Behind portable certificates: R'R is positive semidefinite; a symmetric matrix whose diagonal dominates is; so A is, if A - R'R is
   symmetric and its diagonal dominates. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation rpt.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Section Certificate.
Variables (R : realFieldType) (I : finType).

Theorem gram_psd (J : finType) (F : J -> I -> R) : psd (fun i j => \sum_a F a i * F a j).
Proof.
move=> x; rewrite (_ : form _ x = \sum_a (\sum_i F a i * x i) ^+ 2); first by nonneg.
transitivity (\sum_i \sum_j \sum_a (F a i * x i) * (F a j * x j)).
  apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite mulr_sumr mulr_suml; apply: eq_bigr => a _; ring.
under eq_bigr do rewrite exchange_big; rewrite exchange_big; apply: eq_bigr => a _ /=.
by rewrite expr2 mulr_suml; apply: eq_bigr => i _; rewrite mulr_sumr.
Qed.

Definition dominant (A : I -> I -> R) := forall i, \sum_(j | j != i) `|A i j| <= A i i.
Theorem dominant_psd A : symmetric A -> dominant A -> psd A.
Proof.
move=> sym dom x.
pose d i j := `|A i j| *+ (j != i).
have ds i j : d i j = d j i by rewrite /d sym eq_sym.
have dom' i : \sum_j d i j <= A i i.
  apply: le_trans (dom i); rewrite [X in _ <= X]big_mkcond; apply: ler_sum => j _; rewrite /d.
  by case: (j != i); rewrite ?mulr1n ?mulr0n.
have e : \sum_i (\sum_j d i j) * x i ^+ 2 = \sum_i \sum_j d i j * (x i ^+ 2 + x j ^+ 2) / 2.
  have sw : \sum_i \sum_j d i j * x j ^+ 2 = \sum_i (\sum_j d i j) * x i ^+ 2.
    rewrite exchange_big; apply: eq_bigr => i _; rewrite mulr_suml; apply: eq_bigr => j _ /=; by rewrite ds.
  have -> : \sum_i \sum_j d i j * (x i ^+ 2 + x j ^+ 2) / 2
      = 2^-1 * (\sum_i (\sum_j d i j) * x i ^+ 2) + 2^-1 * (\sum_i \sum_j d i j * x j ^+ 2).
    rewrite !mulr_sumr -big_split; apply: eq_bigr => i _ /=; rewrite mulr_suml !mulr_sumr -big_split.
    by apply: eq_bigr => j _ /=; field.
  by rewrite sw; field.
apply: le_trans (_ : \sum_i (A i i - \sum_j d i j) * x i ^+ 2 <= _).
  by apply: sumr_ge0 => i _; apply: mulr_ge0; rewrite ?sqr_ge0 ?subr_ge0.
have -> : \sum_i (A i i - \sum_j d i j) * x i ^+ 2
    = \sum_i A i i * x i ^+ 2 - \sum_i \sum_j d i j * (x i ^+ 2 + x j ^+ 2) / 2.
  by rewrite -e -sumrB; apply: eq_bigr => i _; ring.
rewrite -sumrB; apply: ler_sum => i _.
rewrite (bigD1 i) //= /d eqxx mulr0n !mul0r add0r [X in _ <= X](bigD1 i) //=.
rewrite (_ : x i * A i i * x i = A i i * x i ^+ 2); last by ring.
rewrite ler_add2l -sumrN; apply: ler_sum => j -> /=; rewrite mulr1n.
have ab : - `|A i j| * (x i ^+ 2 + x j ^+ 2) / 2 <= x i * A i j * x j.
  case: (lerP 0 (A i j)) => a0.
    by rewrite (ger0_norm a0); apply: (@ler_by _ (A i j / 2 * (x i + x j) ^+ 2)); [nonneg | field].
  rewrite (ltr0_norm a0); apply: (@ler_by _ (- A i j / 2 * (x i - x j) ^+ 2)); last by field.
  by apply: mulr_ge0; rewrite ?sqr_ge0 // divr_ge0 ?ler0n // oppr_ge0 ltW.
by move: ab; rewrite !mulNr.
Qed.

Theorem certificate (J : finType) (F : J -> I -> R) A :
  let rest i j := A i j - \sum_a F a i * F a j in symmetric rest -> dominant rest -> psd A.
Proof.
move=> rest sym dom x.
have -> : form A x = form rest x + form (fun i j => \sum_a F a i * F a j) x.
  rewrite /form /bil -big_split; apply: eq_bigr => i _ /=; rewrite -big_split; apply: eq_bigr => j _ /=.
  by rewrite /rest; move: (\sum_a F a i * F a j) => t; ring.
by apply: addr_ge0; [apply: dominant_psd | apply: gram_psd].
Qed.
End Certificate.

(* The sign of the dominance matters: [[1, 2], [2, 1]] has it not, and is indefinite. *)
Theorem dominance_needed (R : realFieldType) : exists A : bool -> bool -> R,
  [/\ symmetric A, (forall i, 0 < A i i), (forall i, \sum_(j | j != i) `|A i j| <= 2 * A i i) & ~ psd A].
Proof.
exists (fun i j => if i == j then 1 else 2); split=> [i j|i|i|/(_ (fun i => if i then 1 else -1))].
- by rewrite eq_sym.
- by rewrite eqxx ltr01.
- by rewrite big_mkcond big_bool eqxx; case: i => /=; rewrite ger0_norm ?ler0n // ?addr0 ?add0r mulr1.
rewrite /form /bil !big_bool /=; apply/negP; rewrite -ltNge.
by apply: (@ltr_by _ 2); [pos | ring].
Qed.

(* The hypotheses can be met: A = 2I with the factor I and the rest I. *)
Theorem certificate_instance (R : realFieldType) (I : finType) : let A := diagonal (fun _ : I => 2 : R) in
  let F := diagonal (fun _ : I => 1 : R) in let rest i j := A i j - \sum_a F a i * F a j in
  symmetric rest /\ dominant rest.
Proof.
move=> A F rest; have e i j : rest i j = (i == j)%:R.
  rewrite /rest (bigD1 i) //= big1 => [|a /negbTE ne]; rewrite /F /A /diagonal.
    by rewrite eqxx mulr1n mul1r addr0; case: eqP => _; rewrite ?mulr1n ?mulr0n; ring.
  by rewrite ne mulr0n mul0r.
split=> [i j|i]; first by rewrite !e eq_sym.
rewrite e eqxx big1 ?ler01 // => j /negbTE ne.
by rewrite e eq_sym ne normr0.
Qed.

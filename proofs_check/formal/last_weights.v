(* The weights of the potential in our_lastIterate.v: A_t = t + (T + 1) t^4 / (2 T^4) and D_t = 1 - (t/T)^6 satisfy
   b^2 <= (D_t - D_{t+1}) (A_{t+1} + b), b = A_{t+1} - A_t - D_{t+1} >= 0, for all t < T. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From RPT Require Import expectation.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
(* For polynomials with positive coefficients. *)
Ltac poly := repeat first [ assumption | apply: ler0n | apply: ler01 | apply: exprn_ge0 | apply: mulr_ge0 | apply: addr_ge0 ].

Section Weights.
Variable R : realFieldType.
Implicit Types t k N : R.
Definition lastA N t := t + (N + 1) * t ^+ 4 / (2 * N ^+ 4).
Definition lastD N t := 1 - (t / N) ^+ 6.

Definition core t := 18 * t ^+ 7 + 68 * t ^+ 6 + 78 * t ^+ 5 + 16 * t ^+ 4 - 38 * t ^+ 3 - 33 * t ^+ 2 - 10 * t - 1.
Lemma core_ge0 (t : nat) : 0 <= t%:R ^+ 2 * core t%:R.
Proof.
case: t => [|u]; first by rewrite expr0n mul0r.
apply: mulr_ge0; first exact: sqr_ge0.
have u0 : 0 <= u%:R :> R by apply: ler0n.
rewrite /core mulrS; move: (u%:R : R) u0 => v v0.
apply: (@ler_by _ (18 * v ^+ 7 + 194 * v ^+ 6 + 864 * v ^+ 5 + 2056 * v ^+ 4 + 2796 * v ^+ 3 + 2127 * v ^+ 2 + 798 * v + 98)); [by poly | by ring].
Qed.

(* The steps' inequality b^2 <= dD (A + b), times 4 N^12, for N = t + 1 + k. *)
Lemma last_polynomial t k : 0 <= t -> 0 <= k -> 0 <= t ^+ 2 * core t ->
  let s := t + 1 in let N := t + 1 + k in let q4 := s ^+ 4 - t ^+ 4 in let d6 := s ^+ 6 - t ^+ 6 in
  ((N + 1) * q4 * N ^+ 2 + 2 * s ^+ 6) ^+ 2
    <= 2 * d6 * (2 * s * N ^+ 6 + (N + 1) * N ^+ 2 * (s ^+ 4 + q4) + 2 * s ^+ 6).
Proof.
move=> t0 k0 c0 /=.
apply: (@ler_by _ ((t + 1) ^+ 2 * (t ^+ 2 * core t)
  + k * (2 * (t + 1) * (2 * t + 1) * (9 * t ^+ 9 + 57 * t ^+ 8 + 137 * t ^+ 7 + 181 * t ^+ 6 + 185 * t ^+ 5 + 172 * t ^+ 4 + 129 * t ^+ 3 + 63 * t ^+ 2 + 17 * t + 2))
  + k ^+ 2 * ((2 * t + 1) * (54 * t ^+ 9 + 324 * t ^+ 8 + 858 * t ^+ 7 + 1468 * t ^+ 6 + 1916 * t ^+ 5 + 1909 * t ^+ 4 + 1348 * t ^+ 3 + 616 * t ^+ 2 + 162 * t + 19))
  + k ^+ 3 * (2 * (2 * t + 1) * (39 * t ^+ 8 + 202 * t ^+ 7 + 509 * t ^+ 6 + 868 * t ^+ 5 + 1053 * t ^+ 4 + 870 * t ^+ 3 + 456 * t ^+ 2 + 136 * t + 18))
  + k ^+ 4 * ((2 * t + 1) * (60 * t ^+ 7 + 280 * t ^+ 6 + 672 * t ^+ 5 + 1040 * t ^+ 4 + 1046 * t ^+ 3 + 649 * t ^+ 2 + 224 * t + 34))
  + k ^+ 5 * (2 * (2 * t + 1) * (12 * t ^+ 6 + 52 * t ^+ 5 + 112 * t ^+ 4 + 144 * t ^+ 3 + 110 * t ^+ 2 + 45 * t + 8))
  + k ^+ 6 * ((2 * t + 1) * (4 * t ^+ 5 + 16 * t ^+ 4 + 28 * t ^+ 3 + 28 * t ^+ 2 + 14 * t + 3)))).
  by poly.
by rewrite /core; ring.
Qed.

Variables (T t : nat).
Hypothesis tT : (t < T)%N.
Let N : R := T%:R.
Let c := lastA N t.+1%:R - lastA N t%:R.
Let b := c - lastD N t.+1%:R.
Let dD := lastD N t%:R - lastD N t.+1%:R.

Lemma N_gt0 : 0 < N. Proof. by rewrite ltr0n (leq_trans _ tT). Qed.
Lemma last_weights : [/\ 0 <= c, 0 <= b, 0 <= lastA N t.+1%:R & b ^+ 2 <= dD * (lastA N t.+1%:R + b)].
Proof.
have N0 := N_gt0; have Nn := lt0r_neq0 N0.
have t0 : 0 <= t%:R :> R by apply: ler0n.
have k0 : 0 <= (T - t.+1)%:R :> R by apply: ler0n.
have s1 : t.+1%:R = t%:R + 1 :> R by rewrite mulrS addrC.
have eN : N = t%:R + 1 + (T - t.+1)%:R by rewrite -s1 -natrD subnKC.
have := last_polynomial t0 k0 (core_ge0 t); rewrite /= -eN.
rewrite /dD /b /c /lastA /lastD s1; move: (t%:R : R) (core_ge0 t) t0 => v _ v0.
set q4 := (v + 1) ^+ 4 - v ^+ 4; set d6 := (v + 1) ^+ 6 - v ^+ 6 => key.
have q0 : 0 <= q4 by apply: (@ler_by _ (4 * v ^+ 3 + 6 * v ^+ 2 + 4 * v + 1)); [poly | rewrite /q4; ring].
have s0 : 0 <= v + 1 by nonneg.
have N1 : 0 <= N by apply: ltW.
have ec : v + 1 + (N + 1) * (v + 1) ^+ 4 / (2 * N ^+ 4) - (v + (N + 1) * v ^+ 4 / (2 * N ^+ 4))
    = 1 + (N + 1) * q4 / (2 * N ^+ 4) by rewrite /q4; field.
have eb : 1 + (N + 1) * q4 / (2 * N ^+ 4) - (1 - ((v + 1) / N) ^+ 6)
    = ((N + 1) * q4 * N ^+ 2 + 2 * (v + 1) ^+ 6) / (2 * N ^+ 6) by field.
have ed : 1 - (v / N) ^+ 6 - (1 - ((v + 1) / N) ^+ 6) = d6 / N ^+ 6 by rewrite /d6; field.
rewrite ec eb ed; have iN n : 0 <= (2 * N ^+ n)^-1 by rewrite invr_ge0; poly.
split; try by poly.
set x := (v + 1) in s0 key *; move: q4 d6 q0 key {ec eb ed} => q4 d6 q0 key.
apply: (@ler_by _ ((2 * d6 * (2 * x * N ^+ 6 + (N + 1) * N ^+ 2 * (x ^+ 4 + q4) + 2 * x ^+ 6)
  - ((N + 1) * q4 * N ^+ 2 + 2 * x ^+ 6) ^+ 2) / (4 * N ^+ 12))); last by field.
by apply: divr_ge0; [rewrite subr_ge0 | poly].
Qed.
End Weights.

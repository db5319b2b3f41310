"""A mutant of every check of the ledger: the check with one place changed, so that it must not find
what the check finds.

For each label there are as many mutants as `Entry.all_checks` lists, in the same order. Text,
"right -> wrong", is an edit of the formulas or claims of the check; `Changed` gives other
arguments to its first function, and a fraction is a factor of the right side of a statement about
runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from proofs_check.checks.symbolic import Formulas
from proofs_check.engine.entry import Check
from proofs_check.ours import sampling_independence
from proofs_check.paper import text_networkProbabilities, text_nonconvex
from rpttheory.experiments.quadratics import PAPER
from rpttheory.statements.batch import Batch
from rpttheory.statements.table import Sides

ONE, HALF, THIRD, QUARTER, FIFTH, TENTH = (Fraction(1, k) for k in (1, 2, 3, 4, 5, 10))
IDENTITY = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


class Changed:
    """Other arguments of the function that a check is made from."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        self.arguments = arguments
        self.keywords = keywords

    def function(self, right: Any) -> Any:
        function = right if isinstance(right, partial) else partial(right)
        arguments = self.arguments or function.args
        return partial(function.func, *arguments, **{**function.keywords, **self.keywords})


def mutant_of(check: Check, change: str | Fraction | Changed) -> Check:
    """The check with the change made."""
    first, *remaining = check.arguments
    if isinstance(change, Changed):
        return replace(check, arguments=(change.function(first), *remaining))
    if isinstance(change, Fraction):
        return replace(check, arguments=(partial(scaled, first, change), *remaining))
    right, _, wrong = change.partition(" -> ")
    texts = (first.text,) if isinstance(first, Formulas) else first
    assert sum(text.count(right) for text in texts) == 1, change
    edited = tuple(text.replace(right, wrong) for text in texts)
    mutant = replace(first, text=edited[0]) if isinstance(first, Formulas) else edited
    return replace(check, arguments=(mutant, *remaining))


def scaled(sides: Callable[[Batch], Sides], factor: Fraction, batch: Batch) -> Sides:
    """Both sides of a statement about runs, the right one times a factor."""
    left, right = sides(batch)
    return left, right * factor


MUTANTS: dict[str, tuple[str | Fraction | Changed, ...]] = {
    "fact:congruence": (
        "T_lj* -> T_lj^2*",
        "S + -> S -",
    ),
    "fact:rayleigh": ("delta_i* -> -delta_i*",),
    "fact:cauchySchwarz": ("- a_j -> + a_j",),
    "fact:schurComplement": ("2/lambda_i -> 2/lambda_i^2",),
    "fact:schurProduct": (
        "a_j*b_j -> a_j*b_j^2",
        "S + -> S -",
    ),
    "fact:cocoercivity": (
        "gap; -> -gap;",
        "+ (g_x -> - (g_x",
        "0*v -> 1*v",
        "w_i/ -> 2*w_i/",
        ")*(x - y) - n -> )*(x - y) - 2*n",
    ),
    "fact:jensen": (
        "by gap_t -> by -gap_t",
        "x - -> 2*x -",
    ),
    "fact:compoundInterest": (
        "k)/(k -> k + 1)/(k",
        "k/T -> (k - T)/T",
        "n + 1 -> n + 2",
        Changed(above=Fraction(2718, 1000)),
    ),
    "line:PTb": ("0*g_i -> 1*g_i",),
    "alg:MAIN-COMPACT": (
        Changed(2, 2),
        "= B -> = B - 1",
    ),
    "text:matrixSmooth": (
        "= H_ij -> = 2*H_ij",
        "4*y -> -4*y",
        Changed(halves=2),
    ),
    "as:stronglyConvex": ("+ r -> - r",),
    "text:SkGD": ("1/p_j -> 2/p_j",),
    "lem:key_quantity": (
        "L_P -> 0.99*L_P",
        "lmax -> 0.99*lmax",
        "= p_ij -> = p_ij^2",
        "delta_i* -> -delta_i*",
        Changed((ONE, HALF), (0, 0)),
        "p_i; -> p_i^2;",
        "/p_i; -> ;",
        "= p_ij*L_ij -> = p_ij*L_ij^2",
        "(p_j) -> (p_j)^2",
        "delta_i* -> -delta_i*",
        "s_i* -> -s_i*",
    ),
    "lem:generalizedSmoothness": (
        "L_P -> 0.99*L_P",
        "by s -> by -s",
        "-alpha*w_i -> alpha*w_i",
        "L_ij*w_j -> L_ij",
        "*w_i -> *w_i^2",
        "A/2 -> A/4",
        "(2*A) -> A",
        "<= 2*A -> <= A",
    ),
    "lem:secondMoment": (
        Changed(ONE, ONE),
        Changed(ONE, ONE, Fraction(2)),
        "L_P -> 0.99*L_P",
        "c_i^2 -> c_i",
        "q_o*c_oi -> q_o^2*c_oi",
        "= 1/p_i -> = 1/p_i^2",
        Changed(ONE, Fraction(0)),
        "(Q)^2 -> (Q)",
        "/p_j -> /p_j^2",
        "<= 2*L_P -> <= L_P",
    ),
    "thm:rcdStronglyConvex": (
        Changed(1, 1),
        Fraction(9, 10),
    ),
    "thm:rcdConvex": (
        FIFTH,
        "2/p_i -> 2/p_i^2",
        "2*gamma^ -> gamma^",
        "D + gamma*D -> D",
        "- gamma -> - 2*gamma",
        "by slack -> by -slack",
        Changed(HALF, ONE),
        "gamma*total -> 2*gamma*total",
        Changed(HALF, ONE),
        "x_0 - x_T2 -> x_0 - 2*x_T2",
        "c*x_last -> -c*x_last",
        ":= 2*L_P -> := L_P",
    ),
    "thm:rcdNonconvex": (
        Fraction(9, 10),
        "2, by -> 4, by",
        "gamma^2 -> gamma",
        "g_i* -> -g_i*",
        "*g_i/p_i -> *g_i/p_i^2",
        "L_M + more -> L_M - more",
        "L/2 -> L",
        "n*m -> 2*n*m",
        "gamma/2 + gamma/2*rest -> gamma/2 - gamma/2*rest",
        Changed((1, 1)),
        "L/2 -> L",
        Changed(steps=0),
        "<= f_0 - f_T2 -> <= f_0 - f_T2 - slack",
        "above/ -> -above/",
        "2*delta -> delta",
        ":= 2*L_P -> := L_P",
    ),
    "text:replaceLPbyLM": (
        Fraction(9, 10),
        "*g_i/p_i -> *g_i/p_i^2",
        "L_M + more -> L_M - more",
        "gamma/2 + gamma/2*rest -> gamma/2 - gamma/2*rest",
        "<= f_0 - f_T2 -> <= f_0 - f_T2 - slack",
        "2*delta -> delta",
    ),
    "text:recoversRCD": (
        Changed(((2, 0), (0, 2)), ONE),
        Changed((1, 1)),
        "/S; -> /S^2;",
        Fraction(9, 10),
    ),
    "def:PTsketch": (
        "0 = p_B -> 1 = p_B",
        "p_j)^2 -> p_j)",
        Changed(power=1),
    ),
    "alg:rpt": (
        Changed(1, first=0),
        Changed(1, first=0),
        "0 = 0; (t -> 1 = 0; (t",
    ),
    "text:RPTisSkGD": (
        "0 = p_B -> 1 = p_B",
        "p_j)^2 -> p_j)",
    ),
    "text:sigma": (
        Changed((9, 4, 1), (ONE, HALF, FIFTH), (2, 1, 3), (18, 18)),
        Changed((3, 2, 1), (1, 2, 3), Fraction(121, 100)),
        Changed(inverse=False),
        Changed(reading="block->rank"),
    ),
    "as:normalized": ("(s*c_j) -> c_j",),
    "text:expectedCost": (
        "sum(p*c) -> 1.01*sum(p*c)",
        Changed((1, 2), (QUARTER, 3 * QUARTER), 1),
        "= c_i -> = 2*c_i",
        "(T + 1)* -> (T + 2)*",
        "0*K_B -> 1*K_B",
    ),
    "text:totalCost": (
        Changed(ONE, 2, Fraction(2)),
        FIFTH,
        Fraction(9, 10),
        "L_P/ -> 2*L_P/",
        "L_P* -> L_P^2*",
    ),
    "text:gradientDescent": (
        "lmax -> 0.9*lmax",
        "p - p -> 2*p - p",
        "1)*sqrt( -> 2)*sqrt(",
        "by s -> by -s",
    ),
    "lem:twoBounds": (
        "max(L) -> 1.01*max(L)",
        "sum(L) -> 0.99*sum(L)",
        "lambda_j*0 -> lambda_j*1",
        "= x_i* -> = x_i^2*",
        "delta_i* -> -delta_i*",
    ),
    "prop:reachable_upper_bound": (
        ")*(a -> ^2)*(a",
        "mu*v_i*1 -> 2*mu*v_i*1",
        "a*1*0 -> a*1*1",
        "U_jl* -> U_jl^2*",
        "2*a -> a",
        "s_i*0 -> s_i*1",
        "eps* -> -eps*",
        "2*x -> x",
        "mu); -> mu)^2;",
    ),
    "text:blocksExtension": (Changed(slack=1),),
    "text:productBound": (
        "c_P -> 1.01*c_P",
        "/p_k -> /p_k^2",
        "w*K -> -w*K",
    ),
    "lem:upperBound": (
        "sum(p*c) -> 0.99*sum(p*c)",
        "- a_j -> + a_j",
        "p_i* -> p_i^2*",
        "s/rho_1 -> -s/rho_1",
        "*sqrt -> ^2*sqrt",
        "/kappa -> /kappa^2",
    ),
    "text:corollary": (
        "optimum -> 1.01*optimum",
        "*c_k -> ^2*c_k",
        "p = -> p^2 =",
        "by u -> by -u",
    ),
    "eq:complexity": (
        "0 = p_B -> 1 = p_B",
        Changed(factor=1.1),
        "*(2*R -> ^2*(2*R",
    ),
    "text:nonconvex": (
        Changed((3, 3, 1), (THIRD, THIRD, THIRD), text_nonconvex._FIRST, text_nonconvex._SECOND),
    ),
    "table:quad_functions": (
        Changed("03", "5.4", decimals=0),
        Changed({}),
        Changed(cell="6.4"),
    ),
    "text:quadraticFunctions": (
        Changed(9),
        Changed({"12": Fraction(1, 283)}),
        Changed(dict.fromkeys(PAPER, Fraction(9, 10))),
    ),
    "table:ridge_regression": (Changed(values=(0, 0)),),
    "text:networkProbabilities": (
        Changed(text_networkProbabilities.decaying("0.9", "0.9")),
        Changed(text_networkProbabilities.decaying("0.9", "1.1")),
    ),
    "text:roundSizes": ("+ 23*T -> + 22*T",),
    "thm:non-convex": (
        Changed(inverse_step=12),
        THIRD,
    ),
    "text:ABCtwoWays": (
        "<= 2*L_P -> <= L_P",
        "2/p_i -> 2/p_i^2",
        "s_i* -> -s_i*",
    ),
    "text:ABCnoOtherWays": (
        "by lambda*s -> by -lambda*s",
        Changed(3 * HALF, 2 * HALF),
    ),
    "text:genericRootT": (
        Changed(factor=2),
        "/T; -> /T^2;",
        "T + -> T + 1 +",
        "r^2 -> 2*r^2",
    ),
    "text:genericSecondCase": (
        Fraction(9, 10),
        Changed(x=Fraction(0)),
        "G/2 <= -> G <=",
        "2*L -> L",
    ),
    "text:LambdaGeqLP": (
        "lmax -> 0.99*lmax",
        Changed((4, 1), (ONE, QUARTER)),
        "delta_i* -> -delta_i*",
        "s_i* -> -s_i*",
    ),
    "thm:oldConvex": (
        Changed(3, 3),
        TENTH,
    ),
    "text:LPgeqL": ("lmax -> 1.01*lmax",),
    "text:optimalStepsize": (
        "4*L_P*R -> 5*L_P*R",
        "(4*L_P) -> L_P",
        "R*more -> -R*more",
        "4*L_P* -> 2*L_P*",
    ),
    "text:genericConvexWorse": (
        "2/3*R -> 4/3*R",
        "5*L_P -> 4*L_P",
    ),
    "text:progfedQ": (
        "/(alpha*x)^2 -> /(alpha*x)",
        "n^2 -> 2*n^2",
    ),
    "text:progfedFirst": (
        Changed(scale=2),
        "alpha^2*n/ -> alpha*n/",
    ),
    "our:keyQuantity": (
        "L_P -> 0.99*L_P",
        "p_ij* -> p_ij^2*",
        "(p_i))^ -> (p_i)^2)^",
        "S + -> S -",
        "1 = t -> 2 = t",
    ),
    "our:generalizedSmoothness": (
        "R_mn*R_nj -> R_mn*R_nj^2",
        "2*N -> 4*N",
        "(2*A) -> A",
    ),
    "our:stronglyConvex": (
        Fraction(9, 10),
        "2/p_i -> 2/p_i^2",
        "2*gamma^ -> gamma^",
        "gamma*mu -> 2*gamma*mu",
        "by 2 -> by -2",
        "L_P*missing -> -L_P*missing",
        "t + 1 -> t + 2",
    ),
    "our:freshDraws": (Changed(steps=1),),
    "our:stronglyConvexConjecture": (Changed(((5, 2), (2, 2)), (ONE, THIRD), 1, 9, (1, -2)),),
    "our:stronglyConvexSharp": (
        Fraction(19, 20),
        "2/p_i -> 2/p_i^2",
        "gamma*mu -> 2*gamma*mu",
        "u^2 -> u",
        "(s^ -> 2*(s^",
        "s^2 -> 2*s^2",
        "below_i* -> -below_i*",
        "by ( -> by -(",
        "t + 1 -> t + 2",
        "4*(2 - c) -> 4*(1 - c)",
        "s*more -> -s*more",
        "(v + w)^2 -> (v + w)",
    ),
    "our:stronglyConvexSimple": (
        Fraction(9, 10),
        "(2 - 2*e)^2 -> (3 - 2*e)^2",
        "by 2 -> by -2",
        "s*d -> -s*d",
    ),
    "our:stronglyConvexWhen": (
        Changed(wider=1),
        "by d* -> by -d*",
        "2*(1 - s/least) -> 1 - s/least",
        "by b* -> by -b*",
        "(p - m)*b -> -(p - m)*b",
        "/s = s; -> /s = 2*s;",
    ),
    "our:stronglyConvexWorst": (
        Changed(direction=(1, 1, 2, 2, 2)),
        "d*l*(l -> 2*d*l*(l",
        "a) + -> a) -",
        "u^2/d -> u/d",
        "share - (e -> share - 2*(e",
        "= s*z_i + u_i -> = s*z_i + 2*u_i",
        "- u_j -> + u_j",
    ),
    "our:convexSharp": (
        Fraction(9, 10),
        "2/p_i -> 2/p_i^2",
        "1/L_P -> 2/L_P",
        "by gamma -> by -gamma",
        "x_0 - x_T2 -> x_0 - 2*x_T2",
        "c*x_last -> -c*x_last",
        "gamma*total -> 2*gamma*total",
    ),
    "our:convexAttained": ("T + 1; -> T + 2;",),
    "our:lastIterate": (
        Fraction(2, 5),
        "N, by gamma -> N, by -gamma",
        "gamma^2*g_i^2*(1 -> gamma*g_i^2*(1",
        "by ( -> by -(",
        "T := k + 1; -> T := k - 1;",
        "(3*T -> (4*T",
        "gamma*(3 -> gamma*(4",
    ),
    "our:lastIterateOne": (
        HALF,
        "- s^2/(2*L) -> - s^2/L",
        "= -(w -> = (w",
        "y + (1 - 2*h) -> y + (1 - h)",
        "4*a*c - b -> 4*a*c + b",
        "by j/ -> by -j/",
    ),
    "our:lastIterateDescent": (Changed(start=(10**7, 0)),),
    "our:lastIterateShort": (HALF,),
    "our:lastIterateLong": (Fraction(1, 15),),
    "our:nonconvexOneStep": (
        Changed(halves=2),
        "H_ij*v_i -> 2*H_ij*v_i",
        "L_M/2 -> L_M",
        "2*(L*x^2/2) -> L*x^2/2",
    ),
    "our:nonconvexApproached": (
        Changed(gap=QUARTER),
        "by L -> by -L",
        "= (1 + e) -> = (1 + 2*e)",
        "by e -> by -e",
    ),
    "our:nonconvexRandomIterate": (
        Fraction(9, 10),
        "<= f_0 - f_T2 -> <= f_0 - f_T2 - slack",
        "2*delta -> delta",
    ),
    "our:LMconvex": (Changed((40, 10), (1, 16), 2200),),
    "our:functionValues": (
        Fraction(9, 10),
        "gamma/2 -> gamma",
        "(2*mu) -> mu",
        "gamma*mu -> 2*gamma*mu",
        "mu*r_i -> -mu*r_i",
        "t + 1 -> t + 2",
        "/S; -> /S^2;",
    ),
    "our:twoBounds": (
        "sum(L) -> 0.9*sum(L)",
        "R_aj*x_j -> R_aj*x_j^2",
        "- y_kb -> + y_kb",
        "delta_ki* -> -delta_ki*",
        "- a_l -> + a_l",
    ),
    "our:indefinite": (
        Changed(((2, 1), (1, 2)), (1, 1)),
        Changed(((0, 1), (1, 0)), (1, -1)),
    ),
    "our:tightness": (
        Changed(slack=1),
        "a_k* -> 2*a_k*",
        "eps_k* -> -eps_k*",
        "a_1* -> a_1^2*",
        "w_j)^2 -> w_j)",
        "/p_j -> /p_j^2",
    ),
    "our:sdp": (
        Changed(factor=1.1),
        "/s; -> /s^2;",
        "*p_i -> *p_i^2",
        "= L_P -> = L_P^2",
        "m) = -> m^2) =",
        "by s_k -> by -s_k",
        "by rest -> by -rest",
        "*q_i -> ^2*q_i",
    ),
    "our:duality": (
        Changed(tol=0.0),
        "S_ij*v_j -> S_ij*v_j^2",
        "by ( -> by -(",
        "c_k^ -> -c_k^",
        "= A/determinant -> = A^2/determinant^2",
        "*(S_ij -> ^2*(S_ij",
        "- v_ja -> + v_ja",
    ),
    "our:anySampling": (
        "lmax <= L_M -> lmax <= 0.9*L_M",
        "- C_i*x_i*L_ij*x_j -> + C_i*x_i*L_ij*x_j",
        "= L_kk/p_k -> = L_kk/p_k^2",
        "by c_0*r + -> by c_0*r -",
    ),
    "our:singleBlockOptimal": (
        "== max -> == 0.9*max",
        "= L_kk/p_k -> = L_kk",
        "= c_k*L_k -> = c_k^2*L_k",
    ),
    "our:independentFactor": (
        "lmax + -> 0*lmax +",
        "(1/p_k - 1)*L_kk -> (1/p_k + 1)*L_kk",
        "by L_k -> by -L_k",
        "= (alpha + beta)^2 -> = (alpha - beta)^2",
        "by (sqrt(a) - sqrt(b))^2 -> by (sqrt(a) + sqrt(b))^2",
    ),
    "our:blockBudget": (
        "sum(L) <= tau -> sum(L) <= 0.5*tau",
        "by m_k*s_k -> by -m_k*s_k",
        "= L_kl - L_kl -> = L_kl",
        "- R_h*x_h -> + R_h*x_h",
    ),
    "our:backpropagation": (
        "by s_j + -> by s_j -",
        "by L_P -> by -L_P",
    ),
    "our:backpropagationByLM": (
        Changed(excess=Fraction(5, 4)),
        "by s*c_0 -> by -s*c_0",
        "by a*r -> by -a*r",
        "by v/2 -> by -v/2",
    ),
    "our:nestedWorst": (
        Changed(factor=Fraction(101, 100)),
        Changed(factor=Fraction(1, 2)),
    ),
    "our:nestedLoss": (
        "= 1/p_k -> = 1/p_l",
        "by (r_k*s_k - -> by (r_k*s_k +",
        "12*n^2 + 12*n - 1 -> 12*n^2 + 12*n + 1",
    ),
    "our:convexByLM": (
        TENTH,
        "by gamma^2*G*r -> by -gamma^2*G*r",
        "by 2*gamma*u + -> by 2*gamma*u -",
        "/(T + 1/p) -> /(T + p)",
    ),
    "our:weightedMean": (
        HALF,
        "by r_i -> by -r_i",
        "by s -> by -s",
        "= p*V -> = V",
    ),
    "our:sandwich": (
        "c_P -> 0.99*c_P",
        "s_k* -> -s_k*",
        "p = -> p^2 =",
        "- s_l -> + s_l",
        "by delta_i -> by -delta_i",
        "*c_k -> ^2*c_k",
        "by delta_ki -> by -delta_ki",
        "*optimum -> ^2*optimum",
    ),
    "our:closedFormFactor": (
        "(1 + -> 0.95*(1 +",
        "D = -> D^2 =",
        "by lambda_j -> by -lambda_j",
        "h_k/sqrt -> h_k^2/sqrt",
        "- s_l -> + s_l",
        "w_k* -> -w_k*",
        "(t - rho -> (t + rho",
        "s_1 := 1 -> s_1 := 2",
    ),
    "our:whenRPTHelps": (
        Changed(more=1),
        "by delta_i -> by -delta_i",
        "*c_k -> ^2*c_k",
        "delta_i* -> -delta_i*",
        "- v_ib -> + v_ib",
    ),
    "our:logConvex": (
        Changed(factor=0.99),
        "p_i; -> p_i^2;",
        "R_aj*x_j -> R_aj*x_j^2",
        "g_i^ -> -g_i^",
        "(v_l -> -(v_l",
        "2*g_2 -> -2*g_2",
    ),
    "our:overhead": (
        Changed(factor=1.1),
        "*p_k -> ^2*p_k",
        "s_k* -> s_k^2*",
        "s_k*w_k -> -s_k*w_k",
        "m*c_0 -> -m*c_0",
        "= s -> = s^2",
    ),
    "our:forcedOrder": (
        Changed(factor=1.1),
        "0*K_B -> 1*K_B",
        "t*w -> -t*w",
        "q_i*w -> -q_i*w",
    ),
    "our:pooledClosedForm": (
        Changed(strict=True),
        "by w*C_T -> by -w*C_T",
        "- E = S_j -> - 2*E = S_j",
        "s*w -> -s*w",
        "C_j*sqrt(A/C) -> C_j*A/C",
        "p = -> p^2 =",
    ),
    "our:samplingIndependence": (
        "= p_k -> = p_k^2",
        "L_ij/sqrt(p_i*p_j) -> L_ij*p_ij/(p_i*p_j)",
        Changed(IDENTITY, sampling_independence._NESTED, sampling_independence._SEPARATE, 2),
    ),
    "our:secondMomentConvex": (
        Changed(factor=0.99),
        "= r_k*L_ij; p_k -> = r_k^2*L_ij; p_k",
        "= theta -> = theta^2",
        "2*c_k -> -2*c_k",
        "= s -> = s^2",
        "by w* -> by -w*",
        "L_M room >= 0 -> room >= 0",
        "by s_k -> by -s_k",
        Changed(((2, 2), (2, 6)), ((4, 4), (4, 4)), 8),
    ),
    "our:genericNonconvex": (
        Fraction(9, 10),
        "A*gamma^2 -> A*gamma",
        "*(q -> ^2*(q",
        "- w_T/ -> + w_T/",
        "<= LA -> <= 2*LA",
        "by a -> by -a",
        "/T; -> /T^2;",
        "n + -> n + 1 +",
        "4*delta -> 3*delta",
    ),
    "our:genericConvex": (
        QUARTER,
        "<= R - 2 -> <= R - 4",
        "3/2*gamma -> 4/2*gamma",
        "x_0 - x_T2 -> x_0 - 2*x_T2",
        "c*x_last -> -c*x_last",
        "gamma*total -> 2*gamma*total",
    ),
    "our:LPgeqL": (
        "lmax -> 1.01*lmax",
        "L_P*missing_i -> -L_P*missing_i",
    ),
    "our:polyakLojasiewicz": (
        "gamma/2 -> gamma",
        "gamma*mu -> 2*gamma*mu",
        "following/ -> -following/",
        "t + 1 -> t + 2",
    ),
    "our:proximal": (
        Changed(factor=2),
        "by 2 -> by -2",
        "gamma^2 -> gamma",
        "gamma*mu -> 2*gamma*mu",
        "t + 1 -> t + 2",
    ),
    "our:noisyConvex": (
        FIFTH,
        "gamma^2*(g_i^2 -> gamma*(g_i^2",
        "by 2*gamma*s + gamma*rest -> by -2*gamma*s - gamma*rest",
        "x_0 - x_T2 -> x_0 - 2*x_T2",
        "2*m -> 3*m",
        "gamma*total -> 2*gamma*total",
    ),
    "our:noisyStronglyConvex": (
        HALF,
        "gamma^2*(g_i^2 -> gamma*(g_i^2",
        "gamma*mu -> 2*gamma*mu",
        "by ( -> by -(",
        "t + 1 -> t + 2",
    ),
    "our:noisyNonconvex": (
        HALF,
        "(2 - gamma -> (2 - 2*gamma",
        "2*delta -> delta",
    ),
    "our:portableCertificate": (
        "x_j)^2 -> x_j)",
        "m*(x_i + -> -m*(x_i +",
    ),
    "nesterov2012:lemma1": (
        "sum(L) -> 0.99*sum(L)",
        "- y_j -> + y_j",
        "- a_l -> + a_l",
    ),
}
